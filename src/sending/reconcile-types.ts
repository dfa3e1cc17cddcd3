/** The dependencies of a reconciliation, and its result for each create in doubt. */

import type { AllOrdersOptions } from "../api/pages.ts";
import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ListingFacts } from "../ledger/listings.ts";
import type { Operation } from "../ledger/operation.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";

/** They may reject, or throw, to stop. */
export type PageHooks = Pick<AllOrdersOptions, "beforeOthers" | "afterPage">;

export interface ReconcileTools {
  readonly ledger: Ledger;
  readonly customer: number;
  /** The calling run. */
  readonly run: number | undefined;
  /** All orders created on a date or later, or all of any date. */
  list(dateFrom: string | undefined, hooks?: PageHooks): AsyncIterable<OrderSummary>;
  detail(id: string): Promise<OrderDetail>;
  /** The service's clock minus ours in milliseconds; undefined before the first answer. */
  clockOffsetMs(): number | undefined;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** `--settle`: how long an order may be missing in the list. */
  readonly settleMs: number | undefined;
  /** Of orders that a list calls cancelled, so many are read at once. */
  readonly mostCancelledRead?: number;
  /** Tells a person of a claim that proved to be wrong. */
  readonly warn?: (text: string) => void;
  /** A further command as it has to be typed to concern the same account. */
  nextCommand(words: string): string;
  /** Called with the operation whose claim that was. */
  readonly onWithdrawn?: (operation: Operation) => void;
  /** Orders that were read and are others than answers said, with the reason: each is warned of once. */
  readonly others?: Map<string, string> | undefined;
}

/** The result of one poll for a create in doubt. */
export type Reconciled =
  /** Recorded as found, with its order; else as refused or unsent. */
  | { readonly kind: "settled"; readonly order?: OrderDetail }
  /**
   * A poll before `untilMs` proves nothing more; a poll at `provedMs` proves the outcome. `lacks`: unless the list still
   * lacks this own order.
   */
  | { readonly kind: "early"; readonly untilMs: number; readonly provedMs: number; readonly lacks?: string }
  /** Possible matches. */
  | { readonly kind: "unclear"; readonly candidates: readonly string[] };

export type StillInDoubt = Exclude<Reconciled, { readonly kind: "settled" }>;

/** A complete listing, as the ledger recorded it. */
export interface RecordedListing extends ListingFacts {
  /** When it began, as the clock's `elapsed`. */
  readonly begunMs: number;
  readonly summaries: readonly OrderSummary[];
}
