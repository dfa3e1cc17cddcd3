/** `courier ledger use`: keeps the address of a shared ledger with an account, or goes back to this machine's own. */

import { type Context, confirmOrStop, defineCommand, document } from "../command/command.ts";
import { switchOption } from "../command/options.ts";
import { type ActiveAccount, findAccount, serviceOf, unknownAccount } from "../config/accounts.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import { ensureKnown } from "../config/saved-names.ts";
import type { Config, StoredAccount } from "../config/store.ts";
import { thenAgain } from "../core/disk-errors.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { byCount, counted, listed } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { changeMarks, type Moved, readMoved } from "../ledger/moved.ts";
import { nameBegin, type SentRun } from "../ledger/runs.ts";
import type { LedgerUsed } from "../model/results.ts";
import { isSameDatabase, type PostgresAddress } from "../postgres/address.ts";
import { quoteAddress, showAddress } from "../postgres/shown-address.ts";
import { identifyCustomer } from "../sending/customer.ts";
import { type Block, fields, line, paragraph, styled } from "../terminal/blocks.ts";
import {
  addressArgument,
  ensureNoLedgerInEnv,
  ensureNoneRuns,
  findCustomers,
  findMissing,
  findNewest,
  findReturning,
  findStoredAccount,
  keptMarks,
  local,
  type MissingRuns,
  type NamedAccount,
  onFile,
  openShared,
  passwordCommandOption,
  readAddress,
  restoreMarks,
  withHint,
} from "./ledger-place.ts";

export const useLedger = defineCommand({
  description:
    "The account's orders are then recorded in that PostgreSQL database, which all machines that name it share:\n" +
    "they never send the same order twice. The address is kept with the account, without a password: PGPASSFILE\n" +
    "(~/.pgpass) or PGPASSWORD has it, or --password-command prints it, without a shell. Tables are made in a\n" +
    "schema named courier. Where this machine's file, or a ledger that the customer's orders went to from here, knows\n" +
    "runs that the new one lacks, nothing is changed without --new. The file on this machine sends\n" +
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
    const used = await readKey(account, context).catch((error) => {
      if (context.signal.aborted) throw error;
      if (!parsed) throw explainUnread(account, error);
      return { error };
    });
    const owners = await findOwners(account, used, parsed, context);
    const marks = (await onFile(context, readMoved)).filter((each) => isAnyOf(owners, each));
    const places = await openPlaces(account, marks, parsed, isNew, context);
    await ensureIdle(places, account, context);
    const ledger = parsed ? await openShared(parsed, context) : await context.localLedger();
    const newest = await findNewest(ledger);
    const accepted = new Set((await compareRuns(places, ledger, owners, isNew, context)).map(nameState));
    if ("key" in used) await learnThere(ledger, owners, used);
    // Customers that the account's name has had go back under their own keys.
    const affected = parsed ? owners : owners.slice(0, 1);
    const own = affected.flatMap((owner) => owner.customers);
    const customers = parsed ? own : [...own, ...(await findFormer(affected, marks, ledger))];
    const startedMs = context.clock.elapsed();
    await ledger.checkPlace();
    const latencyUs = Math.round((context.clock.elapsed() - startedMs) * 1_000);
    const { engine, tablesVersion, runs, operations, weaknesses } = await ledger.inspect();
    /** A run may have begun, or ended, since the ledgers were compared. One that begins later sees the change. */
    const ensureUnchanged = async () => {
      await ensureIdle(places, account, context);
      const { unknown, partlyKnown } = await findMissingIn(places, ledger, owners);
      const more = [...unknown, ...partlyKnown].find((run) => !accepted.has(nameState(run)));
      if (!more) return;
      throw usageError(
        `run ${more.number} (${more.command}) of the account ${more.account} sent orders meanwhile, which ${showAddress(ledger.path).place} does not know: nothing was changed`,
        "run the same command again",
      );
    };
    const mark = (address: string | undefined, isMeant?: (present: string | undefined) => boolean) => {
      const meant = new Map(customers.map((customer) => [customer, address]));
      return onFile(context, (file) => changeMarks(file, meant, isMeant));
    };
    // Marks come first and go last: whatever fails in between, this machine's ledger sends nothing.
    const undo: (() => Promise<void>)[] = [];
    try {
      if (parsed) {
        const before = await mark(parsed.text);
        undo.unshift(async () => {
          const marks = new Map(before);
          for (const customer of before.keys()) {
            const others = await findOthers([customer], account, context);
            if (others.some(([, { ledger }]) => ledger === parsed.text)) marks.delete(customer);
          }
          const former = { marks, address: parsed.text, shared: ledger, newest };
          if (marks.size > 0 && !(await onFile(context, (file) => restoreMarks(file, former))))
            context.messages.warn(keptMarks(parsed, context));
        });
      }
      if (account.isStored) {
        await context.config.update((config) => changeLedger(config, account, parsed?.text));
        undo.unshift(() => context.config.update((config) => restoreLedger(config, account, parsed?.text)));
      }
      // Another use of this ledger may have put marks back, as it gave up before the config named the ledger.
      if (parsed) await mark(parsed.text, (present) => present === undefined);
      await ensureUnchanged();
      if (!parsed) {
        const former = await mark(undefined, (present) => marks.some(({ address }) => address === present));
        undo.unshift(async () => void (await onFile(context, (file) => changeMarks(file, former))));
        await ensureUnchanged();
      }
    } catch (error) {
      try {
        for (const each of undo) await each();
      } catch (failure) {
        if (!parsed) throw failure;
        // Where the config cannot be read or written, an account may use that database: the marks stay.
        context.messages.warn(keptMarks(parsed, context));
      }
      throw error;
    }
    for (const { warning } of affected) if (warning !== undefined) context.messages.warn(warning);
    await warnOfOthers(customers, account, parsed, context);
    for (const place of places.filter(({ isShared }) => isShared))
      context.messages.warn(
        `machines that go on with ${showAddress(place.path).place} and this one do not know of each other's orders from now on`,
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

/** Throws where another process has saved the account meanwhile: another key, or ledger, was not compared. */
function changeLedger(config: Config, { name, stored }: NamedAccount, ledger: string | undefined): Config {
  const now = findAccount(config, name);
  if (!now) throw unknownAccount(name, config);
  ensureKnown(`the account ${name}`, now, stored);
  return withLedger(config, name, ledger);
}

/** Of the account as it is now: another process may have stored another key, or forgotten it, since the change. */
function restoreLedger(config: Config, { name, stored }: NamedAccount, changed: string | undefined): Config {
  const now = findAccount(config, name);
  return now && now.ledger === changed ? withLedger(config, name, stored.ledger) : config;
}

function withLedger(config: Config, name: string, ledger: string | undefined): Config {
  const { ledger: _before, ...stored } = config.accounts[name] as StoredAccount;
  const changed = ledger === undefined ? stored : { ...stored, ledger };
  return { ...config, accounts: { ...config.accounts, [name]: changed } };
}

interface UsedKey {
  readonly active: Extract<ActiveAccount, { kind: "remote" }>;
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

/** Whose orders the account sends, as far as that is known. */
interface Owner {
  readonly service: string;
  /** Their numbers in this machine's ledger. */
  readonly customers: readonly number[];
  /** The ids of the profiles that may be the customer's; undefined where any may be. */
  readonly profiles: readonly string[] | undefined;
  readonly warning?: string | undefined;
}

/** A customer without a profile's id may be any of the service. */
function isAnyOf(
  owners: readonly Owner[],
  { service, profileId }: { readonly service: string; readonly profileId: string | undefined },
): boolean {
  return owners.some(
    (owner) =>
      owner.service === service &&
      (profileId === undefined || owner.profiles === undefined || owner.profiles.includes(profileId)),
  );
}

/**
 * The customer of the key first. A key in the environment may not be the account's, whose ledger goes with both. Throws
 * why the key could not be read where nothing else tells.
 */
async function findOwners(
  account: NamedAccount,
  used: UsedKey | { readonly error: unknown },
  next: PostgresAddress | undefined,
  context: Context,
): Promise<readonly Owner[]> {
  if ("error" in used) {
    const { error } = used;
    const owners = await findOfName(
      account,
      error instanceof Error ? error.message : String(error),
      [],
      context,
    );
    if (owners.length === 0) throw explainUnread(account, error);
    return owners;
  }
  const owner = await findOwner(account, used, next, context);
  const isGiven = used.active.key.place === "given";
  if (!account.isStored || (!isGiven && owner.warning === undefined)) return [owner];
  const why = isGiven
    ? `the key in COURIER_API_KEY may not be that of the account ${account.name}`
    : "the service does not say whose key it is";
  return [owner, ...(await findOfName(account, why, owner.customers, context))];
}

/** Where this machine's ledger does not know whose key it is, the service is asked, before anything is compared. */
async function findOwner(
  { name, stored }: NamedAccount,
  { active, service, key }: UsedKey,
  next: PostgresAddress | undefined,
  context: Context,
): Promise<Owner> {
  const local = await context.localLedger();
  const known = await local.findCustomer(service, key);
  if (known?.profileId !== undefined) {
    const { id } = await local.learnCustomer({ service, key, profileId: known.profileId, account: name });
    return { service, customers: [id], profiles: [known.profileId] };
  }
  const unknown = { service, customers: known ? [known.id] : [], profiles: undefined };
  const isHereAlready = !next && stored.ledger === undefined;
  if (isHereAlready && (await onFile(context, readMoved)).length === 0) return unknown;
  const { note } = context.messages;
  const { nextCommand } = context;
  try {
    const search = { ledger: local, service: await context.service(), account: active, apiKey: key };
    const asked = { isFresh: true, makesNoOrder: true, others: new Set<number>(), note, nextCommand };
    const { id, profileId } = await identifyCustomer({ ...search, ...asked });
    return { service, customers: [id], profiles: profileId === undefined ? undefined : [profileId] };
  } catch (error) {
    if (context.signal.aborted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const warning = `another account of the same customer may still record its orders elsewhere: ${why}`;
    return { ...unknown, warning };
  }
}

/** The customers in this machine's ledger of an account whose key cannot be read: any of them may be its customer. */
async function findOfName(
  { name, stored }: NamedAccount,
  why: string,
  except: readonly number[],
  context: Context,
): Promise<readonly Owner[]> {
  const service = parseBaseUrl(stored.base_url, "the account's base_url", true);
  const local = hasLedger(context.machine.stateDirectory) ? await context.localLedger() : undefined;
  const all = (await local?.customersOnlyOf(name, [])) ?? [];
  const own = all.filter((each) => each.service === service && !except.includes(each.id));
  if (own.length === 0) return [];
  const profiles = own.flatMap(({ profileId }) => profileId ?? []);
  return [
    {
      service,
      customers: own.map(({ id }) => id),
      profiles: profiles.length === own.length ? profiles : undefined,
      warning: `${why}; this machine's ledger sends nothing for any customer that the account ${name} has had`,
    },
  ];
}

/**
 * Customers that a key without a profile may be a renewed one of: while they are marked, it sends nothing from this machine's
 * ledger where it has sent nothing so far (ledger/local-store.ts).
 */
async function findFormer(
  owners: readonly Owner[],
  marks: readonly Moved[],
  local: Ledger,
): Promise<readonly number[]> {
  const customers = owners.flatMap((owner) => owner.customers);
  const isKnown = owners.some(({ profiles }) => profiles !== undefined);
  if (isKnown || (await local.runsThatSent({ customers })).length > 0) return [];
  return marks.filter(({ profileId }) => profileId === undefined).map(({ customer }) => customer);
}

function explainUnread({ name }: Pick<NamedAccount, "name">, reason: unknown): unknown {
  if (!(reason instanceof CourierError)) return reason;
  const message = `without its key it is not known whose orders the account ${name} sends, and nothing was changed: ${reason.message}`;
  return reason.with({ message, hint: thenAgain(reason.hint ?? "make the key readable") });
}

/** The new ledger knows whose key it is before its first order, too. */
async function learnThere(ledger: Ledger, [owner]: readonly Owner[], { active, service, key }: UsedKey) {
  const [profileId] = owner?.profiles ?? [];
  if (profileId !== undefined && !(await ledger.findCustomer(service, key)))
    await ledger.learnCustomer({ service, key, profileId, account: active.name });
}

/** The other stored accounts of these customers, as far as this machine's ledger knows. */
async function findOthers(
  customers: readonly number[],
  { name }: NamedAccount,
  { config, localLedger }: Context,
): Promise<readonly (readonly [name: string, StoredAccount])[]> {
  const local = await localLedger();
  const others: [string, StoredAccount][] = [];
  for (const each of Object.entries((await config.read()).accounts)) {
    const own = await local.customersOnlyOf(each[0], []);
    if (each[0] !== name && own.some(({ id }) => customers.includes(id))) others.push(each);
  }
  return others;
}

/** Names the accounts of the same customers that record elsewhere: of them and this one, only one can send. */
async function warnOfOthers(
  customers: readonly number[],
  account: NamedAccount,
  next: PostgresAddress | undefined,
  context: Context,
): Promise<void> {
  for (const [other, stored] of await findOthers(customers, account, context)) {
    if ((stored.ledger === undefined) !== (next !== undefined)) continue;
    const use = `courier ledger use ${quoteAddress(next?.text ?? "local")} --account ${shellQuote(other)}`;
    context.messages.warn(
      `the account ${other} may be of the same customer: ${next ? "then it sends nothing until it uses that ledger, too" : "its next order stops this machine's ledger again, or is refused, until it goes back, too"}: ${use}`,
    );
  }
}

/** Throws a usage error while a run of the account, or of its customer under another name, runs on this machine. */
async function ensureIdle(
  places: readonly Ledger[],
  { name }: NamedAccount,
  context: Context,
): Promise<void> {
  for (const place of places) {
    const customers = await findCustomers(place, name, context);
    await ensureNoneRuns(place, (run) => run.account === name || customers.includes(run.customer), context);
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

/** The ledgers but the next one that orders of the account's customer may be in so far. */
async function openPlaces(
  account: NamedAccount,
  marks: readonly Moved[],
  next: PostgresAddress | undefined,
  isNew: boolean,
  context: Context,
): Promise<readonly Ledger[]> {
  const kept = account.stored.ledger === undefined ? [] : [account.stored.ledger];
  const places: Ledger[] = next ? [await context.localLedger()] : [];
  const seen: PostgresAddress[] = next ? [next] : [];
  for (const text of [...kept, ...marks.map(({ address }) => address)]) {
    if (seen.some((each) => isSameDatabase(text, each, context.machine.env))) continue;
    try {
      const address = await readAddress(text, `the ledger of the account ${account.name}`, context);
      seen.push(address);
      places.push(await openShared(address, context));
    } catch (error) {
      if (context.signal.aborted) throw error;
      const hint =
        "what it knows cannot be compared; to go on without it, although orders could be sent twice: --new";
      if (!isNew) throw withHint(error, hint);
      context.messages.warn(
        `${error instanceof Error ? error.message : error}; what was sent there is not known from now on`,
      );
      await confirmOrStop(
        context,
        `Orders of ${showAddress(text).place} could be sent a second time. Continue without it?`,
      );
    }
  }
  return places;
}

/** What the new ledger does not know of what was sent. */
async function findMissingIn(
  places: readonly Ledger[],
  ledger: Ledger,
  owners: readonly Owner[],
): Promise<MissingRuns> {
  const sent: SentRun[] = [];
  for (const place of places)
    for (const { service } of owners) sent.push(...(await place.runsThatSent({ service })));
  return findMissing(
    sent.filter((run) => isAnyOf(owners, run)),
    ledger,
  );
}

/** A run as it was compared. */
function nameState(run: SentRun): string {
  return `${nameBegin(run)} ${run.operations} ${run.orders}`;
}

/** Returns the runs that the new ledger does not know. Throws a usage error for them; `--new` asks twice instead. */
async function compareRuns(
  places: readonly Ledger[],
  ledger: Ledger,
  owners: readonly Owner[],
  isNew: boolean,
  context: Context,
): Promise<readonly SentRun[]> {
  const { unknown, partlyKnown } = await findMissingIn(places, ledger, owners);
  const runs = [...unknown, ...partlyKnown];
  const count = runs.length;
  if (count === 0) return runs;
  const missing = [
    unknown.length > 0 ? `does not know ${counted(unknown.length, "run")}` : "",
    partlyKnown.length > 0 ? `knows only a part of ${counted(partlyKnown.length, "run")}` : "",
  ];
  const names = [...new Set(runs.map(({ account }) => account))];
  const accounts = `${byCount(names.length, "account", "accounts")} ${listed(names)}`;
  const lacks = `${showAddress(ledger.path).place} ${missing.filter((each) => each !== "").join(", and ")} of the ${accounts}`;
  if (!isNew) {
    const canMove = places.every(({ isShared }) => !isShared) && (await ledger.inspect()).runs === 0;
    throw usageError(
      `${lacks}: what ${byCount(count, "it", "they")} sent could be sent twice`,
      canMove
        ? `copy them there, and use it from then on: courier ledger move ${quoteAddress(ledger.path)}`
        : "to begin there without them: --new",
    );
  }
  await confirmOrStop(context, `${lacks}. Begin there without ${byCount(count, "it", "them")}?`);
  await confirmOrStop(
    context,
    `An order of ${byCount(count, "that run", "those runs")} that you import or create again is sent a second time. Continue?`,
  );
  return runs;
}
