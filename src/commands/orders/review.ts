/** Owns the review: one screen with everything that will be sent, and where it goes. */

import { type ActiveAccount, unnamedAccount } from "../../config/accounts.ts";
import { type Draft, type DraftParty, partyFields } from "../../model/draft.ts";
import { type Block, blank, fields, show } from "../../terminal/blocks.ts";

/** All that will be sent, and where it goes. */
export function reviewView(draft: Draft, account?: ActiveAccount): readonly Block[] {
  return [blank, draftFields(draft, account), blank];
}

/** Fields that are left out are not sent, and not shown. */
export function draftFields(draft: Draft, account?: ActiveAccount): Block {
  const { item } = draft;
  return fields(
    ["Sender", describe(draft.sender)],
    ...partyAddress(draft.sender),
    ["Receiver", describe(draft.receiver)],
    ...partyAddress(draft.receiver),
    ["Item", show(item?.name)],
    ...(["description", "weight", "value", "quantity"] as const).flatMap((name) =>
      item?.[name] === undefined ? [] : [[`  ${name}`, show(item[name])] as const],
    ),
    ["Service level", draft.service_type ?? "the service chooses"],
    ...(account ? [["Goes to", describeAccount(account)] as const] : []),
  );
}

function describe(party: DraftParty | undefined): string {
  return [party?.name, party?.phone].filter(Boolean).join("  ") || "-";
}

function partyAddress(party: DraftParty | undefined): (readonly [string, string])[] {
  const address = partyFields.slice(2).flatMap((name) => party?.[name] ?? []);
  return address.length === 0 ? [] : [["", address.join(" ")]];
}

function describeAccount(account: ActiveAccount): string {
  return account.kind === "sandbox"
    ? "the sandbox on this machine; nothing is shipped"
    : `${account.baseUrl} ${account.name === unnamedAccount ? "with the key in COURIER_API_KEY" : `as the account ${account.name}`}`;
}
