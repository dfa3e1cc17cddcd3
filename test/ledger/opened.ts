/** Ledgers in directories of their own, and what tests put into them. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import type { CreateOutcome, OperationName, Run } from "../../src/ledger/operation.ts";
import type { Draft } from "../../src/model/draft.ts";
import { filesBelow } from "../support/marker.ts";

export const service = "https://api.example.com";

/** A directory that is removed when the test ends. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-ledger-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A new ledger, closed when the test ends. */
export function createLedger(directory?: string): Promise<Ledger & { readonly directory: string }> {
  return createLedgerWith(openLedger, directory);
}

/** The same of another kind. */
export async function createLedgerWith(
  open: (stateDirectory: string) => Promise<Ledger>,
  directory?: string,
): Promise<Ledger & { readonly directory: string }> {
  const place = directory ?? path.join(await createDirectory(), "state");
  const ledger = await open(place);
  onTestFinished(() => ledger.close());
  return { ...ledger, directory: place };
}

export function beginRun(ledger: Ledger, customer: number, account = "shop"): Promise<Run> {
  return ledger.beginRun({
    command: "orders create",
    account,
    service,
    customer,
    process: { pid: 1, started: undefined, place: "here" },
    startedAtMs: 1,
  });
}

/** A create that was sent; with an outcome, that came of it. */
export async function recordCreate(
  ledger: Ledger,
  run: Run,
  { content, draft, outcome }: { content: string; draft: Draft; outcome?: CreateOutcome },
): Promise<OperationName> {
  const create = { content, draft, windowMs: 0, isDuplicateAllowed: true, accepted: new Set<string>() };
  const begun = await ledger.beginCreate(run, create, 1);
  if (begun.kind !== "begun") throw new Error("an equal order is in doubt");
  if (outcome) await ledger.endCreate(begun.operation, run.number, outcome, 2);
  return begun.operation;
}

export function created(id: string): CreateOutcome {
  return {
    state: "created",
    order: { id, order_no: null, tracking_number: `T${id}`, estimated_fee: null },
  };
}

/** The texts that stand in any byte of any file below a directory, with the file's name. */
export async function findTexts(directory: string, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { file, text } of await filesBelow(directory)) {
    for (const each of texts)
      if (text.includes(Buffer.from(each).toString("latin1"))) found.push(`${path.basename(file)}: ${each}`);
  }
  return found;
}
