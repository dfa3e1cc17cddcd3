/**
 * Owns the search for an order whose create was sent but never answered. The service has no idempotency
 * key, so the only way to know is to look: by date in the list, then in the details of what could be it
 * (specification, 2.4 and 4.2 to 4.4).
 */

import { parseInstant, utcDate } from "../core/time.ts";
import { equalDecimals } from "../model/decimal.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { isJsonNumber } from "../model/json.ts";

/** How to look: the functions of the service that the search needs. */
export interface OrderLookup {
  /** All orders created within dates, both included. */
  list(dateFrom: string, dateTo: string): AsyncIterable<OrderSummary>;
  detail(id: string): Promise<OrderDetail>;
  /** Service's clock minus ours in milliseconds; undefined when the service does not tell the time. */
  clockOffsetMs(): number | undefined;
}

export type SearchResult =
  /** Exactly one order is it. */
  | { readonly kind: "found"; readonly order: OrderDetail }
  /** None is, as of now; the service may still be at work on it. */
  | { readonly kind: "absent" }
  /** Orders that may be it, but not for certain. */
  | { readonly kind: "unclear"; readonly candidates: readonly OrderDetail[] };

/** A service's timestamps and its Date header may be cut to whole seconds. */
const toleranceMs = 2_000;

/** Looks for the order made of `draft` by a request that left at `sentAtMs` (our clock). */
export async function findLostOrder(
  draft: Draft,
  sentAtMs: number,
  lookup: OrderLookup,
): Promise<SearchResult> {
  // Which zone the service's dates are in is not specified: a day more on both sides covers every one.
  const summaries: OrderSummary[] = [];
  for await (const order of lookup.list(utcDate(sentAtMs, -1), utcDate(sentAtMs, 2))) {
    if (couldBe(order, draft)) summaries.push(order);
  }
  const offsetMs = lookup.clockOffsetMs();
  const sure: OrderDetail[] = [];
  const unsure: OrderDetail[] = [];
  for (const summary of summaries) {
    const age = compareAge(summary.created_at, sentAtMs, offsetMs);
    if (age === "differs") continue;
    const order = await lookup.detail(summary.id.value);
    const agreement = compareOrder(order, draft);
    if (agreement === "differs") continue;
    if (agreement === "agrees" && age === "agrees") sure.push(order);
    else unsure.push(order);
  }
  const [only] = sure;
  if (only && sure.length === 1 && unsure.length === 0) return { kind: "found", order: only };
  if (sure.length === 0 && unsure.length === 0) return { kind: "absent" };
  return { kind: "unclear", candidates: [...sure, ...unsure] };
}

/** `unclear`: missing, masked or reworded by the service, so neither the same nor surely another. */
export type Agreement = "agrees" | "unclear" | "differs";

/** An order made before the request left is another one; without the service's hour nothing is certain. */
function compareAge(
  createdAt: string | null | undefined,
  sentAtMs: number,
  offsetMs: number | undefined,
): Agreement {
  const createdMs = createdAt ? parseInstant(createdAt) : undefined;
  if (createdMs === undefined || offsetMs === undefined) return "unclear";
  return createdMs >= sentAtMs + offsetMs - toleranceMs ? "agrees" : "differs";
}

/** Whether a list element can be the order at all: what the list shows does not contradict the draft. */
export function couldBe(order: OrderSummary, draft: Draft): boolean {
  return [
    compareText(draft.sender?.name, order.sender?.name),
    compareText(draft.sender?.city, order.sender?.city),
    compareText(draft.receiver?.name, order.receiver?.name),
    compareText(draft.receiver?.city, order.receiver?.city),
    compareText(draft.item?.name, order.item_name),
  ].every((agreement) => agreement !== "differs");
}

/** Compares every field that was sent with the order's detail. */
export function compareOrder(order: OrderDetail, draft: Draft): Agreement {
  const { item } = draft;
  return worst([
    ...compareParty(draft.sender, order.sender),
    ...compareParty(draft.receiver, order.receiver),
    compareText(item?.name, order.item?.name),
    compareText(item?.description, order.item?.description),
    compareNumber(item?.weight, order.item?.weight),
    compareNumber(item?.value, order.item?.value),
    compareNumber(item?.quantity, order.item?.quantity),
    compareText(draft.service_type, order.service_type),
  ]);
}

function compareParty(sent: DraftParty | undefined, got: OrderDetail["sender"]): Agreement[] {
  const address = [sent?.province, sent?.city, sent?.district, sent?.detail];
  return [
    compareText(sent?.name, got?.name),
    comparePhone(sent?.phone, got?.phone),
    compareAddress(address, got?.address),
  ];
}

function compareText(sent: string | undefined, got: string | null | undefined): Agreement {
  if (sent === undefined || sent === "") return "agrees";
  if (got === undefined || got === null || got.includes("*")) return "unclear";
  return squeeze(sent) === squeeze(got) ? "agrees" : "differs";
}

function comparePhone(sent: string | undefined, got: string | null | undefined): Agreement {
  const same = compareText(sent, got);
  if (same !== "differs" || !sent || !got) return same;
  // The same number may come back with or without blanks, dashes or a country code.
  const [a, b] = [sent.replace(/\D/g, ""), got.replace(/\D/g, "")];
  return a !== "" && b !== "" && (a.endsWith(b) || b.endsWith(a)) ? "agrees" : "differs";
}

/** 2.4: one combined string of province, city, district and detail; how it is joined is not shown. */
function compareAddress(parts: readonly (string | undefined)[], got: string | null | undefined): Agreement {
  const given = parts.filter((part) => part !== undefined && part !== "").map((part) => squeeze(part ?? ""));
  if (given.length === 0) return "agrees";
  if (got === undefined || got === null) return "unclear";
  const whole = squeeze(got);
  let position = 0;
  for (const part of given) {
    const found = whole.indexOf(part, position);
    if (found < 0) return "unclear"; // joined or cleaned up in a way we do not know
    position = found + part.length;
  }
  return "agrees";
}

function compareNumber(sent: unknown, got: unknown): Agreement {
  if (!isJsonNumber(sent)) return "agrees";
  if (!isJsonNumber(got)) return "unclear";
  return equalDecimals(sent.value, got.value) ? "agrees" : "differs";
}

function worst(agreements: readonly Agreement[]): Agreement {
  if (agreements.includes("differs")) return "differs";
  return agreements.includes("unclear") ? "unclear" : "agrees";
}

/** Text without the differences that storing and joining may make: blanks and Unicode forms. */
function squeeze(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, "");
}
