/**
 * Owns the journal of an import: what is about to be sent, on disk before it leaves, and what came of
 * it. One JSON object a line, each with a sum over itself and the sum before it, so that a line that was
 * torn by a crash and one that was changed by hand can be told apart.
 */

import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { explainSystemError, fileError, systemCode } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { sealedLinesOf } from "./journal-lines.ts";
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

/** Whose journal it is. A journal of another account or service is not gone on with. */
export interface JournalIdentity {
  readonly account: string;
  readonly base_url: string;
}

/** What a journal says, without writing to it. */
export interface JournalView {
  readonly path: string;
  readonly identity: JournalIdentity;
  /** SHA-256 of the input file that the journal was begun with. */
  readonly fingerprint: string;
  /** Rows that the journal knows. */
  readonly size: number;
  /** The last entry of a row; undefined for a row that was never tried. */
  statusOf(key: string): Status | undefined;
  /** The whole last entry of a row. */
  lastOf(key: string): Promise<Entry | undefined>;
  close(): Promise<void>;
}

export interface Journal extends JournalView {
  /** Rows whose outcome is not known, by key. */
  readonly open: ReadonlyMap<string, OpenRow>;
  /** True for an order that a row of this journal has become. */
  owns(orderId: string): boolean;
  /** Resolves when the entry is on disk; entries that come meanwhile share one sync. */
  append(entry: Entry): Promise<void>;
}

const formatVersion = 1;
const pieceBytes = 4096;
const ownWords = {
  title: "the journal",
  hint: "it is not trusted: restore it from a copy, or compare the orders by hand before you import again",
};

/**
 * Opens the journal, or begins it for an input file. A torn last line is cut off. Throws a file error for
 * a journal of another account, service or version, and for one that was changed by hand.
 */
export async function openJournal(
  file: string,
  identity: JournalIdentity,
  fingerprint: string,
): Promise<Journal> {
  const handle = await openFile(file, "a+");
  try {
    const state = createState();
    const header = await replay(handle, file, identity, state);
    await repair(handle, state);
    const writer = createAppender(handle, file, state);
    if (!header) {
      await writer.append({ courier_journal: formatVersion, ...identity, input_sha256: fingerprint });
      await syncDirectory(path.dirname(file));
    }
    const begunWith = header ? String(header.input_sha256) : fingerprint;
    return Object.assign(createView(handle, state, { path: file, identity, fingerprint: begunWith }), {
      open: state.open,
      owns: (orderId: string) => state.owned.has(orderId),
      append: (entry: Entry) => writer.append(entry),
      async close() {
        await writer.idle();
        await handle.close();
      },
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The same to look at, which changes nothing; undefined where there is no journal yet. */
export async function viewJournal(file: string, identity: JournalIdentity): Promise<JournalView | undefined> {
  const handle = await openFile(file, "r").catch((error) => {
    if (systemCode(error.cause) === "ENOENT") return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const state = createState();
    const header = await replay(handle, file, identity, state);
    return createView(handle, state, { path: file, identity, fingerprint: String(header?.input_sha256) });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function createView(
  handle: FileHandle,
  state: State,
  origin: Pick<JournalView, "path" | "identity" | "fingerprint">,
): JournalView {
  return {
    ...origin,
    get size() {
      return state.last.size;
    },
    statusOf(key) {
      const value = state.last.get(key);
      return value === undefined ? undefined : statuses[value % statuses.length];
    },
    async lastOf(key) {
      const value = state.last.get(key);
      if (value === undefined) return undefined;
      return readEntry(handle, Math.floor(value / statuses.length));
    },
    close: () => handle.close(),
  };
}

async function openFile(file: string, flags: "a+" | "r"): Promise<FileHandle> {
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    throw fileError(`cannot open the journal ${file}: ${explainSystemError(error, "directory")}`, {
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

/** Reads it into `state`. Gives back the header, or undefined for a journal that is yet to begin. */
async function replay(
  handle: FileHandle,
  file: string,
  identity: JournalIdentity,
  state: State,
): Promise<JsonObject | undefined> {
  let header: JsonObject | undefined;
  for await (const { value, sum, fromBytes, endBytes } of sealedLinesOf(handle, file, ownWords)) {
    if (header) apply(value as unknown as Entry, fromBytes, state);
    else {
      header = value;
      checkVersion(header, file);
      checkIdentity(header, identity, file);
    }
    state.sum = sum;
    state.endBytes = endBytes;
  }
  return header;
}

/** What a crash left of an unfinished write was never acted upon. */
async function repair(handle: FileHandle, { endBytes }: State): Promise<void> {
  const { size } = await handle.stat();
  if (size < endBytes)
    await handle.appendFile("\n"); // the last line is whole but for its end
  else await handle.truncate(endBytes);
}

/** Throws a file error for the header of a later version. */
export function checkVersion(header: JsonObject, file: string): void {
  if (String(header.courier_journal) === String(formatVersion)) return;
  throw fileError(`the journal is not of a version that this courier knows: ${file}`, {
    hint: "update courier",
  });
}

export function isOf({ account, base_url }: JournalIdentity, header: JsonObject): boolean {
  return header.account === account && header.base_url === base_url;
}

function checkIdentity(header: JsonObject, identity: JournalIdentity, file: string): void {
  if (isOf(identity, header)) return;
  throw fileError(
    `the journal belongs to the account ${String(header.account)} at ${String(header.base_url)}, not to ${identity.account} at ${identity.base_url}: ${file}`,
    { hint: "use that account, or name another journal with --journal PATH" },
  );
}

async function readEntry(handle: FileHandle, at: number): Promise<Entry> {
  const pieces: Buffer[] = [];
  for (let position = at; ; position += pieceBytes) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, position);
    const end = buffer.subarray(0, bytesRead).indexOf(10);
    pieces.push(buffer.subarray(0, end < 0 ? bytesRead : end));
    if (end >= 0 || bytesRead === 0) return JSON.parse(Buffer.concat(pieces).toString()) as Entry;
  }
}
