/** Where the key of an account is stored: config file, key ring, or a command that prints it. */

import { fileError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { shortestKey } from "../core/shown-command.ts";
import type { StoredAccount } from "./store.ts";

export type StoredKeySource =
  | { readonly place: "file"; readonly apiKey: string }
  | { readonly place: "keychain" }
  | { readonly place: "command"; readonly command: string };

/** The key of a run may also be given for it alone, in the environment. */
export type KeySource = StoredKeySource | { readonly place: "given"; readonly apiKey: string };

/** Where a stored account has its key; undefined where it has none. Throws for a file with two sources. */
export function keySource(name: string, account: StoredAccount): StoredKeySource | undefined {
  const { key, key_store, key_command } = account;
  const sources: StoredKeySource[] = [];
  if (key !== undefined)
    sources.push({ place: "file", apiKey: parseApiKey(key, `the key of the account ${name}`) });
  if (key_store === "keychain") sources.push({ place: "keychain" });
  if (key_command !== undefined) sources.push({ place: "command", command: key_command });
  if (sources.length < 2) return sources[0];
  const fields = { key, "key_store (keychain)": key_store === "keychain" || undefined, key_command };
  const named = Object.entries(fields).flatMap(([field, value]) => (value === undefined ? [] : field));
  throw fileError(`the config file gives the account ${name} more than one key: ${named.join(" and ")}`, {
    hint: `leave one of them in the file, or log in again: courier login --account ${shellQuote(name)}`,
  });
}

/** Whether a stored account has a key, which may be one that cannot be used. */
export function hasKey({ key, key_store, key_command }: StoredAccount): boolean {
  return key !== undefined || key_store === "keychain" || key_command !== undefined;
}

/** The stored account without anything that says where its key is. */
export function withoutSource(account: StoredAccount): StoredAccount {
  const { key: _key, key_store: _store, key_mark: _mark, key_command: _command, ...rest } = account;
  return rest;
}

/** HTTP servers accept no longer headers. */
const longestKey = 8_192;

/** A key as `source` gave it, without blanks around it. Throws a usage error, which never shows the key. */
export function parseApiKey(text: string, source: string): string {
  const key = text.trim();
  if (key === "") throw usageError(`${source} is empty`, "copy it from the account's API management page");
  if (key.length < shortestKey) {
    throw usageError(
      `${source} is too short: a key has at least ${shortestKey} characters`,
      "pass the whole key, as the account's API management page shows it",
    );
  }
  if (key.length > longestKey) {
    throw usageError(
      `${source} has ${key.length} characters; a key has at most ${longestKey}`,
      "pass the key alone, as the account's API management page shows it",
    );
  }
  // It travels in a header, where only visible ASCII is certain to arrive.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw usageError(`${source} has blanks, line breaks or non-ASCII characters`, "pass exactly one key");
  }
  return key;
}
