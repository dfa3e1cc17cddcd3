/** Cleanup at the end of a run, whatever ended it. */

import { CourierError, systemCode } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";

export interface Cleanup {
  /** Aborts on a signal of the process. */
  readonly signal: AbortSignal;
  /** Called at the end; the last one first. */
  addCleanup(close: () => Promise<void>): void;
  /**
   * Closes everything. A failure is only a warning: it does not change the result of the run. One that `reported`, the
   * error of the run, has said already is none.
   */
  close(reported?: Error): Promise<void>;
}

/** `interruption` is the signal of the process. */
export function createCleanup(interruption: AbortSignal, warn: (text: string) => void): Cleanup {
  const closing: (() => Promise<void>)[] = [];
  return {
    signal: interruption,
    addCleanup: (close) => closing.push(close),
    async close(reported) {
      for (const close of closing.splice(0).reverse())
        await close().catch((error) => {
          const reason = explain(error);
          if (reason !== reported?.message) warn(`cleanup failed: ${reason}`);
        });
    },
  };
}

function explain(error: unknown): string {
  if (error instanceof CourierError) return error.message;
  const path = error instanceof Error && "path" in error ? `${error.path}: ` : "";
  if (systemCode(error) !== undefined) return `${path}${explainSystemError(error)}`;
  return error instanceof Error ? error.message : String(error);
}
