/** What an import works with, and what it says of each row. */

import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Loss, OrderFacts, Rejection, Run } from "../ledger/operation.ts";
import type { FileFacts, RowDecision, RowPolicy } from "../ledger/rules.ts";
import type { ReconcileTools } from "../sending/reconcile-types.ts";
import type { ImportRow } from "./rows.ts";

/** What came of one request. */
export type SendResult =
  | {
      readonly kind: "created";
      readonly order: OrderFacts;
      readonly orderState: string | undefined;
      readonly stampAheadMs?: number | undefined;
    }
  /** `isCertain`: no order was made; any other is checked by a look. */
  | { readonly kind: "refused"; readonly isCertain: boolean; readonly rejection: Rejection }
  /** Certainly not processed. */
  | { readonly kind: "unsent"; readonly cause: Error }
  /** The same, since the service limits the rate; `retryAfterMs` where it says for how long. */
  | { readonly kind: "rate_limited"; readonly cause: Error; readonly retryAfterMs?: number | undefined }
  /** It may or may not have been processed. */
  | { readonly kind: "unknown"; readonly cause: Error; readonly loss: Loss }
  /** Certainly not processed, and going on makes no sense, such as with a refused key. */
  | { readonly kind: "stopped"; readonly cause: Error };

/** What an import is at, for those who look on. */
export type Stage =
  | { readonly kind: "sending" }
  /** Requests fail, and are tried again. */
  | { readonly kind: "server_error"; readonly reason: string }
  /** The service limits the rate, until the clock's `elapsed` is this. */
  | { readonly kind: "rate_limited"; readonly untilMs: number }
  /** It looks for what became of rows whose answer was lost; `untilMs`, by `elapsed`: it waits for what can be known then. */
  | { readonly kind: "looking"; readonly rows: number; readonly untilMs?: number | undefined }
  /** Another courier process is sending rows of the same file. */
  | { readonly kind: "waiting"; readonly rows: number };

export interface ImportTools {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  /**
   * Sends one request, once. `mayLeave` is asked at the moment in which it is written. A rejection leaves open
   * whether it was processed.
   */
  readonly send: (row: ImportRow, mayLeave: () => boolean) => Promise<SendResult>;
  readonly reconcile: ReconcileTools;
  /** Operations in doubt whose orders this run has found before it began to send. */
  readonly found?: ReadonlySet<string> | undefined;
  /** Takes over what runs that have ended left open. */
  readonly releaseDead: () => Promise<void>;
  readonly clock: Clock;
  /** In [0, 1): jitter of the waits. */
  readonly random: () => number;
  /** Aborts when no further row is to be begun; requests in progress are finished. */
  readonly stop: AbortSignal;
  /** Told what the import is at whenever that changes. */
  readonly tell: (stage: Stage) => void;
}

export interface ImportOptions {
  readonly concurrency: number;
  readonly ratePerSecond?: number | undefined;
}

export type Outcome =
  | "created"
  | "found"
  | "shipped"
  | "refused"
  | "held"
  | "changed"
  | "cancelled"
  | "unknown"
  | "unsent";

export interface RowResult {
  readonly row: ImportRow;
  readonly outcome: Outcome;
  /** What the ledger decided, where nothing was sent now. */
  readonly decision?: RowDecision;
  readonly order?: OrderFacts | undefined;
  readonly rejection?: Rejection | undefined;
}

/** What a row's turn gave, once it is recorded; nothing for a row that is decided about later. */
export interface Turn {
  readonly finished?: Promise<RowResult>;
}
