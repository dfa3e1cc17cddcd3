/** Runs that ended without settling what they were at work on. */

import { checkLiveness, type Liveness, type ProcessTable } from "../core/process-identity.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";

/**
 * Takes over the open operations of runs that are known to have ended: what was only ready is unsent, what was
 * being sent is in doubt. `except` is the run that asks.
 */
export async function releaseDeadRuns(
  ledger: Ledger,
  customer: number,
  processes: ProcessTable,
  nowMs: number,
  except?: number,
): Promise<void> {
  const open = await ledger.openOperations(customer);
  const owners = new Map(
    open.filter(({ operation }) => operation.state !== "unknown").map(({ owner }) => [owner.number, owner]),
  );
  for (const owner of owners.values())
    if (owner.number !== except && hasEnded(owner, processes)) await ledger.releaseRun(owner.number, nowMs);
}

/** True where it is known that nobody is at work on the run any more. */
export function hasEnded(run: Run, processes: ProcessTable): boolean {
  return checkRun(run, processes) === "dead";
}

/** Whether a run goes on. `unknown`: it has no end, and its process cannot be seen from here. */
export function checkRun(run: Run, processes: ProcessTable): Liveness {
  return run.endedAtMs === undefined ? checkLiveness(run.process, processes) : "dead";
}
