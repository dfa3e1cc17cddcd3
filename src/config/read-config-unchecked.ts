/** The config file as completion and errors read it: without loading the schemas that check it. */

import { existsSync } from "node:fs";
import path from "node:path";
import { findLink, readRegularFile } from "../core/regular-file.ts";
import { hasKey } from "./key-source.ts";
import type { Config, HeaderMap } from "./store.ts";

/** The file's content; parts that are missing or of another type are empty, and nothing is an error. */
export function readConfigUnchecked(directory: string): Config {
  const content = objectOf(parse(path.join(directory, "config.json")));
  return {
    current: typeof content.current === "string" ? content.current : undefined,
    accounts: entriesOf<Config["accounts"][string]>(
      content.accounts,
      ({ base_url }) => typeof base_url === "string",
    ),
    addresses: entriesOf<Config["addresses"][string]>(content.addresses),
    templates: entriesOf<Config["templates"][string]>(content.templates),
    maps: entriesOf<Config["maps"][string]>(content.maps),
    header_maps: entriesOf<HeaderMap>(content.header_maps),
  };
}

/** There is a file, and it is not what courier writes: that it has no accounts says nothing. */
export function hasUnreadableConfig(directory: string): boolean {
  const file = path.join(directory, "config.json");
  if (!existsSync(file) && findLink(file) === undefined) return false;
  const content = parse(file);
  const { version = 1, accounts = {} } = objectOf(content);
  return content !== objectOf(content) || version !== 1 || accounts !== objectOf(accounts);
}

/**
 * False where the account was logged out, or removed, or is one of another service; true where the file says nothing.
 * `ownUrls`: of its service, as the file had it, which a person may have written, and as commands use it.
 */
export function mayHaveKey(
  directory: string,
  name: string,
  ownUrls: readonly (string | undefined)[],
): boolean {
  // A file that is missing may be on a disk that is away: no command that logs out removes it.
  if (hasUnreadableConfig(directory) || !existsSync(path.join(directory, "config.json"))) return true;
  const account = readConfigUnchecked(directory).accounts[name];
  return account !== undefined && hasKey(account) && ownUrls.includes(account.base_url);
}

/** The keys in the file, of all accounts. */
export function readKeysUnchecked(directory: string): readonly string[] {
  const { accounts } = objectOf(parse(path.join(directory, "config.json")));
  return Object.values(objectOf(accounts)).flatMap((account) => {
    const { key } = objectOf(account);
    return typeof key === "string" ? key.trim() : [];
  });
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readRegularFile(file).replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

function entriesOf<T>(
  value: unknown,
  isUsable: (entry: Readonly<Record<string, unknown>>) => boolean = () => true,
): Readonly<Record<string, T>> {
  const usable = Object.entries(objectOf(value)).filter(
    ([, entry]) => entry === objectOf(entry) && isUsable(objectOf(entry)),
  );
  return Object.fromEntries(usable) as Readonly<Record<string, T>>;
}
