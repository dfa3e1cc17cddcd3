/** The end of a run: what is closed then, whatever ended it. */

import { systemCode } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";

export interface Ending {
  /** Aborts on a signal of the process. */
  readonly signal: AbortSignal;
  /** Called at the end; the last one first. */
  defer(close: () => Promise<void>): void;
  /** Closes everything. What cannot be closed is told: it takes nothing away from what the run has done. */
  close(): Promise<void>;
}

/** `interruption` is the signal of the process. */
export function createEnding(interruption: AbortSignal, warn: (text: string) => void): Ending {
  const closing: (() => Promise<void>)[] = [];
  return {
    signal: interruption,
    defer: (close) => closing.push(close),
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
