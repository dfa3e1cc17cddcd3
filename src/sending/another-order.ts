/** An order that the service shows with another receiver, or another create's data: its answer named another order. */

import type { Context } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { refOf } from "../command/options.ts";
import type { UsedName } from "../command/order-name.ts";
import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isInDoubt, isMade, nameOperation, type Operation } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail } from "../model/interface.ts";
import { withoutZeros } from "../model/order-id.ts";
import { show } from "../terminal/blocks.ts";
import {
  type ComparedField,
  type Comparison,
  changedFields,
  compareDetail,
  comparedFields,
  distinguishingFields,
  everChangedFields,
  fieldBits,
  hasOtherReceiverAndItem,
  hasOtherWholeReceiver,
  kindOf,
} from "./matching.ts";
import {
  fitsAddress,
  fitsPhone,
  hasPlainlyOtherGoods,
  hasPlainlyOtherPlace,
  hasPlainlyOtherReceiver,
  isNameRather,
  isOtherName,
  isPartOf,
} from "./possible-orders.ts";
import type { ReconcileTools } from "./reconcile-types.ts";

/** True where an answer or a list gave it its order, and no person. */
function isUndecided(operation: Operation): boolean {
  return isMade(operation) && !operation.isDecided;
}

/**
 * True where receiver and item are others, or the whole receiver: then nothing that is meant for the sent order happens to
 * it.
 */
function isAnotherOrder(operation: Operation, order: OrderDetail): boolean {
  const isPlainlyOther = (draft: Draft, comparison: Comparison) =>
    hasPlainlyOtherReceiver(draft, order, comparison) || hasPlainlyOtherGoods(draft, order, comparison);
  return [hasOtherReceiverAndItem, hasOtherWholeReceiver, isPlainlyOther].some((others) =>
    isShownWith(others, operation, order),
  );
}

/** True where no one would take an order for the one that an operation sent: its receiver is another. */
export async function isForAnother(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<boolean> {
  const { draft } = operation;
  if (!draft || (await isExplained(operation, order, ledger))) return false;
  const comparison = compareDetail(draft, order);
  const isOther = hasOtherReceiverAndItem(draft, comparison) && !isPhoneOf(draft, order);
  const isPlainlyOther =
    hasPlainlyOtherReceiver(draft, order, comparison) && hasPlainlyOtherGoods(draft, order, comparison);
  return isOther || isPlainlyOther || hasOtherWholeReceiver(draft, comparison);
}

/** True where receiver and item are others, or the whole receiver and a number. */
function isCertainlyAnotherOrder(operation: Operation, order: OrderDetail): boolean {
  const isPlainlyOther = (draft: Draft, comparison: Comparison) =>
    hasPlainlyOtherReceiver(draft, order, comparison) && hasPlainlyOtherGoods(draft, order, comparison);
  return (
    isShownWith(isPlainlyOther, operation, order) ||
    isShownWith(hasOtherReceiverAndItem, operation, order) ||
    (isShownWith(hasOtherWholeReceiver, operation, order) && hasOtherNumber(operation, order))
  );
}

/**
 * Why the order that an operation has is another one: its receiver is another, or it has the data of a create that was sent
 * beside this one, whose answer was exchanged for this one's. Undefined where it may be the sent one, or a person said so.
 */
export async function describeOther(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<string | undefined> {
  if (operation.isDecided) return undefined;
  if (isAnotherOrder(operation, order) && !(await isExplained(operation, order, ledger)))
    return describeAnotherOrder(order);
  const owner = await findBeside(operation, order, ledger);
  return owner && `the service shows the data of ${nameOperation(owner)}: ${nameShown(order)}`;
}

/** A create that was sent beside this one, and whose data the order has, but not this one's. */
async function findBeside(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<Operation | undefined> {
  const own = operation.draft ?? {};
  const differing = differingFields(operation.draft, order);
  const isNamedOtherwise = isOtherName(own.receiver?.name, order.receiver?.name);
  if (differing.length === 0 && !isNamedOtherwise) return undefined;
  const changed = everChangedFields(await ledger.learned(operation.customer, fieldBits));
  const isOther = (fields: readonly ComparedField[]) =>
    fields.some((field) => !numbers.includes(field) || !changed.has(field));
  if (!isOther(differing) && !isNamedOtherwise) return undefined;
  const beside = await ledger.findBeside(operation);
  return beside.find(
    ({ draft }) =>
      draft &&
      (hasReceiverOf(draft, own, order) ||
        isNamedRather(draft, own, order) ||
        ((isNamed(draft, order) || isNamedAlone(draft, own, order)) &&
          hasDataOf(draft, own, order, isOther))),
  );
}

/** True where an order has the whole receiver of `draft`, and nothing of that of `own`: then the goods are written otherwise. */
function hasReceiverOf(draft: Draft, own: Draft, order: OrderDetail): boolean {
  const shown = compareDetail(draft, order);
  const receiver = ["receiver.name", "receiver.phone", "receiver.address"] as const;
  return (
    receiver.every((field) => shown[field] === "agrees") &&
    hasOtherWholeReceiver(own, compareDetail(own, order))
  );
}

/** True where an order shows nothing else than `draft`, and something else than `own`. What may be cut is nothing else. */
function hasDataOf(
  draft: Draft,
  own: Draft,
  order: OrderDetail,
  isOther: (fields: readonly ComparedField[]) => boolean,
): boolean {
  const shown = compareDetail(draft, order);
  const [all, differing] = [differingFields(draft, order), differingFields(own, order)];
  const others = all.filter((field) => !isPartOf(draft, field, order));
  const plain = differing.filter((field) => !isPartOf(own, field, order));
  const tells = (field: ComparedField) => plain.includes(field) && kindOf(own, field) !== "odd";
  const isPhone = isPhoneOf(draft, order) && tells("receiver.phone");
  const isAddress = shown["receiver.address"] === "agrees" && tells("receiver.address");
  const isName = isNamedAlone(draft, own, order) && tells("receiver.name");
  // Phone and address distinguish two receivers, whatever the numbers of the goods are, which services change.
  if (isPhone || isAddress || isName) return others.every((field) => numbers.includes(field));
  const isWhole = shown["item.name"] === "agrees" && others.length === all.length;
  // What fits both creates in part tells nothing.
  const telling = isWhole
    ? differing.filter((field) => shown[field] === "agrees" || plain.includes(field))
    : plain.filter(tellsBesidePart);
  return !isOther(others) && isOther(telling);
}

/** True where the name is that of `draft`, and not that of `own`, and the goods are not shown. */
function isNamedAlone(draft: Draft, own: Draft, order: OrderDetail): boolean {
  const comparison = compareDetail(draft, order);
  if (comparison["receiver.name"] !== "agrees" || comparison["item.name"] !== "open") return false;
  return compareDetail(own, order)["receiver.name"] === "differs";
}

/** True where the name, or the part of it that is shown, is that of `draft` and not that of `own`, and nothing else tells the two apart. */
function isNamedRather(draft: Draft, own: Draft, order: OrderDetail): boolean {
  const [sent, other, shown] = [draft.receiver, own.receiver, order.receiver];
  if (!isNameRather(sent?.name, other?.name, shown?.name)) return false;
  const fitsOwn =
    (fitsPhone(other?.phone, shown?.phone) && !fitsPhone(sent?.phone, shown?.phone)) ||
    (fitsAddress(other, shown?.address) && !fitsAddress(sent, shown?.address)) ||
    (isPartOf(own, "item.name", order) && !isPartOf(draft, "item.name", order));
  const [one, two] = [compareDetail(draft, order), compareDetail(own, order)];
  const others = distinguishingFields.filter((field) => field !== "receiver.name");
  return !fitsOwn && others.every((field) => one[field] === two[field]);
}

/** All digits agree, or the last ones where others are hidden. */
function isPhoneOf(draft: Draft, order: OrderDetail): boolean {
  const phone = compareDetail(draft, order)["receiver.phone"];
  return phone === "agrees" || fitsPhone(draft.receiver?.phone, order.receiver?.phone);
}

/** They tell two orders of one receiver apart, where the service is not known to change them. */
const numbers: readonly ComparedField[] = ["item.quantity", "item.weight", "item.value"];

/** Where texts are hidden or cut, a rounded number would be taken for another order's. Quantities are not rounded. */
function tellsBesidePart(field: ComparedField): boolean {
  return field === "item.quantity" || !numbers.includes(field);
}

/** Of the fields that tell orders apart. */
function differingFields(draft: Draft | undefined, order: OrderDetail): readonly ComparedField[] {
  const comparison = compareDetail(draft ?? {}, order);
  return [...distinguishingFields, ...numbers].filter((field) => comparison[field] === "differs");
}

/** True where the order goes to the phone and the address of `draft`, one of them shown in whole, and to none of `own`. */
function isAtPlaceOf(draft: Draft, own: Draft, order: OrderDetail): boolean {
  if (!hasPlainlyOtherPlace(own, order, compareDetail(own, order))) return false;
  const comparison = compareDetail(draft, order);
  const [sent, shown] = [draft.receiver, order.receiver];
  const [phone, address] = [comparison["receiver.phone"], comparison["receiver.address"]];
  if (phone === "agrees") return address === "agrees" || fitsAddress(sent, shown?.address);
  return address === "agrees" && phone === "open" && fitsPhone(sent?.phone, shown?.phone);
}

/**
 * By the names, or where one is hidden or cut, by what is shown of it, and the phone or the address: what is shown of a
 * name may be another one's.
 */
function isNamed(draft: Draft, order: OrderDetail): boolean {
  const comparison = compareDetail(draft, order);
  const names = ["receiver.name", "item.name"] as const;
  const inPart = names.filter((field) => comparison[field] !== "agrees");
  if (inPart.length === 0) return true;
  if (!inPart.every((field) => isPartOf(draft, field, order))) return false;
  return isPhoneOf(draft, order) || comparison["receiver.address"] === "agrees";
}

/**
 * The create that has an order, and why the order is another one, of which it warns. The create is in doubt from then on
 * where the order is certainly not its own, and has the data of a create that was sent beside it, or `keepsNames`: the
 * service shows most orders as they were sent.
 */
export async function readOwner(
  order: OrderDetail,
  { ledger, customer, clock, warn, nextCommand, onWithdrawn, others }: OwnerTools,
  keepsNames = false,
): Promise<{ readonly operation?: Operation | undefined; readonly other?: string | undefined }> {
  const id = order.id.value;
  const name = (await ledger.findOwners(customer, [id])).get(id);
  const operation = name && (await ledger.findOperation(name));
  const other = operation && (await describeOther(operation, order, ledger));
  if (!operation || !other) {
    others?.delete(id);
    if (operation) await markShown(operation, false, ledger);
    return { operation };
  }
  const isCounted = keepsNames || (await isOfBeside(operation, order, ledger));
  const isTaken = isCounted && (await withdrawIfCertain(operation, order, ledger, clock));
  const own = nameOperation(operation);
  const inDoubt = isTaken ? `; ${own} is in doubt now: ${nextCommand(`orders resolve ${own}`)}` : "";
  const isRepeated = others?.get(id) === other && !isTaken;
  others?.set(id, other);
  if (!isTaken) await markShown(operation, true, ledger);
  if (!isRepeated) warn?.(`${describeAnswer(operation, other)}${inDoubt}`);
  if (isTaken) onWithdrawn?.(operation);
  return { operation, other };
}

/** A later write-back reads no order, and must not give the row the number of another one. */
async function markShown(operation: Operation, isOther: boolean, ledger: Ledger): Promise<void> {
  if (operation.isShownAsOther === isOther) return;
  await ledger.markShown(operation, isOther).catch(() => undefined); // then the next answer tells it
}

export type OwnerTools = Pick<
  ReconcileTools,
  "ledger" | "customer" | "clock" | "warn" | "nextCommand" | "onWithdrawn" | "others"
>;

/** True where the service is known to change all fields that differ. */
async function isExplained(operation: Operation, order: OrderDetail, ledger: Ledger): Promise<boolean> {
  const changed = changedFields(await ledger.learned(operation.customer, fieldBits), operation.draft);
  const comparison = compareDetail(operation.draft ?? {}, order);
  return distinguishingFields.every((field) => comparison[field] !== "differs" || changed.has(field));
}

export function describeAnswer(operation: Operation, other: string): string {
  const [name, id] = [nameOperation(operation), operation.order?.id];
  const known =
    operation.state === "found"
      ? `${name} was found as order ${id}`
      : `the answer to ${name} named order ${id}`;
  return `${known}, but ${other}`;
}

function isShownWith(
  others: typeof hasOtherWholeReceiver,
  operation: Operation,
  order: OrderDetail,
): boolean {
  const { draft } = operation;
  if (draft === undefined || !isUndecided(operation)) return false;
  // Of a phone that is shown in part, the digits are the sent ones.
  if (others === hasOtherReceiverAndItem && isPhoneOf(draft, order)) return false;
  return others(draft, compareDetail(draft, order));
}

/** Other than the answer to the create had. */
function hasOtherNumber({ order: answered }: Operation, { order_no, tracking_number }: OrderDetail): boolean {
  const differ = (one: string | null | undefined, other: string | null | undefined) =>
    Boolean(one && other && one !== other);
  return differ(answered?.order_no, order_no) || differ(answered?.tracking_number, tracking_number);
}

function describeAnotherOrder(order: OrderDetail): string {
  return `the service shows another receiver than was sent: ${nameShown(order)}`;
}

function nameShown({ receiver, item }: OrderDetail): string {
  return [receiver?.name, item?.name].map(show).join(", ");
}

/**
 * Why an order is not the one that a number named: it has another one where mirror or list had this one, or where that is
 * not known, in all places. The answer to a create may have had the id of another order than its numbers, and a list may be
 * wrong once. Undefined for an id or a ref.
 */
export function describeOtherNumbers(
  { name, field }: UsedName,
  order: Pick<OrderDetail, "id" | "order_no" | "tracking_number">,
): string | undefined {
  const id = order.id.value;
  if (withoutZeros(name) === id || refOf(name) !== undefined) return;
  const shown = [order.order_no, order.tracking_number].filter(Boolean);
  if (shown.includes(name) || !(field ? order[field] : shown.length > 0)) return;
  return `${name} was known as a number of order ${id}, which has ${shown.map(show).join(" and ")}`;
}

/**
 * Why an order is not the one that was made with any of these numbers: a create of this ledger was answered with them for
 * another one. Undefined where none was.
 */
export async function describeOwnNumber(
  numbers: readonly string[],
  orderId: string,
  context: Context,
): Promise<string | undefined> {
  const ledger = numbers.length > 0 ? await findLedger(context) : undefined;
  if (!ledger) return undefined;
  const { id } = await context.customer({ makesNoOrder: true });
  for (const [number, creates] of await ledger.findByNumber(id, numbers)) {
    const made = await Promise.all(creates.map((each) => ledger.findOperation(each)));
    const [own, ...others] = made.flatMap((each) => each?.order?.id ?? []);
    if (own === undefined || [own, ...others].includes(orderId)) continue;
    return `${number} is the number with which order ${own} was made, and leads to order ${orderId} now`;
  }
  return undefined;
}

export interface OtherOwned {
  readonly reason: string;
  /** The ledger still takes the order for its create's: what differs is no certain sign. */
  readonly isOwned: boolean;
}

/**
 * Why orders are not those that the creates sent whose answers named them, by their ids. What is certain is recorded, unless
 * `isTrial`.
 */
export async function findOtherOwned(
  orders: readonly OrderDetail[],
  context: Context,
  { isTrial }: { readonly isTrial: boolean },
): Promise<ReadonlyMap<string, OtherOwned>> {
  const found = new Map<string, OtherOwned>();
  const ledger = orders.length > 0 ? await findLedger(context) : undefined;
  if (!ledger) return found;
  const { id: customer } = await context.customer({ makesNoOrder: true });
  const owners = await ledger.findOwners(
    customer,
    orders.map(({ id }) => id.value),
  );
  for (const order of orders) {
    const name = owners.get(order.id.value);
    const operation = name && (await ledger.findOperation(name));
    if (!operation || !isUndecided(operation)) continue;
    const other = await describeOther(operation, order, ledger);
    if (other === undefined) continue;
    const inDoubt = isTrial ? [] : await withdrawCertain([operation], order, ledger, context);
    found.set(order.id.value, { reason: [other, ...inDoubt].join("; "), isOwned: inDoubt.length === 0 });
  }
  return found;
}

/**
 * Why an order is not the one that its number means: the answer that had this number was to another create, whose order is
 * not known yet. Undefined where none was.
 */
export async function describeWithdrawn(
  order: Pick<OrderDetail, "id">,
  context: Context,
): Promise<string | undefined> {
  const ledger = await findLedger(context);
  if (!ledger) return undefined;
  const { id } = await context.customer({ makesNoOrder: true });
  const withdrawn = await ledger.findWithdrawn(id);
  const own = withdrawn.find((each) => each.withdrawnOrder === order.id.value && isInDoubt(each));
  if (!own) return undefined;
  const name = nameOperation(own);
  const inDoubt = `${name} is in doubt: ${context.nextCommand(`orders resolve ${name}`)}`;
  return `the answer to ${name} had its number, but named another order than was sent; ${inDoubt}`;
}

/**
 * Why an order is not the one that was sent with any of these refs, though they led to it: an answer named it in place
 * of another one, or another customer sent that one. Undefined where it is.
 */
export async function findOther(
  order: OrderDetail,
  refs: readonly string[],
  context: Context,
  { isTrial = false }: { readonly isTrial?: boolean } = {},
): Promise<string | undefined> {
  const ledger = await findLedger(context);
  if (!ledger) return undefined;
  const { id } = await context.customer({ makesNoOrder: true });
  const sent = await ledger.findByRefs(id, refs);
  const answered = sent.filter((operation) => operation.order?.id === order.id.value);
  if (answered.length === 0) return `this customer sent no order ${order.id.value} with that ref`;
  const others = await Promise.all(answered.map((each) => describeOther(each, order, ledger)));
  if (!others.every((other) => other !== undefined)) return undefined;
  const inDoubt = isTrial ? [] : await withdrawCertain(answered, order, ledger, context);
  return [others[0], ...inDoubt].join("; ");
}

/** What is certain is recorded: the next lookup finds the order that was sent. Returns a sentence for each. */
export async function withdrawCertain(
  operations: readonly Operation[],
  order: OrderDetail,
  ledger: Ledger,
  { clock, nextCommand }: Context,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const each of operations) {
    const name = nameOperation(each);
    if (await withdrawIfCertain(each, order, ledger, clock))
      told.push(`${name} is in doubt now: ${nextCommand(`orders resolve ${name}`)}`);
  }
  return told;
}

/** The order has the data of a create that was sent beside this one. */
async function isOfBeside(operation: Operation, order: OrderDetail, ledger: Ledger): Promise<boolean> {
  return (await findBeside(operation, order, ledger)) !== undefined;
}

/**
 * Whether an order that has the data of a create beside this one is certainly that one's: the goods are others, or the
 * whole receiver is, or its phone and address, and the service is not known to change that.
 */
async function isCertainlyOfBeside(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
): Promise<boolean> {
  const { draft } = operation;
  if (!draft || !isUndecided(operation)) return false;
  const owner = await findBeside(operation, order, ledger);
  if (!owner?.draft) return false;
  if (isWhollyOf(owner.draft, draft, order)) return true;
  if (await isExplained(operation, order, ledger)) return false;
  const comparison = compareDetail(draft, order);
  const isOtherItem =
    comparison["item.name"] === "differs" &&
    compareDetail(owner.draft, order)["item.name"] !== "differs" && // a service may have one name for all goods
    kindOf(draft, "item.name") !== "odd" &&
    !isPartOf(draft, "item.name", order);
  return hasOtherWholeReceiver(draft, comparison) || isOtherItem || isAtPlaceOf(owner.draft, draft, order);
}

/** True where an order shows what was sent of `draft` and nothing else, and two fields that tell orders apart are not those of `own`. */
function isWhollyOf(draft: Draft, own: Draft, order: OrderDetail): boolean {
  const [shown, comparison] = [compareDetail(draft, order), compareDetail(own, order)];
  const isOther = (field: ComparedField) => comparison[field] === "differs" && kindOf(own, field) !== "odd";
  return (
    distinguishingFields.every((field) => shown[field] === "agrees") &&
    comparedFields.every((field) => shown[field] !== "differs") &&
    distinguishingFields.filter(isOther).length >= 2
  );
}

/** What is certain is taken from the operation, which is in doubt from then on. */
export async function withdrawIfCertain(
  operation: Operation,
  order: OrderDetail,
  ledger: Ledger,
  clock: Clock,
): Promise<boolean> {
  const isCertain =
    isCertainlyAnotherOrder(operation, order) || (await isCertainlyOfBeside(operation, order, ledger));
  if (!isCertain) return false;
  const event = await ledger.withdrawOrder(operation, order.id.value, clock.now()).catch(() => undefined);
  return event !== undefined;
}
