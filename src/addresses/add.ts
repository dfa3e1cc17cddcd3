/** `courier addresses add`: saves a party in the address book of this machine. */

import { type Context, confirmOrStop, defineCommand, document } from "../command/command.ts";
import { understandText } from "../command/confirm-address.ts";
import { switchOption, textOption } from "../command/options.ts";
import { partyOptions } from "../command/party-options.ts";
import { parseAlias, saveParties } from "../config/address-book.ts";
import { usageError } from "../core/errors.ts";
import { askParty } from "../forms/party-form.ts";
import type { DraftParty } from "../model/draft.ts";
import type { AddressRow } from "../model/results.ts";
import { findTextProblems } from "../model/text-problem.ts";
import { line, styled } from "../terminal/blocks.ts";
import { addressView, pickParty } from "./party-flags.ts";

export const addAddress = defineCommand({
  arguments: { alias: { summary: "the short name", parse: parseAlias } },
  options: {
    ...partyOptions,
    text: textOption("TEXT", "name, phone and address in one text, to be split"),
    default: switchOption("make it the sender of orders that name none"),
  },
  confirms: true,
  examples: [
    { line: "addresses add shop --default", note: "asks for the fields" },
    { line: "addresses add li --name 李四 --phone 13900139000 --city 北京市", note: "from flags" },
    {
      line: "addresses add li --text '李四 13900139000 北京市朝阳区建国路88号'",
      note: "split, and shown before it is saved",
    },
  ],
  seeAlso: ["orders create", "addresses import"],
  async run({ alias, text, default: isDefault, ...flags }, context) {
    const { addresses } = await context.config.read();
    if (Object.hasOwn(addresses, alias)) await confirmOrStop(context, `Replace the address @${alias}?`);
    const party = await collect(text, pickParty(flags), context);
    const [problem] = findTextProblems(party);
    if (problem)
      throw usageError(
        `--${problem.path} “${problem.value}” ${problem.message}`,
        "enter it again without that",
      );
    if (Object.keys(party).length === 0)
      throw usageError("the address is empty", "give --name, --phone, --city …");
    await saveParties(context.config, { [alias]: party }, isDefault ? alias : undefined);
    const row: AddressRow = { alias, ...party, default: isDefault === true };
    return document(row, () => [line(styled("good", "Saved"), " in the address book"), ...addressView(row)]);
  },
});

async function collect(text: string | undefined, flags: DraftParty, context: Context): Promise<DraftParty> {
  if (text !== undefined) return { ...(await understandText("the address", text, context)), ...flags };
  const prompts = Object.keys(flags).length === 0 ? await context.prompts() : undefined;
  if (!prompts) return flags;
  const tools = {
    prompts,
    knownParties: async () => [],
    understand: context.understandAddress,
  };
  return askParty("Address", undefined, new Set(), tools, () => {});
}
