/** An order as the mirror knows it: the newest value of each field, from whichever answer showed it. */

import { isJsonNumber, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { isMaskOf } from "../model/masked-text.ts";
import { normalise, phoneForms } from "./grams.ts";

/** Which answer: a draft is what was sent, `created` what the service answered to it. */
export const answerKinds = ["draft", "created", "list", "detail", "tracking"] as const;
export type AnswerKind = (typeof answerKinds)[number];

export interface StoredAnswer {
  readonly kind: AnswerKind;
  readonly value: JsonObject;
  readonly seenAtMs: number;
}

export interface MirroredOrder {
  readonly id: string;
  readonly ref: string | undefined;
  /** All fields of the answers; a tracking answer is under `tracking`. */
  readonly fields: JsonObject;
  /** When the service last showed it. */
  readonly seenAtMs: number;
  /** When it last answered for the parcel; undefined where it did not. */
  readonly trackedAtMs: number | undefined;
  /** What was sent from this machine. */
  readonly draft: JsonObject | undefined;
  /** The last answer about it alone, which lacks nothing. */
  readonly detail: StoredAnswer | undefined;
  /** A sender's or receiver's phone is known. */
  readonly hasPhone: boolean;
  /** When the service was first found to show it no longer; undefined while it does. */
  readonly notShownSinceMs: number | undefined;
}

export interface OrderFacts {
  readonly id: string;
  readonly ref: string | undefined;
  readonly notShownSinceMs: number | undefined;
}

export function merge(order: OrderFacts, answers: readonly StoredAnswer[]): MirroredOrder {
  // What was sent comes first: the service may have rewritten it.
  const rank = ({ kind, seenAtMs }: StoredAnswer) => (kind === "draft" ? 0 : seenAtMs);
  let fields: JsonObject = {};
  for (const { kind, value } of [...answers].sort((a, b) => rank(a) - rank(b)))
    fields = combine(fields, kind === "tracking" ? { tracking: value } : value);
  return {
    ...order,
    fields,
    seenAtMs: Math.max(0, ...answers.map(({ seenAtMs }) => seenAtMs)),
    trackedAtMs: answers.find(({ kind }) => kind === "tracking")?.seenAtMs,
    draft: answers.find(({ kind }) => kind === "draft")?.value,
    detail: answers.find(({ kind }) => kind === "detail"),
    hasPhone: [fields.sender, fields.receiver].some((party) => textAt(party, "phone") !== undefined),
  };
}

/** Newer fields replace older ones; objects are combined. */
function combine(older: JsonObject, newer: JsonObject): JsonObject {
  // Spread, a field `__proto__` is one as any other; set where it is not yet, it would be the prototype.
  const combined: Record<string, Json | undefined> = { ...older, ...newer };
  for (const [key, before] of Object.entries(older)) {
    const value = combined[key];
    if (value === before) continue;
    if (isJsonObject(before) && isJsonObject(value)) combined[key] = combine(before, value);
    else if (hidesKnown(value, before)) combined[key] = before;
  }
  return combined;
}

/** A service that hides a part of a name or a phone does not take away what is known of it. */
export function hidesKnown(value: unknown, before: unknown): boolean {
  return typeof value === "string" && typeof before === "string" && isMaskOf(value, before);
}

export function textAt(value: Json | undefined, key: string): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = value[key];
  if (isJsonNumber(found)) return found.value;
  return typeof found === "string" && found !== "" ? found : undefined;
}

const partyFields = ["name", "phone", "address", "province", "city", "district", "detail"];

/** The fields that a search looks in. */
export const searchablePaths: readonly (readonly string[])[] = [
  ["order_no"],
  ["tracking_number"],
  ["item_name"],
  ["item", "name"],
  ["item", "description"],
  ...["sender", "receiver"].flatMap((party) => partyFields.map((field) => [party, field])),
  ["tracking", "tracking_number"],
];
const isPhone = searchablePaths.map(([, field]) => field === "phone");

/** The texts that a search looks in, normalised. */
export function searchableTexts({ id, ref, fields }: Pick<MirroredOrder, "id" | "ref" | "fields">): string[] {
  const values = searchablePaths.map(([first = "", second]) =>
    second === undefined ? textAt(fields, first) : textAt(fields[first], second),
  );
  return normaliseAll(id, ref, values);
}

/** Characters of a text that a search looks in. The index of an endless one would take seconds. */
const searchedLength = 10_000;

/** The same of the texts at the searchable paths. */
export function normaliseAll(
  id: string,
  ref: string | undefined,
  values: readonly (string | undefined)[],
): string[] {
  const texts = new Set([normalise(id)]);
  if (ref !== undefined) texts.add(normalise(ref));
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const text = normalise(value.slice(0, searchedLength));
    texts.add(text);
    if (isPhone[index]) for (const form of phoneForms(text)) texts.add(normalise(form));
  }
  return [...texts];
}
