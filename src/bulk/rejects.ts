/** Owns the file of rejects: refused rows in the input's own form with an `error` beside each, ready to be mended. */

import { type FileHandle, open, rename } from "node:fs/promises";
import { fileError, systemCode } from "../core/errors.ts";
import { isJsonObject, stringifyJson } from "../model/json.ts";
import type { RawRecord } from "./rows.ts";
import type { SheetForm } from "./source.ts";

export interface RejectsWriter {
  readonly count: number;
  add(raw: RawRecord, error: string): Promise<void>;
  /** Gives the file its name, where anything was refused. */
  finish(): Promise<void>;
}

export interface RejectsOptions {
  readonly path: string;
  readonly form: SheetForm;
  /** The header of a CSV input. */
  readonly header: () => readonly string[];
  /** Writes one CSV record, ended by a line break. */
  readonly csvRecord: (cells: readonly string[]) => string;
}

/** Nothing is at `path` until `finish`, so that a file of rejects is always whole. */
export function createRejects({ path, form, header, csvRecord }: RejectsOptions): RejectsWriter {
  const draft = `${path}.part`;
  let handle: FileHandle | undefined;
  let count = 0;

  function format(raw: RawRecord, error: string): string {
    if ("cells" in raw) {
      const names = header();
      // What was wrong with a row of an earlier file of rejects is told anew.
      const own = (cells: readonly string[]) => cells.filter((_, index) => names[index] !== "error");
      const head = count === 0 ? csvRecord([...own(names), "error"]) : "";
      return head + csvRecord([...own(raw.cells), error]);
    }
    const line = stringifyJson(isJsonObject(raw.value) ? { ...raw.value, error } : { row: raw.value, error });
    if (form === "ndjson") return `${line}\n`;
    return count === 0 ? `[\n${line}` : `,\n${line}`;
  }

  return {
    get count() {
      return count;
    },
    async add(raw, error) {
      try {
        handle ??= await open(draft, "w", 0o600);
        await handle.appendFile(format(raw, error));
      } catch (cause) {
        throw fileError(`cannot write the rejects to ${path}: ${systemCode(cause) ?? String(cause)}`, {
          cause,
        });
      }
      count += 1;
    },
    async finish() {
      if (!handle) return;
      if (form === "json") await handle.appendFile("\n]\n");
      await handle.close();
      await rename(draft, path);
    },
  };
}
