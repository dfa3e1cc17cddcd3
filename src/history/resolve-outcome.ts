/** What a person records of an order in doubt: which order it is, or that none was made. */

import { type Context, confirmOrStop } from "../command/command.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { parseStamp } from "../core/time.ts";
import { byCount } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import {
  type CreateOutcome,
  isMade,
  isUndone,
  nameOperation,
  type Operation,
  type OperationName,
} from "../ledger/operation.ts";
import { OrderTaken } from "../ledger/operation-errors.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import { describeAnswer, describeOther, isForAnother } from "../sending/another-order.ts";
import { findCreatesInDoubt } from "../sending/in-doubt.ts";
import { compareDetail, distinguishingFields, isLikely, nothingLearned } from "../sending/matching.ts";
import { orderFacts } from "../sending/order-facts.ts";
import { blank } from "../terminal/blocks.ts";
import { lookBeforeResolve } from "./look-before-resolve.ts";
import { orderView } from "./resolve-view.ts";

/** `takenBack`: the order that it had, and that the list may have given it again. */
export function ensureInDoubt(operation: Operation, { nextCommand }: Context, takenBack?: string): void {
  const name = nameOperation(operation);
  const { order } = operation;
  if (operation.state === "unknown") return;
  const became = order ? ` (order ${order.id})` : "";
  const isAgain = takenBack !== undefined && order?.id === takenBack;
  const isWrong = isAgain
    ? "; the list shows that order for it again: to ship one more, send it again with --allow-duplicate"
    : order
      ? `; where that is another order: ${nextCommand(`orders resolve ${name} --reopen`)}`
      : "";
  throw usageError(
    `${name} is not in doubt: it is ${operation.state}${became}`,
    `${nextCommand(`orders resolve ${name}`)} shows what is known${isWrong}`,
  );
}

/** The values that tell orders apart and are others: those that the service shows, and those that were sent. */
function differencesOf(
  draft: Draft,
  order: OrderDetail,
): readonly (readonly [shown: string, sent: string])[] {
  const comparison = compareDetail(draft, order);
  const { name, phone, province, city, district, detail } = draft.receiver ?? {};
  const address = [province, city, district, detail].filter(Boolean).join("");
  const { receiver, item } = order;
  const values = {
    "receiver.name": [receiver?.name, name],
    "receiver.phone": [receiver?.phone, phone],
    "receiver.address": [receiver?.address, address],
    "item.name": [item?.name, draft.item?.name],
  } as const;
  return distinguishingFields.flatMap((field) => {
    const [shown, sent] = values[field];
    return comparison[field] === "differs" && shown && sent ? [[shown, sent] as const] : [];
  });
}

/** Stamps may be those of another time zone. */
const longBeforeMs = 48 * 3_600_000;

/** Why an order is older than the create that is said to have made it; undefined where it may not be. */
async function describeOlder(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<string | undefined> {
  const { sentAtMs, offsetMs } = operation;
  const [id, name, madeMs] = [order.id.value, nameOperation(operation), parseStamp(order.created_at)];
  if (madeMs !== undefined && sentAtMs !== undefined && madeMs < sentAtMs + (offsetMs ?? 0) - longBeforeMs)
    return `order ${id} was made at ${order.created_at}, days before ${name} was sent`;
  const wasListed = await ledger.wasListedBefore(operation, id);
  return wasListed ? `order ${id} was listed before ${name} was sent` : undefined;
}

export async function settleAs(
  operation: Operation,
  givenId: string,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const service = await context.service();
  const order = await service.order(givenId);
  const orderId = order.id.value; // zeros may have been typed in front
  const name = nameOperation(operation);
  const { draft } = operation;
  const holder = await findWrongHolder(operation, order, ledger, context);
  const older = await describeOlder(operation, order, ledger);
  if (older !== undefined) context.messages.warn(older);
  const differing = draft ? differencesOf(draft, order) : [];
  if (differing.length > 0) {
    const [made, sent] = [0, 1].map((side) => differing.map((values) => values[side]).join(", "));
    context.messages.warn(`order ${orderId} has ${made}, but ${name} was sent with ${sent}`);
    await warnOfBetterMatch(operation, order, context);
    const isNamed = operation.withdrawnOrder === orderId; // by its answer
    if (!isNamed && context.globals.yes && (await isForAnother(operation, order, ledger)))
      throw usageError(
        `order ${orderId} is for another receiver than ${name}: nothing was recorded`,
        `if you know that it is ${name} anyway, run the command at a terminal, without --yes`,
      );
  }
  if (!draft) {
    const facts = [order.receiver?.name, order.item?.name].filter(Boolean).join(", ");
    context.messages.warn(`the ledger has no data of ${name} to compare with order ${orderId} (${facts})`);
  }
  if (older !== undefined || differing.length > 0 || !draft)
    await confirmOrStop(context, `Record that ${name} was created as order ${orderId}?`);
  if (holder) await takeFromHolder(holder, operation, orderId, ledger, context);
  await leaveShownOrder(operation, orderId, ledger, context);
  const outcome = {
    state: "found",
    order: orderFacts(order),
    orderState: order.status ?? undefined,
  } as const;
  const settled = await recordOutcome(operation, outcome, ledger, context);
  if (settled.isUnwanted)
    context.messages.note(
      `its run was undone; to cancel the order: ${context.nextCommand(`orders cancel ${orderId}`)}`,
    );
  return settled;
}

interface WrongHolder {
  readonly holder: Operation;
  /** What the service shows of its order. */
  readonly other: string;
}

/** Another create that a wrong answer gave the order to. Throws where the order shows what that create sent: it stays its own. */
async function findWrongHolder(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
  context: Context,
): Promise<WrongHolder | undefined> {
  const id = order.id.value;
  const name = (await ledger.findOwners(operation.customer, [id])).get(id);
  const holder = name && (await ledger.findOperation(name));
  if (!holder || nameOperation(holder) === nameOperation(operation)) return undefined;
  const other = await describeOther(holder, order, ledger);
  if (other === undefined) throw orderTaken(id, holder, context);
  return { holder, other };
}

/** The other create is in doubt then. */
async function takeFromHolder(
  { holder, other }: WrongHolder,
  operation: Operation,
  id: string,
  ledger: Ledger,
  context: Context,
): Promise<void> {
  context.messages.warn(describeAnswer(holder, other));
  const [own, taken] = [nameOperation(operation), nameOperation(holder)];
  await confirmOrStop(context, `Record that order ${id} is ${own}, so that ${taken} is in doubt?`);
  if ((await ledger.withdrawOrder(holder, id, context.clock.now())) !== undefined)
    context.messages.note(`${taken} is in doubt now: ${context.nextCommand(`orders resolve ${taken}`)}`);
}

/** An operation whose order the service shows as another one has no order before it gets this one. */
async function leaveShownOrder(
  operation: Operation,
  orderId: string,
  ledger: Ledger,
  context: Context,
): Promise<void> {
  const { customer, order } = operation;
  if (!isMade(operation) || !order) return;
  const holder = (await ledger.findOwners(customer, [orderId])).get(orderId);
  if (holder && nameOperation(holder) !== nameOperation(operation))
    throw orderTaken(orderId, holder, context);
  await ledger.withdrawOrder(operation, order.id, context.clock.now());
}

/**
 * Of an order that is taken from another one in doubt, the list would prove that it was not created. Where the service hides
 * names and phones, a field in which the order differs from what was sent, and agrees with the other one, tells it.
 */
async function warnOfBetterMatch(operation: Operation, order: OrderDetail, context: Context): Promise<void> {
  const inDoubt = await findCreatesInDoubt(context);
  const comparison = compareDetail(operation.draft ?? {}, order);
  const isBetter = ({ draft }: Operation) => {
    if (!draft || differencesOf(draft, order).length > 0) return false;
    const other = compareDetail(draft, order);
    return (
      isLikely(other, nothingLearned) ||
      distinguishingFields.some((field) => comparison[field] === "differs" && other[field] === "agrees")
    );
  };
  const better = inDoubt.find((each) => nameOperation(each) !== nameOperation(operation) && isBetter(each));
  if (!better) return;
  const name = nameOperation(better);
  await warnOrRefuse(
    `order ${order.id} shows what ${name} was sent with, which is in doubt, too`,
    context.nextCommand(`orders resolve ${name} --as ${order.id}`),
    context,
  );
}

export async function settleAsUnsent(
  operation: Operation,
  isKeyOfCustomer: boolean,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const { draft, ref } = operation;
  const about = [
    draft?.receiver?.name && `to ${draft.receiver.name}`,
    draft?.item?.name,
    ref && `ref ${ref}`,
  ];
  const facts = about.filter(Boolean).join(", ");
  const name = facts === "" ? nameOperation(operation) : `${nameOperation(operation)} (${facts})`;
  const asked = new Set<string>();
  /** The question was asked about a list that could not be read. */
  let isAskedUnread = false;
  for (let isFirst = true; ; isFirst = false) {
    const looked = await lookBeforeResolve(operation, isKeyOfCustomer, ledger, context);
    const likely = looked ?? [];
    const now = (await ledger.findOperation(operation)) ?? operation;
    if (now.state === "refused" || (now.state === "unsent" && !now.isUnwanted)) return now;
    if (!isUndone(now)) ensureInDoubt(now, context, operation.withdrawnOrder);
    // After a late answer, only what was not there before is asked about, and a list that cannot be read any more.
    const isKnown = looked ? looked.every((id) => asked.has(id)) : isAskedUnread;
    if (!isFirst && isKnown) break;
    isAskedUnread = looked === undefined;
    for (const id of likely) asked.add(id);
    if (likely.length > 0) await warnOfLikely(operation, likely, context);
    if (!context.globals.yes) await context.display([...orderView(operation), blank]);
    const question = `Record that ${name} created no order, so that it may be sent again?`;
    if (!(await confirmOrStop(context, question))) break;
  }
  const rejection = { code: "resolved", message: "a person recorded that it created no order" };
  const settled = await recordOutcome(operation, { state: "unsent", rejection }, ledger, context);
  if (operation.isUnwanted)
    context.messages.warn(`the run of ${name} was undone, but the next import of its row sends it again now`);
  return settled;
}

async function warnOfLikely(
  operation: Operation,
  likely: readonly string[],
  context: Context,
): Promise<void> {
  const own = nameOperation(operation);
  const orders = `${byCount(likely.length, "order", "orders")} ${likely.join(", ")}`;
  const as = context.nextCommand(`orders resolve ${own} --as ${likely[0]}`);
  await warnOrRefuse(`${orders} may be ${own}`, as, context);
}

/** At a terminal a person may know that the order is another one than it seems. A script is refused. */
async function warnOrRefuse(message: string, asItSeems: string, context: Context): Promise<void> {
  const prompts = context.globals.yes ? undefined : await context.prompts();
  if (prompts) return context.messages.warn(message);
  throw usageError(
    `${message}: nothing was recorded`,
    `if it is this order: ${asItSeems}; if you know that it is another one, answer at a terminal, without --yes`,
  );
}

async function recordOutcome(
  operation: Operation,
  outcome: CreateOutcome,
  ledger: Ledger,
  context: Context,
): Promise<Operation> {
  const { beginRun, clock } = context;
  await beginRun({ command: "orders resolve" });
  try {
    const isSettled = await ledger.settleCreate(operation, outcome, clock.now(), { isResolved: true });
    const now = (await ledger.findOperation(operation)) ?? operation;
    if (!isSettled) ensureInDoubt(now, context);
    return now;
  } catch (error) {
    if (!(error instanceof OrderTaken)) throw error;
    throw orderTaken(error.orderId, error.holder, context, error);
  }
}

function orderTaken(
  orderId: string,
  holder: OperationName,
  { nextCommand }: Context,
  cause?: OrderTaken,
): CourierError {
  const name = nameOperation(holder);
  return new CourierError("order_taken", 2, `order ${orderId} belongs to operation ${name}`, {
    hint: `${nextCommand(`orders resolve ${name}`)} shows it`,
    cause,
  });
}
