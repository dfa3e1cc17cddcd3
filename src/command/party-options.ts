/** One option for each field of a party (2.2). */

import { keyOf, type PartyField, type PartyPart, partyFields, partyWords } from "../model/fields.ts";
import { capitalised, textOption } from "./options.ts";

type TextOption = ReturnType<typeof textOption>;

/** `--name`, `--phone` and so on. */
export const partyOptions = optionsOf((name) => name, {}) as Record<PartyField, TextOption>;

/** `--sender-name`, `--sender-phone` and so on, under a heading of their own. */
export function partyOptionsOf<P extends PartyPart>(part: P) {
  const options = optionsOf((name) => keyOf(part, name), { group: capitalised(part) });
  return options as Record<`${P}${Capitalize<PartyField>}`, TextOption>;
}

function optionsOf(keyOfField: (name: PartyField) => string, extras: { readonly group?: string }) {
  return Object.fromEntries(
    partyFields.map((name) => {
      const values = `address ${name}` as const;
      return [keyOfField(name), textOption("TEXT", partyWords[name].meaning, { values, ...extras })];
    }),
  );
}
