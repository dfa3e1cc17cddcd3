/** Runs that ended with open operations. */

import { checkLiveness, type Liveness, type ProcessTable } from "../core/process-identity.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";

/**
 * Takes over the open operations of runs that are known to have ended: a `ready` one becomes unsent, a `sending` one
 * becomes in doubt. `except` is the calling run.
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

/** True where the run is known to have ended. */
export function hasEnded(run: Run, processes: ProcessTable): boolean {
  return checkRun(run, processes) === "dead";
}

/** Whether a run is running. `unknown`: it has no recorded end, and its process is not visible from this machine. */
export function checkRun(run: Run, processes: ProcessTable): Liveness {
  return run.endedAtMs === undefined ? checkLiveness(run.process, processes) : "dead";
}
