/** Owns the entries of a journal, and the state that they add up to. */

import type { FileHandle } from "node:fs/promises";
import { CourierError, explainSystemError } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { seal } from "./journal-lines.ts";
import { createKeyTable, type KeyTable } from "./key-table.ts";

/** What is known of a created order without asking the service. */
export interface CreatedFacts {
  readonly id: string;
  readonly order_no: string | null;
  readonly tracking_number: string | null;
  readonly estimated_fee: string | null;
}

/**
 * `intent` before a request leaves; then one of: `created`, `refused` (the service said no), `unsent`
 * (certainly not processed), `unknown` (an answer was lost).
 */
export type Entry =
  | {
      readonly kind: "intent";
      readonly key: string;
      readonly content: string;
      /** By this machine's clock. */
      readonly at: string;
      /** Service's clock minus ours, where it was known. */
      readonly offset_ms?: number | undefined;
    }
  | ({ readonly kind: "created"; readonly key: string; readonly content: string } & CreatedFacts)
  | {
      readonly kind: "refused";
      readonly key: string;
      readonly content: string;
      readonly code: string;
      readonly message: string;
      readonly field?: string | undefined;
    }
  | { readonly kind: "unsent" | "unknown"; readonly key: string };

export type Status = Entry["kind"];

export const statuses: readonly Status[] = ["intent", "created", "refused", "unsent", "unknown"];

/** A row that was sent and of which it is not known what became. */
export interface OpenRow {
  /** When it was first sent, in milliseconds of this machine's clock. */
  readonly sentAtMs: number;
  /** Service's clock minus ours at that time, where it was known: either may have been set since. */
  readonly offsetMs: number | undefined;
  /** Hash of the draft that was sent. */
  readonly content: string;
}

export interface State {
  /** Key to the place and kind of its last entry. */
  readonly last: KeyTable;
  readonly owned: KeyTable;
  readonly open: Map<string, OpenRow>;
  sum: string;
  endBytes: number;
}

export function createState(): State {
  return { last: createKeyTable(), owned: createKeyTable(), open: new Map(), sum: "", endBytes: 0 };
}

/** Takes an entry that begins at `at` bytes into the state. */
export function apply(entry: Entry, at: number, state: State): void {
  state.last.set(entry.key, at * statuses.length + statuses.indexOf(entry.kind));
  if (entry.kind === "intent") {
    const { key, content, at: sentAt, offset_ms } = entry;
    const offsetMs = offset_ms === undefined ? undefined : Number(offset_ms);
    if (!state.open.has(key)) state.open.set(key, { sentAtMs: Date.parse(sentAt), offsetMs, content });
  } else if (entry.kind !== "unknown") state.open.delete(entry.key);
  if (entry.kind === "created") state.owned.set(entry.id, 1);
}

/** Writes entries in the order they come; those that wait for a sync go together into the next one. */
export function createAppender(handle: FileHandle, file: string, state: State) {
  let waiting: { line: string; settle: (error?: unknown) => void }[] = [];
  let working: Promise<void> | undefined;
  let failure: unknown;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      await new Promise(setImmediate); // answers that came together are written together
      const batch = waiting;
      waiting = [];
      try {
        await handle.appendFile(batch.map(({ line }) => line).join(""));
        await handle.datasync();
        for (const { settle } of batch) settle();
      } catch (error) {
        failure = writeError(file, error); // what follows would stand after a torn line
        for (const { settle } of [...batch, ...waiting.splice(0)]) settle(failure);
      }
    }
    working = undefined;
  }

  return {
    append(value: Entry | JsonObject): Promise<void> {
      if (failure !== undefined) return Promise.reject(failure);
      const { line, sum } = seal(value as unknown as JsonObject, state.sum);
      if ("kind" in value) apply(value as Entry, state.endBytes, state);
      state.sum = sum;
      state.endBytes += Buffer.byteLength(line);
      return new Promise((resolve, reject) => {
        waiting.push({ line, settle: (error) => (error === undefined ? resolve() : reject(error)) });
        working ??= work();
      });
    },
    async idle(): Promise<void> {
      await working;
    },
  };
}

function writeError(file: string, cause: unknown): CourierError {
  return new CourierError(
    "journal_failed",
    5,
    `cannot write the journal ${file}: ${explainSystemError(cause)}`,
    {
      cause,
      hint: "see that the disk has room and can be written to, then run the same command again: it goes on where it was",
    },
  );
}

/** What a created order leaves in the journal: enough for the report, nothing personal. */
export function createdFacts(order: {
  readonly id: { readonly value: string };
  readonly order_no?: string | null | undefined;
  readonly tracking_number?: string | null | undefined;
  readonly estimated_fee?: { readonly value: string } | null | undefined;
}): CreatedFacts {
  return {
    id: order.id.value,
    order_no: order.order_no ?? null,
    tracking_number: order.tracking_number ?? null,
    estimated_fee: order.estimated_fee?.value ?? null,
  };
}
