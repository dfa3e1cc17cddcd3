/** `courier ledger status`: where the ledger is, how it answers, and which runs use it now. */

import { type Context, defineCommand, document } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { sandboxAccount, serviceOf, unnamedAccount } from "../config/accounts.ts";
import { hostOf, isOfThisPlace } from "../core/process-place.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { showCommand } from "../core/shown-command.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { ledgerPath } from "../ledger/ledger-file.ts";
import { readMoved } from "../ledger/moved.ts";
import type { LedgerRun, LedgerStatus } from "../model/results.ts";
import { quoteAddress, showAddress } from "../postgres/shown-address.ts";
import { checkRun } from "../sending/owners.ts";
import {
  type Block,
  blank,
  type Column,
  fields,
  instant,
  line,
  paragraph,
  table,
} from "../terminal/blocks.ts";
import { findAccountName, local, onFile } from "./ledger-place.ts";

export const showLedgerStatus = defineCommand({
  description:
    "The ledger records every order before it is sent, so that none is sent twice. It is a file on this machine, or\n" +
    "a PostgreSQL database that several machines share. Settings of the server that void this promise are named.",
  arguments: {},
  options: {},
  examples: [
    { line: "ledger status", note: "where it is, how fast it answers, who is sending" },
    { line: "ledger status --json | jq .running", note: "the runs that use it now, for a script" },
  ],
  exits: [5],
  seeAlso: ["ledger use", "doctor", "log"],
  async run(_input, context) {
    const { clock, machine, processes } = context;
    const account = await findAccountName(context);
    const shared = await context.sharedLedger();
    const place = {
      account,
      ledger: shared ?? ledgerPath(machine.stateDirectory),
      shared: shared !== undefined,
      named_by: shared === undefined ? null : machine.env.COURIER_LEDGER ? "COURIER_LEDGER" : "account",
    };
    const ledger = await findLedger(context);
    if (!ledger) return document({ ...place, ...nothing }, view);
    const movedTo = ledger.isShared ? undefined : await findMoved(ledger, account, context);
    const startedMs = clock.elapsed();
    await ledger.checkPlace();
    const latencyUs = Math.round((clock.elapsed() - startedMs) * 1_000);
    const [facts, open] = [await ledger.inspect(), await ledger.openRuns()];
    const running = open.flatMap((run): LedgerRun[] => {
      const liveness = checkRun(run, processes);
      if (liveness === "dead" || (liveness === "unknown" && run.held === 0)) return [];
      return [
        {
          run: run.number,
          command: run.command,
          account: run.account,
          host: hostOf(run.process),
          here: isOfThisPlace(run.process),
          pid: run.process.pid,
          since: new Date(run.startedAtMs).toISOString(),
          running: liveness === "alive",
          rows_held: run.held,
        },
      ];
    });
    return document(
      {
        ...place,
        ledger: ledger.path,
        moved_to: movedTo ?? null,
        engine: facts.engine,
        tables_version: facts.tablesVersion,
        latency_us: latencyUs,
        size_bytes: facts.sizeBytes,
        runs: facts.runs,
        operations: facts.operations,
        in_doubt: facts.inDoubt,
        running,
        weaknesses: [...facts.weaknesses],
      },
      view,
    );
  },
});

/**
 * Where the orders of the key's customer moved to: a move may have ended before the config named that ledger. Where the key
 * cannot be read, those of the last customer of the account's name.
 */
async function findMoved(ledger: Ledger, name: string, context: Context): Promise<string | undefined> {
  const moved = await onFile(context, readMoved);
  if (moved.length === 0) return undefined; // the program that prints the key may ask a person
  const active = await context.account().catch(() => undefined);
  const key = active?.kind === "remote" ? await context.keys.read(active).catch(() => undefined) : undefined;
  const own =
    active === undefined || key === undefined
      ? await ledger.customersOnlyOf(name, [])
      : [await ledger.findCustomer(serviceOf(active), key)];
  return moved.findLast(({ customer }) => own.some((each) => each?.id === customer))?.address;
}

const nothing = {
  moved_to: null,
  engine: null,
  tables_version: null,
  latency_us: null,
  size_bytes: 0,
  runs: 0,
  operations: 0,
  in_doubt: 0,
  running: [],
  weaknesses: [],
};

const columns: readonly Column<LedgerRun>[] = [
  { path: "run", title: "RUN", align: "right", cell: ({ run }) => String(run) },
  { path: "account", title: "ACCOUNT", cell: ({ account }) => account },
  { path: "command", title: "COMMAND", cell: ({ command }) => command },
  { path: "host", title: "MACHINE", cell: ({ host, here }) => (here ? "this one" : host) },
  { path: "pid", title: "PROCESS", align: "right", cell: ({ pid }) => String(pid) },
  { path: "since", title: "SINCE", cell: ({ since }) => instant(since) },
  { path: "rows_held", title: "HOLDS", align: "right", cell: ({ rows_held }) => String(rows_held) },
  {
    path: "running",
    title: "STATE",
    cell: ({ running }) => (running ? "running" : { style: "warn", text: "silent" }),
  },
];

function view(status: LedgerStatus): readonly Block[] {
  const { account, ledger, moved_to, engine, tables_version, latency_us, running, weaknesses } = status;
  const { place, passwordCommand } = showAddress(ledger);
  const where = status.account === sandboxAccount ? "on this machine, as for every sandbox" : kindOf(status);
  if (engine === null || latency_us === null)
    return [line("No ledger yet: the first order makes one"), fields(["Ledger", place], ["Kind", where])];
  const doubt = `${counted(status.in_doubt, "operation")} in doubt`;
  return [
    fields(
      ["Ledger", place],
      ...(passwordCommand === undefined
        ? []
        : [["Password", `printed by ${showCommand(passwordCommand)}`] as const]),
      ["Kind", where],
      ["Engine", engine],
      ["Tables", `version ${tables_version}`],
      ["Answers in", `${(latency_us / 1_000).toFixed(1)} ms`],
      ["Recorded", `${counted(status.runs, "run")}, ${counted(status.operations, "operation")}`],
      ["In doubt", status.in_doubt === 0 ? "none" : { style: "warn", text: doubt }],
    ),
    blank,
    ...(running.length === 0
      ? [line("No run uses it now")]
      : [
          line(`${counted(running.length, "run")} ${byCount(running.length, "uses", "use")} it now`),
          table(columns, running),
        ]),
    ...(moved_to === null ? [] : describeMove(account, moved_to)),
    ...weaknesses.map((weakness) =>
      paragraph({ style: "warn", text: `never twice is not certain: ${weakness}` }),
    ),
  ];
}

function describeMove(account: string, address: string): readonly Block[] {
  const named =
    account === unnamedAccount
      ? `COURIER_LEDGER=${quoteAddress(address)}`
      : `courier ledger use ${quoteAddress(address)} --account ${shellQuote(account)}`;
  return [
    paragraph({
      style: "warn",
      text: `its orders moved to ${showAddress(address).place}, so nothing is sent from here`,
    }),
    line(`Name that ledger: ${named}`),
  ];
}

function kindOf({ shared, named_by }: LedgerStatus): string {
  if (!shared) return `${local}: this machine alone`;
  return `shared by all machines that name it; named by ${named_by === "account" ? "the account" : named_by}`;
}
