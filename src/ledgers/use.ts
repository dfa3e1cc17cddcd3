/** `courier ledger use`: keeps the address of a shared ledger with an account, or goes back to this machine's own. */

import { type Context, confirmOrStop, defineCommand, document } from "../command/command.ts";
import { switchOption } from "../command/options.ts";
import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import type { Config } from "../config/store.ts";
import { thenAgain } from "../core/disk-errors.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { byCount, counted } from "../core/wording.ts";
import { type Ledger, openLedgerFile } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { changeMarks, readMoved, unmarkMoved } from "../ledger/moved.ts";
import type { LedgerUsed } from "../model/results.ts";
import { isSameDatabase, type PostgresAddress } from "../postgres/address.ts";
import { showAddress } from "../postgres/shown-address.ts";
import { identifyCustomer } from "../sending/customer.ts";
import type { Database } from "../sqlite/database.ts";
import { type Block, fields, line, paragraph, styled } from "../terminal/blocks.ts";
import {
  addressArgument,
  ensureNoLedgerInEnv,
  ensureNoneRuns,
  findCustomers,
  findMissingRuns,
  findReturning,
  findStoredAccount,
  local,
  type NamedAccount,
  openShared,
  passwordCommandOption,
  readAddress,
  withHint,
} from "./ledger-place.ts";

export const useLedger = defineCommand({
  description:
    "The account's orders are then recorded in that PostgreSQL database, which all machines that name it share:\n" +
    "they never send the same order twice. The address is kept with the account, without a password: PGPASSFILE\n" +
    "(~/.pgpass) or PGPASSWORD has it, or --password-command prints it, without a shell. Tables are made in a schema named courier. Where the ledger so far knows\n" +
    "runs of the account that the new one lacks, nothing is changed without --new. The file on this machine sends\n" +
    "nothing for the account's customer from then on, under any account name. The word local goes back to that\n" +
    "file. For jobs without a stored account, COURIER_LEDGER names the ledger; once they do not set it any\n" +
    "more, local goes back to the file for their key.",
  arguments: {
    address: addressArgument("postgres://USER@HOST:PORT/DATABASE, or local", {
      candidates: [{ value: local, description: "this machine's own" }],
    }),
  },
  options: {
    new: switchOption("begin there without the runs that it does not know"),
    passwordCommand: passwordCommandOption,
  },
  confirms: true,
  examples: [
    {
      line: "ledger use postgres://shop@db.example.com/orders",
      note: "the current account shares that ledger",
    },
    { line: "ledger use postgres://shop@db.example.com/orders --account till", note: "another account" },
    { line: "ledger use local", note: "back to this machine's own" },
  ],
  exits: [4, 5],
  seeAlso: ["ledger move", "ledger status", "doctor"],
  async run({ address, new: isNew = false, passwordCommand }, context) {
    ensureNoLedgerInEnv(context);
    const parsed =
      address === local ? undefined : await readAddress(address, "the address", context, passwordCommand);
    const account = await (parsed ? findStoredAccount(context) : findReturning(context));
    let ofName: CustomersOfName | undefined;
    const used = await readKey(account, context).catch(async (error) => {
      if (context.signal.aborted) throw error;
      if (parsed) ofName = await findOfName(account, error, context);
      else if (await findMovedTo(account, undefined, context)) throw explainUnread(account, error);
      return undefined;
    });
    const before = await openBefore(account, parsed, used, isNew, context);
    if (before) await ensureIdle(before, account, context);
    const ledger = parsed ? await openShared(parsed, context) : await context.localLedger();
    if (before) await ensureKnown(before, ledger, account, isNew, context);
    const customers = ofName?.customers ?? (used ? await learnCustomer(before, ledger, used, context) : []);
    const startedMs = context.clock.elapsed();
    await ledger.checkPlace();
    const latencyUs = Math.round((context.clock.elapsed() - startedMs) * 1_000);
    const { engine, tablesVersion, runs, operations, weaknesses } = await ledger.inspect();
    // Marks come first and go last: whatever fails in between, this machine's ledger sends nothing.
    const unmark = parsed ? await markLocally(customers, parsed.text, context) : undefined;
    const change = (config: Config): Config => {
      const { ledger: _before, ...stored } = config.accounts[account.name] ?? account.stored;
      const changed = parsed ? { ...stored, ledger: parsed.text } : stored;
      return { ...config, accounts: { ...config.accounts, [account.name]: changed } };
    };
    if (account.isStored)
      await context.config.update(change).catch(async (error) => {
        await unmark?.();
        throw error;
      });
    if (before) await undoWhereOneRuns(before, account, context, unmark);
    if (!parsed && used) await sendFromHere(ledger, used, context);
    if (ofName) context.messages.warn(ofName.warning);
    if (parsed) await warnOfOthers(customers, account, parsed, context);
    if (before?.isShared)
      context.messages.warn(
        `machines that go on with ${showAddress(before.path).place} and this one do not know of each other's orders from now on`,
      );
    return document(
      {
        account: account.name,
        ledger: ledger.path,
        shared: parsed !== undefined,
        engine,
        tables_version: tablesVersion,
        latency_us: latencyUs,
        runs,
        operations,
        weaknesses: [...weaknesses],
      },
      view,
    );
  },
});

interface UsedKey {
  readonly active: ActiveAccount;
  readonly service: string;
  readonly key: string;
}

/** Throws what reading the key throws, and a usage error where the environment names another account. */
async function readKey({ name }: NamedAccount, context: Context): Promise<UsedKey> {
  const active = await context.account();
  if (active.kind !== "remote" || active.name !== name)
    throw usageError(
      `the account in use is ${active.name}, and not ${name}`,
      `name it: --account ${shellQuote(name)}`,
    );
  return { active, service: serviceOf(active), key: await context.keys.read(active) };
}

interface CustomersOfName {
  readonly customers: readonly number[];
  readonly warning: string;
}

/**
 * The customers in this machine's ledger of an account whose key cannot be read: any of them may be its customer. Throws
 * why the key could not be read where there are none.
 */
async function findOfName(
  { name, stored }: NamedAccount,
  reason: unknown,
  context: Context,
): Promise<CustomersOfName> {
  const service = parseBaseUrl(stored.base_url, "the account's base_url", true);
  const local = hasLedger(context.machine.stateDirectory) ? await context.localLedger() : undefined;
  const all = (await local?.customersOnlyOf(name, [])) ?? [];
  const customers = all.filter((each) => each.service === service).map(({ id }) => id);
  const said = reason instanceof Error ? reason.message : String(reason);
  const warning = `${said}; this machine's ledger sends nothing for any customer that the account ${name} has had`;
  if (customers.length > 0) return { customers, warning };
  throw explainUnread({ name }, reason);
}

function explainUnread({ name }: Pick<NamedAccount, "name">, reason: unknown): unknown {
  if (!(reason instanceof CourierError)) return reason;
  const message = `without its key it is not known whose orders the account ${name} sends, and nothing was changed: ${reason.message}`;
  return reason.with({ message, hint: thenAgain(reason.hint ?? "make the key readable") });
}

/**
 * The customer of the account's key in this machine's ledger. Where any ledger knows whose key it is, the new one does, too,
 * before its first order; else the service is asked. None where that cannot be known.
 */
async function learnCustomer(
  before: Ledger | undefined,
  ledger: Ledger,
  { active, service, key }: UsedKey,
  context: Context,
): Promise<readonly number[]> {
  const local = ledger.isShared ? await context.localLedger() : ledger;
  const known = (await before?.findCustomer(service, key)) ?? (await local.findCustomer(service, key));
  const profileId = known?.profileId ?? (await ledger.findCustomer(service, key))?.profileId;
  const learned = { service, key, profileId, account: active.name };
  if (profileId !== undefined && !(await ledger.findCustomer(service, key)))
    await ledger.learnCustomer(learned);
  if (!ledger.isShared) return [];
  if (profileId !== undefined || (await local.findCustomer(service, key)))
    return [(await local.learnCustomer(learned)).id];
  try {
    const search = { ledger: local, service: await context.service(), account: active, apiKey: key };
    const { note } = context.messages;
    const { nextCommand } = context;
    const asked = { isFresh: false, makesNoOrder: true, others: new Set<number>(), note, nextCommand };
    return [(await identifyCustomer({ ...search, ...asked })).id];
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.messages.warn(
      `another account of the same customer may still record its orders on this machine: ${error instanceof Error ? error.message : error}`,
    );
    return [];
  }
}

/** This machine's ledger sends nothing for the customers from now on, under any account name. Returns what undoes that. */
async function markLocally(
  customers: readonly number[],
  address: string,
  context: Context,
): Promise<(() => Promise<unknown>) | undefined> {
  if (customers.length === 0) return undefined;
  const marks = new Map(customers.map((customer) => [customer, address]));
  const before = await onFile(context, (file) => changeMarks(file, marks));
  return () => onFile(context, (file) => changeMarks(file, before));
}

async function onFile<T>(context: Context, act: (file: Database) => Promise<T>): Promise<T> {
  const file = await openLedgerFile(context.machine.stateDirectory, context);
  try {
    return await act(file);
  } finally {
    file.close();
  }
}

/** Names the accounts of the same customers that use this machine's ledger, which sends nothing for them any more. */
async function warnOfOthers(
  customers: readonly number[],
  { name }: NamedAccount,
  { text }: PostgresAddress,
  context: Context,
): Promise<void> {
  const local = await context.localLedger();
  const is = customers.length > 1 ? "may be" : "is";
  for (const [other, stored] of Object.entries((await context.config.read()).accounts)) {
    if (other === name || stored.ledger !== undefined) continue;
    const own = await local.customersOnlyOf(other, []);
    if (own.some(({ id }) => customers.includes(id)))
      context.messages.warn(
        `the account ${other} ${is} of the same customer, and sends nothing until it uses that ledger, too: courier ledger use ${shellQuote(text)} --account ${shellQuote(other)}`,
      );
  }
}

/** Throws a usage error while a run of the account, or of its customer under another name, runs on this machine. */
async function ensureIdle(before: Ledger, { name }: NamedAccount, context: Context): Promise<void> {
  const customers = await findCustomers(before, name, context);
  await ensureNoneRuns(before, (run) => run.account === name || customers.includes(run.customer), context);
}

/** A run may have begun between the look for runs and the change. One that begins later sees the change. */
async function undoWhereOneRuns(
  before: Ledger,
  account: NamedAccount,
  context: Context,
  unmark: (() => Promise<unknown>) | undefined,
): Promise<void> {
  try {
    await ensureIdle(before, account, context);
  } catch (error) {
    if (account.isStored)
      await context.config.update((config) => ({
        ...config,
        accounts: { ...config.accounts, [account.name]: account.stored },
      }));
    await unmark?.();
    throw error;
  }
}

function view(used: LedgerUsed): readonly Block[] {
  const { account, ledger, engine, tables_version, latency_us, runs, operations, weaknesses } = used;
  return [
    line(
      styled("good", "Changed"),
      `: the account ${account} records its orders in ${showAddress(ledger).place}`,
    ),
    fields(
      ["Engine", engine],
      ["Tables", `version ${tables_version}`],
      ["Answers in", `${(latency_us / 1_000).toFixed(1)} ms`],
      ["Recorded", `${counted(runs, "run")}, ${counted(operations, "operation")}`],
    ),
    ...weaknesses.map((weakness) =>
      paragraph({ style: "warn", text: `never twice is not certain: ${weakness}` }),
    ),
  ];
}

/** The ledger that the account's orders are in so far; undefined where there is none, or it is the same one. */
async function openBefore(
  account: NamedAccount,
  next: PostgresAddress | undefined,
  used: UsedKey | undefined,
  isNew: boolean,
  context: Context,
): Promise<Ledger | undefined> {
  const before = account.stored.ledger ?? (await findMovedTo(account, used, context));
  if (before === undefined)
    return next && hasLedger(context.machine.stateDirectory) ? context.localLedger() : undefined;
  if (next && isSameDatabase(before, next, context.machine.env)) return undefined;
  const source = `the ledger of the account ${account.name}`;
  try {
    return await openShared(await readAddress(before, source, context), context);
  } catch (error) {
    const hint =
      "what it knows cannot be compared; to go on without it, although orders could be sent twice: --new";
    if (!isNew) throw withHint(error, hint);
    context.messages.warn(
      `${error instanceof Error ? error.message : error}; what was sent there is not known from now on`,
    );
    await confirmOrStop(
      context,
      `Orders of ${showAddress(before).place} could be sent a second time. Continue without it?`,
    );
    return undefined;
  }
}

/** Where the orders of the key's customer moved to, or of all customers of the account's name where it cannot be read. */
async function findMovedTo(
  { name }: NamedAccount,
  used: UsedKey | undefined,
  context: Context,
): Promise<string | undefined> {
  if (!hasLedger(context.machine.stateDirectory)) return undefined;
  const local = await context.localLedger();
  const customers = used ? await findOwn(local, used) : await findCustomers(local, name, context);
  const moved = await onFile(context, readMoved);
  return moved.find(({ customer }) => customers.includes(customer))?.address;
}

/** The customer of the key: the account's name may have others, whose orders were not compared. */
async function findOwn(ledger: Ledger, { service, key }: UsedKey): Promise<readonly number[]> {
  const customer = await ledger.findCustomer(service, key);
  return customer ? [customer.id] : [];
}

/** Takes the mark away that keeps this machine's ledger from sending for the customer of the key. */
async function sendFromHere(ledger: Ledger, used: UsedKey, context: Context): Promise<void> {
  const customers = await findOwn(ledger, used);
  await onFile(context, (file) => unmarkMoved(file, customers));
}

/** Throws a usage error where the new ledger would not know what was sent; `--new` asks twice instead. */
async function ensureKnown(
  before: Ledger,
  ledger: Ledger,
  { name }: NamedAccount,
  isNew: boolean,
  context: Context,
): Promise<void> {
  const { unknown, partlyKnown } = await findMissingRuns(before, ledger, name, context);
  const count = unknown.length + partlyKnown.length;
  if (count === 0) return;
  const missing = [
    unknown.length > 0 ? `does not know ${counted(unknown.length, "run")}` : "",
    partlyKnown.length > 0 ? `knows only a part of ${counted(partlyKnown.length, "run")}` : "",
  ];
  const lacks = `${showAddress(ledger.path).place} ${missing.filter((each) => each !== "").join(", and ")} of the account ${name}`;
  if (!isNew) {
    const canMove = !before.isShared && ledger.isShared && (await ledger.inspect()).runs === 0;
    throw usageError(
      `${lacks}: what ${byCount(count, "it", "they")} sent could be sent twice`,
      canMove
        ? `copy them there, and use it from then on: courier ledger move ${shellQuote(ledger.path)}`
        : "to begin there without them: --new",
    );
  }
  await confirmOrStop(context, `${lacks}. Begin there without ${byCount(count, "it", "them")}?`);
  await confirmOrStop(
    context,
    `An order of ${byCount(count, "that run", "those runs")} that you import or create again is sent a second time. Continue?`,
  );
}
