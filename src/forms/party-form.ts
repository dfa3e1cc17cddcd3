/** The questions for one party: pick a known one, type it, or paste an address as text (2.2). */

import type { Choice, Prompts } from "../core/prompts.ts";
import type { DraftParty } from "../model/draft.ts";
import { type PartyField, partyFields, partyWords } from "../model/fields.ts";
import { findTextProblem } from "../model/text-problem.ts";

/** A party that was saved or used before. */
export interface KnownParty {
  /** The name in the address book, where it is in it. */
  readonly alias?: string | undefined;
  readonly party: DraftParty;
}

export interface PartyTools {
  readonly prompts: Prompts;
  /** Saved parties first, then recently used ones. */
  readonly knownParties: () => Promise<readonly KnownParty[]>;
  /** Splits a pasted address into the fields of a party. */
  readonly understand: (text: string) => Promise<DraftParty>;
}

/** `isUnfinished`: a field holds what was typed so far, or what was pasted, and no answer has confirmed it yet. */
export type Keep<T> = (value: T, isUnfinished?: boolean) => void;

type Way =
  | { readonly kind: "type" }
  | { readonly kind: "paste" }
  | { readonly kind: "edit" }
  | { readonly kind: "known"; readonly party: DraftParty };

/**
 * Asks for a party. `fixed` names the fields that are given and not asked; `keep` gets the fields
 * after every answer. With a party already there, its fields are the starting point.
 */
export async function askParty(
  title: string,
  party: DraftParty | undefined,
  fixed: ReadonlySet<string>,
  tools: PartyTools,
  keep: Keep<DraftParty>,
): Promise<DraftParty> {
  if (hasFields(party)) return askFields(title, party, fixed, tools, keep);
  return chooseParty(title, {}, fixed, tools, keep);
}

/** Asks for another party in the place of one: its fields are the first thing offered. */
export async function changeParty(
  title: string,
  party: DraftParty | undefined,
  tools: PartyTools,
  keep: Keep<DraftParty>,
): Promise<DraftParty> {
  return chooseParty(title, party ?? {}, new Set(), tools, keep);
}

async function chooseParty(
  title: string,
  party: DraftParty,
  fixed: ReadonlySet<string>,
  tools: PartyTools,
  keep: Keep<DraftParty>,
): Promise<DraftParty> {
  const known = await tools.knownParties();
  const first = hasFields(party) ? [editWay] : [];
  const way = await tools.prompts.search(title, (term) => findWays(term, known, first));
  if (way.kind === "known") return way.party;
  if (way.kind === "edit") return askFields(title, party, fixed, tools, keep);
  if (way.kind === "type") return askFields(title, {}, fixed, tools, keep);
  // A text that is not split yet is kept, and asked for again, as the street address.
  const keepTyped = (text: string) => keep({ detail: text.split(/\s*\n\s*/).join(" ") }, true);
  const text = await tools.prompts.lines(`${title}: paste the address, then an empty line`, { keepTyped });
  const pasted = await tools.understand(text);
  keep(pasted, true);
  return askFields(title, pasted, fixed, tools, keep);
}

async function askFields(
  title: string,
  start: DraftParty,
  fixed: ReadonlySet<string>,
  { prompts }: PartyTools,
  keep: Keep<DraftParty>,
): Promise<DraftParty> {
  let party = start;
  for (const name of partyFields) {
    if (fixed.has(name)) continue;
    const { [name]: initial, ...rest } = party;
    const keepTyped = (line: string) => keep({ ...rest, [name]: line }, true);
    const question = { initial, check: checkPartyField(name), keepTyped };
    const answer = (await prompts.text(`${title} ${partyWords[name].label}`, question)).trim();
    party = answer === "" ? rest : { ...rest, [name]: answer };
    keep(party);
  }
  return party;
}

/** Says true, or what is wrong with an answer. */
export function checkPartyField(name: PartyField): (answer: string) => true | string {
  return (answer) => findTextProblem(name, answer.trim()) ?? true;
}

function hasFields(party: DraftParty | undefined): party is DraftParty {
  return party !== undefined && Object.keys(party).length > 0;
}

const editWay: Choice<Way> = { value: { kind: "edit" }, label: "edit its fields" };
const newWays: readonly Choice<Way>[] = [
  { value: { kind: "type" }, label: "new address" },
  { value: { kind: "paste" }, label: "paste an address as text" },
];

/**
 * `first` and "new address" until something is typed, then the known parties that hold it in any field or
 * their alias.
 */
export function findWays(
  term: string,
  known: readonly KnownParty[],
  first: readonly Choice<Way>[] = [],
): readonly Choice<Way>[] {
  const wanted = term.trim().toLowerCase();
  const matches = known.filter(({ alias, party }) =>
    [alias, ...Object.values(party)].some((text) => (text ?? "").toLowerCase().includes(wanted)),
  );
  const found = matches.map(
    ({ alias, party }): Choice<Way> => ({
      value: { kind: "known", party },
      label: describeParty(party, alias),
    }),
  );
  // Whoever typed a name and sees it found should get it with Enter.
  const ways = [...first, ...newWays];
  return wanted === "" ? [...ways, ...found] : [...found, ...ways];
}

/** One line for a party: `@shop 张三 13800138000 深圳市`. */
export function describeParty(party: DraftParty, alias?: string): string {
  return [alias === undefined ? "" : `@${alias}`, party.name, party.phone, party.city, party.district]
    .filter((text) => text !== undefined && text !== "")
    .join(" ");
}
