/** `courier ledger forget`: deletes names, phones and addresses of an account's orders from the ledger in use. */

import {
  type Context,
  confirmOrStop,
  defineCommand,
  document,
  ensureCanConfirm,
} from "../command/command.ts";
import { findCustomerOfKey } from "../command/customer-of-key.ts";
import { findLedger } from "../command/found-ledger.ts";
import { switchOption, textOption } from "../command/options.ts";
import { findAccount, serviceOf, unknownAccount, unnamedAccount } from "../config/accounts.ts";
import { hasKey } from "../config/key-source.ts";
import type { StoredAccount } from "../config/store.ts";
import { CourierError, interrupted, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { showAddress } from "../postgres/shown-address.ts";
import { line } from "../terminal/blocks.ts";
import { findAccountName, findCustomers, findMissing, findSenders, hasGivenKey } from "./ledger-place.ts";

export const forgetLedger = defineCommand({
  description:
    "Deletes the data of the people in the account's orders, and messages of refusals, which may contain them, from the\n" +
    "ledger that the account uses, from this machine's copy where it was moved, and from what this machine keeps for find\n" +
    "and the Tab key. Other machines and accounts of the same customer lose them, too. That an order was sent stays\n" +
    "known, so that none is sent twice. Orders in doubt keep their details without --force. Backups of the server keep\n" +
    "what they have. It asks twice; a script gives --yes, and the account's name with --confirm.",
  arguments: {},
  options: {
    force: switchOption("delete the details of orders in doubt too, which settling needs"),
    confirm: textOption("ACCOUNT", "the account's name, in place of typing it", { values: "stored account" }),
  },
  confirms: true,
  examples: [
    { line: "ledger forget --account shop", note: "asks twice: the second answer is the account's name" },
    { line: "ledger forget --account shop --yes --confirm shop", note: "for a script" },
  ],
  exits: [5],
  seeAlso: ["logout", "ledger status"],
  async run({ force = false, confirm }, context) {
    const account = await findAccountName(context);
    const ledger = await findLedger(context);
    if (!ledger) throw usageError("there is no ledger on this machine", "nothing is kept of any order");
    const { accounts } = await context.config.read();
    const others = Object.keys(accounts).filter(
      (name) => name !== account && hasKey(accounts[name] as StoredAccount),
    );
    const customers = await findOwners(ledger, account, others, context);
    const runs = await ledger.runsThatSent({ customers });
    await confirmTwice(account, ledger, runs.length, confirm, context);
    let kept = await deleteAll(ledger, customers, force);
    const hasFile = ledger.isShared && hasLedger(context.machine.stateDirectory);
    const own = await context.localLedger();
    if (ledger.isShared) await learnKey(own, context);
    const ownCustomers = ledger.isShared ? await findCustomers(own, account, context, others) : customers;
    if (hasFile) {
      const keptHere = await deleteAll(own, ownCustomers, force);
      const { unknown } = await findMissing(await own.runsThatSent({ customers: ownCustomers }), ledger);
      kept = unknown.length > 0 ? kept + keptHere : Math.max(kept, keptHere); // a copy has the same orders
    }
    await own.dropAllDrafts(account);
    for (const name of await accountsOf(
      account,
      [
        [own, ownCustomers],
        [ledger, customers],
      ],
      context,
    ))
      await context.forgetKnownOrders(name);
    await own.compact();
    if (kept > 0)
      context.messages.note(
        `${counted(kept, "order")} in doubt, or found since, ${byCount(kept, "keeps its", "keep their")} details, so that none is sent twice; --force deletes them too`,
      );
    return document(
      { account, ledger: ledger.path, runs: runs.length, details_deleted: true, details_kept: kept },
      () => [
        line(
          `The names, phones and addresses in ${counted(runs.length, "run")} of the account ${account} are deleted from ${showAddress(ledger.path).place}${hasFile ? ` and ${own.path}` : ""}`,
        ),
      ],
    );
  },
});

/**
 * The service is asked about a key that the ledger does not know, such as a renewed one. Where it does not name the
 * customer, the runs of this machine do; throws why it did not where there are none. Customers of the `others` keep their
 * details: the account may have had their keys before.
 */
async function findOwners(
  ledger: Ledger,
  account: string,
  others: readonly string[],
  context: Context,
): Promise<readonly number[]> {
  const { machine, globals } = context;
  const active = await context.account().catch((error) => {
    // A key that cannot be used may be of another customer than the stored account.
    if (account !== unnamedAccount && machine.env.COURIER_API_KEY && globals.account === undefined)
      throw error;
    return undefined;
  });
  let failure: unknown;
  if (ledger.isShared || active?.kind === "remote")
    await findCustomerOfKey(context).catch((error) => {
      if (context.signal.aborted) throw error;
      failure = error;
    });
  const customers = await findCustomers(ledger, account, context, others);
  if (customers.length > 0) return customers;
  if (failure === undefined) {
    const config = await context.config.read();
    const isKnown =
      active || findAccount(config, account) || (await ledger.customersOnlyOf(account, [])).length > 0;
    if (isKnown) return customers;
    failure = unknownAccount(account, config);
  }
  const ofMachine =
    active && !hasGivenKey(active)
      ? await findSenders(ledger, account, [serviceOf(active)], context, others)
      : [];
  if (ofMachine.length > 0) return ofMachine.map(({ id }) => id);
  throw failure instanceof CourierError
    ? failure.with({ message: `nothing was deleted: ${failure.message}` })
    : failure;
}

/** This machine's own ledger may not know a renewed key, which the shared one does. */
async function learnKey(own: Ledger, { account, keys, knownCustomer }: Context): Promise<void> {
  const active = await account().catch(() => undefined);
  const known = active && (await knownCustomer().catch(() => undefined));
  if (active?.kind !== "remote" || known?.profileId === undefined) return;
  const { service, profileId } = known;
  await own.learnCustomer({ service, key: await keys.read(active), profileId, account: active.name });
}

/**
 * The accounts on this machine that have orders of these customers. The first ledger that knows a name tells: another machine
 * may use it for another customer.
 */
async function accountsOf(
  account: string,
  places: readonly (readonly [Ledger, readonly number[]])[],
  { config }: Context,
): Promise<readonly string[]> {
  const { accounts } = await config.read();
  const names = new Set([account]);
  for (const name of [unnamedAccount, ...Object.keys(accounts)]) {
    for (const [ledger, customers] of places) {
      const known = await ledger.customersOnlyOf(name, []);
      if (known.some(({ id }) => customers.includes(id))) names.add(name);
      if (known.length > 0) break;
    }
  }
  return [...names];
}

async function deleteAll(ledger: Ledger, customers: readonly number[], isForced: boolean): Promise<number> {
  let kept = 0;
  for (const customer of customers) kept += await ledger.deletePersonalData(customer, isForced);
  return kept;
}

/** A yes, and the name of the account: `--yes` alone is not enough for what no one can bring back. */
async function confirmTwice(
  account: string,
  { path, isShared }: Ledger,
  runs: number,
  named: string | undefined,
  context: Context,
): Promise<void> {
  const what = `deleting the details of the account ${account}`;
  await ensureCanConfirm(context, what);
  if (named !== undefined && named !== account)
    throw usageError(
      `--confirm names ${named}, but the account is ${account}`,
      "name the account with --account",
    );
  const prompts = await context.prompts();
  if (named === undefined && !prompts)
    throw usageError(`${what} needs its name, too`, `add --yes --confirm ${shellQuote(account)}`);
  const others = isShared ? " All machines that use it lose them." : "";
  await confirmOrStop(
    context,
    `Delete names, phones and addresses in ${counted(runs, "run")} of the account ${account} from ${showAddress(path).place}?${others}`,
  );
  if (named !== undefined) return;
  const typed = await prompts?.text(`This cannot be undone. Type ${account} to delete them`);
  if (typed !== account) throw interrupted(130, "not confirmed: nothing was done");
}
