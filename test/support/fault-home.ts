/** A home with a service that misbehaves, and an account of what a run did to it. */

import { setImmediate as turn } from "node:timers/promises";
import type { FaultCondition } from "../../src/sandbox/faults.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { createServedHome, type Ran, type RunOptions, type ServedHome } from "./courier.ts";
import type { Place } from "./faults.ts";
import { plainDraft } from "./orders.ts";
import type { WireFault } from "./wire-faults.ts";

export interface FaultHome extends ServedHome {
  /** Orders that stand there from the start. */
  readonly orders: readonly { readonly id: string; readonly trackingNumber: string }[];
  /** Adds a pending order like `plainDraft`, and gives back its id. */
  addOrder(): Promise<string>;
  /** Runs a command line under a fault, or against another place; a call that stalls runs into its limits. */
  suffer(words: readonly string[], trouble: Trouble, options?: RunOptions): Promise<Suffered>;
}

export type Trouble = (WireFault & FaultCondition) | Place;

export interface Suffered extends Ran {
  /** Requests that reached the service, by method. */
  readonly sent: { readonly GET: number; readonly POST: number; readonly DELETE: number };
  /** How many more orders there are than before. */
  readonly created: number;
  /** The state of each order, by id. */
  readonly states: ReadonlyMap<string, string>;
  /** What was waited for between tries, in milliseconds. */
  readonly delays: readonly number[];
}

/** More than a try has before another one is worth more, which is half of the deadline. */
const longerThanATryMs = 15_001;

/** Three generated orders, and nothing else. */
export async function createFaultHome(options: Partial<SandboxOptions> = {}): Promise<FaultHome> {
  const home = await createServedHome({ seedOrders: 3, ...options });
  const { sandbox, clock } = home;
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  const url = `${sandbox.baseUrl}/api/v1/orders`;

  async function listOrders() {
    const answer = await fetch(`${url}?limit=100`, { headers });
    const { data } = (await answer.json()) as {
      data: { id: number; tracking_number: string; status: string }[];
    };
    return data;
  }

  const orders = (await listOrders()).map((order) => ({
    id: String(order.id),
    trackingNumber: order.tracking_number,
  }));
  let count = orders.length;

  return {
    ...home,
    orders,
    async addOrder() {
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(plainDraft) });
      count += 1;
      return String(((await answer.json()) as { data: { id: number } }).data.id);
    },
    async suffer(words, trouble, options = {}) {
      const [requestsBefore, delaysBefore] = [sandbox.requests.length, clock.delays.length];
      const isElsewhere = "baseUrl" in trouble;
      const env = isElsewhere ? { COURIER_BASE_URL: trouble.baseUrl } : {};
      if (!isElsewhere) sandbox.faults.set([trouble]);
      const ran = home.courier(words, { ...options, env: { ...options.env, ...env } });
      // An import ends at its first call there, before its meter starts.
      if (isElsewhere && trouble.hangs)
        await passTime(home, ran, { stalled: () => Number.POSITIVE_INFINITY, others: 0 });
      if (!isElsewhere && /^stall|^drip/.test(trouble.kind)) {
        const stalled = () => sandbox.faults.counts()[0]?.fired ?? 0;
        const others = words.includes("import") ? 1 : 0; // its meter has a timer of its own
        await passTime(home, ran, { stalled, others, drips: trouble.kind === "drip" });
      }
      const ended = await ran;
      const requests = sandbox.requests.slice(requestsBefore);
      sandbox.faults.clear();
      const sent = (method: string) => requests.filter((request) => request.method === method).length;
      const after = await listOrders();
      const created = after.length - count;
      count = after.length;
      return {
        ...ended,
        sent: { GET: sent("GET"), POST: sent("POST"), DELETE: sent("DELETE") },
        created,
        states: new Map(after.map(({ id, status }) => [String(id), status])),
        delays: clock.delays.slice(delaysBefore),
      };
    },
  };
}

/**
 * Moves the clock on whenever every try that is under way has stalled, until the run ends. `stalled` counts
 * all that ever did; a service that `drips` has a timer of its own for each, and there are `others`.
 */
async function passTime(
  { clock }: ServedHome,
  ran: Promise<unknown>,
  { stalled, others, drips = false }: { stalled: () => number; others: number; drips?: boolean },
): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  ran.then(end, end);
  let given = 0;
  while (!isOver) {
    await turn();
    const tries = stalled() - given;
    const timers = clock.waiting - others;
    if (timers <= 0 || tries === 0 || timers > tries * (drips ? 2 : 1)) continue;
    const before = clock.waiting;
    clock.advance(longerThanATryMs);
    given += before - clock.waiting; // a timer of a try that is given up does not start again
  }
}
