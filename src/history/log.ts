/** `courier log`: the runs of this machine, and the operations of one run. */

import path from "node:path";
import { type Context, defineCommand, type Output, rows } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import {
  countOption,
  type OptionValues,
  parseOrderName,
  quote,
  switchOption,
  textOption,
} from "../command/options.ts";
import { findKnownIds } from "../command/order-name.ts";
import { findRun, parseRunNumber } from "../command/run-number.ts";
import { usageError } from "../core/errors.ts";
import { parseDuration } from "../core/parse-duration.ts";
import { findRealPath } from "../core/real-path.ts";
import { isCalendarDate } from "../core/time.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { parseOperationName } from "../ledger/operation.ts";
import type { RunFilter } from "../ledger/runs.ts";
import type { OperationRow, RunRow } from "../model/results.ts";
import { findCustomers } from "../sending/in-doubt.ts";
import { operationColumns, remarkOnOperation, toOperationRow } from "./operation-row.ts";
import { runColumns, runHead, toRunRow } from "./run-row.ts";

const defaultLimit = 20;
const runsAtOnce = 100;
const operationsAtOnce = 1_000;

type Since = { readonly date: string } | { readonly spanMs: number };

const options = {
  order: {
    placeholder: "ORDER",
    summary:
      "only runs that created or cancelled this order: its id, order number, tracking number, or ref:REF",
    parse: parseOrderName,
    values: "parcel",
  },
  import: textOption("FILE", "only imports of this file", { values: "file" }),
  unknown: switchOption("only runs with orders in doubt"),
  since: {
    placeholder: "WHEN",
    summary: "only runs that began since then: 2026-01-31, or a time such as 7d or 2h",
    parse: parseSince,
  },
  limit: countOption("N", `at most N runs (default ${defaultLimit})`, { min: 1 }, { short: "L" }),
  all: switchOption("every run", { short: "a" }),
} as const;

export const showLog = defineCommand({
  description:
    "Each command that changes something at the service is a run with a number. Each order that a run creates or\n" +
    "cancels is an operation: 12.3 is the third operation of run 12. log show N lists the operations of run N,\n" +
    "log show N.K one of them. Rows\n" +
    "that an import did not reach are not in the log. It makes no call to the service: an order's state is the last\n" +
    "one seen on this machine.",
  arguments: {
    words: {
      summary: "show, and the number of a run or the name of an operation",
      parse: (text: string) => text,
      candidates: [{ value: "show", description: "the operations of one run" }],
      isList: true as const,
      isOptional: true,
      usage: "[show N]",
    },
  },
  options,
  examples: [
    { line: "log", note: "the last runs, newest first" },
    { line: "log show 12", note: "what run 12 did, order by order" },
    { line: "log --order 1000001", note: "the runs that created or cancelled an order" },
    { line: "log --unknown --all", note: "the runs with orders in doubt" },
  ],
  exits: [5],
  seeAlso: ["undo", "orders resolve"],
  async run({ words, ...input }, context): Promise<Output> {
    const shown = readWords(words);
    if (shown === undefined) return listRuns(input, context);
    const given = Object.entries(input).find(([, value]) => value !== undefined)?.[0];
    if (given !== undefined) throw usageError(`--${given} does not work with log show, which shows one run`);
    return showRun(shown, context);
  },
});

/** A run, or one operation of it. */
interface Shown {
  readonly run: number;
  readonly number?: number | undefined;
}

function readWords([verb, number, more]: readonly string[]): Shown | undefined {
  if (verb === undefined) return undefined;
  if (verb !== "show") throw usageError(`log takes the word show, not ${quote(verb)}`, "courier log show 12");
  if (number === undefined) throw usageError("log show needs the number of a run", "courier log show 12");
  if (more !== undefined) throw usageError(`log show takes one run: remove ${quote(more)}`);
  return parseOperationName(number) ?? { run: parseRunNumber(number) };
}

function parseSince(text: string, flag: string): Since {
  if (isCalendarDate(text)) return { date: text };
  // A bare number would be seconds, which is not useful here.
  const spanMs = /^[\d.]+$/.test(text) ? undefined : parseDuration(text);
  if (spanMs !== undefined) return { spanMs };
  throw usageError(`${flag} takes a date such as 2026-01-31, or a time such as 7d or 2h, not ${quote(text)}`);
}

/** A date begins at midnight in this machine's time zone. */
function instantOf(since: Since, nowMs: number): number {
  return "date" in since ? new Date(`${since.date}T00:00:00`).getTime() : nowMs - since.spanMs;
}

async function listRuns(input: OptionValues<typeof options>, context: Context): Promise<Output> {
  const { order, unknown, since, limit, all } = input;
  if (all && limit !== undefined) throw usageError("--all and --limit exclude each other");
  const filter: Omit<RunFilter, "limit"> = {
    order,
    orderIds: order === undefined ? undefined : await findKnownIds(order, context),
    source: input.import === undefined ? undefined : await sourceOf(input.import),
    isUnknown: unknown,
    sinceMs: since && instantOf(since, context.clock.now()),
  };
  const ledger = await findLedger(context);
  const customers = await findSharing(ledger, context);
  const whose = customers.length > 0 ? { customers } : { account: context.globals.account };
  const most = all ? Number.POSITIVE_INFINITY : (limit ?? defaultLimit);
  const stream = eachRun(ledger, { ...filter, ...whose }, most, context);
  return rows(stream, runColumns, describeEmpty(input, context));
}

/** The customers of the account that is asked for, in a ledger where other machines may call it otherwise. */
async function findSharing(ledger: Ledger | undefined, context: Context): Promise<readonly number[]> {
  if (!ledger?.isShared || context.globals.account === undefined) return [];
  const customers = await findCustomers(ledger, context).catch(() => []); // there may be no key any more
  return customers.map(({ id }) => id);
}

/** A name that the system does not take is that of no import. */
async function sourceOf(file: string): Promise<string> {
  // That of stdin.
  return file === "-" ? file : findRealPath(file).catch(() => path.resolve(file));
}

function describeEmpty(input: OptionValues<typeof options>, { globals }: Context): string {
  const isNarrowed = Object.entries(input).some(
    ([name, value]) => value && name !== "all" && name !== "limit",
  );
  return isNarrowed || globals.account !== undefined ? "No runs match" : "Nothing was recorded yet";
}

async function* eachRun(
  ledger: Ledger | undefined,
  filter: Omit<RunFilter, "limit">,
  most: number,
  { processes, messages }: Context,
): AsyncGenerator<RunRow, void> {
  let before: number | undefined;
  for (let shown = 0; ledger; ) {
    // One more than is shown, to know whether there are more.
    const found = await ledger.listRuns({ ...filter, before, limit: Math.min(runsAtOnce, most - shown + 1) });
    for (const run of found) {
      if (shown >= most) {
        messages.note(`only the newest ${most === 1 ? "run" : `${most} runs`}; --all shows every run`);
        return;
      }
      yield toRunRow(run, processes);
      shown += 1;
      before = run.number;
    }
    if (found.length === 0) return;
  }
}

async function showRun({ run: number, number: only }: Shown, context: Context): Promise<Output> {
  const ledger = await findLedger(context);
  const run = await findRun(ledger, number, context);
  const { account } = context.globals;
  const isOther = account !== undefined && run.account !== account;
  if (isOther && !(await findSharing(ledger, context)).includes(run.customer))
    throw usageError(`run ${number} belongs to the account ${run.account}, not to ${account}`);
  const one = only === undefined ? undefined : await ledger?.findOperation({ run: number, number: only });
  if (only !== undefined && !one)
    throw usageError(
      `there is no operation ${number}.${only} in the log`,
      `${context.nextCommand(`log show ${number}`)} shows those of run ${number}`,
    );
  const operations = one ? [toOperationRow(one)] : eachOperation(ledger, number);
  const isInDoubt = one?.kind === "create" && one.state === "unknown";
  const settle = async () =>
    context.messages.note(`to settle it: ${context.nextCommand(`orders resolve ${number}.${only}`)}`);
  return {
    ...rows(operations, operationColumns, "This run created and cancelled nothing"),
    ...(isInDoubt ? { after: settle } : {}),
    head: runHead(toRunRow(run, context.processes)),
    remark: remarkOnOperation as never,
  };
}

async function* eachOperation(ledger: Ledger | undefined, run: number): AsyncGenerator<OperationRow, void> {
  let after: number | undefined;
  for (;;) {
    const found = (await ledger?.listOperations(run, after, operationsAtOnce)) ?? [];
    for (const operation of found) yield toOperationRow(operation);
    after = found.at(-1)?.number;
    if (found.length < operationsAtOnce) return;
  }
}
