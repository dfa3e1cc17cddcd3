/** `courier addresses show`: one entry of the address book. */

import { defineCommand, document } from "../command/command.ts";
import { findParty, parseAlias } from "../config/address-book.ts";
import type { AddressRow } from "../model/results.ts";
import { addressView } from "./address-view.ts";

export const showAddress = defineCommand({
  arguments: { alias: { summary: "its short name", parse: parseAlias, values: "alias" } },
  options: {},
  examples: [{ line: "addresses show shop", note: "every field of it" }],
  async run({ alias }, context) {
    const config = await context.config.read();
    const row: AddressRow = { alias, ...findParty(config, alias), default: config.default_sender === alias };
    return document(row, addressView);
  },
});
