/** Messages about runs of other accounts, and about runs that may be running. */

import { findAccount, sandboxAccount, unnamedAccount } from "../config/accounts.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Run } from "../ledger/operation.ts";
import type { Context } from "./command.ts";

/** The error for a run of another customer; `words` is the command for the right account. */
export async function wrongAccount(run: Run, words: string, context: Context): Promise<CourierError> {
  const { name: account } = await context.account();
  if (run.account === unnamedAccount)
    return usageError(
      `run ${run.number} used another key`,
      `set COURIER_API_KEY to the key of that account at ${run.service}`,
    );
  if (run.account !== account)
    return usageError(
      `run ${run.number} belongs to the account ${run.account}; the current account is ${account}`,
      (await usesSameLedger(run.account, context))
        ? `courier ${words} --account ${shellQuote(run.account)}`
        : `the account ${run.account} uses another ledger now, whose runs are others; the orders of this one: ${context.nextCommand(`log show ${run.number}`)}`,
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

/** Another ledger may have another run of the same number. */
async function usesSameLedger(account: string, context: Context): Promise<boolean> {
  const { config, machine, sharedLedger } = context;
  const ledgerOf = async () =>
    machine.env.COURIER_LEDGER || findAccount(await config.read(), account)?.ledger;
  return (account === sandboxAccount ? undefined : await ledgerOf()) === (await sharedLedger());
}
