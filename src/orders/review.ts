/** What a person sees of an order before it is sent. */

import type { ActiveAccount } from "../config/accounts.ts";
import type { Part } from "../forms/order-form.ts";
import type { Draft } from "../model/draft.ts";
import { partyFields, partyWords } from "../model/fields.ts";
import { type Block, blank, fields, paragraph, styled } from "../terminal/blocks.ts";
import { draftRows } from "../terminal/draft-view.ts";

/** All that will be sent, and where it goes. */
export function reviewView(draft: Draft, ref: string | undefined, account?: ActiveAccount): readonly Block[] {
  const goesTo = account ? [["Goes to", describeAccount(account)] as const] : [];
  return [
    blank,
    fields(...draftRows(draft), ...(ref === undefined ? [] : [["Ref", ref] as const]), ...goesTo),
    blank,
  ];
}

function describeAccount(account: ActiveAccount): string {
  return account.kind === "sandbox"
    ? "the sandbox on this machine; nothing is shipped"
    : `${account.baseUrl} ${account.key.place === "given" ? "with the key in COURIER_API_KEY" : `as the account ${account.name}`}`;
}

/** What a courier needs as a rule: the interface does not say which fields the service requires (2.2, 2.3). */
export function findMissing({ sender, receiver, item }: Draft): { part: Part; fields: readonly string[] }[] {
  const usual = partyFields.filter((name) => name !== "province" && name !== "district");
  const ofParty = (party: Draft["sender"]) =>
    usual.filter((name) => !party?.[name]).map((name) => partyWords[name].label);
  return [
    { part: "sender" as const, fields: ofParty(sender) },
    { part: "receiver" as const, fields: ofParty(receiver) },
    { part: "item" as const, fields: item?.name ? [] : ["name"] },
  ].filter(({ fields }) => fields.length > 0);
}

/** What is missing, and what is not said of the numbers. */
export function remarks(draft: Draft): readonly Block[] {
  const { weight, value } = draft.item ?? {};
  const numbers = [weight === undefined ? [] : ["weight"], value === undefined ? [] : ["value"]].flat();
  const missing = findMissing(draft).map(({ part, fields }) =>
    paragraph(styled("warn", `The ${part} has ${fields.map((name) => `no ${name}`).join(", ")}`)),
  );
  const units =
    numbers.length === 0
      ? []
      : [
          paragraph(
            styled(
              "dim",
              `The service names no unit for ${numbers.join(" and ")}: ${numbers.length > 1 ? "they go" : "it goes"} as typed`,
            ),
          ),
        ];
  return missing.length + units.length === 0 ? [] : [...missing, ...units, blank];
}
