/** `courier accounts move-key`: moves a key between the config file and the key ring. */

import { defineCommand, document } from "../command/command.ts";
import { textArgument } from "../command/options.ts";
import { sandboxAccount } from "../config/accounts.ts";
import { usageError } from "../core/errors.ts";
import { line } from "../terminal/blocks.ts";
import { describeKeyStore, keyStoreOption } from "./key-store-option.ts";

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
    const from = await context.keys.move(name, to);
    const place = describeKeyStore(to, context.config.path);
    const verb = from === to ? "was in" : "is now in";
    return document({ account: name, from, key_store: to, moved: from !== to }, () => [
      line(
        `The key of the account ${name} ${verb} ${place}${from === to ? " already" : ", and nowhere else"}`,
      ),
    ]);
  },
});
