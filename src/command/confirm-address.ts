/** Parties given as text: shows how the text was split, and asks for confirmation. */

import { usageError } from "../core/errors.ts";
import { describeParty } from "../forms/party-form.ts";
import type { DraftParty } from "../model/draft.ts";
import { partyFields } from "../model/fields.ts";
import type { Context } from "./command.ts";

/** Whether a first line, or a part before a comma, has words and no digit. */
function beginsWithWords(text: string): boolean {
  const begun = text.trimStart();
  const end = begun.search(/[\d,，;；\n]/);
  return end > 0 && !/\d/.test(begun.charAt(end)) && /\p{L}/u.test(begun.slice(0, end));
}

interface TextUse {
  /** The command only shows the result. */
  readonly isShown?: boolean;
  /** Flags of their own give these. */
  readonly hasName?: boolean;
  readonly hasPhone?: boolean;
}

export interface UnderstoodParty {
  readonly party: DraftParty;
  /** After a no, its fields are to be asked for. */
  readonly isAgreed: boolean;
}

/**
 * Splits a text such as `张三 13800138000 广东省深圳市…` into a party and shows the parts on stderr. All but
 * a certain phone is a guess, so the user must agree: at a terminal by answering, elsewhere with `--yes`. That takes no
 * text of two people or places, without a name, or whose phone is not certain.
 */
export async function understandText(
  part: "sender" | "receiver" | "address",
  text: string,
  context: Context,
  { isShown = false, hasName = false, hasPhone = false }: TextUse = {},
): Promise<UnderstoodParty> {
  const title = `the ${part}`;
  const { party, leftOut, isPhoneCertain, isOfTwo, hasOtherPlace } = await context.understandAddress(text);
  const doubt = (message: string, hint: string) => {
    if (context.globals.yes && !isShown) throw usageError(message, hint);
    context.messages.warn(message);
  };
  const flag = part === "address" ? "--" : `--${part}-`;
  showParty(title, party, context);
  if (leftOut.length > 0) context.messages.note(`  left out: ${leftOut.join(", ")}`);
  if (isOfTwo)
    doubt(`the text of ${title} names both a receiver and a sender`, "leave one of them out of the text");
  if (party.name === undefined && !hasName) {
    // What stands first may be the name already, and moving it would not help.
    const advice = beginsWithWords(text) ? "" : ", or put it first in the text";
    doubt(`no name was found in the text of ${title}`, `give it with ${flag}name${advice}`);
  }
  if (party.phone !== undefined && !isPhoneCertain && !hasPhone)
    doubt(`the telephone number in the text of ${title} is not certain`, `give it with ${flag}phone`);
  if (hasOtherPlace) doubt(`the text of ${title} names two places`, "leave one of them out of the text");
  return { party, isAgreed: isShown || (await isRight(title, party, context)) };
}

/** The same for a party of which only the address was split: name and phone are no guess. */
export async function confirmParty(
  part: "sender" | "receiver",
  party: DraftParty,
  context: Context,
  { isShown = false }: Pick<TextUse, "isShown"> = {},
): Promise<UnderstoodParty> {
  const title = `the ${part}`;
  showParty(title, party, context);
  if (party.name === undefined) context.messages.warn(`${title} has no name`);
  return { party, isAgreed: isShown || (await isRight(title, party, context)) };
}

function showParty(title: string, party: DraftParty, context: Context): void {
  context.messages.note(`${title} was understood as:`);
  for (const name of partyFields) {
    if (party[name] !== undefined) context.messages.note(`  ${name}: ${party[name]}`);
  }
}

async function isRight(title: string, party: DraftParty, context: Context): Promise<boolean> {
  if (context.globals.yes) return true;
  const prompts = await context.prompts();
  if (!prompts) {
    throw usageError(`cannot ask you to confirm ${title}`, "add --yes to accept it");
  }
  return prompts.confirm(`Use ${describeParty(party)}?`);
}
