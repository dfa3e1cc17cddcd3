/**
 * Owns the journal of an import: what is about to be sent, on disk before it leaves, and what came of
 * it. One JSON object a line, each with a sum over itself and the sum before it, so that a line that was
 * torn by a crash and one that was changed by hand can be told apart.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { fileError, systemCode } from "../core/errors.ts";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../model/json.ts";
import { createKeyTable, type KeyTable } from "./key-table.ts";

/** Whose journal it is. A journal of another account or service is not gone on with. */
export interface JournalIdentity {
  readonly account: string;
  readonly base_url: string;
}

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
  | { readonly kind: "intent"; readonly key: string; readonly content: string; readonly at: string }
  | ({ readonly kind: "created"; readonly key: string; readonly content: string } & CreatedFacts)
  | {
      readonly kind: "refused";
      readonly key: string;
      readonly content: string;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: "unsent" | "unknown"; readonly key: string };

export type Status = Entry["kind"];

export interface Journal {
  readonly path: string;
  /** Rows that the journal knows. */
  readonly size: number;
  /** The last entry of a row; undefined for a row that was never tried. */
  statusOf(key: string): Status | undefined;
  /** The whole last entry of a row. */
  lastOf(key: string): Promise<Entry | undefined>;
  /** When rows whose outcome is open were first sent, in milliseconds of this machine's clock, by key. */
  readonly open: ReadonlyMap<string, number>;
  /** True for an order that a row of this journal has become. */
  owns(orderId: string): boolean;
  /** Resolves when the entry is on disk; entries that come meanwhile share one sync. */
  append(entry: Entry): Promise<void>;
  close(): Promise<void>;
}

const formatVersion = 1;
const statuses: readonly Status[] = ["intent", "created", "refused", "unsent", "unknown"];
const entryBytes = 8192;

/**
 * Opens the journal, or begins it. A torn last line is cut off. Throws a file error for a journal of
 * another account, service or version, and for one that was changed by hand.
 */
export async function openJournal(path: string, identity: JournalIdentity): Promise<Journal> {
  const handle = await openFile(path);
  try {
    const state = createState();
    await replay(handle, path, identity, state);
    const writer = createAppender(handle, state);
    if (state.sum === "") await writer.append({ courier_journal: formatVersion, ...identity });
    return {
      path,
      get size() {
        return state.last.size;
      },
      open: state.open,
      statusOf(key) {
        const value = state.last.get(key);
        return value === undefined ? undefined : statuses[value % statuses.length];
      },
      async lastOf(key) {
        const value = state.last.get(key);
        if (value === undefined) return undefined;
        return readEntry(handle, Math.floor(value / statuses.length));
      },
      owns: (orderId) => state.owned.has(orderId),
      append: (entry) => writer.append(entry),
      async close() {
        await writer.idle();
        await handle.close();
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface State {
  /** Key to the place and kind of its last entry. */
  readonly last: KeyTable;
  readonly owned: KeyTable;
  readonly open: Map<string, number>;
  sum: string;
  endBytes: number;
}

function createState(): State {
  return { last: createKeyTable(), owned: createKeyTable(), open: new Map(), sum: "", endBytes: 0 };
}

/** Takes an entry that begins at `at` bytes into the state. */
function apply(entry: Entry, at: number, state: State): void {
  state.last.set(entry.key, at * statuses.length + statuses.indexOf(entry.kind));
  if (entry.kind === "intent") {
    if (!state.open.has(entry.key)) state.open.set(entry.key, Date.parse(entry.at));
  } else if (entry.kind !== "unknown") state.open.delete(entry.key);
  if (entry.kind === "created") state.owned.set(entry.id, 1);
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a+", 0o600);
  } catch (error) {
    throw fileError(`cannot open the journal ${path}: ${systemCode(error) ?? String(error)}`, {
      cause: error,
      hint: "name another place with --journal PATH",
    });
  }
}

async function replay(
  handle: FileHandle,
  path: string,
  identity: JournalIdentity,
  state: State,
): Promise<void> {
  let number = 0;
  for await (const { text, isWhole } of linesOf(handle)) {
    number += 1;
    const entry = isWhole ? verify(text, state.sum) : undefined;
    if (!entry) {
      if (!isWhole) break;
      throw fileError(`the journal was changed by hand, or is damaged, in line ${number}: ${path}`, {
        hint: "it is not trusted: restore it from a copy, or compare the orders by hand before you import again",
      });
    }
    if (number === 1) checkIdentity(entry.value, identity, path);
    else apply(entry.value as unknown as Entry, state.endBytes, state);
    state.sum = entry.sum;
    state.endBytes += Buffer.byteLength(text) + 1;
  }
  // What a crash left of an unfinished write was never acted upon.
  await handle.truncate(state.endBytes);
}

async function* linesOf(handle: FileHandle): AsyncGenerator<{ text: string; isWhole: boolean }> {
  let rest = Buffer.alloc(0);
  for await (const chunk of handle.createReadStream({
    start: 0,
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield { text: rest.subarray(0, end).toString("utf8"), isWhole: true };
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield { text: rest.toString("utf8"), isWhole: false };
}

function checkIdentity(header: JsonObject, { account, base_url }: JournalIdentity, path: string): void {
  if (String(header.courier_journal) !== String(formatVersion)) {
    throw fileError(`the journal is not of a version that this courier knows: ${path}`, {
      hint: "update courier",
    });
  }
  if (header.account === account && header.base_url === base_url) return;
  throw fileError(
    `the journal belongs to the account ${String(header.account)} at ${String(header.base_url)}, not to ${account} at ${base_url}: ${path}`,
    { hint: "use that account, or name another journal with --journal PATH" },
  );
}

/** A line with its sum as last member: `{"kind":…,"sum":"…"}`. */
function seal(value: JsonObject, before: string): { line: string; sum: string } {
  const body = stringifyJson(value);
  const sum = createHash("sha256").update(before).update(body).digest("hex").slice(0, 16);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}\n`, sum };
}

const sealed = /^(.*),"sum":"([0-9a-f]{16})"\}$/s;

function verify(text: string, before: string): { value: JsonObject; sum: string } | undefined {
  const match = sealed.exec(text);
  if (!match) return undefined;
  try {
    const value = parseJson(`${match[1]}}`);
    if (!isJsonObject(value) || seal(value, before).sum !== match[2]) return undefined;
    return { value, sum: match[2] };
  } catch {
    return undefined;
  }
}

async function readEntry(handle: FileHandle, at: number): Promise<Entry> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(entryBytes), 0, entryBytes, at);
  const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
  return parseJson(line) as unknown as Entry;
}

/** Writes entries in the order they come; those that wait for a sync go together into the next one. */
function createAppender(handle: FileHandle, state: State) {
  let waiting: { line: string; settle: (error?: unknown) => void }[] = [];
  let working: Promise<void> | undefined;
  let failure: unknown;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await handle.appendFile(batch.map(({ line }) => line).join(""));
        await handle.datasync();
        for (const { settle } of batch) settle();
      } catch (error) {
        failure = error; // what follows would stand after a torn line
        for (const { settle } of batch) settle(error);
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
