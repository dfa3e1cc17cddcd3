/** An order as the mirror knows it: the newest value of each field, from whichever answer showed it. */

import { isJsonNumber, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
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
    hasPhone: [fields.sender, fields.receiver].some((party) => textAt(party, "phone") !== undefined),
  };
}

/** Newer fields replace older ones; objects are combined. */
function combine(older: JsonObject, newer: JsonObject): JsonObject {
  const combined: Record<string, Json | undefined> = { ...older };
  for (const [key, value] of Object.entries(newer)) {
    const before = combined[key];
    combined[key] = isJsonObject(before) && isJsonObject(value) ? combine(before, value) : value;
  }
  return combined;
}

export function textAt(value: Json | undefined, key: string): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = value[key];
  if (isJsonNumber(found)) return found.value;
  return typeof found === "string" && found !== "" ? found : undefined;
}

const partyFields = ["name", "phone", "address", "province", "city", "district", "detail"];

/** The texts that a search looks in, normalised. */
export function searchableTexts({ id, ref, fields }: Pick<MirroredOrder, "id" | "ref" | "fields">): string[] {
  const { sender, receiver, item, tracking } = fields;
  const parties = [sender, receiver].flatMap((party) => {
    const texts = partyFields.map((field) => textAt(party, field));
    const phone = textAt(party, "phone");
    return [...texts, ...(phone === undefined ? [] : phoneForms(normalise(phone)))];
  });
  const own = ["order_no", "tracking_number", "item_name"].map((field) => textAt(fields, field));
  const items = ["name", "description"].map((field) => textAt(item, field));
  const texts = [id, ref, ...own, ...items, ...parties, textAt(tracking, "tracking_number")];
  return [...new Set(texts.filter((text) => text !== undefined).map(normalise))];
}
