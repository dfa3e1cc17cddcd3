/** The rest that the service asked for: every process that uses the ledger keeps it. */

import type { ImportTools } from "./import-types.ts";

/** The ledger is asked at most so often. */
const readEveryMs = 1_000;
/** What is over sooner needs no record. */
const leastMs = 500;

export interface SharedRest {
  /** Before a request: waits where the service asked another process to. */
  keep(): Promise<void>;
  /** The service asked this process to wait. */
  note(waitMs: number): void;
}

/** Where the ledger cannot be asked, each process keeps its own rests. */
export function createSharedRest(
  { ledger, run, clock }: Pick<ImportTools, "ledger" | "run" | "clock">,
  pause: (waitMs: number) => void,
): SharedRest {
  let lastMs = Number.NEGATIVE_INFINITY;
  let ownUntilMs: number | undefined;
  let read = Promise.resolve();

  async function readRest(): Promise<void> {
    const rest = await ledger.findRest(run.customer).catch(() => undefined);
    if (!rest || rest.untilMs === ownUntilMs) return; // its own is kept without asking
    const leftMs = rest.untilMs - clock.now();
    // The clock may have been set back since.
    if (leftMs > 0 && leftMs <= rest.waitMs) pause(leftMs);
  }

  return {
    async keep() {
      if (clock.elapsed() - lastMs >= readEveryMs) {
        lastMs = clock.elapsed();
        read = readRest();
      }
      await read; // also for those that begin while it is read
    },
    note(waitMs) {
      if (waitMs < leastMs) return;
      const nowMs = clock.now();
      ownUntilMs = Math.round(nowMs + waitMs);
      const rest = { untilMs: ownUntilMs, waitMs: Math.round(waitMs) };
      ledger.noteRest(run.customer, rest, nowMs).catch(() => {});
    },
  };
}
