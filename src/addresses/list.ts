/** `courier addresses list`: the address book of this machine. */

import { defineCommand, rows } from "../command/command.ts";
import type { AddressRow } from "../model/results.ts";
import { addressColumns } from "./address-view.ts";

export const listAddresses = defineCommand({
  arguments: {},
  options: {},
  hasRows: true,
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
      each(list),
      addressColumns,
      "The address book is empty; add to it with: courier addresses add NAME",
    );
  },
});

async function* each(list: readonly AddressRow[]): AsyncGenerator<AddressRow, void> {
  yield* list;
}
