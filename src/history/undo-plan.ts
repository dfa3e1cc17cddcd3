/** The plan of an undo: the orders of a run, each with its current state. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { interrupted } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isCancelled, isInDoubt, isMade, type Operation } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";
import { isCancellable } from "../model/states.ts";
import { describeOther, withdrawCertain } from "../sending/another-order.ts";
import { type Attempt, inPasses } from "./passes.ts";

/** An order of the run, as it was read. */
export interface ReadOrder {
  readonly operation: Operation;
  readonly order: OrderDetail;
}

export interface UnreadOrder {
  readonly operation: Operation;
  readonly failure: ServiceFailure;
}

export interface OtherOrder extends ReadOrder {
  readonly why: string;
  /** It is taken from the create, which is in doubt since. */
  readonly isTaken: boolean;
}

export interface UndoPlan {
  /** Cancelled by an earlier run, and not shown any more, or without their state. */
  readonly doneBefore: readonly Operation[];
  /** Read as cancelled now. */
  readonly alreadyCancelled: readonly ReadOrder[];
  /** To be cancelled. */
  readonly sure: readonly ReadOrder[];
  /** Cancellable; their answers were lost and the orders were found later, or a person has confirmed them. */
  readonly found: readonly ReadOrder[];
  /** Their state does not allow a cancel. */
  readonly tooLate: readonly ReadOrder[];
  /** The service says that there is no such order, and no earlier cancel may have worked. */
  readonly refused: readonly UnreadOrder[];
  /** The service accepted an earlier cancel of them, and does not show them any more. */
  readonly unshown: readonly UnreadOrder[];
  /** The service shows another order than was sent: its answer named that one. */
  readonly other: readonly OtherOrder[];
  /** Their state is unknown; also where the service refuses to show it, and an earlier cancel may have worked. */
  readonly unread: readonly UnreadOrder[];
  /** Cancellable, and not as they were when a person was asked about them. */
  readonly changed: readonly ReadOrder[];
  readonly inDoubt: readonly Operation[];
}

/** The operations of a run, sorted before anything is read. */
export interface RunOrders {
  readonly made: readonly Operation[];
  readonly inDoubt: readonly Operation[];
}

export function sortOperations(operations: readonly Operation[]): RunOrders {
  // A row that an order of another machine covers was not sent.
  const creates = operations.filter(({ kind, sentAtMs }) => kind === "create" && sentAtMs !== undefined);
  return { made: creates.filter(isMade), inDoubt: creates.filter(isInDoubt) };
}

/** Reads the state of each order: a cancelled one may be back. Orders that cannot be read are `unread`. */
export async function planUndo(
  { made, inDoubt }: RunOrders,
  service: CourierService,
  ledger: Ledger,
  context: Context,
  { isTrial }: { readonly isTrial: boolean },
): Promise<UndoPlan> {
  const { clock, random, signal } = context;
  const doneBefore: Operation[] = [];
  const alreadyCancelled: ReadOrder[] = [];
  const sure: ReadOrder[] = [];
  const found: ReadOrder[] = [];
  const tooLate: ReadOrder[] = [];
  const refused: UnreadOrder[] = [];
  const unread: UnreadOrder[] = [];
  const other: OtherOrder[] = [];
  const sort = async (read: ReadOrder): Promise<void> => {
    const { operation, order } = read;
    const why = await describeOther(operation, order, ledger);
    if (why) {
      const inDoubt = isTrial ? [] : await withdrawCertain([operation], order, ledger, context);
      other.push({ ...read, why: [why, ...inDoubt].join("; "), isTaken: inDoubt.length > 0 });
    } else if (order.status === "cancelled") alreadyCancelled.push(read);
    // Without a state, the service decides.
    else if (typeof order.status === "string" && !isCancellable(order.status)) tooLate.push(read);
    else (operation.state === "found" ? found : sure).push(read);
  };

  const meter = context.meter();
  let count = 0;
  try {
    const read = (operation: Operation) => readOrder(operation, service);
    const reading = () => `reading the state of ${counted(made.length, "order")}: ${count} read`;
    const onPause = (why: string) => meter.update(() => `${reading()}; ${why}`, true);
    for await (const end of inPasses(made, read, { clock, random, signal, onPause })) {
      if (end.kind === "done" && "order" in end.done) count += 1;
      meter.update(reading);
      if (end.kind === "stopped") throw context.signal.reason ?? interrupted(130);
      if (end.kind === "failed") {
        if (end.failure.kind === "key_refused") throw end.failure;
        unread.push({ operation: end.item, failure: end.failure });
      } else if (isCancelled(end.item) && !saysState(end.done)) doneBefore.push(end.item);
      else if ("failure" in end.done) {
        const { failure } = end.done;
        (saysNoSuchOrder(failure) ? refused : unread).push({ operation: end.item, failure });
      } else await sort({ operation: end.item, order: end.done.order });
    }
  } finally {
    meter.end();
  }
  const ids = refused.map(idOf);
  const customer = made[0]?.customer;
  const accepted = customer === undefined ? undefined : await ledger.findAcceptedUnread(customer, ids);
  const maybe = customer === undefined ? undefined : await ledger.findMaybeCancelled(customer, ids);
  const isUnshown = (each: UnreadOrder) => accepted?.has(idOf(each)) === true;
  const isUnclear = (each: UnreadOrder) => !isUnshown(each) && maybe?.has(idOf(each)) === true;
  return {
    doneBefore,
    alreadyCancelled,
    sure,
    found,
    tooLate,
    refused: refused.filter((each) => !isUnshown(each) && !isUnclear(each)),
    unshown: refused.filter(isUnshown),
    other,
    unread: [...unread, ...refused.filter(isUnclear)],
    changed: [],
    inDoubt,
  };
}

function idOf({ operation }: UnreadOrder): string {
  return operation.order?.id ?? "";
}

function saysState(read: ReadEnd): boolean {
  return "order" in read && typeof read.order.status === "string";
}

type ReadEnd = { readonly order: OrderDetail } | { readonly failure: ServiceFailure };

/** A refusal is final: another read would get the same answer. */
async function readOrder({ order }: Operation, service: CourierService): Promise<Attempt<ReadEnd>> {
  try {
    return { done: { order: await service.order(order?.id ?? "") } };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return error.kind === "refused" ? { done: { failure: error } } : { failure: error };
  }
}

export function isPaid({ order }: ReadOrder): boolean {
  return order.status === "paid" || order.payment_status === "paid";
}
