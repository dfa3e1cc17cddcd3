/** The interactive order form: which questions a draft still needs, in which order (2.2, 2.3, 4.2). */

import type { Prompts } from "../core/prompts.ts";
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
import { askParty, changeParty, checkPartyField, type Keep, type PartyTools } from "./party-form.ts";

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

/**
 * Asks for the parts that are still open. `given` holds the dotted paths, or whole parts, that came by
 * flag, file or template: the form does not ask for them.
 */
export async function fillDraft(draft: Draft, given: ReadonlySet<string>, tools: FormTools): Promise<Draft> {
  const open = parts.filter((part) => !given.has(part));
  let filled = draft;
  while (open[0] !== undefined) {
    filled = await askPart(open[0], filled, given, tools, open);
    open.shift();
    tools.keep(filled, [...open]);
  }
  return filled;
}

/** Asks for one part anew, with what is there as the starting point. */
export async function askPart(
  part: Part,
  draft: Draft,
  given: ReadonlySet<string>,
  tools: FormTools,
  open: readonly Part[] = [],
): Promise<Draft> {
  const keep = keepPart(part, draft, open, tools);
  if (part === "service_type") return withPart(draft, part, await askServiceType(tools.prompts));
  if (part === "item") return withPart(draft, part, await askItem(draft.item, given, tools, keep));
  const fixed = new Set(partyFields.filter((name) => given.has(`${part}.${name}`)));
  return withPart(draft, part, await askParty(titleOf(part), draft[part], fixed, tools, keep));
}

/** Asks for a part of a whole draft again. */
export async function changePart(part: Part, draft: Draft, tools: FormTools): Promise<Draft> {
  if (part !== "sender" && part !== "receiver") return askPart(part, draft, new Set(), tools);
  const keep = keepPart(part, draft, [], tools);
  return withPart(draft, part, await changeParty(titleOf(part), draft[part], tools, keep));
}

/** A part with an answer that was interrupted is open: its fields are checked when they are asked for again. */
function keepPart(part: Part, draft: Draft, open: readonly Part[], tools: FormTools): Keep<Json> {
  return (value, isUnfinished = false) => {
    const isAdded = isUnfinished && !open.includes(part);
    tools.keep(withPart(draft, part, value), isAdded ? [...open, part] : [...open]);
  };
}

async function askServiceType(prompts: Prompts): Promise<string | undefined> {
  return prompts.choose<string | undefined>("Service level", [
    { value: undefined, label: "let the service choose" },
    ...serviceTypes.map((type) => ({ value: type, label: type })),
  ]);
}

async function askItem(
  item: Draft["item"],
  given: ReadonlySet<string>,
  { prompts }: FormTools,
  keep: Keep<Json>,
): Promise<Json> {
  let answers: Record<string, Json> = { ...(item as Record<string, Json> | undefined) };
  for (const name of itemFields) {
    if (given.has(`item.${name}`)) continue;
    const keepTyped = (line: string) => keep(withField(answers, name, line), true);
    answers = withField(answers, name, await askItemField(name, answers[name], prompts, keepTyped));
    keep(answers);
  }
  return answers;
}

/** Numbers are kept as typed: `2.50` stays `2.50`. One that was interrupted is a text until it is answered. */
async function askItemField(
  name: ItemField,
  present: Json | undefined,
  prompts: Prompts,
  keepTyped: (line: string) => void,
): Promise<Json | undefined> {
  const initial = isJsonNumber(present) ? present.value : typeof present === "string" ? present : undefined;
  const question = { initial, check: checkItemField(name), keepTyped };
  const answer = (await prompts.text(itemWords[name].label, question)).trim();
  if (answer === "") return undefined;
  return itemWords[name].kind === "text" ? answer : jsonNumber(answer);
}

function checkItemField(name: ItemField): (answer: string) => true | string {
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
  const [part = "", name = ""] = path.split(".");
  if (path === "service_type") return askPart("service_type", draft, new Set(), tools);
  const itemField = itemFields.find((field) => part === "item" && field === name);
  if (itemField) {
    const keepTyped = (line: string) =>
      keepPart("item", draft, [], tools)(withField(draft.item, itemField, line), true);
    const answer = await askItemField(itemField, draft.item?.[itemField], tools.prompts, keepTyped);
    return withPart(draft, "item", withField(draft.item, itemField, answer));
  }
  const partyField = partyFields.find((field) => field === name);
  if (!partyField || (part !== "sender" && part !== "receiver")) return undefined;
  const answer = (
    await tools.prompts.text(`${titleOf(part)} ${partyWords[partyField].label}`, {
      initial: draft[part]?.[partyField],
      check: checkPartyField(partyField),
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
