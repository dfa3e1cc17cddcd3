/** Deletes names, phones and addresses of an account's orders at logout. */

import type { Context } from "../command/command.ts";
import { switchOption } from "../command/options.ts";
import { unnamedAccount } from "../config/accounts.ts";
import { hasKey } from "../config/key-source.ts";
import type { StoredAccount } from "../config/store.ts";
import { diskStep, thenAgain } from "../core/disk-errors.ts";
import { CourierError, interrupted, interruptionExit } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { byCount, counted } from "../core/wording.ts";
import { hasLedger } from "../ledger/ledger-file.ts";

export const forceOption = switchOption("delete the details of orders in doubt too");

export interface Deleted {
  readonly details: {
    readonly details_deleted: boolean;
    /** Orders in doubt whose details were kept. */
    readonly details_kept: number;
  };
  readonly failure?: CourierError;
}

/**
 * Deletes names, phones and addresses of an account's orders from this machine, its drafts and its known orders.
 * Customers that another account with a key uses keep theirs; the ledger still knows which orders were sent. One that
 * other machines share is left as it is. Throws only where the run is stopped.
 */
export async function deletePersonalData(
  context: Context,
  account: string,
  stored: StoredAccount | undefined,
  isForced: boolean,
  /** The command that deletes the rest afterwards. */
  deleteAll: string,
): Promise<Deleted> {
  const shared = context.machine.env.COURIER_LEDGER || stored?.ledger;
  if (shared !== undefined)
    context.messages.note(
      `the ledger that other machines share keeps the details of its orders; to delete them: ` +
        `COURIER_LEDGER=${await nameLedger(shared, context)} courier ledger forget --account ${shellQuote(account)}`,
    );
  try {
    await context.forgetKnownOrders(account);
    if (!hasLedger(context.machine.stateDirectory)) return deleted(0);
    const kept = await deleteFromLedger(context, account, isForced);
    if (kept > 0) {
      const orders = `${counted(kept, "order")} in doubt, or found since, ${byCount(kept, "keeps its", "keep their")}`;
      context.messages.note(
        `${orders} details, so that none is sent twice; to delete them too: ` +
          `courier ${deleteAll} --force --account ${shellQuote(account)}`,
      );
    }
    return deleted(kept);
  } catch (error) {
    if (context.signal.aborted)
      throw interrupted(
        interruptionExit(context.signal.reason),
        "stopped before the names and addresses of past orders were deleted",
        "run the same command again",
      );
    return {
      details: { details_deleted: false, details_kept: 0 },
      failure: explainFailure(error, account, context),
    };
  }
}

/** Its address without secrets. One that cannot be used, maybe since a password is in it, is not shown. */
async function nameLedger(shared: string, { machine, keys }: Context): Promise<string> {
  const { parseAddress } = await import("../postgres/address.ts");
  const { quoteAddress } = await import("../postgres/shown-address.ts");
  try {
    return quoteAddress(parseAddress(shared, "", machine.env, keys.askPassword).text);
  } catch {
    return "ADDRESS";
  }
}

function explainFailure(error: unknown, account: string, context: Context): CourierError {
  const { stateDirectory } = context.machine;
  const isOwn = error instanceof CourierError;
  const file = (error as { readonly path?: string }).path;
  const reason = isOwn
    ? error.message
    : `${explainSystemError(error)}${file === undefined ? "" : `: ${file}`}`;
  const message = `the names and addresses of past orders could not be deleted from ${stateDirectory}: ${reason}`;
  // The same command cannot be run again: the account may be gone.
  const step = diskStep(error) ?? (isOwn ? error.hint?.replace(thenAgain(""), "") : undefined);
  const first = step === undefined || step.includes("same command") ? "once that is fixed" : `${step}; then`;
  const hint = `${first}: courier ledger forget --account ${shellQuote(account)}`;
  return new CourierError("database", 5, message, { hint, cause: error });
}

/** An account, or what it was at one service alone. */
interface Forgotten {
  readonly name: string;
  readonly service?: string | undefined;
}

/** Deletes what other commands have kept of an account since. Gives back why it could not. */
export async function deleteAgain(
  context: Context,
  { name, service }: Forgotten,
): Promise<CourierError | undefined> {
  try {
    await context.forgetKnownOrders(name, service);
    if (hasLedger(context.machine.stateDirectory)) await deleteFromLedger(context, name, false, service);
    return undefined;
  } catch (error) {
    return explainFailure(error, name, context);
  }
}

/** A run that was still open when its account was logged out may have kept its orders since. */
export async function deleteKeptSince(context: Context, account: Forgotten): Promise<void> {
  const failure = await deleteAgain(context, account);
  if (failure) context.messages.warnAlways(`${failure.message}; ${failure.hint}`);
  else
    context.messages.note(
      `the account ${account.name} was logged out meanwhile: what this run kept of its orders, and of a draft, was deleted`,
    );
}

function deleted(kept: number): Deleted {
  return { details: { details_deleted: true, details_kept: kept } };
}

/** Gives back how many orders in doubt keep their details. */
async function deleteFromLedger(
  context: Context,
  account: string,
  isForced: boolean,
  /** This one alone. */
  service?: string,
): Promise<number> {
  const ledger = await context.localLedger();
  await ledger.dropAllDrafts(account, service);
  const { accounts } = await context.config.read();
  const others = Object.entries(accounts).filter(([name, stored]) => name !== account && hasKey(stored));
  const ofAccount = await ledger.customersOnlyOf(
    account,
    others.map(([name]) => name),
  );
  const customers = ofAccount.filter((each) => service === undefined || each.service === service);
  let kept = 0;
  for (const { id } of customers) kept += await ledger.deletePersonalData(id, isForced);
  const ids = new Set(customers.map(({ id }) => id));
  const unnamed = await ledger.customersOnlyOf(unnamedAccount, []);
  // An account of the environment alone has no logout: its orders are deleted with their customer.
  if (unnamed.some(({ id }) => ids.has(id))) {
    await ledger.dropAllDrafts(unnamedAccount);
    await context.forgetKnownOrders(unnamedAccount);
  }
  await ledger.compact();
  return kept;
}
