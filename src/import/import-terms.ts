/** Owns the terms between an import and those who run it: what it is given, and what it tells. */

import type { Clock } from "../core/clock.ts";
import type { OrderLookup } from "../sending/reconcile.ts";
import type { CreatedFacts } from "./journal-state.ts";
import type { RefusalReason } from "./kept-refusal.ts";
import type { ImportRow } from "./rows.ts";

/** What came of one request. */
export type SendResult =
  | { readonly kind: "created"; readonly facts: CreatedFacts }
  /** `isFinal`: the service itself said so, not something on the way to it. */
  | ({ readonly kind: "refused"; readonly isFinal: boolean } & RefusalReason)
  /** Certainly not processed. */
  | { readonly kind: "unsent"; readonly cause: Error }
  /** The same, since the service asks for fewer calls; `retryAfterMs` where it says for how long. */
  | { readonly kind: "limited"; readonly cause: Error; readonly retryAfterMs?: number | undefined }
  /** It may or may not have been processed. */
  | { readonly kind: "unknown"; readonly cause: Error }
  /** Certainly not processed, and going on makes no sense, such as with a refused key. */
  | { readonly kind: "stopped"; readonly cause: Error };

export interface ImportTools {
  /** Sends one request, once. A rejection leaves open whether it was processed. */
  readonly send: (row: ImportRow) => Promise<SendResult>;
  /** Its `owns` is of orders that are known to be somebody else's; those of the journal come on top. */
  readonly lookup: OrderLookup;
  readonly clock: Clock;
  /** In [0, 1): jitter of the waits. */
  readonly random: () => number;
  /** Aborts when no further row is to be begun; requests under way are finished. */
  readonly stop: AbortSignal;
  /** Told what the import is at whenever that changes. */
  readonly tell: (stage: Stage) => void;
}

/** What an import is at, for those who look on. */
export type Stage =
  | { readonly kind: "sending" }
  /** Requests fail, and are tried again. */
  | { readonly kind: "failing"; readonly reason: string }
  /** The service asks for fewer calls, until this hour of our clock. */
  | { readonly kind: "limited"; readonly untilMs: number }
  /** It looks for what became of rows whose answer was lost. */
  | { readonly kind: "looking"; readonly rows: number };

export interface ImportOptions {
  readonly concurrency: number;
  readonly ratePerSecond?: number | undefined;
  /** Sends rows again that were refused before, although they have not changed. */
  readonly retryRefused: boolean;
}

export interface RowResult {
  readonly row: ImportRow;
  readonly outcome: "created" | "refused" | "unknown" | "unsent";
  /** The outcome is from an earlier run. */
  readonly isEarlier: boolean;
  /** The row has changed since its order was created. */
  readonly isChanged?: boolean;
  readonly facts?: CreatedFacts;
  readonly error?: RefusalReason;
}
