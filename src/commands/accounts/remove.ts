/** Owns `courier accounts remove`: forgets an account, its key included. */

import { confirmOrStop, defineCommand, document } from "../../command/command.ts";
import { textArgument } from "../../command/options.ts";
import { findAccount, sandboxAccount, unknownAccount } from "../../config/accounts.ts";
import { usageError } from "../../core/errors.ts";
import { line } from "../../terminal/blocks.ts";

export const removeStoredAccount = defineCommand({
  arguments: { name: textArgument("the account's name", { values: "stored account" }) },
  options: {},
  confirms: true,
  examples: [{ line: "accounts remove shop", note: "asks first; --yes does not" }],
  seeAlso: ["logout"],
  async run({ name }, context) {
    if (name === sandboxAccount) throw usageError("the account sandbox is part of courier and always there");
    const config = await context.config.read();
    if (!findAccount(config, name)) throw unknownAccount(name, config);
    await confirmOrStop(context, `Forget the account ${name} and its key?`);
    const keyLeft = await context.keys.remove(name);
    if (keyLeft)
      context.messages.warn(`the key of the account ${name} is still in the key ring: ${keyLeft.message}`);
    await context.forgetKnownOrders(name);
    return document({ account: name, removed: true }, () => [line(`The account ${name} is forgotten`)]);
  },
});
