/** Owns the file of rejects: refused rows in the input's own form with an `error` beside each, ready to be mended. */

import { existsSync } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { explainSystemError, fileError } from "../core/errors.ts";
import { isJsonObject, stringifyJson } from "../model/json.ts";
import type { RawRecord } from "./rows.ts";
import type { SourceFacts } from "./source.ts";

export interface RejectsWriter {
  readonly path: string;
  readonly count: number;
  /** Where a file went that stood at `path` and differs: somebody may have mended it. */
  readonly earlier: string | undefined;
  add(raw: RawRecord, error: string): Promise<void>;
  /** Gives the file its name, where anything was refused. */
  finish(): Promise<void>;
  /** Leaves nothing behind, unless it was finished. */
  abandon(): Promise<void>;
}

export interface RejectsOptions {
  readonly path: string;
  /** Of the input, whose form, delimiter and mark they have. */
  readonly facts: SourceFacts;
  /** The header of a CSV input. */
  readonly header: readonly string[];
  /** Writes one CSV record, ended by a line break. */
  readonly csvRecord: (cells: readonly string[], delimiter: string) => string;
}

/**
 * Nothing is at `path` until `finish`, so that a file of rejects is always whole. Throws a file error before
 * anything is sent where it cannot be written.
 */
export async function createRejects({
  path,
  facts,
  header,
  csvRecord,
}: RejectsOptions): Promise<RejectsWriter> {
  const draft = `${path}.part`;
  const fail = (cause: unknown) =>
    fileError(`cannot write the rejects to ${path}: ${explainSystemError(cause, "directory")}`, { cause });
  let handle: FileHandle | undefined = await open(draft, "w", 0o600).catch((error) => {
    throw fail(error);
  });
  let count = 0;
  let earlier: string | undefined;

  function format(raw: RawRecord, error: string): string {
    if ("cells" in raw) {
      // What was wrong with a row of an earlier file of rejects is told anew.
      const own = (cells: readonly string[]) => cells.filter((_, index) => header[index] !== "error");
      const record = (cells: readonly string[]) => csvRecord(cells, facts.delimiter);
      const mark = facts.needsMark ? "\uFEFF" : "";
      const head = count === 0 ? mark + record([...own(header), "error"]) : "";
      return head + record([...own(raw.cells), error]);
    }
    const line = stringifyJson(isJsonObject(raw.value) ? { ...raw.value, error } : { row: raw.value, error });
    if (facts.form === "ndjson") return `${line}\n`;
    return count === 0 ? `[\n${line}` : `,\n${line}`;
  }

  async function abandon(): Promise<void> {
    if (!handle) return;
    await handle.close();
    handle = undefined;
    await rm(draft, { force: true });
  }

  return {
    path,
    get count() {
      return count;
    },
    get earlier() {
      return earlier;
    },
    async add(raw, error) {
      await handle?.appendFile(format(raw, error)).catch((cause) => {
        throw fail(cause);
      });
      count += 1;
    },
    async finish() {
      if (count === 0 || !handle) return abandon();
      if (facts.form === "json") await handle.appendFile("\n]\n");
      await handle.close();
      handle = undefined;
      try {
        earlier = await setAside(path, draft);
        await rename(draft, path);
      } catch (error) {
        throw fail(error);
      }
    },
    abandon,
  };
}

/** Gives the file at `path` another name, unless it says the same as the draft. Gives back the name. */
async function setAside(path: string, draft: string): Promise<string | undefined> {
  if (!existsSync(path) || (await readFile(path)).equals(await readFile(draft))) return undefined;
  let name = `${path}.old`;
  for (let number = 2; existsSync(name); number++) name = `${path}.old${number}`;
  await rename(path, name);
  return name;
}
