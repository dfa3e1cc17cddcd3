/** Cleanup at the end of a run, whatever ended it. */

import { systemCode } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";

export interface Cleanup {
  /** Aborts on a signal of the process. */
  readonly signal: AbortSignal;
  /** Called at the end; the last one first. */
  addCleanup(close: () => Promise<void>): void;
  /** Closes everything. A failure is only a warning: it does not change the result of the run. */
  close(): Promise<void>;
}

/** `interruption` is the signal of the process. */
export function createCleanup(interruption: AbortSignal, warn: (text: string) => void): Cleanup {
  const closing: (() => Promise<void>)[] = [];
  return {
    signal: interruption,
    addCleanup: (close) => closing.push(close),
    async close() {
      for (const close of closing.splice(0).reverse())
        await close().catch((error) => warn(`cleanup failed: ${explain(error)}`));
    },
  };
}

function explain(error: unknown): string {
  const path = error instanceof Error && "path" in error ? `${error.path}: ` : "";
  if (systemCode(error) !== undefined) return `${path}${explainSystemError(error)}`;
  return error instanceof Error ? error.message : String(error);
}
