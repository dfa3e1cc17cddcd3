/** One run of the log as a row of a result. */

import type { SystemProcesses } from "../core/process-identity.ts";
import type { RunSummary } from "../ledger/runs.ts";
import type { RunRow } from "../model/results.ts";
import { checkRun } from "../sending/owners.ts";
import { type Block, type Column, fields, instant, show, styled, type Text } from "../terminal/blocks.ts";
import { toIso } from "./operation-row.ts";

export function toRunRow(run: RunSummary, processes: SystemProcesses): RunRow {
  const count = (...names: readonly string[]) =>
    names.reduce((sum, name) => sum + (run.counts.get(name) ?? 0), 0);
  const counts = {
    created: count("create created"),
    found: count("create found"),
    refused: count("create refused"),
    unsent: count("create unsent"),
    ready: count("create ready"),
    in_doubt: count("create sending", "create unknown"),
    cancelled: count("cancel cancelled"),
    cancels_accepted: count("cancel accepted"),
    not_cancelled: count("cancel refused", "cancel unsent"),
    cancels_in_doubt: count("cancel sending", "cancel unknown"),
  };
  return {
    run: run.number,
    started_at: new Date(run.startedAtMs).toISOString(),
    ended_at: toIso(run.endedAtMs),
    command: run.command,
    account: run.account,
    service: run.service,
    source: run.source ?? null,
    undoes: run.undoes ?? null,
    outcome: findOutcome(run, processes),
    exit: run.exit ?? null,
    summary: summarise(counts),
    ...counts,
  };
}

function findOutcome(run: RunSummary, processes: SystemProcesses): RunRow["outcome"] {
  if (run.endedAtMs !== undefined) return run.exit === 0 ? "done" : "failed";
  const words = { alive: "running", dead: "killed", unknown: "unknown" } as const;
  return words[checkRun(run, processes)];
}

type Counts = Pick<RunRow, keyof typeof countWords>;

const countWords = {
  created: "created",
  found: "found",
  refused: "refused",
  unsent: "begun but not created",
  ready: "to send",
  in_doubt: "in doubt",
  cancelled: "cancelled",
  cancels_accepted: "with its cancel accepted",
  not_cancelled: "not cancelled",
  cancels_in_doubt: "with its cancel in doubt",
} as const;

const countNames = Object.keys(countWords) as (keyof typeof countWords)[];

/** `3 created, 1 refused`; empty for a run without operations. */
function summarise(counts: Counts): string {
  return countNames
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${countWords[name]}`)
    .join(", ");
}

function showOutcome({ outcome, exit }: RunRow): Text {
  switch (outcome) {
    case "done":
      return styled("good", "done");
    case "failed":
      return styled("bad", `exit ${exit}`);
    case "running":
      return styled("accent", "running");
    case "killed":
      return styled("bad", "no end recorded"); // it may have ended by itself, and could not record it
    case "unknown":
      return styled("warn", "may be running");
  }
}

function showCommand({ command, undoes }: RunRow): string {
  return undoes === null ? command : `${command} ${undoes}`;
}

export const runColumns: readonly Column<RunRow>[] = [
  { path: "run", title: "RUN", cell: ({ run }) => styled("strong", String(run)), align: "right" },
  { path: "started_at", title: "TIME", cell: ({ started_at }) => instant(started_at) },
  { path: "command", title: "COMMAND", cell: showCommand },
  { path: "source", title: "FILE", cell: ({ source }) => show(source), flexible: true, spare: 1 },
  { path: "account", title: "ACCOUNT", cell: ({ account }) => account, flexible: true, spare: 2 },
  { path: "summary", title: "COUNTS", cell: ({ summary }) => show(summary), flexible: true },
  { path: "outcome", title: "OUTCOME", cell: showOutcome },
  // For spreadsheets: people read the counts in one cell.
  { path: "exit", title: "EXIT", cell: ({ exit }) => (exit === null ? "-" : String(exit)), isRemark: true },
  ...countNames.map(
    (path): Column<RunRow> => ({
      path,
      title: path.toUpperCase(),
      cell: (row) => String(row[path]),
      isRemark: true,
    }),
  ),
];

/** The facts of a run above its operations. */
export function runHead(row: RunRow): readonly Block[] {
  const facts: (readonly [string, Text])[] = [
    ["Run", styled("strong", String(row.run))],
    ["Command", showCommand(row)],
    ["Account", row.account],
    ["Service", row.service],
  ];
  if (row.source !== null) facts.push(["File", row.source]);
  facts.push(["Started", instant(row.started_at)]);
  if (row.ended_at !== null) facts.push(["Ended", instant(row.ended_at)]);
  facts.push(["Counts", show(row.summary)], ["Outcome", showOutcome(row)]);
  return [fields(...facts)];
}
