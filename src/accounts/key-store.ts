/** `courier accounts key-store`: where logins store keys unless `--key-store` names another place. */

import { defineCommand, document } from "../command/command.ts";
import { line } from "../terminal/blocks.ts";
import { describeKeyStore, keyStoreCandidates, parseKeyStore } from "./key-store-option.ts";

export const chooseKeyStore = defineCommand({
  description:
    "Keys that are stored already stay where they are: courier accounts move-key moves one, and courier login\n" +
    "leaves the key of a known account in its place unless --key-store says otherwise.",
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
  seeAlso: ["accounts move-key", "accounts list", "login"],
  async run({ store }, context) {
    await context.config.update((config) => ({ ...config, key_store: store }));
    return document({ key_store: store }, () => [
      line(`From now on, logins keep keys in ${describeKeyStore(store, context.config.path)}`),
    ]);
  },
});
