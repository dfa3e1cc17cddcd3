/** Owns the config file: read as plain JSON, written by conf under a lock (owner of conf and proper-lockfile). */

import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileError, systemCode } from "../core/errors.ts";
import { isJsonObject, type Json, JsonSyntaxError, lineAndColumn, parseJson } from "../model/json.ts";
import { check, maybe, textSchema, z } from "../model/schema.ts";

const accountSchema = z.looseObject(
  { base_url: textSchema, key: z.optional(textSchema), allow_http: maybe(z.boolean({ error: "boolean" })) },
  { error: "object" },
);

const configSchema = z.looseObject(
  {
    current: maybe(textSchema),
    accounts: z.optional(z.record(z.string(), accountSchema, { error: "object" })),
  },
  { error: "object" },
);

const formatVersion = 1;

export interface StoredAccount {
  readonly base_url: string;
  readonly key?: string | undefined;
  readonly allow_http?: boolean | null | undefined;
}

/** The whole file; keys that this version does not know are kept. */
export interface Config {
  readonly current?: string | null | undefined;
  readonly accounts: Readonly<Record<string, StoredAccount>>;
}

export interface ConfigStore {
  readonly path: string;
  /** The present content; an empty config where no file is. Throws on a corrupt file, which stays as it is. */
  read(): Promise<Config>;
  /** Reads, changes and writes while holding the lock, so that no parallel run's change is lost. */
  update(change: (config: Config) => Config): Promise<void>;
}

/** The store in a directory, which is made with mode 0700 at the first write; the file has mode 0600. */
export function openConfigStore(directory: string): ConfigStore {
  const file = path.join(directory, "config.json");

  async function read(): Promise<Config> {
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (systemCode(error) === "ENOENT") return { accounts: {} };
      throw fileError(`cannot read the config file ${file}: ${systemCode(error) ?? String(error)}`, {
        cause: error,
      });
    }
    return parseConfig(text, file);
  }

  return {
    path: file,
    read,
    async update(change) {
      await prepareDirectory(directory);
      const release = await lock(file);
      try {
        const next = { version: formatVersion, ...change(await read()) };
        const { default: Conf } = await import("conf");
        const conf = new Conf<Record<string, unknown>>({
          projectName: "courier",
          cwd: directory,
          configFileMode: 0o600,
          clearInvalidConfig: false,
          accessPropertiesByDotNotation: false,
        });
        conf.store = next;
      } catch (error) {
        const code = systemCode(error);
        if (code === undefined) throw error;
        throw fileError(`cannot write the config file ${file}: ${code}`, { cause: error });
      } finally {
        await release();
      }
    },
  };
}

function parseConfig(text: string, file: string): Config {
  const untouched = "the file was left as it is: mend it, or move it away and run courier login again";
  let content: Json;
  try {
    content = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { line, column } = lineAndColumn(text, error.position);
    throw fileError(`the config file is not valid JSON, line ${line}, column ${column}: ${file}`, {
      hint: untouched,
    });
  }
  const version = isJsonObject(content) ? content.version : undefined;
  if (version !== undefined && String(version) !== String(formatVersion)) {
    throw fileError(
      `the config file is of version ${String(version)}, which this courier does not know: ${file}`,
      {
        hint: "update courier; the file was left as it is",
      },
    );
  }
  const checked = check(configSchema, content);
  if ("mismatches" in checked) {
    const [first] = checked.mismatches;
    const where = first?.path ? `${first.path} should be a ${first.expected}` : "it should be an object";
    throw fileError(`the config file is corrupt (${where}): ${file}`, { hint: untouched });
  }
  // Known to be safe to copy: the schema has no numbers, so plain JSON keeps every value.
  const { version: _version, ...config } = JSON.parse(text) as Config & { version?: number };
  return { ...config, accounts: config.accounts ?? {} };
}

async function prepareDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(`cannot make the config directory ${directory}: ${systemCode(error) ?? String(error)}`, {
      cause: error,
      hint: "choose another place with COURIER_CONFIG_DIR",
    });
  }
}

async function lock(file: string): Promise<() => Promise<void>> {
  const { default: lockfile } = await import("proper-lockfile");
  try {
    return await lockfile.lock(file, {
      realpath: false,
      stale: 10_000,
      retries: { retries: 400, factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true },
    });
  } catch (error) {
    const code = systemCode(error);
    throw fileError(`cannot lock the config file ${file}: ${code ?? String(error)}`, {
      cause: error,
      hint: code === "ELOCKED" ? "another courier is writing it; try again" : undefined,
    });
  }
}
