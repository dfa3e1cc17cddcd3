/** The mirror of a run's account, brought up to date with the orders that this machine created. */

import { statSync } from "node:fs";
import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import type { Clock } from "../core/clock.ts";
import { hasLedger, ledgerPath } from "../ledger/ledger.ts";
import { nameOperation, type Operation, parseOperationName } from "../ledger/operation.ts";
import { type Answer, hasMirror, type Mirror, type MirrorOwner, openMirror } from "../mirror/mirror.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { type JsonObject, jsonNumber } from "../model/json.ts";
import type { Context } from "./command.ts";

/** Orders taken over at once. */
const batchSize = 500;
/** A run that did not end in this time was killed. */
const longestRunMs = 24 * 3_600_000;
/** A run whose output is written waits so long for other processes. */
const longestWaitMs = 250;

export async function mirrorOwner(context: Context): Promise<MirrorOwner> {
  return ownerOf(await context.account());
}

function ownerOf(account: ActiveAccount): MirrorOwner {
  // The environment may give another customer's key each time.
  const key = account.kind === "remote" && account.key.place === "given" ? account.key.apiKey : "";
  return { account: account.name, service: serviceOf(account), key };
}

/** Throws `database`, exit 5. It is closed when the run ends. */
export async function openAccountMirror(context: Context): Promise<Mirror> {
  const owner = await mirrorOwner(context);
  const { clock, signal, machine } = context;
  const mirror = await openMirror(machine.stateDirectory, owner, { clock, signal });
  context.addCleanup(async () => mirror.close());
  if (hasLedger(machine.stateDirectory)) await takeFromLedger(mirror, owner, context);
  return mirror;
}

/** Records answers of a run that needed no mirror, where there is one. Throws `database`, exit 5. */
export async function recordAnswers(
  answers: readonly Answer[],
  { account, stateDirectory, clock }: { account: ActiveAccount; stateDirectory: string; clock: Clock },
): Promise<void> {
  const owner = ownerOf(account);
  if (!hasMirror(stateDirectory, owner)) return;
  const mirror = await openMirror(stateDirectory, owner, { clock, limitMs: () => longestWaitMs });
  try {
    await mirror.record(answers, clock.now());
  } finally {
    mirror.close();
  }
}

/** Adds orders that this machine created since the last time, with the phones and addresses that a list lacks. */
async function takeFromLedger(mirror: Mirror, owner: MirrorOwner, context: Context): Promise<void> {
  const version = describeVersion(ledgerPath(context.machine.stateDirectory));
  if (version === (await mirror.fact("ledger_version"))) return;
  const ledger = await context.ledger();
  const firstOpen =
    (await ledger.firstOpenRun(context.clock.now() - longestRunMs)) ?? Number.POSITIVE_INFINITY;
  let after = parseOperationName((await mirror.fact("ledger_through")) ?? "") ?? { run: 0, number: 0 };
  for (;;) {
    const found = await ledger.ordersSince(owner.account, owner.service, after, batchSize);
    const last = found.at(-1);
    if (!last) break;
    for (const operation of found) await mirror.record(answersOf(operation), operation.endedAtMs ?? 0);
    after = last;
    if (last.run < firstOpen) await mirror.setFact("ledger_through", nameOperation(last));
  }
  await mirror.setFact("ledger_version", version);
}

/** Changes with each commit to the file. */
function describeVersion(file: string): string {
  const parts = [file, `${file}-wal`].map((each) => {
    const found = statSync(each, { throwIfNoEntry: false });
    return found === undefined ? "none" : `${found.size} ${found.mtimeMs}`;
  });
  return parts.join(", ");
}

function answersOf({ order, orderState, draft, ref }: Operation): Answer[] {
  if (!order) return [];
  const { id, estimated_fee: fee } = order;
  const created: JsonObject = {
    id: jsonNumber(id),
    order_no: order.order_no,
    tracking_number: order.tracking_number,
    ...(orderState === undefined ? {} : { status: orderState }),
    estimated_fee: fee !== null && isPlainDecimal(fee) ? jsonNumber(fee) : fee,
  };
  const sent: Answer[] = draft ? [{ id, kind: "draft", value: draft as unknown as JsonObject }] : [];
  return [...sent, { id, kind: "created", value: created, ref }];
}
