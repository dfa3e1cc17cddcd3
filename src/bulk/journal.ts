/**
 * Owns the journal of an import: what is about to be sent, on disk before it leaves, and what came of
 * it. One JSON object a line, each with a sum over itself and the sum before it, so that a line that was
 * torn by a crash and one that was changed by hand can be told apart.
 */

import { type FileHandle, open } from "node:fs/promises";
import { fileError, systemCode } from "../core/errors.ts";
import { type JsonObject, parseJson } from "../model/json.ts";
import { linesOf, unseal } from "./journal-lines.ts";
import {
  apply,
  createAppender,
  createState,
  type Entry,
  type State,
  type Status,
  statuses,
} from "./journal-state.ts";
import { createKeyTable } from "./key-table.ts";

/** Whose journal it is. A journal of another account or service is not gone on with. */
export interface JournalIdentity {
  readonly account: string;
  readonly base_url: string;
}

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
    const entry = isWhole ? unseal(text, state.sum) : undefined;
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

async function readEntry(handle: FileHandle, at: number): Promise<Entry> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(entryBytes), 0, entryBytes, at);
  const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
  return parseJson(line) as unknown as Entry;
}

/**
 * The rows that the journal of another file has created, read without touching it. Undefined for a file
 * that is gone, belongs to another account or cannot be trusted: it then tells nothing.
 */
export async function readCreatedKeys(
  path: string,
  identity: JournalIdentity,
): Promise<{ has(key: string): boolean } | undefined> {
  const created = createKeyTable();
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    let sum = "";
    for await (const { text, isWhole } of linesOf(handle)) {
      const line = isWhole ? unseal(text, sum) : undefined;
      if (!line) break;
      if (sum === "") checkIdentity(line.value, identity, path);
      else if (line.value.kind === "created") created.set(String(line.value.key), 1);
      sum = line.sum;
    }
    return created;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
