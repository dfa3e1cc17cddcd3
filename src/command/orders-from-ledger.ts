/** Brings the mirror up to date with the orders that this machine created. */

import { ServiceFailure } from "../api/failure.ts";
import { CourierError } from "../core/errors.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
  nameOperation,
  type Operation,
  type OperationName,
  parseOperationName,
} from "../ledger/operation.ts";
import { nameBegin } from "../ledger/runs.ts";
import type { Answer, Mirror } from "../mirror/mirror.ts";
import type { MirrorOwner } from "../mirror/mirror-path.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { type JsonObject, jsonNumber } from "../model/json.ts";
import type { Context } from "./command.ts";
import { claimMirror } from "./mirror-customer.ts";

const throughFact = "ledger_through";
const withdrawnFact = "withdrawn_through";
const runFact = "ledger_run";
/** The value of a fact before anything was taken over. */
const nothing = "0";
/** Orders taken over at once. */
const batchSize = 500;
/** A run that did not end in this time was killed. */
const longestRunMs = 24 * 3_600_000;

/** `unknown`: it could not be found out whose key the account has. `another`: the mirror has another customer's orders. */
export type Taken = "all" | "unknown" | "another";

/** Adds orders that this machine created since the last time, with the phones and addresses that a list lacks. */
export async function takeFromLedger(mirror: Mirror, owner: MirrorOwner, context: Context): Promise<Taken> {
  const ledger = await context.ledger();
  const customer = await findCustomer(context);
  if (customer === undefined) return "unknown";
  if (!(await claimMirror(mirror, customer, ledger))) return "another";
  const firstOpen =
    (await ledger.firstOpenRun(context.clock.now() - longestRunMs)) ?? Number.POSITIVE_INFINITY;
  await beginInAnother(mirror, ledger);
  await takeWithdrawn(mirror, ledger, customer);
  let after = await readThrough(mirror);
  for (;;) {
    const found = await ledger.ordersSince({ ...owner, customer: customer.id }, after, batchSize);
    const last = found.at(-1);
    if (!last) break;
    await recordSent(mirror, found);
    after = last;
    const run = last.run < firstOpen ? await ledger.findRun(last.run) : undefined;
    if (!run) continue;
    await mirror.setFact(runFact, nameBegin(run));
    await mirror.setFact(throughFact, nameOperation(last));
  }
  return "all";
}

/** Takes all over where the ledger does not have the run up to which it was done: the account uses another one, or an older copy. */
async function beginInAnother(mirror: Mirror, ledger: Ledger): Promise<void> {
  const known = await mirror.fact(runFact);
  const run = known === undefined ? undefined : await ledger.findRun(Number.parseInt(known, 10));
  if (run && nameBegin(run) === known) return;
  for (const fact of [throughFact, withdrawnFact])
    if (((await mirror.fact(fact)) ?? nothing) !== nothing) await mirror.setFact(fact, nothing);
}

/** The last operation whose order was taken over. */
async function readThrough(mirror: Mirror): Promise<OperationName> {
  return parseOperationName((await mirror.fact(throughFact)) ?? "") ?? { run: 0, number: 0 };
}

/**
 * Orders that the ledger took from their creates since the last time get what was sent for them, if it is known by now;
 * and what became of those creates is taken over again.
 */
async function takeWithdrawn(mirror: Mirror, ledger: Ledger, customer: Customer): Promise<void> {
  const withdrawn = await ledger.withdrawnSince(customer.id, Number((await mirror.fact(withdrawnFact)) ?? 0));
  const last = withdrawn.at(-1);
  if (last === undefined) return;
  const ids = withdrawn.map(({ orderId }) => orderId);
  await mirror.forgetSent(ids);
  const owners = await ledger.findOwners(customer.id, ids);
  const sent = await Promise.all([...owners.values()].map(ledger.findOperation));
  await recordSent(
    mirror,
    sent.filter((operation) => operation !== undefined),
  );
  const first = Math.min(...withdrawn.map(({ run }) => run));
  if (first <= (await readThrough(mirror)).run)
    await mirror.setFact(throughFact, nameOperation({ run: first - 1, number: 1 }));
  await mirror.setFact(withdrawnFact, String(last.event));
}

async function recordSent(mirror: Mirror, operations: readonly Operation[]): Promise<void> {
  await mirror.recordAll(
    operations.map((operation) => ({ answers: answersOf(operation), seenAtMs: operation.endedAtMs ?? 0 })),
  );
}

/** The account may have had another customer's key. The service is asked about a key that the ledger does not know. */
async function findCustomer(context: Context): Promise<Customer | undefined> {
  try {
    const known = await context.knownCustomer();
    return known?.profileId === undefined ? await context.customer() : known;
  } catch (error) {
    const isUnknown =
      error instanceof CourierError && ["key_command", "key_ring", "customer_unknown"].includes(error.code);
    if (!isUnknown && !(error instanceof ServiceFailure)) throw error;
    return undefined;
  }
}

function answersOf({ order, orderState, draft, ref }: Operation): Answer[] {
  if (!order) return [];
  const { id, estimated_fee: fee, created_at } = order;
  const created: JsonObject = {
    id: jsonNumber(id),
    order_no: order.order_no,
    tracking_number: order.tracking_number,
    ...(orderState === undefined ? {} : { status: orderState }),
    ...(created_at ? { created_at } : {}),
    estimated_fee: fee !== null && isPlainDecimal(fee) ? jsonNumber(fee) : fee,
  };
  const sent: Answer[] = draft ? [{ id, kind: "draft", value: draft as unknown as JsonObject }] : [];
  // The first one has the time by which the order gets its place among the others.
  return [{ id, kind: "created", value: created, ref }, ...sent];
}
