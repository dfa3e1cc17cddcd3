/** The places where an account's ledger can be, and what a ledger knows of the account's runs. */

import { accountInUse } from "../command/account-in-use.ts";
import type { Context } from "../command/command.ts";
import type { Argument } from "../command/options.ts";
import { quote, textOption } from "../command/options.ts";
import {
  type ActiveAccount,
  chooseAccount,
  defaultAccount,
  findAccount,
  sandboxAccount,
  serviceOf,
  unknownAccount,
  unnamedAccount,
} from "../config/accounts.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import type { StoredAccount } from "../config/store.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { isOfThisPlace, thisHost } from "../core/process-place.ts";
import { shownUrl } from "../core/shown-url.ts";
import type { Customer } from "../ledger/customers.ts";
import { type Ledger, openLedgerFile } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { changeMarks } from "../ledger/moved.ts";
import type { Run } from "../ledger/operation.ts";
import { nameBegin, type SentRun } from "../ledger/runs.ts";
import { openSharedLedger } from "../ledger/shared/shared-ledger.ts";
import { type PostgresAddress, parseAddress, withPasswordCommand } from "../postgres/address.ts";
import { checkRun } from "../sending/owners.ts";
import type { Database } from "../sqlite/database.ts";

/** The word for this machine's own ledger. */
export const local = "local";

export function addressArgument(
  summary: string,
  extras: Pick<Argument<string>, "candidates"> = {},
): Argument<string> {
  return {
    summary,
    parse(text) {
      if (text === local || /^postgres(ql)?:\/\//.test(text)) return text;
      // There may be a password in it, in another form.
      const shown = /[=@]/.test(text) && !text.includes("://") ? "this" : quote(shownUrl(text));
      throw usageError(
        `${shown} is not the address of a ledger`,
        "write it as postgres://USER@HOST:PORT/DATABASE",
      );
    },
    usage: "ADDRESS",
    ...extras,
  };
}

export interface NamedAccount {
  readonly name: string;
  readonly stored: StoredAccount;
  /** False of a key in the environment that no stored account's ledger goes with. */
  readonly isStored: boolean;
}

/** The account that goes back to this machine's ledger. A key in the environment may be of none that is stored. */
export async function findReturning(context: Context): Promise<NamedAccount> {
  const active = await context.account().catch(() => undefined);
  if (active?.kind === "remote" && active.key.place === "given" && active.ledger === undefined)
    return { name: active.name, stored: { base_url: active.baseUrl }, isStored: false };
  return findStoredAccount(context);
}

/** The account whose ledger a command changes. Throws a usage error, or `no_account`. */
export async function findStoredAccount(context: Context): Promise<NamedAccount> {
  const { machine } = context;
  const content = await context.config.read();
  const name = accountInUse(context, content);
  if (name === sandboxAccount)
    throw usageError(
      "the sandbox keeps its orders on this machine",
      "name another account with --account NAME",
    );
  const stored = findAccount(content, name ?? defaultAccount);
  if (stored) return { name: name ?? defaultAccount, stored, isStored: true };
  if (name === undefined && machine.env.COURIER_API_KEY)
    throw usageError(
      "no account is stored here that a ledger could be kept with",
      "name the ledger in COURIER_LEDGER instead",
    );
  throw unknownAccount(name ?? defaultAccount, content);
}

/** Throws a usage error where the environment goes before what a command would change. */
export function ensureNoLedgerInEnv({ machine }: Context): void {
  if (machine.env.COURIER_LEDGER)
    throw usageError(
      "COURIER_LEDGER is set, and goes before the ledger that is kept with an account",
      "unset it, then run the same command again",
    );
}

export const passwordCommandOption = textOption(
  "COMMAND",
  "ask this program for the password: 'pass show courier-ledger'",
);

/** `passwordCommand` is kept as a part of the address. Throws a usage error. */
export async function readAddress(
  text: string,
  source: string,
  { machine, keys }: Context,
  passwordCommand?: string,
): Promise<PostgresAddress> {
  if (passwordCommand === undefined) return parseAddress(text, source, machine.env, keys.askPassword);
  const { fixKeyCommand } = await import("../config/key-command.ts");
  const { command } = await fixKeyCommand({ account: undefined, command: passwordCommand });
  const address = parseAddress(withPasswordCommand(text, command), source, machine.env, keys.askPassword);
  await address.readPassword?.(); // also where the server asks for none: a command that prints nothing is not kept
  return address;
}

/** Opens a shared ledger, which makes its tables; it is closed when the command ends. Throws `database`, exit 5. */
export async function openShared(address: PostgresAddress, context: Context): Promise<Ledger> {
  const { clock, signal, machine, messages } = context;
  const ledger = await openSharedLedger({
    address,
    clock,
    signal,
    stateDirectory: machine.stateDirectory,
    onLongWait: () => messages.note(`waiting for ${address.place}…`),
  });
  context.addCleanup(() => ledger.close());
  return ledger;
}

/** Reads or changes this machine's ledger as a file. */
export async function onFile<T>(context: Context, act: (file: Database) => Promise<T>): Promise<T> {
  const file = await openLedgerFile(context.machine.stateDirectory, context);
  try {
    return await act(file);
  } finally {
    file.close();
  }
}

/**
 * The numbers of an account's customers in a ledger: those of its name, and that of its key. On a shared one another
 * machine may use the name for another service or customer: the key tells, and without one the runs of this machine. Keys in
 * the environment have one name for all their customers: there the key alone tells whose details go.
 */
export async function findCustomers(
  ledger: Ledger,
  name: string,
  context: Context,
  /** Where details will be deleted: accounts whose customers are left out, but for that of the key. */
  others?: readonly string[],
): Promise<readonly number[]> {
  const active = await context.account().catch(() => undefined);
  const isActive = active !== undefined && active.name === name;
  const stored = findAccount(await context.config.read(), name);
  const services = [
    ...(isActive ? [serviceOf(active)] : []),
    ...(stored ? [parseBaseUrl(stored.base_url, "the account's base_url", true)] : []),
  ];
  const key =
    isActive && active.kind === "remote" ? await context.keys.read(active).catch(() => undefined) : undefined;
  const found: Customer[] = [];
  const isKeyAlone = name === unnamedAccount || (others !== undefined && hasGivenKey(active));
  if (!ledger.isShared && (key === undefined || !isKeyAlone))
    found.push(...(await ledger.customersOnlyOf(name, others ?? [])));
  if (ledger.isShared && key === undefined)
    found.push(...(await findSenders(ledger, name, services, context, others ?? [])));
  for (const service of key === undefined ? [] : services) {
    const customer = await ledger.findCustomer(service, key ?? "");
    if (customer) found.push(customer);
  }
  return [...new Set(found.map(({ id }) => id))];
}

/**
 * The customers in a shared ledger that this machine has sent for under an account's name. Another user of the machine may
 * call another customer so: they are those that this user's own ledger knows by that name. Any service where there is none.
 */
export async function findSenders(
  ledger: Ledger,
  name: string,
  services: readonly string[],
  context: Context,
  others: readonly string[],
): Promise<readonly Customer[]> {
  if (!hasLedger(context.machine.stateDirectory)) return [];
  const own = await (await context.localLedger()).customersOnlyOf(name, []);
  const found: Customer[] = [];
  for (const each of await ledger.customersOnlyOf(name, [])) {
    const { id, service, profileId } = each;
    if (services.length > 0 && !services.includes(service)) continue;
    if (!own.some((known) => known.service === service && known.profileId === profileId)) continue;
    const runs = { account: name, customer: id, host: thisHost(), limit: 1 };
    if ((await ledger.listRuns(runs)).length === 0) continue;
    let isKept = false;
    for (const other of others) isKept ||= await mayBeOf(each, other, ledger, context);
    if (!isKept) found.push(each);
  }
  return found;
}

/**
 * Whether a customer in a shared ledger is that of another stored account, as far as that is not certain. The account's name
 * there may be another machine's: where this machine's ledger does not know the customer by that name, the key tells.
 */
async function mayBeOf(
  customer: Customer,
  other: string,
  ledger: Ledger,
  context: Context,
): Promise<boolean> {
  const local = await context.localLedger();
  const isSame = ({ service, profileId }: Customer) =>
    service === customer.service && profileId === customer.profileId;
  if ((await local.customersOnlyOf(other, [])).some(isSame)) return true;
  if (!(await ledger.customersOnlyOf(other, [])).some(isSame)) return false;
  try {
    const active = chooseAccount({ accountFlag: other }, await context.config.read());
    if (active.kind !== "remote") return true;
    const [service, key] = [serviceOf(active), await context.keys.read(active)];
    const known = (await ledger.findCustomer(service, key)) ?? (await local.findCustomer(service, key));
    return known?.profileId === undefined || isSame(known);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return true;
  }
}

/** The marks of this machine's ledger before they named the shared one, whose newest run of this machine was `newest`. */
export interface FormerMarks {
  readonly marks: ReadonlyMap<number, string | undefined>;
  readonly address: string;
  readonly shared: Ledger;
  readonly newest: number | undefined;
}

export async function findNewest(shared: Ledger): Promise<number | undefined> {
  const [run] = await shared.listRuns({ host: thisHost(), limit: 1 });
  return run?.number;
}

/**
 * Puts marks back. They stay where they were changed since, and where a run of this machine relies on them, which has begun
 * in the shared ledger since: then it returns false.
 */
export async function restoreMarks(
  file: Database,
  { marks, address, shared, newest }: FormerMarks,
): Promise<boolean> {
  // Where there is no connection that tells, such as after Ctrl-C, one may have begun.
  const isUsed = () =>
    findNewest(shared).then(
      (now) => now !== newest,
      () => true,
    );
  if (await isUsed()) return false;
  const restored = await changeMarks(file, marks, (present) => present === address);
  if (!(await isUsed())) return true; // a run looks for the mark once it has begun
  await changeMarks(file, restored);
  return false;
}

/** Names the way back from marks that stay after a command has failed. */
export function keptMarks({ place }: PostgresAddress, { nextCommand }: Context): string {
  return `a run or an account may use ${place} by now, so this machine's ledger sends nothing for its customer; to let it send again: ${nextCommand("ledger use local")}`;
}

export interface MissingRuns {
  readonly unknown: readonly SentRun[];
  /** Copied before they had ended, such as by a backup. */
  readonly partlyKnown: readonly SentRun[];
}

/** Of these runs of other ledgers, those that `to` does not know, or of which it knows fewer operations or orders. */
export async function findMissing(sent: readonly SentRun[], to: Ledger): Promise<MissingRuns> {
  const found = await to.runsThatSent({ numbers: sent.map(({ number }) => number) });
  const known = new Map(found.map((run) => [nameBegin(run), run]));
  const isPart = (run: SentRun, copy: SentRun | undefined) =>
    copy !== undefined && (copy.operations < run.operations || copy.orders < run.orders);
  // A run may be in several of the ledgers.
  const once = (runs: readonly SentRun[]) => [...new Map(runs.map((run) => [nameBegin(run), run])).values()];
  return {
    unknown: once(sent.filter((run) => !known.has(nameBegin(run)))),
    partlyKnown: once(sent.filter((run) => isPart(run, known.get(nameBegin(run))))),
  };
}

/** Throws a usage error while a run of these accounts runs on this machine. */
export async function ensureNoneRuns(
  ledger: Ledger,
  isMeant: (run: Run) => boolean,
  { processes }: Pick<Context, "processes">,
): Promise<void> {
  const running = (await ledger.openRuns()).find(
    (run) => isMeant(run) && isOfThisPlace(run.process) && checkRun(run, processes) === "alive",
  );
  if (!running) return;
  throw usageError(
    `run ${running.number} (${running.command}) of the account ${running.account} is running, as process ${running.process.pid}`,
    "wait until it ends, or stop it with Ctrl-C",
  );
}

/** The account's name, for the ledger of a run without a stored account, too. */
export async function findAccountName(context: Context): Promise<string> {
  const { config, machine } = context;
  const active = await context.account().catch(() => undefined);
  if (active) return active.name;
  const name = accountInUse(context, await config.read());
  return name ?? (machine.env.COURIER_API_KEY ? unnamedAccount : defaultAccount);
}

/** True of a key in the environment: the account whose name goes with it may be another customer's. */
export function hasGivenKey(active: ActiveAccount | undefined): boolean {
  return active?.kind === "remote" && active.key.place === "given";
}

/** Adds a hint to what failed when a ledger was opened. */
export function withHint(error: unknown, hint: string): unknown {
  return error instanceof CourierError ? error.with({ hint }) : error;
}
