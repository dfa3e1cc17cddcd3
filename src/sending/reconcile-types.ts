/** What a reconciliation works with, and what it says of each create in doubt. */

import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ListingFacts } from "../ledger/listings.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";

export interface ReconcileTools {
  readonly ledger: Ledger;
  readonly customer: number;
  /** The run that asks. */
  readonly run: number | undefined;
  /** All orders created on a date or later; `beforeOthers` is told the calls that follow the first, and may reject. */
  list(dateFrom: string, beforeOthers?: (calls: number) => Promise<void>): AsyncIterable<OrderSummary>;
  detail(id: string): Promise<OrderDetail>;
  /** Service's clock minus ours in milliseconds; undefined while no answer has told it. */
  clockOffsetMs(): number | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** How long an order may be missing in the list, where a person says so. */
  readonly settleMs: number | undefined;
  /** Settles also what an undo has marked: it is not sent again in any case. */
  readonly settlesUnwanted?: boolean;
}

/** What one look said of a create in doubt. */
export type Reconciled =
  /** It is recorded as found, as this order; else as refused or unsent. */
  | { readonly kind: "settled"; readonly order?: OrderDetail }
  /** Nothing more can be said before `untilMs`; all is known at `provedMs`. */
  | { readonly kind: "early"; readonly untilMs: number; readonly provedMs: number }
  /** These orders may be it. */
  | { readonly kind: "unclear"; readonly candidates: readonly string[] };

export type StillInDoubt = Exclude<Reconciled, { readonly kind: "settled" }>;

/** A complete listing, as the ledger recorded it. */
export interface RecordedListing extends ListingFacts {
  /** When it began, as the clock's `elapsed`. */
  readonly begunMs: number;
  readonly summaries: readonly OrderSummary[];
}
