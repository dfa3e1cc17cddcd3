/** Owns `courier logout`: forgets the key of an account. */

import { defineCommand, document } from "../command/command.ts";
import { defaultAccount, sandboxAccount } from "../config/accounts.ts";
import { usageError } from "../core/errors.ts";
import { line } from "../terminal/blocks.ts";

export const logout = defineCommand({
  description: "The account's base URL is kept, so that logging in again needs only the key.",
  arguments: {},
  options: {},
  examples: [
    { line: "logout", note: "the current account" },
    { line: "logout --account shop", note: "another one" },
  ],
  seeAlso: ["login", "accounts remove"],
  async run(_input, context) {
    const { current } = await context.config.read();
    const name = context.globals.account ?? current ?? defaultAccount;
    if (name === sandboxAccount) throw usageError("the account sandbox has no key to forget");
    await context.keys.forget(name);
    await context.forgetKnownOrders(name);
    return document({ account: name, logged_out: true }, () => [
      line(`The key of the account ${name} is forgotten`),
    ]);
  },
});
