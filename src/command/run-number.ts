/** Parses run numbers, and finds their runs. */

import { usageError } from "../core/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunSummary } from "../ledger/runs.ts";
import type { Context } from "./command.ts";
import { quote } from "./options.ts";

export function parseRunNumber(text: string): number {
  const value = Number(text);
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(value)) return value;
  throw usageError(
    `a run needs its number, not ${quote(text)}`,
    "such as 12; the log shows the runs and their numbers",
  );
}

/** Throws a usage error where there is no such run. */
export async function findRun(
  ledger: Ledger | undefined,
  number: number,
  context: Pick<Context, "nextCommand">,
): Promise<RunSummary> {
  const run = await ledger?.findRun(number);
  if (!run) throw usageError(`there is no run ${number} in the log`, whereRunsAre(context));
  return run;
}

export function whereRunsAre({ nextCommand }: Pick<Context, "nextCommand">): string {
  return `${nextCommand("log")} shows the runs and their numbers`;
}
