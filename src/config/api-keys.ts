/** API keys of accounts: reads, stores, moves and deletes them in whatever store. */

import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { type ActiveAccount, findAccount, unknownAccount } from "./accounts.ts";
import type { KeyCommand } from "./key-command.ts";
import type { KeyRing, KeyRingEntry } from "./key-ring.ts";
import { keySource, parseApiKey, withoutSource } from "./key-source.ts";
import type { Config, ConfigStore, KeyStore, StoredAccount } from "./store.ts";

export interface KeyDeps {
  readonly config: ConfigStore;
  ring(): Promise<KeyRing>;
  /** `storedKeys`: the command may contain none of them. */
  runCommand(command: KeyCommand, storedKeys: readonly string[]): Promise<string>;
  /** Called with every key before it is used, so that output is redacted. */
  redact(key: string): void;
}

/** What a login stores: a key, in a store; or a command that prints it. */
export type KeyToStore =
  | { readonly place: KeyStore; readonly apiKey: string }
  | { readonly place: "command"; readonly command: string };

export interface Keys {
  /** The key of an account. Throws `no_account`, `key_ring` or `key_command`, exit 4, and what `ask` throws. */
  read(account: Extract<ActiveAccount, { kind: "remote" }>): Promise<string>;
  /**
   * What a command prints, as a key. Throws `key_command` where it is none, and `key_on_command_line` where the command
   * contains it, or a stored key.
   */
  ask(command: KeyCommand): Promise<string>;
  /** What the password command of a shared ledger prints. Throws `key_command`, and `key_on_command_line`. */
  askPassword(command: string): Promise<string>;
  /** Throws where the key ring cannot be used. */
  probeKeychain(name: string, baseUrl: string): Promise<void>;
  /** Stores an account with its key; the first account becomes the current one. A copy elsewhere is deleted. */
  save(name: string, account: StoredAccount, keyToStore: KeyToStore): Promise<void>;
  /** Moves a key, and leaves no copy behind. Returns where it was. */
  move(name: string, to: KeyStore): Promise<KeyStore>;
  /** Forgets an account's key but keeps its base URL. */
  forget(name: string): Promise<void>;
  /** Forgets an account and its key. Returns why the key is still in the key ring, if it is. */
  remove(name: string): Promise<CourierError | undefined>;
}

export function createKeys({ config, ring, runCommand, redact }: KeyDeps): Keys {
  /** A key is bound to its service's origin, and to this config file: another one's accounts are not these. */
  function entryOf(name: string, baseUrl: string): KeyRingEntry {
    const service = URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
    return { service: "courier-cli", user: `${name} ${service} ${config.path}` };
  }

  function registered(key: string): string {
    redact(key);
    return key;
  }

  /** The account's entry in the key ring, where its key is there. */
  function ringEntry(name: string, account: StoredAccount | undefined): KeyRingEntry | undefined {
    return account?.key_store === "keychain" ? entryOf(name, account.base_url) : undefined;
  }

  async function drop(entry: KeyRingEntry | undefined): Promise<void> {
    if (entry) await (await ring()).delete(entry);
  }

  async function readRing(name: string, baseUrl: string): Promise<string> {
    const key = await (await ring()).get(entryOf(name, baseUrl));
    if (key !== undefined)
      return registered(parseApiKey(key, `the key of the account ${name} in the key ring`));
    throw new CourierError("no_account", 4, `the key ring has no key for the account ${name}`, {
      hint: `unlock the key ring, or store the key again: courier login --account ${shellQuote(name)}`,
    });
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

  /** Writes an account whose key is in `entry` now; removes the entry where that fails. */
  async function update(
    change: (content: Config) => Promise<Config>,
    filled: () => KeyRingEntry | undefined,
    afterwards: () => Promise<void>,
  ): Promise<void> {
    let isWritten = false;
    try {
      await config.update(change, async () => {
        isWritten = true;
        await afterwards();
      });
    } catch (error) {
      if (!isWritten) await drop(filled()).catch(() => undefined);
      throw error;
    }
  }

  async function run(command: KeyCommand): Promise<string> {
    const { accounts } = await config.read();
    return runCommand(
      command,
      Object.values(accounts).flatMap(({ key }) => key ?? []),
    );
  }

  return {
    async read({ name, baseUrl, key }) {
      if (key.place === "keychain") return readRing(name, baseUrl);
      if (key.place === "command") return this.ask({ account: name, command: key.command });
      return key.apiKey;
    },
    askPassword: (command) => run({ account: undefined, command }),
    async ask(command) {
      const printed = await run(command);
      try {
        return registered(
          parseApiKey(printed, `what the key command of the account ${command.account} prints`),
        );
      } catch (error) {
        const hint =
          "it has to print the key alone; a first line: --key-command \"sh -c 'pass show courier | head -n 1'\"";
        if (!(error instanceof CourierError)) throw error;
        throw new CourierError("key_command", 4, error.message, { hint });
      }
    },
    async probeKeychain(name, baseUrl) {
      await (await ring()).get(entryOf(name, baseUrl));
    },
    async save(name, account, keyToStore) {
      const entry = entryOf(name, account.base_url);
      let before: KeyRingEntry | undefined;
      let filled: KeyRingEntry | undefined;
      await update(
        async (content) => {
          before = ringEntry(name, findAccount(content, name));
          if (keyToStore.place === "keychain") {
            await fillRing(entry, keyToStore.apiKey);
            filled = before?.user === entry.user ? undefined : entry;
          }
          const saved = { ...withoutSource(account), ...sourceFields(keyToStore) };
          return {
            ...content,
            current: content.current ?? name,
            accounts: { ...content.accounts, [name]: saved },
          };
        },
        () => filled,
        async () => {
          const isSame = keyToStore.place === "keychain" && before?.user === entry.user;
          if (!isSame) await drop(before);
        },
      );
    },
    async move(name, to) {
      let from: KeyStore = to;
      let entry: KeyRingEntry | undefined;
      await update(
        async (content) => {
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
          if (to === "keychain") await fillRing(entry, apiKey);
          const moved = { ...withoutSource(account), ...sourceFields({ place: to, apiKey }) };
          return { ...content, accounts: { ...content.accounts, [name]: moved } };
        },
        () => (to === "keychain" && from !== to ? entry : undefined),
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
    async remove(name) {
      let entry: KeyRingEntry | undefined;
      let failure: CourierError | undefined;
      await config.update(
        (content) => {
          const account = findAccount(content, name);
          if (!account) throw unknownAccount(name, content);
          entry = ringEntry(name, account);
          const { [name]: _removed, ...accounts } = content.accounts;
          return { ...content, current: content.current === name ? undefined : content.current, accounts };
        },
        async () => {
          // The account has to be removable where its key ring is gone, too.
          await drop(entry).catch((error) => {
            if (!(error instanceof CourierError)) throw error;
            failure = error;
          });
        },
      );
      return failure;
    },
  };
}

function sourceFields(keyToStore: KeyToStore): Pick<StoredAccount, "key" | "key_store" | "key_command"> {
  if (keyToStore.place === "command") return { key_command: keyToStore.command };
  return keyToStore.place === "keychain" ? { key_store: "keychain" } : { key: keyToStore.apiKey };
}

function notOurs(name: string, command: string): CourierError {
  return usageError(
    `courier keeps no key of the account ${name}, which comes from a command: ${command}`,
    `store a key with: courier login --account ${shellQuote(name)} --key-store keychain`,
  );
}

function noKey(name: string): CourierError {
  return new CourierError("no_account", 4, `no key is stored for the account ${name}`, {
    hint: `store one with: courier login --account ${shellQuote(name)}`,
  });
}

function copyLeft(name: string, error: unknown): unknown {
  if (!(error instanceof CourierError)) return error;
  return error.with({
    message: `the key of the account ${name} is in the config file, but the key ring may still hold a copy: ${error.message}`,
    hint: `unlock the key ring, then run again: courier accounts move-key ${shellQuote(name)} --to file`,
  });
}
