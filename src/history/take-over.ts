/** Takes over what a run without a recorded end left, where only a person can know that it has ended. */

import { type Context, confirmOrStop } from "../command/command.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { formatDuration } from "../core/format-duration.ts";
import type { Liveness } from "../core/process-identity.ts";
import { hostOf, nameProcess } from "../core/process-place.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";
import { takeOverMs } from "../ledger/shared/lease.ts";
import { checkRun, silenceOf } from "../sending/owners.ts";

/** Throws a usage error while the run is running. One that goes on has lost its claims, and sends nothing more. */
export async function takeOver(run: Run, ledger: Ledger, context: Context): Promise<void> {
  const liveness = checkRun(run, context.processes);
  if (liveness !== "dead") await confirmEnded(run, liveness, context);
  await ledger.releaseRun(run.number, context.clock.now(), liveness === "dead" ? "broken" : "timeout");
}

/** True where nothing tells whether the run has ended, and no person can: an order that it is sending may come after all. */
export async function mayGoOnUnseen(run: Run, context: Context): Promise<boolean> {
  if (checkRun(run, context.processes) !== "unknown") return false;
  return context.globals.yes || !(await context.prompts());
}

/** How a script can go on. */
export function howToKnow(run: Run): string {
  const person = "once you know that it has ended, answer at a terminal, without --yes";
  const silentMs = silenceOf(run);
  if (silentMs === undefined) return person;
  const wait = formatDuration(takeOverMs - silentMs);
  return `no sign of life came from it lately: if none comes, it counts as ended in ${wait}, and the same command works then; or, ${person}`;
}

/** Asks a person. Throws a usage error while the run is running. */
async function confirmEnded(run: Run, liveness: Exclude<Liveness, "dead">, context: Context): Promise<void> {
  const { number, process } = run;
  if (liveness === "unknown") {
    const where = `It began on ${hostOf(process)} as process ${process.pid}, which is not visible from here`;
    await confirmOrStop(context, `Run ${number} has no recorded end. ${where}. Has it ended?`);
    return;
  }
  // A script could end a run that goes on.
  const prompts = isCertain(run) || context.globals.yes ? undefined : await context.prompts();
  const what = `This system does not tell whether process ${process.pid} is still the courier that began run ${number}`;
  if (!(await prompts?.confirm(`${what}. Has the run ended?`, false))) throw stillRunning(run);
}

/** The system tells when processes began, so none is taken for another. */
function isCertain({ process }: Run): boolean {
  return process.started !== undefined;
}

export function stillRunning(run: Run): CourierError {
  const { number, process } = run;
  const other = `; if process ${process.pid} is another program, run the same command at a terminal without --yes`;
  return usageError(
    `run ${number} is still running (${nameProcess(process)})`,
    `wait until it ends, or stop it with Ctrl-C${isCertain(run) ? "" : other}`,
  );
}
