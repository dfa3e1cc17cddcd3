/** The columns and the view of one party in the address book. */

import { capitalised } from "../command/options.ts";
import type { DraftParty } from "../model/draft.ts";
import { partyFields, partyWords } from "../model/fields.ts";
import type { AddressRow } from "../model/results.ts";
import { type Block, type Column, fields, line, show, styled } from "../terminal/blocks.ts";

/** The given fields of a party; those that are not given are absent. */
export function pickParty(values: Readonly<Record<string, string | undefined>>): DraftParty {
  return Object.fromEntries(
    partyFields.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}

/** An empty field is one that is left out. */
export function withoutBlanks(party: DraftParty): DraftParty {
  return Object.fromEntries(Object.entries(party).filter(([, text]) => text?.trim()));
}

export const addressColumns: readonly Column<AddressRow>[] = [
  { path: "alias", title: "ALIAS", cell: ({ alias }) => styled("strong", `@${alias}`) },
  { path: "name", title: "NAME", cell: ({ name }) => show(name), flexible: true },
  { path: "phone", title: "PHONE", cell: ({ phone }) => show(phone) },
  {
    path: "province",
    title: "PROVINCE",
    cell: ({ province }) => show(province),
    flexible: true,
    spare: 1,
  },
  { path: "city", title: "CITY", cell: ({ city }) => show(city), flexible: true },
  {
    path: "district",
    title: "DISTRICT",
    cell: ({ district }) => show(district),
    flexible: true,
    spare: 2,
  },
  { path: "detail", title: "ADDRESS", cell: ({ detail }) => show(detail), flexible: true, spare: 3 },
  { path: "default", title: "", cell: (row) => (row.default ? styled("dim", "default sender") : "") },
];

export function addressView(row: AddressRow): readonly Block[] {
  return [
    line(styled("strong", `@${row.alias}`), row.default ? "  (default sender)" : ""),
    fields(...partyFields.map((name) => [capitalised(partyWords[name].label), show(row[name])] as const)),
  ];
}
