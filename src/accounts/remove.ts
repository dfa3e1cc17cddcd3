/** `courier accounts remove`: forgets an account, its key, and the people in its orders. */

import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { textArgument } from "../command/options.ts";
import { findAccount, sandboxAccount, unknownAccount } from "../config/accounts.ts";
import { ensureKnown } from "../config/saved-names.ts";
import { usageError } from "../core/errors.ts";
import { line } from "../terminal/blocks.ts";
import { deleteAgain, deletePersonalData, forceOption } from "./personal-data.ts";

export const removeStoredAccount = defineCommand({
  description:
    "Names, phones and addresses of its orders are deleted from this machine, unless another account with a\n" +
    "key belongs to the same customer. That an order was sent stays known, so that none is sent twice. Orders\n" +
    "in doubt keep their details without --force.",
  arguments: { name: textArgument("the account's name", { values: "stored account" }) },
  options: { force: forceOption },
  confirms: true,
  examples: [{ line: "accounts remove shop", note: "asks first; --yes does not" }],
  exits: [5],
  seeAlso: ["logout", "ledger forget"],
  async run({ name, force }, context) {
    if (name === sandboxAccount) throw usageError("the account sandbox is part of courier and always there");
    const config = await context.config.read();
    const stored = findAccount(config, name);
    if (!stored) throw unknownAccount(name, config);
    await confirmOrStop(context, `Forget the account ${name} and its key?`);
    ensureKnown(`the account ${name}`, findAccount(await context.config.read(), name), stored);
    // A run that is stopped here leaves the account, so that the same command deletes the rest.
    const { details, ...end } = await deletePersonalData(
      context,
      name,
      stored,
      force === true,
      "ledger forget",
    );
    const keyLeft = await (await context.keys.stored()).remove(name, stored);
    if (keyLeft)
      context.messages.warnAlways(
        `the key of the account ${name} is still in the key ring: ${keyLeft.message}`,
      );
    // A command that has ended since found the account in the config file, and kept its orders.
    const failure = end.failure ?? (await deleteAgain(context, { name }));
    return {
      ...document({ account: name, removed: true, ...details }, () => [
        line(`The account ${name} is forgotten`),
      ]),
      ...(failure ? { failure, onUnread() {} } : {}),
    };
  },
});
