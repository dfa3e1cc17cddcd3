/** API keys of accounts: reads them, from wherever they are kept. */

import { CourierError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { ActiveAccount } from "./accounts.ts";
import type { KeyCommand } from "./key-command.ts";
import type { KeyRing, KeyRingEntry } from "./key-ring.ts";
import { parseApiKey } from "./key-source.ts";
import type { ConfigStore } from "./store.ts";
import type { StoredKeys } from "./stored-keys.ts";

export interface KeyDeps {
  readonly config: ConfigStore;
  ring(): Promise<KeyRing>;
  /** `storedKeys`: the command may contain none of them. */
  runCommand(command: KeyCommand, storedKeys: readonly string[]): Promise<string>;
  /** Called with every key before it is used, so that output is redacted. */
  redact(key: string): void;
}

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
  /** The keys that are kept, for commands that change them. */
  stored(): Promise<StoredKeys>;
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

  async function readRing(name: string, baseUrl: string): Promise<string> {
    const key = await (await ring()).get(entryOf(name, baseUrl));
    if (key !== undefined)
      return registered(parseApiKey(key, `the key of the account ${name} in the key ring`));
    throw new CourierError("no_account", 4, `the key ring has no key for the account ${name}`, {
      hint: `unlock the key ring, or store the key again: courier login --account ${shellQuote(name)}`,
    });
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
    async stored() {
      const { createStoredKeys } = await import("./stored-keys.ts");
      return createStoredKeys({ config, ring, entryOf, readRing, registered });
    },
  };
}
