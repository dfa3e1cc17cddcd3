/** `courier addresses add`: saves a party in the address book of this machine. */

import { askAddress } from "../command/ask-address.ts";
import { type Context, defineCommand, document } from "../command/command.ts";
import { understandText } from "../command/confirm-address.ts";
import { switchOption, textOption } from "../command/options.ts";
import { partyOptions } from "../command/party-options.ts";
import { mayReplace } from "../command/replace.ts";
import { parseAlias, saveParties } from "../config/address-book.ts";
import { findSaved } from "../config/saved-names.ts";
import { CourierError, interrupted, isInterruption, usageError } from "../core/errors.ts";
import type { DraftParty } from "../model/draft.ts";
import { partyFields, partyWords } from "../model/fields.ts";
import { canonicalJson } from "../model/json.ts";
import type { AddressRow } from "../model/results.ts";
import { findTextProblems } from "../model/text-problem.ts";
import { line, styled } from "../terminal/blocks.ts";
import { addressView, pickParty, withoutBlanks } from "./address-view.ts";

export const addAddress = defineCommand({
  arguments: { alias: { summary: "the address's short name", parse: parseAlias } },
  options: {
    ...partyOptions,
    text: textOption("TEXT", "name, phone and address in one text, to be split"),
    default: switchOption("make it the sender of orders that name none, also in scripts"),
    replace: switchOption("replace the address of that name, all of its fields"),
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
  seeAlso: ["addresses edit", "addresses use", "orders create"],
  async run({ alias, text, default: isDefault, replace, ...flags }, context) {
    const { addresses } = await context.config.read();
    const agree = (party?: DraftParty, known = addresses) =>
      agreeToReplace(alias, findSaved(known, alias), party, replace === true, context);
    const collected = await collect(text, withoutBlanks(pickParty(flags)), agree, context).catch((error) => {
      const isStopped = error instanceof CourierError && isInterruption(error.exit);
      throw isStopped ? error.with({ message: `${error.message}; no address was saved` }) : error;
    });
    const { party } = collected;
    let { isReplaced } = collected;
    const save = (known: typeof addresses) =>
      saveParties(context.config, { [alias]: party }, known, isDefault ? alias : undefined);
    for (let now = await save(addresses); now; now = await save(now)) isReplaced = await agree(party, now);
    const { default_sender } = await context.config.read();
    const row: AddressRow = { alias, ...party, default: default_sender === alias };
    return document(row, () => [
      line(styled("good", isReplaced ? "Replaced" : "Saved"), " in the address book"),
      ...addressView(row),
    ]);
  },
});

/** The form confirms a replacement before its questions; flags are compared with the saved address first. */
async function collect(
  text: string | undefined,
  flags: DraftParty,
  agree: (party?: DraftParty) => Promise<boolean>,
  context: Context,
): Promise<{ party: DraftParty; isReplaced: boolean }> {
  const hasFlags = Object.keys(flags).length > 0;
  const prompts = text === undefined && !hasFlags ? await context.prompts() : undefined;
  if (prompts) {
    const isReplaced = await agree();
    const party = await askAddress(undefined, prompts, context);
    ensureUsable(party);
    return { party, isReplaced };
  }
  const party = text === undefined ? flags : { ...(await splitText(text, flags, context)), ...flags };
  ensureUsable(party);
  return { party, isReplaced: await agree(party) };
}

async function splitText(text: string, { name, phone }: DraftParty, context: Context): Promise<DraftParty> {
  const given = { hasName: name !== undefined, hasPhone: phone !== undefined };
  const { party, isAgreed } = await understandText("address", text, context, given);
  const prompts = isAgreed ? undefined : await context.prompts();
  return prompts ? askAddress(party, prompts, context) : party;
}

export function ensureUsable(party: DraftParty): void {
  const [problem] = findTextProblems(party);
  if (problem)
    throw usageError(
      `--${problem.path} “${problem.value}” ${problem.message}`,
      "enter it again without that",
    );
  if (Object.keys(party).length === 0)
    throw usageError("the address is empty", "give --name, --phone, --city …");
}

/** Whether another address is replaced. Throws where there is one and the user does not agree. */
async function agreeToReplace(
  alias: string,
  existing: DraftParty | undefined,
  party: DraftParty | undefined,
  isAgreed: boolean,
  context: Context,
): Promise<boolean> {
  if (existing === undefined || (party && canonicalJson(existing) === canonicalJson(party))) return false;
  const lost = partyFields.filter(
    (name) => party && existing[name] !== undefined && party[name] === undefined,
  );
  const loss = `the whole address (this removes: ${lost.map((name) => partyWords[name].label).join(", ")})`;
  const replacement = {
    existing: `the address @${alias}`,
    loss: lost.length > 0 ? loss : undefined,
    isAgreed,
  };
  if (await mayReplace(replacement, context)) return true;
  throw interrupted(130, "not confirmed");
}
