/** `courier accounts use`: makes an account the one that commands use by default. */

import { defineCommand, document } from "../command/command.ts";
import { textArgument } from "../command/options.ts";
import { findAccount, switchAccount } from "../config/accounts.ts";
import { line } from "../terminal/blocks.ts";
import { warnOfVariables } from "./login.ts";

export const useAccount = defineCommand({
  arguments: { name: textArgument("the account's name", { values: "account" }) },
  options: {},
  examples: [{ line: "accounts use shop", note: "from now on, commands use shop" }],
  seeAlso: ["accounts list", "login"],
  async run({ name }, context) {
    await switchAccount(context.config, name);
    warnOfVariables(name, findAccount(await context.config.read(), name) ?? {}, context);
    return document({ account: name, current: true }, () => [line(`The current account is now ${name}`)]);
  },
});
