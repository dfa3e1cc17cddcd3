/** The dependencies of an import, and its result for each row. */

import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Loss, OrderFacts, Rejection, Run } from "../ledger/operation.ts";
import type { FileFacts, RowPolicy } from "../ledger/row-to-send.ts";
import type { RowDecision } from "../ledger/rules.ts";
import type { ReconcileTools } from "../sending/reconcile-types.ts";
import type { ImportRow } from "./rows.ts";

/** The result of one request. */
export type SendResult =
  | {
      readonly kind: "created";
      readonly order: OrderFacts;
      readonly orderState: string | undefined;
      readonly stampAheadMs?: number | undefined;
    }
  /** `isCertain`: no order was made. Other refusals are checked by a lookup. */
  | { readonly kind: "refused"; readonly isCertain: boolean; readonly rejection: Rejection }
  /** Certainly not processed. */
  | { readonly kind: "unsent"; readonly cause: Error }
  /** Not processed: HTTP 429. `retryAfterMs` is the Retry-After, where the service sent one. */
  | { readonly kind: "rate_limited"; readonly cause: Error; readonly retryAfterMs?: number | undefined }
  /** It may or may not have been processed. */
  | {
      readonly kind: "unknown";
      readonly cause: Error;
      readonly loss: Loss;
      /** The id of an order that the answer had although it was a failure. */
      readonly namedOrder?: string | undefined;
    }
  /** Certainly not processed, and the import must end, for example because the key was refused. */
  | { readonly kind: "stopped"; readonly cause: Error };

/** What an import is doing, for the progress line. */
export type Stage =
  | { readonly kind: "sending" }
  /** Requests fail and are retried. */
  | { readonly kind: "server_error"; readonly reason: string }
  /** HTTP 429: sending pauses until the clock's `elapsed` is this. */
  | { readonly kind: "rate_limited"; readonly untilMs: number }
  /**
   * It reconciles rows whose answers were lost. `untilMs`: the time limit while it waits to poll again, by `elapsed`.
   */
  | { readonly kind: "looking"; readonly rows: number; readonly untilMs?: number | undefined }
  /** Other courier processes are sending rows of the same file; `names` of those that are known to run. */
  | { readonly kind: "waiting"; readonly rows: number; readonly names: readonly string[] };

export interface ImportTools {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly file: FileFacts;
  readonly policy: RowPolicy;
  /**
   * Sends one request, once. `mayLeave` is called at the moment of the write. After a rejection it is unknown whether
   * the request was processed.
   */
  readonly send: (row: ImportRow, mayLeave: () => boolean) => Promise<SendResult>;
  readonly reconcile: ReconcileTools;
  /** Operations in doubt whose orders this run found before it began to send. */
  readonly found?: ReadonlySet<string> | undefined;
  /** How many rows have an order from before this run. */
  readonly earlier: number;
  /** Takes over the open operations of runs that have ended. Returns those that are running on this machine. */
  readonly releaseDead: () => Promise<readonly Run[]>;
  readonly clock: Clock;
  /** In [0, 1): jitter of the backoff. */
  readonly random: () => number;
  /** Aborts when no further row may begin; requests in progress are finished. */
  readonly stop: AbortSignal;
  /** Asked once, where so many rows in a row were refused for one reason, and none was created. */
  readonly mayGoOn?: ((rejection: Rejection, rows: number) => Promise<boolean>) | undefined;
  /** Called when the stage changes. */
  readonly onStage: (stage: Stage) => void;
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
  | "unsent"
  | "wrong";

export interface RowResult {
  readonly row: ImportRow;
  readonly outcome: Outcome;
  /** The decision of the ledger, where this run sent nothing. */
  readonly decision?: RowDecision;
  readonly order?: OrderFacts | undefined;
  /** The ledger could not record the order. */
  readonly isUnrecorded?: boolean;
  readonly rejection?: Rejection | undefined;
  /** Of a wrong row: the value that is wrong. */
  readonly value?: string | undefined;
}

/** The result of a row's turn, once it is recorded; undefined for a row that is decided about later. */
export interface Turn {
  readonly finished?: Promise<RowResult | undefined>;
}
