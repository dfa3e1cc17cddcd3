/** `courier addresses`: the address book of this machine is listed and shown, has a default sender, and loses an entry. */

import { confirmOrStop, defineCommand, document, rows } from "../command/command.ts";
import { findParty, parseAlias, removeParty, useAsSender } from "../config/address-book.ts";
import { describeParty } from "../forms/party-form.ts";
import type { AddressRow } from "../model/results.ts";
import { line } from "../terminal/blocks.ts";
import { addressColumns, addressView } from "./address-view.ts";

export const listAddresses = defineCommand({
  arguments: {},
  options: {},
  examples: [
    { line: "addresses list", note: "every saved address" },
    { line: "addresses list --csv > addresses.csv", note: "export; addresses import reads it back" },
  ],
  seeAlso: ["addresses show", "addresses import"],
  async run(_input, context) {
    const { addresses, default_sender } = await context.config.read();
    const list = Object.entries(addresses).map(
      ([alias, party]): AddressRow => ({ alias, ...party, default: alias === default_sender }),
    );
    return rows(
      list,
      addressColumns,
      "The address book is empty; add to it with: courier addresses add NAME",
    );
  },
});

export const showAddress = defineCommand({
  arguments: { alias: { summary: "the address's short name", parse: parseAlias, values: "alias" } },
  options: {},
  examples: [{ line: "addresses show shop", note: "every field of it" }],
  seeAlso: ["addresses list", "addresses edit"],
  async run({ alias }, context) {
    const config = await context.config.read();
    const row: AddressRow = { alias, ...findParty(config, alias), default: config.default_sender === alias };
    return document(row, addressView);
  },
});

export const useAddress = defineCommand({
  description:
    "Orders that name no sender then have this one: in the form, in imports, and in scripts. courier addresses\n" +
    "list marks it.",
  arguments: { alias: { summary: "the address's short name", parse: parseAlias, values: "alias" } },
  options: {},
  examples: [{ line: "addresses use shop", note: "from now on, orders are sent by @shop" }],
  seeAlso: ["addresses list", "orders create"],
  async run({ alias }, context) {
    const party = await useAsSender(context.config, alias);
    const row: AddressRow = { alias, ...party, default: true };
    return document(row, addressView);
  },
});

export const removeAddress = defineCommand({
  arguments: { alias: { summary: "the address's short name", parse: parseAlias, values: "alias" } },
  options: {},
  confirms: true,
  examples: [{ line: "addresses remove li", note: "asks first; --yes does not" }],
  seeAlso: ["addresses list"],
  async run({ alias }, context) {
    const party = findParty(await context.config.read(), alias, true);
    await confirmOrStop(context, `Forget the address ${describeParty(party, alias)}?`);
    await removeParty(context.config, alias, party);
    return document({ alias, removed: true }, () => [line(`The address @${alias} is forgotten`)]);
  },
});
