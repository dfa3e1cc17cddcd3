/** `courier accounts key-store` and `move-key`: where keys are kept. */

import { defineCommand, document } from "../command/command.ts";
import { quote, textArgument } from "../command/options.ts";
import { sandboxAccount } from "../config/accounts.ts";
import { type KeyStore, keyStores } from "../config/store.ts";
import { usageError } from "../core/errors.ts";
import { line } from "../terminal/blocks.ts";

/** How the place is called in sentences. */
export function describeKeyStore(store: KeyStore, configPath: string): string {
  if (store === "keychain") return "the operating system's key ring";
  return `${configPath} (a file that only you can read)`;
}

/** Throws a usage error, which calls the text by `what`. */
export function parseKeyStore(text: string, what: string): KeyStore {
  const store = keyStores.find((each) => each === text);
  if (store !== undefined) return store;
  throw usageError(`${what} is ${keyStores.join(" or ")}, not ${quote(text)}`);
}

/** For completion. */
export const keyStoreCandidates = keyStores.map((word) => ({ value: word }));

export function keyStoreOption(summary: string) {
  return {
    placeholder: "STORE",
    summary,
    parse: parseKeyStore,
    candidates: keyStoreCandidates,
  };
}

export const chooseKeyStore = defineCommand({
  description:
    "Keys that are stored already stay where they are: courier accounts move-key moves one, and courier login\n" +
    "leaves the key of a known account in its place unless --key-store says otherwise. A key ring that does not\n" +
    "keep a test entry is refused.",
  arguments: {
    store: {
      summary: "file or keychain",
      parse: (text) => parseKeyStore(text, "the place for keys"),
      candidates: keyStoreCandidates,
    },
  },
  options: {},
  examples: [
    { line: "accounts key-store keychain", note: "from now on, in the operating system's key ring" },
    { line: "accounts key-store file", note: "in the config file, as it is at first" },
  ],
  exits: [4],
  seeAlso: ["accounts move-key", "accounts list", "login"],
  async run({ store }, context) {
    if (store === "keychain") await (await context.keys.stored()).tryKeychain();
    await context.config.update((config) => ({ ...config, key_store: store }));
    return document({ key_store: store }, () => [
      line(`From now on, logins keep keys in ${describeKeyStore(store, context.config.path)}`),
    ]);
  },
});

export const moveAccountKey = defineCommand({
  description:
    "keychain is the operating system's key ring: Keychain on macOS, Credential Manager on Windows, the\n" +
    "Secret Service (GNOME Keyring, KWallet) on Linux. file is the config file, which only you can read.\n" +
    "No copy stays behind.",
  arguments: { name: textArgument("the account's name", { values: "stored account" }) },
  options: { to: keyStoreOption("where the key goes: file or keychain") },
  examples: [
    { line: "accounts move-key shop --to keychain", note: "into the operating system's key ring" },
    { line: "accounts move-key shop --to file", note: "back into the config file" },
  ],
  exits: [4],
  seeAlso: ["accounts list", "accounts key-store", "login"],
  async run({ name, to }, context) {
    if (to === undefined)
      throw usageError("the new place is missing", "give it with --to keychain, or --to file");
    if (name === sandboxAccount) throw usageError("the account sandbox has no key to move");
    const from = await (await context.keys.stored()).move(name, to);
    const place = describeKeyStore(to, context.config.path);
    const verb = from === to ? "was in" : "is now in";
    return document({ account: name, from, key_store: to, moved: from !== to }, () => [
      line(
        `The key of the account ${name} ${verb} ${place}${from === to ? " already" : ", and nowhere else"}`,
      ),
    ]);
  },
});
