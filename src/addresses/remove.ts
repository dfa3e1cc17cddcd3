/** `courier addresses remove`: forgets an entry of the address book. */

import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { findParty, parseAlias, removeParty } from "../config/address-book.ts";
import { describeParty } from "../forms/party-form.ts";
import { line } from "../terminal/blocks.ts";

export const removeAddress = defineCommand({
  arguments: { alias: { summary: "its short name", parse: parseAlias, values: "alias" } },
  options: {},
  confirms: true,
  examples: [{ line: "addresses remove li", note: "asks first; --yes does not" }],
  async run({ alias }, context) {
    const party = findParty(await context.config.read(), alias);
    await confirmOrStop(context, `Forget the address ${describeParty(party, alias)}?`);
    await removeParty(context.config, alias);
    return document({ alias, removed: true }, () => [line(`The address @${alias} is forgotten`)]);
  },
});
