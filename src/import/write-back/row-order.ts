/** The order that was found for a row of a sheet. */

import type { SeenState } from "../../ledger/known-orders.ts";
import { type Operation, unknownOrder } from "../../ledger/operation.ts";
import type { OrderElsewhere } from "../../ledger/row-to-send.ts";
import type { ImportRow } from "../rows.ts";

/** Without the data that was sent: a sheet has many. */
export type Made = Pick<
  Operation,
  "run" | "number" | "kind" | "state" | "order" | "orderState" | "sentAtMs" | "endedAtMs" | "isShownAsOther"
>;

export interface RowOrder {
  /** The row itself; without one, the order is not compared with others. */
  readonly row?: Pick<ImportRow, "ref" | "content">;
  readonly rows: readonly number[];
  readonly number: string | undefined;
  readonly made: Made;
  readonly cells: NumberCells;
  readonly error: string;
  readonly change?: Change | undefined;
  /** The file says not to send it. */
  readonly isUnwanted?: boolean;
}

/** The numbers of orders that stand in a row's own cells. */
export interface NumberCells {
  readonly tracking: readonly string[];
  readonly all: readonly string[];
}

/** How a row differs from the order that was sent with its ref. */
export interface Change {
  /** Its number may be of another customer: it is not written beside this row. */
  readonly isReceiver: boolean;
  /** The row shows the number of another person. */
  readonly isOtherPerson: boolean;
  /** The numbers that stand in the row's own cells. */
  readonly ownNumbers: readonly string[];
}

export function madeOf({
  run,
  number,
  kind,
  state,
  order,
  orderState,
  sentAtMs,
  endedAtMs,
  isShownAsOther,
}: Operation): Made {
  return { run, number, kind, state, order, orderState, sentAtMs, endedAtMs, isShownAsOther };
}

/** An order that covers a row which the import did not reach: this ledger has no operation for it. */
export function madeElsewhere({ orderId, order = unknownOrder(orderId), orderState }: OrderElsewhere): Made {
  const unsent = { run: 0, number: 0, sentAtMs: undefined, endedAtMs: undefined, isShownAsOther: false };
  return { ...unsent, kind: "create", state: "found", order, orderState };
}

export function idsOf(all: readonly Made[]): readonly string[] {
  return all.flatMap(({ order }) => order?.id ?? []);
}

/** What was seen of an order last, and when. */
export type Seen = SeenState & {
  readonly orderNumber?: string | undefined;
  /** The service has shown it now. */
  readonly isRead?: boolean;
  /** Why it is another order than the row's. */
  readonly other?: string | undefined;
  /** Its create is in doubt since. */
  readonly isWithdrawn?: boolean;
};

/** Reads what is known of orders by their ids. */
export type ReadStates = (orderIds: readonly string[]) => Promise<ReadonlyMap<string, Seen>>;
