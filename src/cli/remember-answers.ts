/** What is kept of the service's answers about orders, once the output is written. */

import { existsSync } from "node:fs";
import path from "node:path";
import type { Client } from "../api/client.ts";
import { type CourierService, createService } from "../api/service.ts";
import { type OrderAnswer, reportTo, withKnownOrders, withKnownRawOrders } from "../api/with-known-orders.ts";
import type { Context } from "../command/command.ts";
import { ordersOwnerOf, tagOfKey } from "../command/orders-owner.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { createNoticedOrders, type NoticedOrders } from "../ledger/noticed-orders.ts";
import type { Batch } from "../mirror/mirror.ts";
import type { OrderDetail } from "../model/interface.ts";
import type { KnownOrder } from "../model/known-order.ts";

/** A longer list is for `courier sync`; what took a call each is kept. */
const mostMirrored = 200;
/** More would make the ledger large, and fill the memory. */
const mostSeen = 10_000;

export interface AnswerTools
  extends Pick<
    Context,
    "clock" | "ledger" | "sharesLedger" | "knownCustomer" | "addCleanup" | "nextCommand"
  > {
  readonly account: ActiveAccount;
  readonly apiKey: string;
  readonly stateDirectory: string;
  readonly warn: (text: string) => void;
  hasOpenLedger(): boolean;
  /** A login has given the account another key than this run's. */
  hasOtherKey(): Promise<boolean>;
}

export interface Remembered {
  readonly orders: NoticedOrders;
  readonly keep: (answer: OrderAnswer) => void;
}

/**
 * The client's service, the client for raw calls, and what both have noticed. A failure costs the Tab key and a search some
 * orders, and no result.
 */
export function remembering(
  client: Client,
  tools: AnswerTools,
  /** Of another service of the run: what both answer is kept in its order. */
  before?: Remembered,
): Remembered & { readonly service: CourierService; readonly rawClient: Client } {
  const { account } = tools;
  const owner = ordersOwnerOf(account);
  // The embedded sandbox creates a key for each run.
  const keyTag = account.kind === "sandbox" ? undefined : tagOfKey(tools.apiKey);
  const orders = before?.orders ?? createNoticedOrders(tools.stateDirectory);
  const keep = before?.keep ?? createAnswerKeeper(orders.cachedStates(owner, keyTag), tools);
  const notice = (seen: readonly KnownOrder[]) =>
    orders.notice(
      owner,
      seen.map((order) => ({ ...order, keyTag })),
    );
  const report = reportTo(notice, keep);
  const service = withKnownOrders(createService(client), notice, report);
  return { service, rawClient: withKnownRawOrders(client, report), orders, keep };
}

function createAnswerKeeper(
  /** The orders that earlier runs with this key were shown, with their states. */
  cached: ReadonlyMap<string | undefined, string | undefined>,
  tools: AnswerTools,
): (answer: OrderAnswer) => void {
  const { account, stateDirectory, clock, addCleanup } = tools;
  /** The last one of each kind about an order, in the order in which they came. */
  const answers = new Map<string, Batch>();
  let listed = 0;
  const seen = new Map<string, string>();
  /** Details, which go before what a list says: all that change what is known, and some of the others. */
  const details = new Map<string, OrderDetail>();
  const sinceMs = clock.now();

  async function mirrorAnswers(): Promise<void> {
    if (!existsSync(path.join(stateDirectory, "mirror")) || (await tools.hasOtherKey())) return;
    const { recordAnswers } = await import("../command/account-mirror.ts");
    await recordAnswers([...answers.values()], tools);
  }

  /** A later create whose answer names one of them is known to be another order. One may be cancelled, or back. */
  async function recordSeen(): Promise<void> {
    if (account.kind === "sandbox") return;
    if (!tools.hasOpenLedger() && (await tools.sharesLedger())) return; // no wait for a server after the result
    const known = await tools.knownCustomer();
    if (!known) return;
    const ledger = await tools.ledger();
    // What is cached may go out of the cache now, before a create records it.
    const before = [...cached.keys()].filter((id) => id !== undefined);
    await ledger.recordSeen(known.id, [...before, ...seen.keys()], clock.now());
    const states = new Map([...seen].filter(([, state]) => state !== ""));
    await ledger.noteStates(known.id, states, sinceMs, (ids) => selectAsSent(ids, states, known.id, ledger));
  }

  /** Of these orders, those that were read, and that are what their creates sent. */
  async function selectAsSent(
    ids: readonly string[],
    states: ReadonlyMap<string, string>,
    customer: number,
    ledger: Ledger,
  ) {
    const { readOwner } = await import("../sending/another-order.ts");
    const asSent = new Set<string>();
    for (const order of ids.flatMap((id) => details.get(id) ?? [])) {
      if ((order.status === "cancelled") !== (states.get(order.id.value) === "cancelled")) continue;
      const { other } = await readOwner(order, { ...tools, ledger, customer });
      if (other === undefined) asSent.add(order.id.value);
    }
    return asSent;
  }

  return (answer) => {
    if (answers.size === 0) addCleanup(() => mirrorAnswers().catch(() => undefined));
    const { id, kind, value } = answer;
    const name = `${kind} ${id ?? value.tracking_number}`;
    const isRepeated = answers.delete(name);
    if (kind === "list" && !isRepeated) listed += 1;
    if (isRepeated || (kind === "list" ? listed <= mostMirrored : answers.size < mostSeen))
      answers.set(name, { answers: [answer], seenAtMs: clock.now() });
    if (id === undefined) return;
    const isDetail = kind === "detail";
    const isChanged = (cached.get(id) === "cancelled") !== (value.status === "cancelled");
    // A cancel of it may be in doubt, and what is cached may be a list's word.
    if (cached.has(id) && cached.get(id) === value.status && !isDetail && !seen.has(id)) return;
    if (seen.size === 0) addCleanup(() => recordSeen().catch(() => undefined));
    const isKnown = seen.has(id);
    if (isKnown ? isDetail || !details.has(id) : seen.size < mostSeen) seen.set(id, value.status ?? "");
    if (isDetail && (isChanged || details.size < mostMirrored)) details.set(id, answer.value);
  };
}
