/** `courier addresses edit`: changes single fields of a saved address. */

import { askAddress } from "../command/ask-address.ts";
import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { partyOptions } from "../command/party-options.ts";
import { changeParty, findParty, parseAlias } from "../config/address-book.ts";
import { usageError } from "../core/errors.ts";
import { partyFields, partyWords } from "../model/fields.ts";
import type { AddressRow } from "../model/results.ts";
import { line, styled } from "../terminal/blocks.ts";
import { ensureUsable } from "./add.ts";
import { addressView, pickParty, withoutBlanks } from "./address-view.ts";

export const editAddress = defineCommand({
  description:
    "Flags change the fields that they name, and no others. An empty one removes its field, and asks first. Without a\n" +
    "flag, it asks for each field at a terminal.",
  arguments: { alias: { summary: "the address's short name", parse: parseAlias, values: "alias" } },
  options: partyOptions,
  confirms: true,
  examples: [
    { line: "addresses edit shop --phone 13800138000", note: "changes the phone alone" },
    { line: "addresses edit shop", note: "asks for each field, with what it holds now" },
  ],
  seeAlso: ["addresses show", "addresses add"],
  async run({ alias, ...flags }, context) {
    const config = await context.config.read();
    const existing = findParty(config, alias);
    const changes = pickParty(flags);
    const hasFlags = Object.keys(changes).length > 0;
    const prompts = hasFlags ? undefined : await context.prompts();
    if (!hasFlags && !prompts)
      throw usageError(`no field of @${alias} to change`, "name it, for example with --phone");
    const party = prompts
      ? await askAddress(existing, prompts, context)
      : withoutBlanks({ ...existing, ...changes });
    ensureUsable(party);
    // A variable of a script may not be set.
    const removed = partyFields.filter(
      (name) => changes[name] !== undefined && existing[name] && !party[name],
    );
    const names = removed.map((name) => partyWords[name].label).join(", ");
    if (removed.length > 0) await confirmOrStop(context, `Remove ${names} from @${alias}?`);
    const isChanged = (name: (typeof partyFields)[number]) => (party[name] ?? "") !== (existing[name] ?? "");
    const changed = Object.fromEntries(
      partyFields.filter(isChanged).map((name) => [name, party[name] ?? ""]),
    );
    const saved = await changeParty(context.config, alias, existing, changed);
    const row: AddressRow = { alias, ...saved, default: config.default_sender === alias };
    return document(row, () => [
      line(styled("good", "Changed"), " in the address book"),
      ...addressView(row),
    ]);
  },
});
