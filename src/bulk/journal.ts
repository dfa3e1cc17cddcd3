/**
 * Owns the journal of an import: what is about to be sent, on disk before it leaves, and what came of
 * it. One JSON object a line, each with a sum over itself and the sum before it, so that a line that was
 * torn by a crash and one that was changed by hand can be told apart.
 */

import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { fileError, systemCode } from "../core/errors.ts";
import { type JsonObject, parseJson } from "../model/json.ts";
import { linesOf, unseal } from "./journal-lines.ts";
import {
  apply,
  createAppender,
  createState,
  type Entry,
  type OpenRow,
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
  /** SHA-256 of the input file that the journal was begun with. */
  readonly fingerprint: string;
  /** Rows that the journal knows. */
  readonly size: number;
  /** The last entry of a row; undefined for a row that was never tried. */
  statusOf(key: string): Status | undefined;
  /** The whole last entry of a row. */
  lastOf(key: string): Promise<Entry | undefined>;
  /** Rows whose outcome is not known, by key. */
  readonly open: ReadonlyMap<string, OpenRow>;
  /** True for an order that a row of this journal has become. */
  owns(orderId: string): boolean;
  /** Resolves when the entry is on disk; entries that come meanwhile share one sync. */
  append(entry: Entry): Promise<void>;
  close(): Promise<void>;
}

const formatVersion = 1;
const headerStart = '{"courier_journal":';
const pieceBytes = 4096;

/**
 * Opens the journal, or begins it for an input file. A torn last line is cut off. Throws a file error for
 * a journal of another account, service or version, and for one that was changed by hand.
 */
export async function openJournal(
  file: string,
  identity: JournalIdentity,
  fingerprint: string,
): Promise<Journal> {
  const handle = await openFile(file);
  try {
    const state = createState();
    const header = await replay(handle, file, identity, state);
    const writer = createAppender(handle, file, state);
    if (!header) {
      await writer.append({ courier_journal: formatVersion, ...identity, input_sha256: fingerprint });
      await syncDirectory(path.dirname(file));
    }
    return {
      path: file,
      fingerprint: header ? String(header.input_sha256) : fingerprint,
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

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, "a+", 0o600);
  } catch (error) {
    throw fileError(`cannot open the journal ${file}: ${systemCode(error) ?? String(error)}`, {
      cause: error,
      hint: "name another place with --journal PATH",
    });
  }
}

/** A new file outlives a power failure only when its directory is on disk too. */
async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // not every system can do it
  }
}

/** Gives back the header, or undefined for a journal that is yet to begin. */
async function replay(
  handle: FileHandle,
  file: string,
  identity: JournalIdentity,
  state: State,
): Promise<JsonObject | undefined> {
  let header: JsonObject | undefined;
  let number = 0;
  let lacksBreak = false;
  for await (const { text, isWhole } of linesOf(handle)) {
    number += 1;
    const entry = unseal(text, state.sum);
    if (!entry) {
      if (isTorn(text, isWhole, number)) break;
      throw fileError(`the journal was changed by hand, or is damaged, in line ${number}: ${file}`, {
        hint: "it is not trusted: restore it from a copy, or compare the orders by hand before you import again",
      });
    }
    if (number === 1) {
      header = entry.value;
      checkIdentity(header, identity, file);
    } else apply(entry.value as unknown as Entry, state.endBytes, state);
    state.sum = entry.sum;
    state.endBytes += Buffer.byteLength(text) + 1;
    lacksBreak = !isWhole;
  }
  // What a crash left of an unfinished write was never acted upon.
  if (lacksBreak) await handle.appendFile("\n");
  else await handle.truncate(state.endBytes);
  return header;
}

/** Zeros stand where a failing machine had made room for a write but not yet carried it out. */
function isTorn(text: string, isWhole: boolean, number: number): boolean {
  if (number > 1) return !isWhole || text.includes("\0");
  // A file that never was a journal is not ours to cut.
  const start = text.replace(/\0.*$/s, "").slice(0, headerStart.length);
  return !isWhole && headerStart.startsWith(start);
}

function checkIdentity(header: JsonObject, { account, base_url }: JournalIdentity, file: string): void {
  if (String(header.courier_journal) !== String(formatVersion)) {
    throw fileError(`the journal is not of a version that this courier knows: ${file}`, {
      hint: "update courier",
    });
  }
  if (header.account === account && header.base_url === base_url) return;
  throw fileError(
    `the journal belongs to the account ${String(header.account)} at ${String(header.base_url)}, not to ${account} at ${base_url}: ${file}`,
    { hint: "use that account, or name another journal with --journal PATH" },
  );
}

async function readEntry(handle: FileHandle, at: number): Promise<Entry> {
  const pieces: Buffer[] = [];
  for (let position = at; ; position += pieceBytes) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
    const end = buffer.subarray(0, bytesRead).indexOf(10);
    pieces.push(buffer.subarray(0, end < 0 ? bytesRead : end));
    if (end >= 0 || bytesRead === 0) return parseJson(Buffer.concat(pieces).toString()) as unknown as Entry;
  }
}

/** What another journal has created. */
export interface CreatedRows {
  hasRow(key: string): boolean;
  owns(orderId: string): boolean;
}

/**
 * The rows that the journal of another file has created, read without touching it. Undefined for a file
 * that is gone, belongs to another account or cannot be trusted: it then tells nothing.
 */
export async function readCreated(file: string, identity: JournalIdentity): Promise<CreatedRows | undefined> {
  const keys = createKeyTable();
  const ids = createKeyTable();
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    let sum = "";
    for await (const { text, isWhole } of linesOf(handle)) {
      const line = isWhole ? unseal(text, sum) : undefined;
      if (!line) break;
      if (sum === "") checkIdentity(line.value, identity, file);
      else if (line.value.kind === "created") {
        keys.set(String(line.value.key), 1);
        ids.set(String(line.value.id), 1);
      }
      sum = line.sum;
    }
    return { hasRow: keys.has, owns: ids.has };
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
