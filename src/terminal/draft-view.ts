/** The rows that show a draft of an order. */

import type { Draft, DraftParty } from "../model/draft.ts";
import { itemFields, partyFields, partyWords } from "../model/fields.ts";
import { type Block, blank, fields, line, paragraph, show, styled, type Text } from "./blocks.ts";

/** Fields that are left out are not sent, and not shown. */
export function draftRows(draft: Draft): readonly (readonly [label: string, value: Text])[] {
  const { item } = draft;
  return [
    ["Sender", describe(draft.sender)],
    ...partyAddress(draft.sender),
    ["Receiver", describe(draft.receiver)],
    ...partyAddress(draft.receiver),
    ["Item", show(item?.name)],
    ...itemFields
      .slice(1)
      .flatMap((name) => (item?.[name] === undefined ? [] : [[`  ${name}`, show(item[name])] as const])),
    ["Service level", draft.service_type ?? "the service chooses"],
  ];
}

function describe(party: DraftParty | undefined): string {
  return [party?.name, party?.phone].filter(Boolean).join("  ") || "-";
}

function partyAddress(party: DraftParty | undefined): (readonly [string, string])[] {
  const address = partyFields.slice(2).flatMap((name) => party?.[name] ?? []);
  return address.length === 0 ? [] : [["", address.join(" ")]];
}

/** All fields of one party, also those that it lacks, and the parts of its text that no field holds. */
export function partyView(
  title: string,
  party: DraftParty,
  leftOut: readonly string[] = [],
): readonly Block[] {
  return [
    line(styled("strong", title)),
    fields(...partyFields.map((name) => [`  ${partyWords[name].label}`, show(party[name])] as const)),
    ...(leftOut.length > 0 ? [paragraph(styled("dim", `Left out: ${leftOut.join(", ")}`))] : []),
    ...(party.name === undefined ? [line(styled("warn", "No name was found in this text"))] : []),
    blank,
  ];
}
