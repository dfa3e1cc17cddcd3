/** The API keys that accounts keep: stored, moved and deleted, in whatever place. */

import { randomUUID } from "node:crypto";
import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { showCommand } from "../core/shown-command.ts";
import { findAccount, unknownAccount } from "./accounts.ts";
import type { KeyRing, KeyRingEntry } from "./key-ring.ts";
import { keySource, withoutSource } from "./key-source.ts";
import { ensureKnown } from "./saved-names.ts";
import type { Config, ConfigStore, KeyStore, StoredAccount } from "./store.ts";

/** What a login stores: a key, in a store; or a command that prints it. */
export type KeyToStore =
  | { readonly place: KeyStore; readonly apiKey: string }
  | { readonly place: "command"; readonly command: string };

export interface StoredKeys {
  /** Throws where the key ring cannot be used. */
  probeKeychain(name: string, baseUrl: string): Promise<void>;
  /** Writes an entry of no account, reads it and deletes it. Throws where the key ring does not keep it. */
  tryKeychain(): Promise<void>;
  /**
   * Stores an account with its key; the first account becomes the current one. The key that it had elsewhere is deleted:
   * returns why that is still in the key ring, if it is.
   */
  save(name: string, account: StoredAccount, keyToStore: KeyToStore): Promise<CourierError | undefined>;
  /** Moves a key, and leaves no copy behind. Returns where it was. */
  move(name: string, to: KeyStore): Promise<KeyStore>;
  /** Forgets an account's key but keeps its base URL. */
  forget(name: string): Promise<void>;
  /**
   * Forgets an account and its key. Returns why the key is still in the key ring, if it is. Throws where the account is no
   * longer `known`.
   */
  remove(name: string, known: StoredAccount): Promise<CourierError | undefined>;
}

interface StoredKeysDeps {
  readonly config: ConfigStore;
  ring(): Promise<KeyRing>;
  entryOf(name: string, baseUrl: string): KeyRingEntry;
  readRing(name: string, baseUrl: string): Promise<string>;
  /** The key, which output masks from now on. */
  registered(key: string): string;
}

export function createStoredKeys({
  config,
  ring,
  entryOf,
  readRing,
  registered,
}: StoredKeysDeps): StoredKeys {
  /** The account's entry in the key ring, where its key is there. */
  function ringEntry(name: string, account: StoredAccount | undefined): KeyRingEntry | undefined {
    return account?.key_store === "keychain" ? entryOf(name, account.base_url) : undefined;
  }

  async function drop(entry: KeyRingEntry | undefined): Promise<void> {
    if (entry) await (await ring()).delete(entry);
  }

  /** Returns why the key is still in the key ring, if it is. */
  async function tryDrop(entry: KeyRingEntry | undefined): Promise<CourierError | undefined> {
    try {
      await drop(entry);
    } catch (error) {
      if (error instanceof CourierError) return error;
      throw error;
    }
    return undefined;
  }

  /** Puts a key into the key ring, and reads it back. */
  async function fillRing(entry: KeyRingEntry, key: string): Promise<void> {
    const keyRing = await ring();
    await keyRing.set(entry, key);
    if ((await keyRing.get(entry)) === key) return;
    throw new CourierError("key_ring", 4, "the key ring took the key, but does not give it back", {
      hint: "keep the key elsewhere: --key-store file, or --key-command",
    });
  }

  /** Writes an account. Where that fails, the key ring gets back what it had before `fill`. */
  async function update(
    name: string,
    change: (content: Config, fill: typeof fillRing) => Promise<Config>,
    afterwards: () => Promise<void>,
  ): Promise<void> {
    let undo: (() => Promise<void>) | undefined;
    const fill: typeof fillRing = async (entry, key) => {
      const keyRing = await ring();
      const former = await keyRing.get(entry);
      undo = () => (former === undefined ? keyRing.delete(entry) : keyRing.set(entry, former));
      await fillRing(entry, key);
    };
    try {
      await config.update((content) => change(content, fill), {
        async afterwards() {
          undo = undefined;
          await afterwards();
        },
      });
    } catch (error) {
      await undo?.().catch(() => Promise.reject(keyTaken(name, error)));
      throw error;
    }
  }

  return {
    async probeKeychain(name, baseUrl) {
      await (await ring()).get(entryOf(name, baseUrl));
    },
    async tryKeychain() {
      const entry = entryOf("", "test");
      await fillRing(entry, "test");
      await drop(entry);
    },
    async save(name, account, keyToStore) {
      const entry = entryOf(name, account.base_url);
      let before: KeyRingEntry | undefined;
      let left: CourierError | undefined;
      await update(
        name,
        async (content, fill) => {
          const known = findAccount(content, name);
          before = ringEntry(name, known);
          if (keyToStore.place === "keychain") await fill(entry, keyToStore.apiKey);
          // With a new key, too, it shares its orders with the same machines: another ledger knows none of them.
          const ledger = known?.ledger === undefined ? {} : { ledger: known.ledger };
          const saved = { ...withoutSource(account), ...ledger, ...sourceFields(keyToStore) };
          return {
            ...content,
            current: content.current ?? name,
            accounts: { ...content.accounts, [name]: saved },
          };
        },
        async () => {
          const isSame = keyToStore.place === "keychain" && before?.user === entry.user;
          const error = isSame ? undefined : await tryDrop(before);
          // The key ring may be gone for good, which is why the key is to be elsewhere.
          left = error && keyLeft(name, error, before, keyToStore.place === "file" ? entry : undefined);
        },
      );
      return left;
    },
    async move(name, to) {
      let from: KeyStore = to;
      let entry: KeyRingEntry | undefined;
      await update(
        name,
        async (content, fill) => {
          const account = findAccount(content, name);
          if (!account) throw unknownAccount(name, content);
          const source = keySource(name, account);
          if (source?.place === "command") throw notOurs(name, source.command);
          if (source === undefined) throw noKey(name);
          from = source.place === "keychain" ? "keychain" : "file";
          entry = entryOf(name, account.base_url);
          if (from === to) return content;
          const apiKey =
            source.place === "keychain" ? await readRing(name, account.base_url) : registered(source.apiKey);
          if (to === "keychain") await fill(entry, apiKey);
          const moved = { ...withoutSource(account), ...sourceFields({ place: to, apiKey }) };
          return { ...content, accounts: { ...content.accounts, [name]: moved } };
        },
        async () => {
          // Again even where the key is in the file already: an earlier move may have left a copy behind.
          if (to === "file") await drop(entry).catch((error) => Promise.reject(copyLeft(name, error)));
        },
      );
      return from;
    },
    async forget(name) {
      await config.update(async (content) => {
        const account = findAccount(content, name);
        if (!account) throw unknownAccount(name, content);
        await drop(ringEntry(name, account));
        return { ...content, accounts: { ...content.accounts, [name]: withoutSource(account) } };
      });
    },
    async remove(name, known) {
      let entry: KeyRingEntry | undefined;
      let failure: CourierError | undefined;
      await config.update(
        (content) => {
          const account = findAccount(content, name);
          if (!account) throw unknownAccount(name, content);
          ensureKnown(`the account ${name}`, account, known);
          entry = ringEntry(name, account);
          const { [name]: _removed, ...accounts } = content.accounts;
          return { ...content, current: content.current === name ? undefined : content.current, accounts };
        },
        {
          // The account has to be removable where its key ring is gone, too.
          async afterwards() {
            failure = await tryDrop(entry);
          },
        },
      );
      return failure;
    },
  };
}

function sourceFields(keyToStore: KeyToStore): Partial<StoredAccount> {
  if (keyToStore.place === "command") return { key_command: keyToStore.command };
  if (keyToStore.place === "file") return { key: keyToStore.apiKey };
  return { key_store: "keychain", key_mark: randomUUID() };
}

function notOurs(name: string, command: string): CourierError {
  return usageError(
    `courier keeps no key of the account ${name}, which comes from a command: ${showCommand(command)}`,
    `store a key with: courier login --account ${shellQuote(name)} --key-store keychain`,
  );
}

function noKey(name: string): CourierError {
  return new CourierError("no_account", 4, `no key is stored for the account ${name}`, {
    hint: `store one with: courier login --account ${shellQuote(name)}`,
  });
}

/** `inFile`: the entry that a move to the file deletes. */
function keyLeft(
  name: string,
  error: CourierError,
  before: KeyRingEntry | undefined,
  inFile: KeyRingEntry | undefined,
): CourierError {
  const step =
    before?.user === inFile?.user
      ? `run courier accounts move-key ${shellQuote(name)} --to file`
      : `delete its entry ${before?.service}: ${before?.user}`;
  return error.with({
    message: `the key ring may still hold the key that the account ${name} had: ${error.message}`,
    hint: `once the key ring can be used, ${step}`,
  });
}

function keyTaken(name: string, error: unknown): unknown {
  if (!(error instanceof CourierError)) return error;
  return error.with({
    message: `${error.message}; the key ring may now hold this key for the account ${name}`,
  });
}

function copyLeft(name: string, error: unknown): unknown {
  if (!(error instanceof CourierError)) return error;
  return error.with({
    message: `the key of the account ${name} is in the config file, but the key ring may still hold a copy: ${error.message}`,
    hint: `unlock the key ring, then run again: courier accounts move-key ${shellQuote(name)} --to file`,
  });
}
