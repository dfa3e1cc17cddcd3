/** JSON files of courier: reads and validates them, and words the errors for a damaged one. */

import path from "node:path";
import type { Clock } from "../core/clock.ts";
import { fileError, systemCode } from "../core/errors.ts";
import { readRegularFile, Unreadable } from "../core/regular-file.ts";
import { allowMoreFiles, explainSystemError, isFileLimit } from "../core/system-errors.ts";
import { withArticle } from "../core/wording.ts";
import {
  isJsonNumber,
  isJsonObject,
  type Json,
  JsonSyntaxError,
  lineAndColumn,
  parseJson,
  stringifyJson,
} from "../model/json.ts";
import { check, type Schema } from "../model/schema.ts";
import type { LockOptions } from "./config-lock.ts";
import type { UpdateSteps } from "./json-writer.ts";

const formatVersion = 1;

export interface JsonFile<T> {
  readonly path: string;
  /** The present content; `empty` where no file is. Throws on a corrupt file, which stays as it is. */
  read(): Promise<T>;
  /** Reads, changes and writes while holding the lock, so that no change of a parallel run is lost. */
  update(change: (content: T) => T | Promise<T>, steps?: UpdateSteps): Promise<void>;
}

export interface JsonFileOptions<T> {
  readonly directory: string;
  /** File name without its extension. */
  readonly name: string;
  /** What the file is called in messages: `config file`. */
  readonly title: string;
  readonly schema: () => Schema<unknown>;
  readonly empty: T;
  /** What to do about a corrupt file. */
  readonly remedy: string;
  /** The secrets in a content: a new one is written only to a place that suits it. */
  readonly secrets?: (content: T) => readonly string[];
  readonly lock?: LockOptions | undefined;
  /** For the wait while another program has the file open. */
  readonly clock: Clock;
}

/** A file in a directory that is made with mode 0700 at the first write; the file itself has mode 0600. */
export function openJsonFile<T extends object>(options: JsonFileOptions<T>): JsonFile<T> {
  const { directory, name, title } = options;
  const file = path.join(directory, `${name}.json`);

  async function read(): Promise<T> {
    let text: string;
    try {
      text = withoutMark(readRegularFile(file)); // small, and `fs/promises` takes longer to load than it to read
    } catch (error) {
      if (systemCode(error) === "ENOENT") return options.empty;
      throw fileError(`cannot read the ${title} ${file}: ${explainSystemError(error)}`, {
        cause: error,
        hint:
          error instanceof Unreadable
            ? `${error.remedy}, then run the same command again`
            : isFileLimit(systemCode(error))
              ? allowMoreFiles
              : "check the permissions of the file and of its directory; it was left as it is",
      });
    }
    return { ...options.empty, ...parseContent<T>(text, file, options) };
  }

  return {
    path: file,
    read,
    async update(change, steps) {
      const { updateFile } = await import("./json-writer.ts");
      const { secrets = () => [], lock, clock } = options;
      await updateFile({ file, title, secrets, lock, clock, ...steps }, async () => {
        const before = await read();
        const after = await change(before);
        return { before, after, content: { version: formatVersion, ...after } };
      });
    },
  };
}

/** Editors on Windows put a byte order mark before the text. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

function parseContent<T>(text: string, file: string, { title, schema, remedy }: JsonFileOptions<T>): T {
  const refused = (problem: string) =>
    fileError(`the ${title} ${problem}: ${file}`, { hint: `the file was left as it is: ${remedy}` });
  let content: Json;
  try {
    content = parseJson(text, { duplicateKeys: "refuse" }); // the next write would drop the first one
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { line, column } = lineAndColumn(text, error.position);
    const [, twice] = /^Duplicate key (.*) encountered/.exec(error.reason) ?? [];
    const problem = twice === undefined ? "is not valid JSON" : `has ${twice} twice`;
    throw refused(`${problem}, line ${line}, column ${column}`);
  }
  if (!isJsonObject(content)) throw refused("is corrupt (it should be an object)");
  const { version, ...rest } = content;
  if (version !== undefined && !(isJsonNumber(version) && version.value === String(formatVersion))) {
    const shown = stringifyJson(version);
    throw fileError(`the ${title} is of version ${shown}, which this courier does not know: ${file}`, {
      hint: "update courier; the file was left as it is",
    });
  }
  const checked = check(schema(), content);
  if ("mismatches" in checked) {
    const [{ path, expected = "" } = {}] = checked.mismatches;
    const should = expected === "no such key" ? "left out" : withArticle(expected);
    throw refused(`is corrupt (${path} should be ${should})`);
  }
  return rest as T;
}
