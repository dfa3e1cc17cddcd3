/** `courier logout`: forgets the key of an account, and the people in its orders. */

import { accountInUse } from "../command/account-in-use.ts";
import { defineCommand, document } from "../command/command.ts";
import { defaultAccount, findAccount, sandboxAccount } from "../config/accounts.ts";
import { usageError } from "../core/errors.ts";
import { line } from "../terminal/blocks.ts";
import { deletePersonalData, forceOption } from "./personal-data.ts";

export const logout = defineCommand({
  description:
    "The account's base URL is kept, so that logging in again needs only the key. Names, phones and addresses\n" +
    "of its orders are deleted from this machine, unless another account with a key belongs to the same\n" +
    "customer. That an order was sent stays known, so that none is sent twice. Orders in doubt keep their\n" +
    "details without --force.",
  arguments: {},
  options: { force: forceOption },
  examples: [
    { line: "logout", note: "the current account" },
    { line: "logout --account shop", note: "another one" },
    { line: "logout --force", note: "deletes the details of orders in doubt too" },
  ],
  exits: [5],
  seeAlso: ["login", "accounts remove", "ledger forget"],
  async run({ force }, context) {
    if (context.globals.baseUrl !== undefined)
      throw usageError("logout takes no --base-url", "name the account: courier logout --account NAME");
    const config = await context.config.read();
    const name = accountInUse(context, config) ?? defaultAccount;
    if (name === sandboxAccount) throw usageError("the account sandbox has no key to forget");
    await (await context.keys.stored()).forget(name);
    const { details, ...end } = await deletePersonalData(
      context,
      name,
      findAccount(config, name),
      force === true,
      "logout",
    );
    return {
      ...document({ account: name, logged_out: true, ...details }, () => [
        line(`The key of the account ${name} is forgotten`),
      ]),
      ...end,
      onUnread() {},
    };
  },
});
