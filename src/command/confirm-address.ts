/** Parties given as text: shows how the text was split, and asks for confirmation. */

import { usageError } from "../core/errors.ts";
import { describeParty } from "../forms/party-form.ts";
import type { DraftParty } from "../model/draft.ts";
import { partyFields } from "../model/fields.ts";
import type { Context } from "./command.ts";

/**
 * Splits a text such as `张三 13800138000 广东省深圳市…` into a party and shows the parts on stderr. All but
 * the phone is a guess, so the user must agree: at a terminal by answering, elsewhere with `--yes`. `isAgreed` is
 * for commands that only show it.
 */
export async function understandText(
  title: string,
  text: string,
  context: Context,
  isAgreed = context.globals.yes,
): Promise<DraftParty> {
  const party = await context.understandAddress(text);
  context.messages.note(`${title} was understood as:`);
  for (const name of partyFields) {
    if (party[name] !== undefined) context.messages.note(`  ${name}: ${party[name]}`);
  }
  if (isAgreed) return party;
  const prompts = await context.prompts();
  if (!prompts) {
    throw usageError(`cannot ask you to confirm ${title}`, "add --yes to accept it");
  }
  if (await prompts.confirm(`Use ${describeParty(party)}?`)) return party;
  throw usageError(`${title} was not accepted`, "give its parts one by one, each with its own flag");
}
