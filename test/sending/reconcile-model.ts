/**
 * Creates whose answers are lost, at a service that may do anything within its limits: at most one order for each
 * operation, and every outcome that is recorded is true.
 */

import { expect } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { isMade, type OperationName, type Run } from "../../src/ledger/operation.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { contentOf } from "../../src/model/same-order.ts";
import { latestMadeMs } from "../../src/sending/proof.ts";
import { reconcile } from "../../src/sending/reconcile.ts";
import type { ReconcileTools } from "../../src/sending/reconcile-types.ts";
import { fc } from "../support/effort.ts";
import type { HandClock } from "../support/hand-clock.ts";
import { createAdversary, draftOf, elsewhere, rewritings, type StoredOrder, stampOf } from "./adversary.ts";

/** How long the service may take to list an order: the tools are told so. */
export const listedWithinMs = 30_000;

type Fate =
  /** Made or not, its answer is lost; `late`: which part of the time that is allowed until it is made. */
  | { readonly kind: "lost"; readonly isMade: boolean; readonly late: number; readonly isTimeout: boolean }
  /** The process is killed while it waits. */
  | { readonly kind: "killed"; readonly isMade: boolean; readonly late: number }
  | { readonly kind: "answered" };

type Step =
  | { readonly kind: "send"; readonly content: number; readonly fate: Fate; readonly lag: number }
  /** Sends once more what is known not to have been made. */
  | { readonly kind: "resend"; readonly fate: Fate; readonly lag: number }
  | { readonly kind: "wait"; readonly ms: number }
  /** `copy`: the list is that of older data, and lacks orders that it had shown. */
  | { readonly kind: "look"; readonly refusal: "none" | "list" | "details" | "copy" }
  /** Somebody sets the hour of this machine. */
  | { readonly kind: "set the hour"; readonly byMs: number }
  /** An order of another writer, to other receivers. */
  | { readonly kind: "foreign"; readonly content: number; readonly lag: number };

export interface Story {
  readonly rewriting: string;
  readonly second: string;
  readonly skewMs: number;
  /** Its answers carry a Date header. */
  readonly tellsHour: boolean;
  /** Enough own orders tell which fields the service keeps. */
  readonly knownOrders: boolean;
  readonly steps: readonly Step[];
}

const part = fc.double({ min: 0, max: 1, noNaN: true });
const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.record({
    kind: fc.constant("lost" as const),
    isMade: fc.boolean(),
    late: part,
    isTimeout: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("killed" as const), isMade: fc.boolean(), late: part }),
  fc.constant({ kind: "answered" as const }),
);
const dayMs = 86_400_000;
const setting = fc.oneof(
  fc.constantFrom(-3_600_000, 3_600_000, -30 * dayMs, 30 * dayMs),
  fc.integer({ min: -120_000, max: 120_000 }),
);
const content = fc.integer({ min: 0, max: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("send" as const), content, fate, lag: part }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("resend" as const), fate, lag: part }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("look" as const),
      refusal: fc.constantFrom("none", "none", "none", "copy", "copy", "list", "details"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 120_000 }),
        fc.integer({ min: dayMs, max: 10 * dayMs }),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("set the hour" as const),
      byMs: setting,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("foreign" as const),
      content: fc.integer({ min: elsewhere, max: elsewhere + 8 }),
      lag: part,
    }),
  },
);

export const story: fc.Arbitrary<Story> = fc.record({
  rewriting: fc.constantFrom(...Object.keys(rewritings)),
  second: fc.constantFrom(...Object.keys(rewritings)),
  skewMs: fc.constantFrom(0, 0, -300_000, 240_000, -3_600_000),
  tellsHour: fc.boolean(),
  knownOrders: fc.boolean(),
  steps: fc.array(step, { minLength: 2, maxLength: 14 }),
});

/** An answer is lost, and somebody sets the hour again and again while its order is looked for. */
export const storyOfSettings: fc.Arbitrary<Story> = fc.record({
  rewriting: fc.constant("nothing is rewritten"),
  second: fc.constant("nothing is rewritten"),
  skewMs: fc.constant(0),
  tellsHour: fc.boolean(),
  knownOrders: fc.constant(false),
  steps: fc
    .tuple(
      fc.record({ kind: fc.constant("send" as const), content, fate, lag: part }),
      fc.array(
        fc.tuple(
          fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 10_000 }) }),
          fc.record({ kind: fc.constant("set the hour" as const), byMs: setting }),
          fc.record({ kind: fc.constant("look" as const), refusal: fc.constant("none" as const) }),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    )
    .map(([send, rounds]) => [send, ...rounds.flat()]),
});

/** An answer is lost, and the list falls back to older data again and again while its order is looked for. */
export const storyOfCopies: fc.Arbitrary<Story> = fc.record({
  rewriting: fc.constantFrom(...Object.keys(rewritings)),
  second: fc.constant("nothing is rewritten"),
  skewMs: fc.constant(0),
  tellsHour: fc.boolean(),
  knownOrders: fc.constant(true),
  steps: fc
    .tuple(
      fc.record({ kind: fc.constant("send" as const), content, fate, lag: part }),
      fc.array(
        fc.tuple(
          fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
          fc.record({
            kind: fc.constant("look" as const),
            refusal: fc.constantFrom("copy" as const, "copy" as const, "none" as const),
          }),
        ),
        { minLength: 2, maxLength: 6 },
      ),
    )
    .map(([send, rounds]) => [send, ...rounds.flat()]),
});

/** A create is lost just after orders of which some go to the same receiver, at a service that writes addresses in its own way. */
export const storyOfAddresses: Story = {
  rewriting: "address reordered",
  second: "nothing is rewritten",
  skewMs: 0,
  tellsHour: true,
  knownOrders: true,
  steps: [{ kind: "send", content: 0, fate: { kind: "killed", isMade: false, late: 0 }, lag: 0 }],
};

export interface Told {
  /** Operations by how they ended. */
  readonly states: ReadonlyMap<string, number>;
}

export const startOfStory = "2026-03-01T08:00:00Z";

let profiles = 0;

/** Plays one story and checks the promise after each step. */
export async function play(told: Story, ledger: Ledger, clock: HandClock): Promise<Told> {
  const { rewriting, second, skewMs, tellsHour, knownOrders, steps } = told;
  const startMs = clock.now();
  const serviceMs = () => startMs + clock.elapsed();
  const clockOffsetMs = () => (tellsHour ? serviceMs() - clock.now() : undefined);
  const [one, other] = [rewritings[rewriting], rewritings[second]];
  if (!one || !other) throw new Error("no such rewriting");
  const service = createAdversary({ now: serviceMs }, { rewrite: (shown) => other(one(shown)), skewMs });
  const { id: customer } = await ledger.learnCustomer({
    service: "s",
    key: undefined,
    profileId: `model ${++profiles}`,
    account: "shop",
  });
  /** What the last list had, the newest first. */
  let listedIds: readonly string[] = [];
  const sent: { name: OperationName; content: number; run: Run; isSettled?: boolean }[] = [];

  const beginRun = () =>
    ledger.beginRun({
      command: "orders create",
      account: "shop",
      service: "s",
      customer,
      process: { pid: 1, started: undefined, place: "here" },
      startedAtMs: clock.now(),
    });
  const tools: ReconcileTools = {
    ledger,
    customer,
    run: undefined,
    async *list(dateFrom) {
      const ids: string[] = [];
      for await (const summary of service.list(dateFrom)) {
        ids.push(summary.id.value);
        yield summary;
      }
      listedIds = ids;
    },
    detail: (id) => service.detail(id),
    nextCommand: (words) => words,
    clockOffsetMs,
    clock,
    stop: new AbortController().signal,
    settleMs: listedWithinMs,
  };

  async function send(number: number, what: Fate, lag: number): Promise<void> {
    const draft = draftOf(number);
    const run = await beginRun();
    const begun = await ledger.beginCreate(
      run,
      {
        content: contentOf(draft as JsonObject),
        draft,
        windowMs: 0,
        isDuplicateAllowed: true,
        accepted: allNames(),
        offsetMs: clockOffsetMs(),
      },
      clock.now(),
    );
    if (begun.kind !== "begun") throw new Error("stopped");
    const name = begun.operation;
    const request = sent.push({ name, content: number, run }) - 1;
    clock.advance(5);
    const lagMs = lag * listedWithinMs;
    if (what.kind === "answered") {
      service.make(draft, request, serviceMs(), lagMs);
      const made = service.orders.find((order) => order.request === request) as StoredOrder;
      clock.advance(5);
      const order = {
        id: made.id,
        order_no: null,
        tracking_number: null,
        estimated_fee: null,
        created_at: stampOf(made),
      };
      return ledger.endCreate(
        name,
        run.number,
        { state: "created", order, stampAheadMs: tellsHour ? skewMs - 5 : undefined },
        clock.now(),
      );
    }
    const isTimeout = what.kind === "lost" && what.isTimeout;
    const allowedMs = latestMadeMs[isTimeout ? "timeout" : "broken"];
    clock.advance(isTimeout ? 3_000 : 5);
    if (what.isMade) service.make(draft, request, serviceMs() + what.late * allowedMs, lagMs);
    if (what.kind === "killed") return ledger.releaseRun(run.number, clock.now());
    const loss = isTimeout ? ("timeout" as const) : ("broken" as const);
    await ledger.endCreate(name, run.number, { state: "unknown", loss }, clock.now());
  }

  function allNames(): ReadonlySet<string> {
    return new Set(sent.map(({ name }) => `${name.run}.${name.number}`));
  }

  async function look(refusal: "none" | "list" | "details" | "copy"): Promise<void> {
    service.refusesList = refusal === "list";
    service.refusesDetails = refusal === "details";
    service.copiedMs = refusal === "copy" ? await findCopy() : undefined;
    await reconcile(tools).catch((error) => {
      if (refusal !== "list") throw error;
    });
    service.refusesList = false;
    service.refusesDetails = false;
    service.copiedMs = undefined;
  }

  /**
   * A copy from before an own order of these two days that the last list has shown: that is how it is known. Undefined
   * where there is none.
   */
  async function findCopy(): Promise<number | undefined> {
    const open = await ledger.openOperations(customer);
    if (open.length === 0) return undefined;
    const sentMs = open.map(({ operation }) => operation.sentAtMs ?? 0);
    const listed = await Promise.all(
      listedIds.map(async (id) => {
        const name = (await ledger.findOwners(customer, [id])).get(id);
        return { id, operation: name && (await ledger.findOperation(name)) };
      }),
    );
    const known = listed.find(
      ({ operation }) =>
        operation?.sentAtMs !== undefined &&
        isMade(operation) &&
        sentMs.every((ms) => ms - dayMs <= (operation.sentAtMs ?? 0)),
    );
    return service.all.find(({ id }) => id === known?.id)?.madeMs;
  }

  /** What is recorded is true, at the end of all time. */
  async function check(): Promise<Map<string, number>> {
    const states = new Map<string, number>();
    const madeBy = new Map<number, string>();
    // Orders that are made later count already: nothing can stop them.
    for (const { id, request } of service.all) if (request !== undefined) madeBy.set(request, id);
    const taken = new Map<string, number>();
    const made = new Map<number, number>();
    const settled = new Map<number, number>();
    const open = new Map<number, number>();
    for (const [request, { name, content: number }] of sent.entries()) {
      const operation = await ledger.findOperation(name);
      const { state = "none", order } = operation ?? {};
      states.set(state, (states.get(state) ?? 0) + 1);
      const count = (counts: Map<number, number>) => counts.set(number, (counts.get(number) ?? 0) + 1);
      if (madeBy.has(request)) count(made);
      if (state === "created" || state === "found") {
        count(settled);
        expect(taken.has(order?.id ?? ""), `order ${order?.id} of two operations`).toBe(false);
        taken.set(order?.id ?? "", number);
        const owner = [...madeBy].find(([, id]) => id === order?.id)?.[0];
        expect(sent[owner ?? -1]?.content, `the order of operation ${name.run} (${state})`).toBe(number);
      }
      if (state === "unknown" || state === "sending") count(open);
    }
    // Equal orders are interchangeable: as many as were made are created or found, or still in doubt.
    for (const [number, count] of made)
      expect(
        (settled.get(number) ?? 0) + (open.get(number) ?? 0),
        `orders of ${number}`,
      ).toBeGreaterThanOrEqual(count);
    return states;
  }

  if (knownOrders) {
    for (let count = 0; count < 22; count++) await send(18 + (count % 9), { kind: "answered" }, 0);
    await reconcileOnce(tools);
  }
  for (const each of steps) {
    switch (each.kind) {
      case "send":
        await send(each.content, each.fate, each.lag);
        break;
      case "resend":
        for (const entry of [...sent]) {
          const operation = await ledger.findOperation(entry.name);
          if (operation?.state !== "unsent" || entry.isSettled) continue;
          entry.isSettled = true;
          await send(entry.content, each.fate, each.lag);
        }
        break;
      case "wait":
        clock.advance(each.ms);
        break;
      case "set the hour":
        clock.jump(each.byMs);
        break;
      case "look":
        await look(each.refusal);
        break;
      case "foreign":
        service.make(draftOf(each.content), undefined, serviceMs(), each.lag * listedWithinMs);
    }
    await check();
  }
  // In the end the service answers well, and enough time passes: twice as long as an older list hid an order.
  const hasCopy = steps.some((each) => each.kind === "look" && each.refusal === "copy");
  const hiddenMs = hasCopy ? steps.reduce((sum, each) => sum + (each.kind === "wait" ? each.ms : 0), 0) : 0;
  for (let count = 0; count < 3; count++) {
    clock.advance(latestMadeMs.timeout + listedWithinMs + 2 * hiddenMs);
    await look("none");
    await check();
  }
  const states = await check();
  const isKnown = knownOrders || [rewriting, second].every((name) => !changing.has(name));
  const isPlain = isKnown && [rewriting, second].every((name) => !/name|item|quantity/.test(name));
  const hasForeign = steps.some(({ kind }) => kind === "foreign");
  const isOfTime = tellsHour && !steps.some(({ kind }) => kind === "set the hour");
  if (isPlain && !isHidden(rewriting, second) && !hasForeign && skewMs === 0 && isOfTime)
    expect(states.get("unknown") ?? 0, "left in doubt").toBe(0);
  return { states };
}

/** Nobody can tell these from another order before own orders have shown that the service does so. */
const changing: ReadonlySet<string> = new Set([
  "phone without its last digits",
  "address reordered",
  "quantity changed",
]);

/** The receiver cannot be recognised by the phone nor by the address. */
function isHidden(one: string, other: string): boolean {
  const names = `${one} ${other}`;
  return /phone/.test(names) && /address/.test(names);
}

/** A look with nothing in doubt still lists: the orders that are known tell what the service keeps. */
async function reconcileOnce(tools: ReconcileTools): Promise<void> {
  const { readListing, reconcileWith } = await import("../../src/sending/reconcile.ts");
  await reconcileWith(await readListing("2026-02-01", tools), tools);
}
