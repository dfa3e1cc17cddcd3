/** Messages about runs of other accounts, and about runs that may be running. */

import { sandboxAccount, unnamedAccount } from "../config/accounts.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Run } from "../ledger/operation.ts";

/** The error for a run of another customer; `words` is the command for the right account. */
export function wrongAccount(run: Run, account: string, words: string): CourierError {
  if (run.account === unnamedAccount)
    return usageError(
      `run ${run.number} used another key`,
      `set COURIER_API_KEY to the key of that account at ${run.service}`,
    );
  if (run.account !== account)
    return usageError(
      `run ${run.number} belongs to the account ${run.account}; the current account is ${account}`,
      `courier ${words} --account ${shellQuote(run.account)}`,
    );
  if (account === sandboxAccount)
    return usageError(
      `run ${run.number} is of the sandbox before it was reset, which deleted its orders`,
      "there is nothing left to do for it",
    );
  return usageError(
    `run ${run.number} belongs to another customer at ${run.service}: the key of the account ${account} has changed since`,
    "store the key of that customer with courier login --account NAME",
  );
}
