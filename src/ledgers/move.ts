/** `courier ledger move`: copies this machine's ledger into an empty shared one, and uses that from then on. */

import { isDeepStrictEqual } from "node:util";
import { type Context, confirmOrStop, defineCommand, document } from "../command/command.ts";
import { findAccount, sandboxAccount, unnamedAccount } from "../config/accounts.ts";
import { savedMeanwhile } from "../config/saved-names.ts";
import type { Config } from "../config/store.ts";
import { diskStep } from "../core/disk-errors.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { hostOf } from "../core/process-place.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { byCount, counted, listed } from "../core/wording.ts";
import { type CopyResult, copyLedger } from "../ledger/copy-ledger.ts";
import { type Ledger, openLedger, openLedgerFile } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { changeMarks, type Moved, markMoved, readMoved } from "../ledger/moved.ts";
import type { Run } from "../ledger/operation.ts";
import type { PostgresAddress } from "../postgres/address.ts";
import { createConnection } from "../postgres/connection.ts";
import { quoteAddress, showAddress } from "../postgres/shown-address.ts";
import { checkRun } from "../sending/owners.ts";
import type { Database } from "../sqlite/database.ts";
import { line, styled } from "../terminal/blocks.ts";
import {
  addressArgument,
  ensureNoLedgerInEnv,
  ensureNoneRuns,
  findMissing,
  findNewest,
  keptMarks,
  local,
  openShared,
  passwordCommandOption,
  readAddress,
  restoreMarks,
  withHint,
} from "./ledger-place.ts";

export const moveLedger = defineCommand({
  description:
    "Copies what this machine's ledger knows of all accounts but the sandbox into a shared ledger that has no run\n" +
    "yet, in one transaction. Every row is read back and compared before it counts. Then the accounts that used the\n" +
    "local ledger use the shared one. The file stays as it is, and refuses to send for these accounts from then on.\n" +
    "Drafts of the order form stay on this machine. It is refused while a run is sending. Interrupted, it can be\n" +
    "run again: what it has copied before is found there.",
  arguments: { address: addressArgument("postgres://USER@HOST:PORT/DATABASE") },
  options: { passwordCommand: passwordCommandOption },
  confirms: true,
  examples: [
    { line: "ledger move postgres://shop@db.example.com/orders", note: "shows what is copied, and asks" },
    { line: "ledger move postgres://shop@db.example.com/orders --yes --json", note: "for a script" },
  ],
  exits: [5],
  seeAlso: ["ledger use", "ledger status"],
  async run({ address, passwordCommand }, context) {
    ensureNoLedgerInEnv(context);
    if (address === local)
      throw usageError(
        "a ledger is moved to a server, not to this machine",
        "to use this machine's own: courier ledger use local",
      );
    const parsed = await readAddress(address, "the address", context, passwordCommand);
    const directory = context.machine.stateDirectory;
    if (!hasLedger(directory))
      throw usageError(
        "there is no ledger on this machine to move",
        `use the shared one from the start: courier ledger use ${quoteAddress(parsed.text)}`,
      );
    const ledger = await openLedger(directory, context);
    context.addCleanup(() => ledger.close());
    await ensureIdle(ledger, context);
    const shared = await openShared(parsed, context);
    await shared.checkPlace();
    const file = await openLedgerFile(directory, context);
    context.addCleanup(async () => file.close());
    const { accounts: known } = await context.config.read();
    const found = await findAccounts(ledger, known, await readMoved(file), parsed);
    await confirmOrStop(context, question(await countMoving(file, parsed), found, parsed));

    let accounts = found;
    const switchAccounts = (content: Config): Config => {
      // Another process may have stored another key, or ledger, meanwhile.
      accounts = found.filter((name) => isDeepStrictEqual(findAccount(content, name), known[name]));
      const switched = accounts.map((name) => [name, { ...known[name], ledger: parsed.text }]);
      return { ...content, accounts: { ...content.accounts, ...Object.fromEntries(switched) } };
    };
    const ensureAll = (content: Config): Config => {
      const switched = switchAccounts(content);
      const changed = found.find((name) => !accounts.includes(name));
      if (changed !== undefined) throw savedMeanwhile(`the account ${changed}`);
      return switched;
    };
    const config = accounts.length === 0 ? undefined : context.config;
    await config?.update(ensureAll, { isTrial: true }).catch((error) => {
      throw error instanceof CourierError
        ? error.with({ message: `nothing was moved: ${error.message}` })
        : error;
    });
    const { kind, runs, operations } = await move(file, parsed, shared, context);
    await noteUnnamed(ledger, parsed, context);
    await config?.update(switchAccounts).catch((error) => {
      throw explainUnswitched(error, accounts, parsed);
    });
    return document({ ledger: parsed.text, from: file.path, runs, operations, accounts }, (moved) => [
      kind === "copied"
        ? line(
            styled("good", "Moved"),
            ` ${counted(moved.runs, "run")} with ${counted(moved.operations, "operation")} to ${showAddress(moved.ledger).place}; all rows were compared`,
          )
        : line(
            styled("good", "Moved before"),
            `: ${counted(moved.runs, "run")} with ${counted(moved.operations, "operation")} ${byCount(moved.runs, "is", "are")} in ${showAddress(moved.ledger).place}`,
          ),
      line(
        moved.accounts.length === 0
          ? "No stored account used this ledger"
          : `${listed(moved.accounts)} ${byCount(moved.accounts.length, "uses", "use")} it from now on`,
      ),
      line(`${moved.from} stays as it is, and sends nothing for them any more`),
    ]);
  },
});

const uncertainHint =
  "run the same command again when it works: all rows may be there already, so this machine's ledger sends nothing until then";

const isReal = ({ service }: Run) => service !== sandboxAccount;

/** Settles what dead runs left. Throws a usage error while a run is sending, or may be. */
async function ensureIdle(ledger: Ledger, context: Context): Promise<void> {
  await ensureNoneRuns(ledger, isReal, context);
  for (const run of (await ledger.openRuns()).filter(isReal)) {
    if (run.held === 0) continue;
    if (checkRun(run, context.processes) === "dead") {
      await ledger.releaseRun(run.number, context.clock.now());
      continue;
    }
    throw usageError(
      `run ${run.number} (${run.command}) holds ${counted(run.held, "row")}, and may be running on ${hostOf(run.process)} as process ${run.process.pid}`,
      "where it has ended, run courier orders resolve on that machine first",
    );
  }
}

/** The stored accounts that use this machine's ledger, but for those whose orders are in another shared one already. */
async function findAccounts(
  ledger: Ledger,
  accounts: Config["accounts"],
  moved: readonly Moved[],
  { text }: PostgresAddress,
): Promise<string[]> {
  const elsewhere = moved.filter(({ address }) => address !== text).map(({ customer }) => customer);
  const used: string[] = [];
  for (const [name, stored] of Object.entries(accounts)) {
    if (stored.ledger !== undefined) continue;
    const customers = await ledger.customersOnlyOf(name, []);
    if (customers.length > 0 && !customers.some(({ id }) => elsewhere.includes(id))) used.push(name);
  }
  return used;
}

interface Counts {
  readonly runs: number;
  readonly operations: number;
}

/** Of the customers that markMoved will name. */
async function countMoving(file: Database, { text }: PostgresAddress): Promise<Counts> {
  const moving = `WHERE customer IN (SELECT id FROM customers WHERE service <> 'sandbox')
    AND customer NOT IN (SELECT customer FROM moved WHERE address <> ?)`;
  const count = (table: string) =>
    Number(file.sql(`SELECT count(*) AS n FROM ${table} ${moving}`).get(text)?.n);
  return file.read(() => ({ runs: count("runs"), operations: count("operations") }));
}

function question(
  { runs, operations }: Counts,
  accounts: readonly string[],
  { place }: PostgresAddress,
): string {
  const uses =
    accounts.length === 0
      ? ""
      : `, which ${byCount(accounts.length, "the account", "the accounts")} ${listed(accounts)} ${byCount(accounts.length, "uses", "use")} from then on`;
  return `Copy this machine's ledger (${counted(runs, "run")}, ${counted(operations, "operation")}) to ${place}${uses}?`;
}

type Copied = Extract<CopyResult, { kind: "copied" | "copied before" }>;

/** Marks first, so that nothing is sent from the file while it is copied, nor afterwards. */
async function move(
  file: Database,
  address: PostgresAddress,
  shared: Ledger,
  context: Context,
): Promise<Copied> {
  const newest = await findNewest(shared);
  const marked = await markMoved(file, address.text);
  if (!marked)
    throw usageError("a run has begun to send", "wait until it ends, then run the same command again");
  const connection = createConnection({ address, clock: context.clock, signal: context.signal });
  let copied: Copied;
  let mayBeCopied = false;
  const onCommit = () => {
    mayBeCopied = true;
  };
  try {
    const [elsewhere] = marked.customers.length === 0 ? await readMoved(file) : [];
    if (elsewhere)
      throw usageError(
        `this machine's ledger moved to ${showAddress(elsewhere.address).place} before`,
        `use that one: courier ledger use ${quoteAddress(elsewhere.address)}`,
      );
    if (marked.customers.length === 0)
      throw usageError(
        "there is nothing to move: this machine's ledger has no orders",
        `use the shared one: courier ledger use ${quoteAddress(address.text)}`,
      );
    const result = await copyLedger(file, marked.customers, connection, onCommit);
    if (result.kind === "has runs" || result.kind === "differs") throw explain(result, address);
    copied = result;
  } catch (error) {
    // Two ledgers of the same orders must not both send.
    if (mayBeCopied) throw withHint(error, uncertainHint);
    const marks = new Map(marked.fresh.map((customer) => [customer, undefined]));
    if (!(await restoreMarks(file, { marks, address: address.text, shared, newest })))
      context.messages.warn(keptMarks(address, context));
    throw error;
  } finally {
    await connection.close();
  }
  await markAgain(file, marked.customers, address, shared, context);
  return copied;
}

/**
 * A `ledger move` or `ledger use` beside this one may have taken the marks away as it gave up, before the copy was there.
 * Throws a usage error where a run has sent from the file since.
 */
async function markAgain(
  file: Database,
  customers: readonly number[],
  { text, place }: PostgresAddress,
  shared: Ledger,
  context: Context,
): Promise<void> {
  const marks = new Map(customers.map((customer) => [customer, text]));
  const fresh = await changeMarks(file, marks, (present) => present === undefined);
  if (fresh.size === 0) return;
  const sent = await (await context.localLedger()).runsThatSent({ customers });
  const { unknown, partlyKnown } = await findMissing(sent, shared);
  const [run] = [...unknown, ...partlyKnown];
  if (!run) return;
  throw usageError(
    `run ${run.number} (${run.command}) of the account ${run.account} sent orders meanwhile, which ${place} does not know`,
    `to begin there without them: courier ledger use ${quoteAddress(text)} --new`,
  );
}

function explain(result: Exclude<CopyResult, Copied>, { text, place }: PostgresAddress): CourierError {
  if (result.kind === "has runs") {
    const use = `courier ledger use ${quoteAddress(text)}`;
    return usageError(
      `${place} has ${counted(result.runs, "run")} already, and a ledger is copied into an empty one only`,
      result.own === 0
        ? `to share it: ${use}`
        : `to share it without what this machine sent: ${use}, which says what it lacks`,
    );
  }
  return new CourierError(
    "database",
    5,
    `nothing was moved: ${result.table} did not come back from ${place} as it was written`,
    { hint: "run courier doctor, then the same command again; this machine's ledger was left as it is" },
  );
}

/** The file sends nothing more, and the accounts still name it. */
function explainUnswitched(
  error: unknown,
  [account = "", ...others]: readonly string[],
  { text, place }: PostgresAddress,
): unknown {
  if (!(error instanceof CourierError)) return error;
  const use = `courier ledger use ${quoteAddress(text)} --account ${shellQuote(account)}`;
  const again = "run the same command again, which only writes the config file";
  const step = diskStep(error);
  return new CourierError(
    "file",
    5,
    `the ledger was moved to ${place}, but no account uses it yet: ${error.message}`,
    {
      cause: error,
      hint: `${step === undefined ? "when it can be written" : `${step}, then`}: ${others.length === 0 ? use : again}`,
    },
  );
}

/** Runs with a key in the environment have no stored account that could name the ledger. */
async function noteUnnamed(ledger: Ledger, { text }: PostgresAddress, { messages }: Context): Promise<void> {
  if ((await ledger.customersOnlyOf(unnamedAccount, [])).length === 0) return;
  messages.note(`for runs with a key in COURIER_API_KEY, set COURIER_LEDGER=${quoteAddress(text)}`);
}
