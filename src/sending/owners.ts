/** Runs that ended with open operations. */

import type { Context } from "../command/command.ts";
import { checkRecorder, type Liveness, type SystemProcesses } from "../core/process-identity.ts";
import { hostOf, isOfThisPlace } from "../core/process-place.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";
import { leaseMs, signOfLifeMs, takeOverMs } from "../ledger/shared/lease.ts";

/**
 * Takes over the open operations of runs that are known to have ended: a `ready` one becomes unsent, a `sending` one
 * becomes in doubt. `except` is the calling run. Returns those that are running on this machine.
 */
export async function releaseDeadRuns(
  ledger: Ledger,
  customer: number,
  { processes, clock, signal, messages }: Pick<Context, "processes" | "clock" | "signal" | "messages">,
  except?: number,
): Promise<readonly Run[]> {
  let others = await findOwners(ledger, customer, except);
  const silent = others.find((owner) => isOnlySilent(owner) && hasEnded(owner, processes));
  if (silent) {
    const run = `run ${silent.number} on ${hostOf(silent.process)}`;
    messages.note(
      `Waiting ${signOfLifeMs / 1_000} s for a sign of life of ${run}, which seems to have ended…`,
    );
    await clock.sleep(signOfLifeMs, signal);
    others = await findOwners(ledger, customer, except);
  }
  const liveness = others.map((owner) => checkRun(owner, processes));
  for (const [index, owner] of others.entries())
    if (liveness[index] === "dead") await ledger.releaseRun(owner.number, clock.now());
  return others.filter((_owner, index) => liveness[index] === "alive");
}

/** The runs that have operations about to be sent, or being sent. */
async function findOwners(ledger: Ledger, customer: number, except?: number): Promise<readonly Run[]> {
  const open = await ledger.openOperations(customer);
  const owners = new Map(
    open.filter(({ operation }) => operation.state !== "unknown").map(({ owner }) => [owner.number, owner]),
  );
  return [...owners.values()].filter(({ number }) => number !== except);
}

/** Nothing but its silence says that it has ended: it seems silent, too, where the database's clock was set. */
function isOnlySilent(run: Run): boolean {
  return run.endedAtMs === undefined && silenceOf(run) !== undefined;
}

/** For how long a run has given no sign of life, where that tells whether it has ended; undefined where its process does. */
export function silenceOf({ silentForMs, process }: Run): number | undefined {
  return isOfThisPlace(process) ? undefined : silentForMs;
}

/** True where the run is known to have ended. */
export function hasEnded(run: Run, processes: SystemProcesses): boolean {
  return checkRun(run, processes) === "dead";
}

/** Whether a run is running. `unknown`: it has no recorded end, and nothing tells whether its process runs. */
export function checkRun(run: Run, processes: SystemProcesses): Liveness {
  if (run.endedAtMs !== undefined) return "dead";
  const silentMs = silenceOf(run);
  if (silentMs === undefined) return checkRecorder(run.process, run.startedAtMs, processes);
  // Another machine may have the same name, so its boots say nothing.
  if (silentMs < leaseMs) return "alive";
  return silentMs < takeOverMs ? "unknown" : "dead";
}
