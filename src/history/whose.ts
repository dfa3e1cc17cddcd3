/** Whose run it is: only the account that created orders can change them. */

import { unnamedAccount } from "../config/accounts.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Run } from "../ledger/operation.ts";

/** A run of another customer than the account in use; `words` is the command for the right one. */
export function wrongAccount(run: Run, account: string, words: string): CourierError {
  if (run.account === unnamedAccount)
    return usageError(
      `run ${run.number} was made with another key than this one`,
      `give the key of that account in COURIER_API_KEY; its service is ${run.service}`,
    );
  if (run.account !== account)
    return usageError(
      `run ${run.number} is of the account ${run.account}, and this one is ${account}`,
      `courier ${words} --account ${shellQuote(run.account)}`,
    );
  return usageError(
    `run ${run.number} was made for another customer at ${run.service}, when ${account} was their account`,
    "the key of that customer is needed: store it with courier login --account NAME",
  );
}

/** Asked where a run has no end, and its process cannot be seen from this machine. */
export function hasEndedQuestion({ number, process: begun }: Run): string {
  const host = begun.place.split(" ")[0];
  return (
    `Run ${number} has no recorded end: it was begun on ${host} as process ${begun.pid}, which cannot be seen ` +
    "from here. Has it ended?"
  );
}

export function stillRunning({ number, process: begun }: Run): CourierError {
  return usageError(
    `run ${number} is still running, as process ${begun.pid}`,
    "wait for its end, or stop it with Ctrl-C",
  );
}
