/** The file of rejects: refused and wrong rows in the form of the input, each with its `error`. */

import { existsSync } from "node:fs";
import { type FileHandle, link, open, readFile, stat } from "node:fs/promises";
import type { Clock } from "../core/clock.ts";
import { fileError, systemCode } from "../core/errors.ts";
import { nameOutputDraft, removeDeadDrafts, removeDraft } from "../core/output-draft.ts";
import type { ProcessTable } from "../core/process-identity.ts";
import { replaceFile } from "../core/replace-file.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { isJsonObject, stringifyJson } from "../model/json.ts";
import type { SourceFacts } from "../sheets/source.ts";
import { plainText } from "./plain-text.ts";
import type { RawRecord } from "./raw-record.ts";

export interface RejectsWriter {
  readonly path: string;
  readonly count: number;
  /** Why the file could not be written. Nothing is thrown, because the rows have been sent. */
  readonly failure: string | undefined;
  /** The new name of a different file that was at `path`: it may contain fixes. */
  readonly earlier: string | undefined;
  /** Never rejects: see `failure`. */
  add(raw: RawRecord, error: string): Promise<void>;
  /** Moves the draft to `path`, where rows were refused. Never rejects: see `failure`. */
  finish(): Promise<void>;
  /** Deletes the draft, unless it was finished. */
  abandon(): Promise<void>;
}

export interface RejectsOptions {
  readonly path: string;
  /** Form, delimiter and byte order mark of the input, which the file takes over. */
  readonly facts: SourceFacts;
  /** The header of a CSV input. */
  readonly header: readonly string[];
  /** Writes one CSV record, ended by a line break. */
  readonly csvRecord: (cells: readonly string[], delimiter: string) => string;
  readonly clock: Clock;
  readonly processes: ProcessTable;
}

/**
 * Rows go to a draft beside `path` until `finish`, so that a file of rejects is always complete. Each import has its
 * own draft, from its first row on. Throws a file error, before anything is sent, where the draft cannot be created.
 */
export async function createRejects({
  path,
  facts,
  header,
  csvRecord,
  clock,
  processes,
}: RejectsOptions): Promise<RejectsWriter> {
  const draft = nameOutputDraft(path, processes);
  const explain = (cause: unknown) =>
    `cannot write the rejects to ${path}: ${explainSystemError(cause, "directory")}`;
  // A process that is stopped at once leaves no draft without rows.
  await tryDraft(path, draft).catch((cause) => {
    const left = existsSync(draft) ? `; ${draft} is left there` : "";
    throw fileError(`${explain(cause)}${left}`, { cause });
  });
  let handle: FileHandle | undefined;
  let failure: string | undefined;
  let count = 0;
  let earlier: string | undefined;

  function format(raw: RawRecord, error: string): string {
    if ("cells" in raw) {
      // The new error replaces the one of an earlier file of rejects. A row may lack the cells that a write-back added.
      const own = (cells: readonly string[]) =>
        header.flatMap((title, index) => (title === "error" ? [] : [cells[index] ?? ""]));
      const record = (cells: readonly string[]) => csvRecord(cells, facts.delimiter);
      const mark = facts.needsMark ? "\uFEFF" : "";
      const head = count === 0 ? mark + record([...own(header), "error"]) : "";
      // A further line has no cell for most of what the error may name: a person would fill it there, too.
      const further = (raw.more ?? []).map((cells) => record([...own(cells), ""]));
      const said = raw.text === undefined ? error : `${error}: “${raw.text}”`;
      return [head, record([...own(raw.cells), plainText(said)]), ...further].join("");
    }
    const line = stringifyJson(isJsonObject(raw.value) ? { ...raw.value, error } : { row: raw.value, error });
    if (facts.form === "ndjson") return `${line}\n`;
    return count === 0 ? `[\n${line}` : `,\n${line}`;
  }

  async function close(): Promise<void> {
    const closing = handle;
    handle = undefined;
    await closing?.close();
  }

  async function abandon(): Promise<void> {
    if (!handle) return;
    await close().finally(() => removeDraft(draft));
  }

  return {
    path,
    get count() {
      return count;
    },
    get failure() {
      return failure;
    },
    get earlier() {
      return earlier;
    },
    async add(raw, error) {
      try {
        if (failure === undefined) {
          handle ??= await openDraft(path, draft);
          await handle.appendFile(format(raw, error));
        }
      } catch (cause) {
        failure = `${explain(cause)}; the report names the rows that were not created`;
        await abandon().catch(() => {}); // an incomplete file would look complete
      }
      count += 1;
    },
    async finish() {
      try {
        if (count === 0 || !handle) return await abandon();
        if (facts.form === "json") await handle.appendFile("\n]\n");
        await close();
        earlier = await giveName(draft, path, clock);
        await removeDeadDrafts(path, processes);
      } catch (cause) {
        const left = existsSync(draft)
          ? `they are in ${draft}`
          : "the report names the rows that were not created";
        failure = `${explain(cause)}; ${left}`;
      }
    },
    abandon,
  };
}

async function tryDraft(path: string, draft: string): Promise<void> {
  await (await openDraft(path, draft)).close();
  await removeDraft(draft);
}

async function openDraft(path: string, draft: string): Promise<FileHandle> {
  const found = await stat(path).catch((error) => {
    if (systemCode(error) === "ELOOP") throw error; // otherwise the link would be renamed, and lead elsewhere
    return undefined;
  });
  if (found?.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
  // Otherwise it would be renamed: as root, even /dev/null.
  if (found && !found.isFile()) throw Object.assign(new Error("not a file"), { code: "EFTYPE" });
  return open(draft, "wx", 0o600);
}

/**
 * Moves the draft to `path`. Returns the new name of a different file that was there. Another import may do the same at
 * the same time: neither overwrites the file of the other.
 */
async function giveName(draft: string, path: string, clock: Clock): Promise<string | undefined> {
  let earlier: string | undefined;
  while (!(await putAt(path, draft, clock))) {
    if (await isSame(path, draft)) break;
    earlier = await setAside(path, clock);
  }
  await removeDraft(draft);
  return earlier;
}

/** False where something is at `path` already. */
async function putAt(path: string, draft: string, clock: Clock): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST" || existsSync(path)) return false;
    await replaceFile(draft, path, clock); // a file system without links
    return true;
  }
}

async function isSame(path: string, draft: string): Promise<boolean> {
  const [found, own] = await Promise.all([readFile(path).catch(() => undefined), readFile(draft)]);
  return found?.equals(own) === true;
}

/** Undefined where another import was faster. */
async function setAside(path: string, clock: Clock): Promise<string | undefined> {
  for (let number = 1; ; number++) {
    const name = `${path}.old${number === 1 ? "" : number}`;
    try {
      await (await open(name, "wx")).close(); // the name is ours now
    } catch (error) {
      if (systemCode(error) === "EEXIST") continue;
      throw error;
    }
    try {
      await replaceFile(path, name, clock);
      return name;
    } catch (error) {
      await removeDraft(name);
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }
}
