/** Which order a person means: by its id, order number, tracking number, or the ref that it was sent with. */

import { ServiceFailure } from "../api/failure.ts";
import { AnotherAnswer, toCount } from "../api/service.ts";
import { CourierError } from "../core/errors.ts";
import { lazy } from "../core/lazy.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { formatRelative } from "../core/time.ts";
import { isCancelled, isInDoubt, isMade, nameOperation, type Operation } from "../ledger/operation.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { hasMirror } from "../mirror/mirror-files.ts";
import { type MirroredOrder, textAt } from "../mirror/mirrored-order.ts";
import type { OrderSummary } from "../model/interface.ts";
import { withoutZeros } from "../model/order-id.ts";
import { mirrorOwner, openAccountMirror } from "./account-mirror.ts";
import type { Context } from "./command.ts";
import { hasLedger } from "./found-ledger.ts";
import { isOrderId, quote, refOf } from "./options.ts";

/** Orders of the service's list that are looked through for a number that this machine does not know. */
const mostListed = 300;
const freshSyncMs = 5 * 60_000;
/** A list that failed is not read again for each name, but after this time. */
const listPauseMs = 60_000;
/** A list that was read is read again for a name after this time: a watch looks a name up again that it did not find. */
const listAgeMs = 5 * 60_000;
const pageSize = 100;
/** Shorter digits are taken for an id at once: the mirror is not opened, and no call is made, for each of them. No id begins with 0. */
const shortestNumber = 9;
const isShortId = (digits: string) => digits.length < shortestNumber && !digits.startsWith("0");
/**
 * A service may fail for digits that its integers cannot hold: they are no id, and may be a number. So may digits for which
 * it shows an order with another id.
 */
const tooLongForId = 19;
/** Ids that are looked up one by one for parcels, in a run. */
const mostLookedUp = 10;

const numberFields = ["order_no", "tracking_number"] as const;

interface NamedOrder {
  readonly id: string;
  readonly trackingNumber?: string | undefined;
  /** Where mirror or list has the name; undefined for an id or a ref. */
  readonly field?: (typeof numberFields)[number] | undefined;
}

/** A name that led to an order. */
export interface UsedName extends Pick<NamedOrder, "field"> {
  readonly name: string;
}

/**
 * The ids of the orders with these names, each once, with the names that led to it. Throws `no_such_order` and `ambiguous_order`, exit 1,
 * `outcome_unknown`, exit 6, for a ref whose order is in doubt, and ServiceFailure.
 */
export async function findOrderIds(
  names: readonly string[],
  context: Context,
): Promise<ReadonlyMap<string, readonly UsedName[]>> {
  const findOrder = openOrderNames(context);
  const named = new Map<string, readonly UsedName[]>();
  for (const name of names) {
    const { id, field } = await findOrder(name);
    named.set(id, [...(named.get(id) ?? []), { name, field }]);
  }
  return named;
}

/** Finds the order with a name; mirror and list are read once for all. Throws as `findOrderIds` does. */
export function openOrderNames(context: Context): (name: string) => Promise<NamedOrder> {
  const mirror = lazy(() => openKnownOrders(context));
  const list = openList(context);

  /**
   * Digits may be an id, or the number of an order. Where one order has the id, and another one the number, it is ambiguous.
   * No id begins with 0: then the list is asked, too, although an order has the id.
   */
  async function findDigits(name: string): Promise<NamedOrder> {
    if (isShortId(name)) return { id: name };
    const known = await mirror()
      .then((opened) => findInMirror(name, opened))
      .catch(() => []);
    const wanted = withoutZeros(name);
    if (known.some(({ id }) => id === wanted)) return choose(name, known) ?? { id: wanted };
    let failure: unknown;
    const isAnOrder = await isId(name, context).catch((error) => {
      const isTooLong = wanted.length >= tooLongForId && (error as ServiceFailure).kind === "server_error";
      if (!isTooLong && !(error instanceof AnotherAnswer)) throw error;
      failure = error;
      return false;
    });
    const byId = isAnOrder ? [{ id: wanted }] : [];
    const isAnId = byId.length > 0 && !name.startsWith("0");
    const byNumber = known.length > 0 || isAnId ? known : await list(name);
    const found = choose(name, [...byId, ...byNumber]);
    if (!found && failure) throw failure;
    return found ?? { id: wanted };
  }

  return async (name) => {
    if (isOrderId(name)) return findDigits(name);
    const isRef = refOf(name) !== undefined;
    let unread: unknown;
    // The service knows a number, too, where the mirror cannot be read.
    const known = await mirror()
      .then((opened) => findKnown(name, opened, context))
      .catch((error) => {
        if (isRef || !(error instanceof CourierError)) throw error;
        unread = error;
        return [];
      });
    const found = known.length > 0 ? known : isRef ? await findByRef(name, context) : await list(name);
    const order = choose(name, found);
    if (order === undefined) throw unread ?? (await noSuchOrder(name, context));
    return order;
  };
}

/** False where the service refuses to show an order with this id. */
async function isId(id: string, context: Context): Promise<boolean> {
  try {
    await (await context.service()).order(id);
    return true;
  } catch (error) {
    if (error instanceof ServiceFailure && error.kind === "refused") return false;
    throw error;
  }
}

/** The ids of the orders with this name that this machine knows; none where it knows no account. */
export async function findKnownIds(name: string, context: Context): Promise<readonly string[]> {
  const account = await context.account().catch(() => undefined);
  const mirror = account && (await openKnownOrders(context).catch(() => undefined));
  return (await findInMirror(name, mirror)).map(({ id }) => id);
}

/**
 * Finds the tracking number of the order with a name, which may be that number itself. Undefined where nothing is found. Throws `no_such_order` for an unknown ref, `ambiguous_order` and `no_tracking_number`, exit 1.
 */
export function openParcelNames(context: Context): (name: string) => Promise<string | undefined> {
  const mirror = lazy(() => openKnownOrders(context));
  const list = openList(context);
  let lookedUp = 0;

  async function lookUp(id: string): Promise<NamedOrder> {
    lookedUp += 1;
    const { tracking_number } = await (await context.service()).order(id);
    return { id, trackingNumber: tracking_number || undefined };
  }

  async function lookUpName(name: string): Promise<readonly NamedOrder[]> {
    if (!isOrderId(name) || lookedUp >= mostLookedUp) return list(name);
    try {
      return [await lookUp(name)];
    } catch (error) {
      const isRefused = error instanceof ServiceFailure && error.kind === "refused";
      if (!isRefused && !(error instanceof AnotherAnswer)) throw error;
      return list(name);
    }
  }

  return async (name) => {
    const isRef = refOf(name) !== undefined;
    // A mirror that cannot be read must not hide what the service said.
    const opened = await (isRef ? mirror() : mirror().catch(() => undefined));
    const known = await findKnown(name, opened, context);
    const found = known.length > 0 ? known : isRef ? await findByRef(name, context) : await lookUpName(name);
    const order = choose(name, found);
    if (order === undefined && isRef) throw await noSuchOrder(name, context);
    if (order === undefined) return undefined;
    const { id, trackingNumber = (await lookUp(id)).trackingNumber } = order;
    if (trackingNumber !== undefined) return trackingNumber;
    throw new CourierError("no_tracking_number", 1, `order ${id} has no tracking number`, {
      hint: `see its state: ${context.nextCommand(`orders show ${id}`)}`,
    });
  };
}

/** What was searched for a name without an order, and what to do next. */
export async function describeSearch(
  name: string,
  context: Context,
): Promise<{ readonly where: string; readonly next: string }> {
  const mirror = await openKnownOrders(context).catch(() => undefined);
  const { syncedAtMs } = (await mirror?.facts()) ?? {};
  const known =
    syncedAtMs === undefined
      ? "on this machine"
      : `in the mirror, which had all orders of the service's list ${formatRelative(syncedAtMs, context.clock.now())},`;
  return {
    where: `${known} or in the first ${mostListed} orders of the service's list`,
    next: separateNames(name) ?? nextSearch(syncedAtMs, context),
  };
}

/** For several names in one word; undefined for one name. */
function separateNames(name: string): string | undefined {
  const names = name.split(",").filter(Boolean);
  return names.length > 1 ? `write blanks between the names: ${names.map(shellQuote).join(" ")}` : undefined;
}

/** Another sync soon after the last one would bring nothing. */
function nextSearch(syncedAtMs: number | undefined, { nextCommand, clock }: Context): string {
  const sync = `${nextCommand("sync")}, then run this again`;
  if (syncedAtMs === undefined) return `look through all orders: ${sync}`;
  const find = `find it by something else: ${nextCommand("find TEXT")}`;
  const isFresh = clock.now() - syncedAtMs < freshSyncMs;
  return isFresh ? find : `read the orders since the last sync: ${sync}; or ${find}`;
}

/** Throws `ambiguous_order`. */
function choose(name: string, found: readonly NamedOrder[]): NamedOrder | undefined {
  const orders = new Map(found.map((order) => [order.id, order]));
  if (orders.size > 1) {
    const message = `${quote(name)} names ${orders.size} orders: ${[...orders.keys()].join(", ")}`;
    const hint =
      isOrderId(name) && !name.startsWith("0") ? "name one by its order number" : "name one by its id";
    throw new CourierError("ambiguous_order", 1, message, { hint });
  }
  return orders.values().next().value;
}

/** The mirror, with the orders of the ledger; undefined where there is neither. */
export async function openKnownOrders(context: Context): Promise<Mirror | undefined> {
  const isKept = async () => hasMirror(context.machine.stateDirectory, await mirrorOwner(context));
  if (!(await hasLedger(context)) && !(await isKept())) return undefined;
  return openAccountMirror(context);
}

/** The orders of the mirror with this name. */
export async function* ordersNamed(name: string, mirror: Mirror): AsyncGenerator<MirroredOrder, void> {
  const ref = refOf(name);
  for await (const order of mirror.search({ text: ref ?? name })) {
    const numbers = numberFields.map((field) => textAt(order.fields, field));
    const isMeant = ref === undefined ? [order.id, ...numbers].includes(name) : order.ref === ref;
    if (isMeant) yield order;
  }
}

async function findInMirror(name: string, mirror: Mirror | undefined): Promise<readonly NamedOrder[]> {
  const found: NamedOrder[] = [];
  if (mirror === undefined) return found;
  for await (const { id, fields } of ordersNamed(name, mirror))
    found.push({
      id,
      trackingNumber: textAt(fields, "tracking_number"),
      field: numberFields.find((each) => textAt(fields, each) === name),
    });
  return found;
}

/** The ledger knows which order a ref has where an answer proved wrong since the mirror was filled. */
async function findKnown(
  name: string,
  mirror: Mirror | undefined,
  context: Context,
): Promise<readonly NamedOrder[]> {
  const known = await findInMirror(name, mirror);
  const ref = refOf(name);
  if (ref === undefined || known.length === 0 || !(await hasLedger(context))) return known;
  const customer = await context.knownCustomer();
  const sent = customer ? await (await context.ledger()).findByRefs(customer.id, [ref]) : [];
  // The service may have given the order another number since.
  const latest = new Map(known.map(({ id, trackingNumber }) => [id, trackingNumber]));
  return sent.length > 0
    ? toNamed(sent).map((each) => ({ ...each, trackingNumber: latest.get(each.id) ?? each.trackingNumber }))
    : known;
}

/**
 * A cancelled order that was sent again for the same shop gives way: that of another shop may be the one that is meant. None
 * while it is not known whether a further one was created.
 */
function toNamed(sent: readonly Operation[]): readonly NamedOrder[] {
  if (sent.some(isInDoubt)) return [];
  const standing = new Set(sent.filter(stands).map(({ shop }) => shop));
  return sent
    .filter((each) => isMade(each) && (stands(each) || !standing.has(each.shop)))
    .flatMap(({ order }) =>
      order ? [{ id: order.id, trackingNumber: order.tracking_number ?? undefined }] : [],
    );
}

function stands(operation: Operation): boolean {
  return isMade(operation) && !isCancelled(operation);
}

/** Finds an id, order number or tracking number in the newest orders of the service's list, which are read once. */
function openList(context: Context): (name: string) => Promise<readonly NamedOrder[]> {
  const listed = new Map<string, OrderSummary>();
  let nextPage: number | undefined = 1;
  /** Since page 1. */
  let seen = new Set<string>();
  let firstTotal = 0;
  let isReread = false;
  let beganMs = 0;
  let reading: Promise<void> = Promise.resolve();
  let failedMs = Number.POSITIVE_INFINITY;

  const find = (name: string) =>
    [...listed.values()].filter(({ id, order_no, tracking_number }) =>
      [id.value, order_no, tracking_number].includes(name),
    );

  async function readUntil(name: string): Promise<void> {
    const service = await context.service();
    if (nextPage === undefined && context.clock.elapsed() - beganMs >= listAgeMs)
      [nextPage, isReread] = [1, false];
    while (nextPage !== undefined && find(name).length === 0) {
      const { orders, pagination } = await service.listOrders({}, nextPage, pageSize);
      const total = toCount(pagination.total_items) ?? 0;
      if (nextPage === 1) [seen, firstTotal, beganMs] = [new Set(), total, context.clock.elapsed()];
      const before = seen.size;
      for (const order of orders) {
        listed.set(order.id.value, order);
        seen.add(order.id.value);
      }
      // The service may give fewer orders a page than it was asked for.
      const isLast = seen.size === before || seen.size >= mostListed;
      nextPage = isLast ? undefined : nextPage + 1;
      // An order that left the list moves others to a page that was read before.
      const hasMoved = total < firstTotal || seen.size < Math.min(total, mostListed);
      if (isLast && hasMoved && !isReread) {
        isReread = true;
        nextPage = 1;
      }
    }
  }

  return async (name) => {
    if (context.clock.elapsed() - failedMs >= listPauseMs) {
      reading = Promise.resolve();
      failedMs = Number.POSITIVE_INFINITY;
    }
    reading = reading.then(() => readUntil(name));
    await reading.catch((error) => {
      failedMs = Math.min(failedMs, context.clock.elapsed());
      throw error;
    });
    return find(name).map((order) => ({
      id: order.id.value,
      trackingNumber: order.tracking_number || undefined,
      field: numberFields.find((each) => order[each] === name),
    }));
  };
}

async function noSuchOrder(name: string, context: Context): Promise<CourierError> {
  const ref = refOf(name);
  const sent = ref === undefined ? [] : await findSent(ref, context);
  const open = sent.find(isInDoubt);
  if (open) {
    const isOpen = open.state === "sending" ? "is being sent" : "is in doubt";
    const message = `the order with the ref ${quote(open.ref ?? "")} ${isOpen}: it may or may not have been created`;
    const others = sent.filter(stands).flatMap(({ order }) => order?.id ?? []);
    const byId =
      others.length > 0 ? `; another order has the ref, name it by its id: ${others.join(", ")}` : "";
    return new CourierError("outcome_unknown", 6, message, {
      hint: `see it, and how to decide: ${context.nextCommand(`orders resolve ${nameOperation(open)}`)}${byId}`,
    });
  }
  if (ref !== undefined)
    return new CourierError("no_such_order", 1, `the ledger has no order with the ref ${quote(ref)}`, {
      hint: `find it by something else: ${context.nextCommand("find TEXT")}`,
    });
  const { where, next } = await describeSearch(name, context);
  return new CourierError("no_such_order", 1, `no order was found with the number ${quote(name)}, ${where}`, {
    hint: next,
  });
}

/** The orders that the ledger has for a name `ref:R`, under any account name of the customer. */
async function findByRef(name: string, context: Context): Promise<readonly NamedOrder[]> {
  return toNamed(await findSent(refOf(name) ?? "", context));
}

/** Throws ServiceFailure where the service cannot be asked about a new key: no claim may be made about its refs. */
async function findSent(ref: string, context: Context): Promise<readonly Operation[]> {
  if (!(await hasLedger(context))) return [];
  const { id } = await context.customer();
  return (await context.ledger()).findByRefs(id, [ref]);
}
