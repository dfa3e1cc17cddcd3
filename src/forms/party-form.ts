/** The questions for one party: pick a known one, type it, or paste an address as text (2.2). */

import { joinLines } from "../core/blanks.ts";
import { type Choice, Pasted, type Prompts, WentBack } from "../core/prompts.ts";
import type { DraftParty } from "../model/draft.ts";
import { type PartyField, partyFields, partyWords } from "../model/fields.ts";
import { findTextProblem } from "../model/text-problem.ts";
import { findPhones } from "./address-phones.ts";
import type { PartyGuess } from "./address-text.ts";
import { normalizeForMatch } from "./normalize-for-match.ts";

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
  /** The sender that is offered first. */
  readonly usualSender?: (() => Promise<KnownParty | undefined>) | undefined;
  /** Splits a pasted address into the fields of a party. */
  readonly understand: (text: string) => Promise<Pick<PartyGuess, "party" | "leftOut">>;
  /** Shows all fields of a party that was split from a text, and what it leaves out. */
  readonly show: (title: string, party: DraftParty, leftOut: readonly string[]) => Promise<void>;
}

/** The answer to the questions for a party. */
export interface AnsweredParty {
  readonly party: DraftParty;
  /** Its fields were asked for one by one, the street address last. */
  readonly isTyped: boolean;
}

/** Where the questions for a party begin. */
export type Entry = "fields" | "last field" | "list";

/** `isUnfinished`: a field holds what was typed so far, or what was pasted, and no answer has confirmed it yet. */
export type Keep<T> = (value: T, isUnfinished?: boolean) => void;

type Way =
  | { readonly kind: "type"; readonly name?: string }
  | { readonly kind: "paste" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "edit" }
  | { readonly kind: "known"; readonly party: DraftParty };

/** One party to ask for. */
interface PartyQuestions {
  readonly title: string;
  /** Fields that are given, and not asked for. */
  readonly fixed: ReadonlySet<string>;
  readonly tools: PartyTools;
  /** Gets the fields after every answer. */
  readonly keep: Keep<DraftParty>;
}

/**
 * Asks for a party. With a party already there, its fields are the starting point, or the list offers it first, unless
 * some of them are given: another party would drop those. Rejects with `WentBack` where Esc leaves its first question.
 */
export async function askParty(
  party: DraftParty | undefined,
  questions: PartyQuestions,
  entry: Entry = "fields",
): Promise<AnsweredParty> {
  if (!hasFields(party)) return chooseParty({}, questions);
  if (entry === "list" && questions.fixed.size === 0)
    return chooseParty(party, questions, [knownChoice({ party })]);
  try {
    return await askFields(party, questions, entry);
  } catch (error) {
    if (!(error instanceof LeftFields)) throw error;
    if (questions.fixed.size > 0) throw new WentBack();
    return chooseParty(error.party, questions);
  }
}

/** Asks for another party in the place of one: its fields are the first thing offered. */
export async function changeParty(
  party: DraftParty | undefined,
  questions: PartyQuestions,
): Promise<AnsweredParty> {
  return chooseParty(party ?? {}, questions);
}

/** Esc at the first field, with what the fields hold. */
class LeftFields extends Error {
  readonly party: DraftParty;
  constructor(party: DraftParty) {
    super();
    this.party = party;
  }
}

const filterTip = "type to filter, or paste an address";

async function chooseParty(
  start: DraftParty,
  questions: PartyQuestions,
  current: readonly Choice<Way>[] = [],
): Promise<AnsweredParty> {
  const { tools } = questions;
  const known = await tools.knownParties();
  const usual = await tools.usualSender?.();
  let party = start;
  for (;;) {
    const first = hasFields(party) ? [...current, editWay] : usual ? [knownChoice(usual)] : [];
    try {
      const way = await chooseWay((term) => findWays(term, known, first), party, questions);
      if (way.kind === "known") return { party: way.party, isTyped: false };
      if (way.kind === "edit") return await askFields(party, questions);
      if (way.kind === "text") return await confirmText(way.text, {}, questions);
      if (way.kind === "type") return await startNew(way.name, questions);
      return await confirmText(await askText(party, questions), {}, questions);
    } catch (error) {
      if (!(error instanceof LeftFields)) throw error;
      party = error.party;
    }
  }
}

/** A text that is left is kept, and offered for editing, as the street address, unless there is a party already. */
async function askText(party: DraftParty, { title, tools, keep }: PartyQuestions): Promise<string> {
  let left = party;
  const keepTyped = (text: string) => {
    if (hasFields(party)) return;
    left = { detail: joinLines(text) };
    keep(left, true);
  };
  const question = `${title}: paste the address, then an empty line`;
  return tools.prompts.lines(question, { keepTyped, canGoBack: true }).catch((error: unknown) => {
    throw error instanceof WentBack ? new LeftFields(left) : error;
  });
}

/** What is typed to filter the list is kept where it would replace no party. */
async function chooseWay(
  find: (term: string) => readonly Choice<Way>[],
  party: DraftParty,
  { title, tools, keep }: PartyQuestions,
): Promise<Way> {
  const answersMore = (text: string) => looksLikeAddress(text);
  const keepTyped = (text: string) => {
    if (!hasFields(party)) keep(looksLikeAddress(text) ? { detail: text } : { name: text }, true);
  };
  try {
    return await tools.prompts.search(title, find, {
      tip: filterTip,
      canGoBack: true,
      answersMore,
      keepTyped,
    });
  } catch (error) {
    if (error instanceof Pasted) return { kind: "text", text: error.text };
    throw error;
  }
}

/** A name that was typed into the list is the answer to the first question. */
function startNew(name: string | undefined, questions: PartyQuestions): Promise<AnsweredParty> {
  if (name === undefined) return askFields({}, questions);
  const isAnswer = checkPartyField("name")(name) === true;
  questions.keep({ name }, !isAnswer);
  return askFields({ name }, questions, isAnswer ? "second field" : "fields");
}

async function askFields(
  start: DraftParty,
  questions: PartyQuestions,
  entry: Entry | "second field" = "fields",
): Promise<AnsweredParty> {
  const {
    title,
    fixed,
    tools: { prompts },
    keep,
  } = questions;
  const names = partyFields.filter((name) => !fixed.has(name));
  let party = start;
  let index = entry === "fields" ? 0 : entry === "second field" ? 1 : names.length - 1;
  for (let name = names[index]; name !== undefined; name = names[index]) {
    const { [name]: initial, ...rest } = party;
    const keepTyped = (line: string) => {
      party = { ...rest, [name]: line };
      keep(party, true);
    };
    const question = {
      initial,
      check: checkPartyField(name),
      keepTyped,
      canGoBack: true,
      answersMore: (text: string) => looksLikeAddress(text, name),
    };
    try {
      const answer = (await prompts.text(`${title} ${partyWords[name].label}`, question)).trim();
      if (name === "name" && answer !== initial && looksLikeAddress(answer, name)) throw new Pasted(answer);
      party = answer === "" ? rest : { ...rest, [name]: answer };
      keep(party);
      index += 1;
    } catch (error) {
      if (error instanceof Pasted) {
        // The fields from here on: those of another person would be mixed with what it lacks.
        const replaced = new Set<string>(names.slice(index));
        const kept = Object.fromEntries(Object.entries(party).filter(([field]) => !replaced.has(field)));
        return confirmText(error.text, kept, questions);
      }
      if (!(error instanceof WentBack)) throw error;
      index -= 1;
      if (index < 0) throw new LeftFields(party);
    }
  }
  return { party, isTyped: true };
}

/** Splits a text, and shows all fields for one answer; `answered` holds fields that the text may lack. */
async function confirmText(
  text: string,
  answered: DraftParty,
  questions: PartyQuestions,
): Promise<AnsweredParty> {
  const { title, fixed, tools, keep } = questions;
  keep({ ...answered, detail: joinLines(text) }, true);
  const understood = await tools.understand(text);
  const found = Object.entries(understood.party).filter(([field]) => !fixed.has(field));
  const party: DraftParty = { ...answered, ...Object.fromEntries(found) };
  keep(party, true);
  // A given field stands in the place of the text's own, which may be another person's number.
  const unused = partyFields.flatMap((name) => {
    const own = understood.party[name];
    return own === undefined || own === party[name] ? [] : [own];
  });
  await tools.show(title, party, [...understood.leftOut, ...unused]);
  const isUsable = partyFields.every((name) => checkPartyField(name)(party[name] ?? "") === true);
  const right = { value: true, label: "right" };
  const edit = { value: false, label: "edit its fields" };
  const isWhole = isUsable && party.name !== undefined;
  try {
    const isRight = await tools.prompts.choose(
      `Is this ${title.toLowerCase()} right?`,
      isWhole ? [right, edit] : isUsable ? [edit, right] : [edit],
      { canGoBack: true },
    );
    return isRight ? { party, isTyped: false } : await askFields(party, questions);
  } catch (error) {
    throw error instanceof WentBack ? new LeftFields(party) : error;
  }
}

/** Says true, or what is wrong with an answer. */
export function checkPartyField(name: PartyField): (answer: string) => true | string {
  return (answer) => findTextProblem(name, answer.trim()) ?? true;
}

/** What is longer, or has more lines, is no address. */
const longestAddress = { length: 600, lines: 12 };
const placeWord =
  /\p{sc=Han}[省市区县旗州镇乡村路街巷弄栋幢楼室号]|(?<!\p{L})(?:street|road|avenue|lane|drive|st|rd|ave)(?!\p{L})/iu;

/**
 * Whether a text answers more than one field of a party: digits and a place, a telephone number beside words, or
 * several lines or parts with a number. In other lines than the name's, one line has to hold a telephone number and a
 * place: it may be the answer to that question alone.
 */
export function looksLikeAddress(text: string, field: PartyField = "name"): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (text.length > longestAddress.length || lines.length > longestAddress.lines) return false;
  const normalized = normalizeForMatch(text);
  const words = findPhones(normalized).reduce((left, { start, end }) => {
    return left.slice(0, start) + " ".repeat(end - start) + left.slice(end);
  }, normalized);
  const hasPhone = words !== normalized;
  const hasPlace = placeWord.test(words);
  const hasLetters = /\p{L}{2}/u.test(words);
  const hasDigits = /\d/.test(normalized);
  if (lines.length > 1) return hasLetters && (hasDigits || hasPlace);
  if (field !== "name") return hasPhone && hasPlace;
  const parts = normalized.split(",").filter((part) => part.trim() !== "");
  return hasLetters && hasDigits && (hasPhone || hasPlace || parts.length > 2);
}

function hasFields(party: DraftParty | undefined): party is DraftParty {
  return party !== undefined && Object.keys(party).length > 0;
}

const editWay: Choice<Way> = { value: { kind: "edit" }, label: "edit its fields" };

function knownChoice({ alias, party }: KnownParty): Choice<Way> {
  return { value: { kind: "known", party }, label: describeParty(party, alias) };
}

const pasteWay: Choice<Way> = { value: { kind: "paste" }, label: "paste an address as text" };

/** What was typed and not found: an address, or the name of a new one. */
function newWays(typed: string): readonly Choice<Way>[] {
  if (typed === "") return [{ value: { kind: "type" }, label: "new address" }, pasteWay];
  if (looksLikeAddress(typed))
    return [{ value: { kind: "text", text: typed }, label: "split this address into its fields" }];
  return [{ value: { kind: "type", name: typed }, label: `new address for “${typed}”` }, pasteWay];
}

/**
 * `first` and "new address" until something is typed, then the known parties that hold it in any field or
 * their alias.
 */
export function findWays(
  term: string,
  known: readonly KnownParty[],
  first: readonly Choice<Way>[] = [],
): readonly Choice<Way>[] {
  const typed = term.trim();
  const wanted = typed.toLowerCase();
  const labels = first.map(({ label }) => label);
  const found = known
    .filter(({ alias, party }) =>
      [alias === undefined ? "" : `@${alias}`, ...Object.values(party)].some((text) =>
        (text ?? "").toLowerCase().includes(wanted),
      ),
    )
    .map(knownChoice);
  if (wanted === "")
    return [...first, ...newWays(""), ...found.filter(({ label }) => !labels.includes(label))];
  // Whoever typed a name and sees it found should get it with Enter, and else a new address of that name.
  return [...found, ...newWays(typed), ...first.filter(({ value }) => value.kind === "edit")];
}

/** One line for a party: `@shop 张三 13800138000 深圳市`. */
export function describeParty(party: DraftParty, alias?: string): string {
  return [alias === undefined ? "" : `@${alias}`, party.name, party.phone, party.city, party.district]
    .filter((text) => text !== undefined && text !== "")
    .join(" ");
}
