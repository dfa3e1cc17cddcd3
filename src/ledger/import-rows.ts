/** Files of imports and their rows: what the ledger knows of them, and the rows that one run takes. */

import type { DraftParty } from "../model/draft.ts";
import { toStoredNumber } from "../model/stored-text.ts";
import type { SentFacts } from "./creates.ts";
import { nextEvent } from "./events.ts";
import type { OperationFinder } from "./find-operations.ts";
import {
  type Allowance,
  isMade,
  numberOf,
  type Operation,
  type OperationName,
  type Run,
  readDraft,
  storedNumberOf,
  textOf,
} from "./operation.ts";
import { ensureCustomer, explainOtherCustomer } from "./operation-errors.ts";
import { contentToday, isOfFile } from "./order-of-row.ts";
import { markSeen, type OperationRecorder } from "./record-operation.ts";
import { createRowDecisions } from "./row-decisions.ts";
import type { FileFacts, RowPolicy, RowToSend } from "./row-to-send.ts";
import type { RowDecision } from "./rules.ts";
import { ask, askTogether, type Store, type Work } from "./statements.ts";

export interface ImportFile {
  readonly shop: string;
  /** Without links; empty for stdin and pipes. */
  readonly path: string;
  /** Hash of the bytes, and of the rows' contents in whatever order. */
  readonly bytesHash: string;
  readonly rowsHash: string;
}

/** The decision about a row; `operation` is the new one where the row is to be sent. */
export interface ClaimedRow {
  readonly decision: RowDecision;
  /** To be sent. */
  readonly operation: OperationName | undefined;
  /** Of an order made elsewhere that covers the row. */
  readonly recorded?: OperationName;
}

/** A create with an order, as far as it tells which row the order is of. */
export type NumberedCreate = Pick<
  Operation,
  "run" | "number" | "ref" | "shop" | "content" | "file" | "allowance"
> & { readonly isCancelled: boolean };

export interface ImportRows {
  /** The number of a file in the ledger. Files that prove to be the same get one number. */
  openFile(run: Run, file: ImportFile): Promise<number>;
  /** The numbers of a file in the ledger, without recording anything. */
  findFiles(customer: number, file: ImportFile): Promise<readonly number[]>;
  /** Creates with an order that equals the row and may be its own, the newest last. */
  equalOrders(
    customer: number,
    row: Pick<RowToSend, "ref" | "content">,
    file: Pick<FileFacts, "files" | "shop">,
  ): Promise<readonly Operation[]>;
  /** The default senders of rows without a ref in earlier runs of these files. */
  findDefaultSenders(customer: number, files: readonly number[]): Promise<readonly DraftParty[]>;
  /** The creates whose orders have these tracking or order numbers, by number, with their contents in this file. */
  findByNumber(
    customer: number,
    numbers: readonly string[],
    file?: Pick<FileFacts, "files" | "senders">,
  ): Promise<ReadonlyMap<string, readonly NumberedCreate[]>>;
  /** Decides about rows, without recording anything. */
  viewRows(
    customer: number,
    rows: readonly RowToSend[],
    file: FileFacts,
    policy: RowPolicy,
    nowMs: number,
  ): Promise<readonly RowDecision[]>;
  /** Decides about rows, and records those to send as `sending`, in one transaction. */
  claimRows(
    run: Run,
    rows: readonly RowToSend[],
    file: FileFacts,
    policy: RowPolicy,
    sent: SentFacts,
  ): Promise<readonly ClaimedRow[]>;
  /** Records which order covers a row that was not claimed. */
  noteCovered(
    customer: number,
    row: Pick<RowToSend, "ref">,
    file: Pick<FileFacts, "shop">,
    decision: RowDecision,
  ): Promise<void>;
  /**
   * Records that an import has seen the row of the order that was found for it: it was not edited. `isNamed`: a flag
   * that names the row sends no second order for it.
   */
  markSeen(name: OperationName, isNamed: boolean): Promise<void>;
}

/** The numbers of files that are the same: by path, by bytes, or by their rows. */
function* matchFiles(customer: number, { path, bytesHash, rowsHash }: ImportFile): Work<number[]> {
  const found = new Set<number>();
  for (const [column, value] of [
    ["path", path],
    ["bytes_hash", bytesHash],
    ["rows_hash", rowsHash],
  ] as const) {
    if (value === "") continue; // stdin and pipes have no path, and a file may have no rows to send
    for (const { file } of yield ask(
      `SELECT DISTINCT file FROM files WHERE customer = ? AND ${column} = ?`,
      customer,
      value,
    ))
      found.add(Number(file));
  }
  return [...found].sort((a, b) => a - b);
}

/** With the numbers that it has by now: another process may have found out meanwhile that it is the same as another file. */
function* renumber(file: FileFacts): Work<FileFacts> {
  // A file's number is that of the run which opened it first.
  const now = yield* askTogether(
    file.files.map((number) => ask("SELECT file FROM files WHERE run = ?", number)),
  );
  const files = now.map(([row], index) => numberOf(row?.file) ?? (file.files[index] as number));
  return files.every((number, index) => number === file.files[index]) ? file : { ...file, files };
}

export function createImportRows(
  { write, read, snapshot }: Store,
  finder: OperationFinder,
  { insert, recordElsewhere, recordCovering }: OperationRecorder,
): ImportRows {
  const { byContent } = finder;
  const createBatch = createRowDecisions(finder);
  return {
    openFile: (run, file) =>
      write(function* () {
        const [first = run.number, ...others] = yield* matchFiles(run.customer, file);
        for (const other of others) {
          yield ask("UPDATE files SET file = ? WHERE file = ? AND customer = ?", first, other, run.customer);
          yield ask(
            "UPDATE operations SET file = ? WHERE file = ? AND customer = ?",
            first,
            other,
            run.customer,
          );
        }
        yield ask(
          "INSERT INTO files VALUES (?, (SELECT customer FROM runs WHERE number = ?), ?, ?, ?, ?, ?)",
          run.number,
          run.number,
          file.shop,
          first,
          file.path,
          file.bytesHash,
          file.rowsHash,
        );
        return first;
      }),

    findFiles: (customer, file) => read(() => matchFiles(customer, file)),

    equalOrders: (customer, { ref, content }, { files, shop }) =>
      read(function* () {
        const isOwn = (each: Operation) =>
          ref === undefined
            ? each.ref === undefined && isOfFile(each, { files })
            : each.ref === ref && each.shop === shop;
        return (yield* byContent(customer, content)).filter((each) => isMade(each) && isOwn(each));
      }),

    findDefaultSenders: (customer, files) =>
      read(function* () {
        // All rows of a run have the same one.
        const runs = yield* askTogether(
          files.map((file) =>
            ask(
              `SELECT (SELECT draft FROM operations WHERE operations.run = files.run AND kind = 'create'
                 AND ref IS NULL AND defaults IS NOT NULL AND draft IS NOT NULL ORDER BY number LIMIT 1) AS draft
               FROM files WHERE customer = ? AND file = ?`,
              customer,
              file,
            ),
          ),
        );
        return runs.flat().flatMap(({ draft }) => readDraft(draft)?.sender ?? []);
      }),

    findByNumber: (customer, numbers, file) =>
      read(function* () {
        const asked = JSON.stringify(numbers.map(toStoredNumber));
        const drafts = file?.senders ? ", draft, defaults" : "";
        const rows = yield ask(
          `SELECT run, number, ref, shop, content, file, allowance, order_state, tracking_number, order_no${drafts} FROM operations
         WHERE kind = 'create' AND customer = ? AND order_id IS NOT NULL
           AND (tracking_number IN (SELECT value FROM json_each(?)) OR order_no IN (SELECT value FROM json_each(?)))
         ORDER BY run, number`,
          customer,
          asked,
          asked,
        );
        const found = new Map<string, NumberedCreate[]>();
        for (const row of rows) {
          const read = {
            run: Number(row.run),
            number: Number(row.number),
            ref: textOf(row.ref),
            shop: textOf(row.shop) ?? "",
            content: textOf(row.content),
            file: numberOf(row.file),
            allowance: row.allowance as Allowance,
            isCancelled: row.order_state === "cancelled",
          };
          const [draft, defaults] = [readDraft(row.draft), textOf(row.defaults)?.split(",") ?? []];
          const create = file ? { ...read, content: contentToday({ ...read, draft, defaults }, file) } : read;
          for (const text of [storedNumberOf(row.tracking_number), storedNumberOf(row.order_no)])
            if (text !== undefined) found.set(text, [...(found.get(text) ?? []), create]);
        }
        return found;
      }),

    viewRows: (customer, rows, file, policy, nowMs) =>
      snapshot(function* () {
        const batch = createBatch(customer, rows, yield* renumber(file), policy, nowMs);
        const decisions: RowDecision[] = [];
        for (const row of rows) decisions.push(yield* batch.decide(row));
        return decisions;
      }),

    claimRows: (run, rows, facts, policy, { atMs, offsetMs }) =>
      write(function* () {
        yield* ensureCustomer(run);
        const file = yield* renumber(facts);
        const batch = createBatch(run.customer, rows, file, policy, atMs, run.number);
        yield* batch.prepare();
        const claimed: ClaimedRow[] = [];
        let event: number | undefined;
        for (const [index, row] of rows.entries()) {
          const decision = yield* batch.decide(row);
          let recorded: OperationName | undefined;
          if (decision.kind === "elsewhere") {
            recorded = yield* recordElsewhere(run, row, file, decision, atMs);
            batch.noteChanged();
          }
          yield* recordCovering(run, row, file, decision);
          if (decision.kind !== "send") {
            claimed.push({ decision, operation: undefined, ...(recorded ? { recorded } : {}) });
            continue;
          }
          const { content, draft } = row;
          const { allowance, supersedes, former } = decision;
          const sentEvent: number = event ?? (yield* nextEvent(rows.length - index));
          event = sentEvent + 1;
          if (supersedes) {
            yield ask(
              "UPDATE operations SET is_superseded = 1 WHERE run = ? AND number = ?",
              supersedes.run,
              supersedes.number,
            );
            batch.noteChanged();
          }
          if (former) yield markSeen(former);
          const sending = { kind: "create", state: "sending", sentAtMs: atMs, sentEvent, offsetMs } as const;
          const operation = yield* insert(run, { ...sending, content, draft, file, row, allowance });
          batch.noteSent(row);
          claimed.push({ decision, operation });
        }
        return claimed;
      }).catch(explainOtherCustomer),

    noteCovered: (customer, row, file, decision) =>
      write(() => recordCovering({ customer }, row, file, decision)),

    markSeen: (name, isNamed) =>
      write(function* () {
        yield markSeen(name, isNamed);
      }),
  };
}
