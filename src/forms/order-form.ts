/** The interactive order form: which questions a draft still needs, in which order (2.2, 2.3, 4.2). */

import { type Prompts, WentBack } from "../core/prompts.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import type { Draft } from "../model/draft.ts";
import {
  type ItemField,
  itemFields,
  itemWords,
  partyFields,
  partyWords,
  serviceTypes,
} from "../model/fields.ts";
import { isJsonNumber, type Json, jsonNumber } from "../model/json.ts";
import { findTextProblem } from "../model/text-problem.ts";
import {
  askParty,
  changeParty,
  checkPartyField,
  type Entry,
  type Keep,
  type PartyTools,
} from "./party-form.ts";

export type Part = "sender" | "receiver" | "item" | "service_type";
export const parts: readonly Part[] = ["sender", "receiver", "item", "service_type"];

export interface FormTools extends PartyTools {
  readonly prompts: Prompts;
  /**
   * Called after every answer with the draft and the parts still open, also for an interrupted answer, which may be
   * invalid: nothing typed is lost on Ctrl-C.
   */
  readonly keep: (draft: Draft, open: readonly Part[]) => void;
}

export interface FillOptions {
  /** A sender that is there already is a default: Esc leads to it. */
  readonly isSenderUsual?: boolean;
  /** The questions were answered before: begins at the last one. */
  readonly isFromEnd?: boolean;
}

/**
 * Asks for the parts that are still open. `given` holds the dotted paths, or whole parts, that came by
 * flag, file or template: the form does not ask for them. Esc goes back, also to a default sender.
 */
export async function fillDraft(
  draft: Draft,
  given: ReadonlySet<string>,
  tools: FormTools,
  { isSenderUsual = false, isFromEnd = false }: FillOptions = {},
): Promise<Draft> {
  const isSkipped = (part: Part) => given.has(part) || fieldsOf(part).every((path) => given.has(path));
  const asked = parts.filter((part) => !isSkipped(part) || (part === "sender" && isSenderUsual));
  const typed = new Set<Part>(isFromEnd ? ["item"] : []);
  let filled = draft;
  const noting: FormTools = {
    ...tools,
    keep(next, open) {
      filled = next;
      tools.keep(next, open);
    },
  };
  let index = isFromEnd ? asked.length - 1 : asked.findIndex((part) => !isSkipped(part));
  let entry: Entry = isFromEnd ? "last field" : "fields";
  for (let part = asked[index]; part !== undefined; part = asked[index]) {
    try {
      const answer = await askPart(part, filled, given, noting, { open: asked.slice(index), entry });
      if (answer.isTyped) typed.add(part);
      else typed.delete(part);
      index += 1;
      noting.keep(answer.draft, asked.slice(index));
      entry = "fields";
    } catch (error) {
      if (!(error instanceof WentBack)) throw error;
      const before = asked[index - 1];
      if (before === undefined) continue;
      index -= 1;
      entry = typed.has(before) ? "last field" : "list";
    }
  }
  return filled;
}

function fieldsOf(part: Part): readonly string[] {
  if (part === "service_type") return [part];
  return (part === "item" ? itemFields : partyFields).map((name) => `${part}.${name}`);
}

interface AskedPart {
  readonly draft: Draft;
  readonly isTyped: boolean;
}

/** Asks for one part anew, with what is there as the starting point. Rejects with `WentBack` at its first question. */
export async function askPart(
  part: Part,
  draft: Draft,
  given: ReadonlySet<string>,
  tools: FormTools,
  { open = [], entry = "fields" }: { readonly open?: readonly Part[]; readonly entry?: Entry } = {},
): Promise<AskedPart> {
  const keep = keepPart(part, draft, open, tools);
  if (part === "service_type")
    return { draft: withPart(draft, part, await askServiceType(tools.prompts)), isTyped: true };
  if (part === "item") {
    const item = await askItem(draft.item, given, tools, keep, entry === "last field");
    return { draft: withPart(draft, part, item), isTyped: true };
  }
  const fixed = new Set(partyFields.filter((name) => given.has(`${part}.${name}`)));
  const { party, isTyped } = await askParty(draft[part], questionsOf(part, fixed, tools, keep), entry);
  return { draft: withPart(draft, part, party), isTyped };
}

/** Asks for a part of a whole draft again; Esc leaves it as it was. */
export async function changePart(part: Part, draft: Draft, tools: FormTools): Promise<Draft> {
  try {
    if (part !== "sender" && part !== "receiver") return (await askPart(part, draft, new Set(), tools)).draft;
    const questions = questionsOf(part, new Set(), tools, keepPart(part, draft, [], tools));
    const { party } = await changeParty(draft[part], questions);
    return withPart(draft, part, party);
  } catch (error) {
    return unchanged(draft, error, tools);
  }
}

function unchanged(draft: Draft, error: unknown, tools: FormTools): Draft {
  if (!(error instanceof WentBack)) throw error;
  tools.keep(draft, []);
  return draft;
}

function questionsOf(
  part: "sender" | "receiver",
  fixed: ReadonlySet<string>,
  tools: FormTools,
  keep: Keep<Json>,
) {
  const partyTools = part === "sender" ? tools : { ...tools, usualSender: undefined };
  return { title: titleOf(part), fixed, tools: partyTools, keep };
}

/** A part with an answer that was interrupted is open: its fields are checked when they are asked for again. */
function keepPart(part: Part, draft: Draft, open: readonly Part[], tools: FormTools): Keep<Json> {
  return (value, isUnfinished = false) => {
    const isAdded = isUnfinished && !open.includes(part);
    tools.keep(withPart(draft, part, value), isAdded ? [...open, part] : [...open]);
  };
}

async function askServiceType(prompts: Prompts): Promise<string | undefined> {
  const types = [
    { value: undefined, label: "let the service choose" },
    ...serviceTypes.map((type) => ({ value: type, label: type })),
  ];
  return prompts.choose<string | undefined>("Service level", types, { canGoBack: true });
}

async function askItem(
  item: Draft["item"],
  given: ReadonlySet<string>,
  { prompts }: FormTools,
  keep: Keep<Json>,
  isAtEnd = false,
): Promise<Json> {
  const names = itemFields.filter((name) => !given.has(`item.${name}`));
  let answers: Record<string, Json> = { ...(item as Record<string, Json> | undefined) };
  let index = isAtEnd ? names.length - 1 : 0;
  for (let name = names[index]; name !== undefined; name = names[index]) {
    const field = name;
    const keepTyped = (line: string) => {
      answers = withField(answers, field, line);
      keep(answers, true);
    };
    try {
      answers = withField(answers, name, await askItemField(name, answers[name], prompts, keepTyped));
      keep(answers);
      index += 1;
    } catch (error) {
      if (!(error instanceof WentBack) || index === 0) throw error;
      index -= 1;
    }
  }
  return answers;
}

/** Numbers are kept as typed: `2.50` stays `2.50`. One that was interrupted is a text until it is answered. */
async function askItemField(
  name: ItemField,
  present: Json | undefined,
  prompts: Prompts,
  keepTyped: (line: string) => void,
  checkFirst: Check = () => true,
): Promise<Json | undefined> {
  const check = checkBoth(checkFirst, checkItemField(name));
  const question = { initial: textOf(present), check, keepTyped, canGoBack: true };
  const answer = (await prompts.text(itemWords[name].label, question)).trim();
  if (answer === "") return undefined;
  return itemWords[name].kind === "text" ? answer : jsonNumber(answer);
}

type Check = (answer: string) => true | string;

function checkBoth(first: Check, second: Check): Check {
  return (answer) => {
    const found = first(answer);
    return found === true ? second(answer) : found;
  };
}

function textOf(value: Json | undefined): string | undefined {
  return isJsonNumber(value) ? value.value : typeof value === "string" ? value : undefined;
}

/** The value that the service refused would only be refused again. */
function isRefused(value: Json | undefined): Check {
  const refused = textOf(value);
  return (answer) =>
    refused === undefined ||
    answer.trim() !== refused ||
    "the service refused this; change it, or Esc to go back";
}

function checkItemField(name: ItemField): Check {
  return (answer) => {
    const text = answer.trim();
    if (text === "") return true;
    const { kind } = itemWords[name];
    if (kind === "text") return findTextProblem(name, text) ?? true;
    if (!isPlainDecimal(text)) return "a number such as 2.50, or Enter to leave it out";
    return kind === "decimal" || !text.includes(".") || "a whole number, or Enter to leave it out";
  };
}

/** Asks for one field again after the service refused it; undefined for a path that is no field. */
export async function correctField(draft: Draft, path: string, tools: FormTools): Promise<Draft | undefined> {
  return askAgain(draft, path, tools).catch((error) => unchanged(draft, error, tools));
}

async function askAgain(draft: Draft, path: string, tools: FormTools): Promise<Draft | undefined> {
  const [part = "", name = ""] = path.split(".");
  if (path === "service_type") return (await askPart("service_type", draft, new Set(), tools)).draft;
  const itemField = itemFields.find((field) => part === "item" && field === name);
  if (itemField) {
    const keepTyped = (line: string) =>
      keepPart("item", draft, [], tools)(withField(draft.item, itemField, line), true);
    const refused = draft.item?.[itemField];
    const answer = await askItemField(itemField, refused, tools.prompts, keepTyped, isRefused(refused));
    return withPart(draft, "item", withField(draft.item, itemField, answer));
  }
  const partyField = partyFields.find((field) => field === name);
  if (!partyField || (part !== "sender" && part !== "receiver")) return undefined;
  const answer = (
    await tools.prompts.text(`${titleOf(part)} ${partyWords[partyField].label}`, {
      initial: draft[part]?.[partyField],
      check: checkBoth(isRefused(draft[part]?.[partyField]), checkPartyField(partyField)),
      canGoBack: true,
      keepTyped: (line) => keepPart(part, draft, [], tools)(withField(draft[part], partyField, line), true),
    })
  ).trim();
  return withPart(draft, part, withField(draft[part], partyField, answer === "" ? undefined : answer));
}

export function titleOf(part: "sender" | "receiver"): string {
  return part === "sender" ? "Sender" : "Receiver";
}

/** Left out means absent from the request, not empty. */
function withField(object: object | undefined, name: string, value: Json | undefined): Record<string, Json> {
  const present = { ...(object as Record<string, Json> | undefined) };
  if (value !== undefined) return { ...present, [name]: value };
  const { [name]: _old, ...rest } = present;
  return rest;
}

function withPart(draft: Draft, part: Part, value: Json | undefined): Draft {
  return withField(draft, part, value) as Draft;
}
