/** What is kept of the service's answers about orders, once the output is written. */

import { existsSync } from "node:fs";
import path from "node:path";
import type { CourierService } from "../api/service.ts";
import { type OrderAnswer, withKnownOrders } from "../api/with-known-orders.ts";
import type { Context } from "../command/command.ts";
import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import { createNoticedOrders, type NoticedOrders } from "../ledger/noticed-orders.ts";

/** A longer list is for `courier sync`. */
const mostMirrored = 200;
/** More would make the ledger large. */
const mostSeen = 10_000;

export interface AnswerTools
  extends Pick<
    Context,
    "clock" | "ledger" | "localLedger" | "sharesLedger" | "knownCustomer" | "addCleanup"
  > {
  readonly account: ActiveAccount;
  readonly stateDirectory: string;
  hasOpenLedger(): boolean;
}

/** The same service, and what it has noticed. A failure costs the Tab key and a search some orders, and no result. */
export function remembering(
  service: CourierService,
  tools: AnswerTools,
  orders: NoticedOrders = createNoticedOrders(tools.stateDirectory),
): { readonly service: CourierService; readonly orders: NoticedOrders } {
  const { account, clock, addCleanup } = tools;
  const owner = { account: account.name, service: serviceOf(account) };
  addCleanup(() => orders.keep(tools.localLedger, clock.now()).catch(() => undefined));
  const keep = createAnswerKeeper(orders.cachedIds(owner), tools);
  return { service: withKnownOrders(service, (seen) => orders.notice(owner, seen), keep), orders };
}

function createAnswerKeeper(
  /** Orders that earlier runs were shown. */
  cachedIds: ReadonlySet<string | undefined>,
  tools: AnswerTools,
): (answer: OrderAnswer) => void {
  const { account, stateDirectory, clock, addCleanup } = tools;
  const answers: OrderAnswer[] = [];
  const seenIds = new Set<string>();

  async function mirrorAnswers(): Promise<void> {
    if (!existsSync(path.join(stateDirectory, "mirror"))) return;
    const { recordAnswers } = await import("../command/account-mirror.ts");
    await recordAnswers(answers, { account, stateDirectory, clock });
  }

  /** A later create whose answer names one of them is known to be another order. */
  async function recordSeen(): Promise<void> {
    if (account.kind === "sandbox") return;
    if (!tools.hasOpenLedger() && (await tools.sharesLedger())) return; // no wait for a server after the result
    const known = await tools.knownCustomer();
    if (known) await (await tools.ledger()).recordSeen(known.id, [...seenIds], clock.now());
  }

  return (answer) => {
    if (answers.length === 0) addCleanup(() => mirrorAnswers().catch(() => undefined));
    if (answers.length < mostMirrored) answers.push(answer);
    if (answer.id === undefined || cachedIds.has(answer.id)) return;
    if (seenIds.size === 0) addCleanup(() => recordSeen().catch(() => undefined));
    if (seenIds.size < mostSeen) seenIds.add(answer.id);
  };
}
