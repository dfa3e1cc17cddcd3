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
  /** Which of these orders are known to have come of another request. */
  findClaimed(ids: readonly string[]): Promise<ReadonlySet<string>>;
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

/** How far the clocks that stamp orders and answers may be apart: orders may be stamped by another machine. */
const toleranceMs = 120_000;
const dayMs = 86_400_000;
/** What services put in place of characters that they hide. */
const maskPattern = /[*＊•●×…]/;
/** Fewer digits than this are no whole telephone number. */
const shortestPhone = 7;

/** Looks for the order made of `draft` by a request that left at `sentAtMs` (our clock). */
export async function findLostOrder(
  draft: Draft,
  sentAtMs: number,
  lookup: OrderLookup,
): Promise<SearchResult> {
  const assumedMs = sentAtMs + (lookup.clockOffsetMs() ?? 0);
  let summaries = await listAround(assumedMs, draft, lookup);
  const offsetMs = lookup.clockOffsetMs();
  const serviceMs = sentAtMs + (offsetMs ?? 0);
  // The first answer may tell that our clock is days off, and that the wrong dates were asked for.
  if (Math.abs(serviceMs - assumedMs) > dayMs / 2) summaries = await listAround(serviceMs, draft, lookup);
  const ageOf = ({ created_at }: Dated) => compareAge(created_at, sentAtMs, offsetMs);
  const claimed = await lookup.findClaimed(summaries.map(({ id }) => id.value));
  const orders: OrderDetail[] = [];
  for (const summary of summaries) {
    if (claimed.has(summary.id.value) || ageOf(summary) === "differs") continue;
    orders.push(await lookup.detail(summary.id.value));
  }
  const { sure, unsure, early } = weighOrders(orders, draft, ageOf);
  const [only] = sure;
  // An equal order that is a little older may be ours only if no other is.
  if (only && sure.length === 1 && unsure.length === 0) return { kind: "found", order: only };
  const candidates = [...sure, ...unsure, ...early];
  return candidates.length === 0 ? { kind: "absent" } : { kind: "unclear", candidates };
}

/** What of an order tells when it was made. */
export type Dated = Pick<OrderSummary, "created_at">;

/** Orders that may have come of one draft. */
export interface Candidates {
  /** Equal, and made after the request left. */
  readonly sure: readonly OrderDetail[];
  /** Masked or reworded, so that they may be it. */
  readonly unsure: readonly OrderDetail[];
  /** Equal, but older than the request by a clock that may be off, or of an unknown hour. */
  readonly early: readonly OrderDetail[];
}

/** Leaves out the orders that cannot have come of the draft. */
export function weighOrders(
  orders: readonly OrderDetail[],
  draft: Draft,
  ageOf: (order: Dated) => Agreement,
): Candidates {
  const sure: OrderDetail[] = [];
  const unsure: OrderDetail[] = [];
  const early: OrderDetail[] = [];
  for (const order of orders) {
    const age = ageOf(order);
    const agreement = compareOrder(order, draft);
    if (age === "differs" || agreement === "differs") continue;
    if (agreement === "unclear") unsure.push(order);
    else (age === "agrees" ? sure : early).push(order);
  }
  return { sure, unsure, early };
}

/** Which zone the service's dates are in is not specified: a day more on both sides covers every one. */
async function listAround(instantMs: number, draft: Draft, lookup: OrderLookup): Promise<OrderSummary[]> {
  const summaries: OrderSummary[] = [];
  for await (const order of lookup.list(utcDate(instantMs, -1), utcDate(instantMs, 2))) {
    if (couldBe(order, draft)) summaries.push(order);
  }
  return summaries;
}

/** `unclear`: missing, masked or reworded by the service, so neither the same nor surely another. */
export type Agreement = "agrees" | "unclear" | "differs";

/**
 * An order made before the request left is another one, unless clocks differ by no more than `apartMs`; without
 * the service's hour nothing is certain.
 */
export function compareAge(
  createdAt: string | null | undefined,
  sentAtMs: number,
  offsetMs: number | undefined,
  apartMs = toleranceMs,
): Agreement {
  const createdMs = createdAt ? parseInstant(createdAt) : undefined;
  if (createdAt === undefined || createdAt === null) return "unclear";
  if (createdMs === undefined || offsetMs === undefined) return "unclear";
  // The Date header's whole seconds and its way to us make the offset too small, never too large.
  const earliestMs = sentAtMs + offsetMs;
  const isWholeSeconds = !/[.,]\d/.test(createdAt);
  if (createdMs >= earliestMs - (isWholeSeconds ? 999 : 0)) return "agrees";
  return createdMs >= earliestMs - apartMs ? "unclear" : "differs";
}

/** Whether a list element can be the order at all: what the list shows does not contradict the draft. */
export function couldBe(order: OrderSummary, draft: Draft): boolean {
  return [
    compareText(draft.sender?.name, order.sender?.name),
    compareCity(draft.sender?.city, order.sender?.city),
    compareText(draft.receiver?.name, order.receiver?.name),
    compareCity(draft.receiver?.city, order.receiver?.city),
    compareText(draft.item?.name, order.item_name),
  ].every((agreement) => agreement !== "differs");
}

/** Compares the draft with the order's detail, field by field. */
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
    // 2.7: what an order without service_type gets is not shown.
    draft.service_type ? compareText(draft.service_type, order.service_type) : "agrees",
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
  // What was not sent but is there was filled in by the service, or the order is another one.
  if (sent === undefined || sent === "") return got ? "unclear" : "agrees";
  if (got === undefined || got === null) return "unclear";
  if (squeeze(sent) === squeeze(got)) return "agrees";
  return isReworded(got) || fold(sent) === fold(got) ? "unclear" : "differs";
}

/** 上海 may come back as 上海市: a city in another wording is no other city yet. */
function compareCity(sent: string | undefined, got: string | null | undefined): Agreement {
  const same = compareText(sent, got);
  if (same !== "differs" || !sent || !got) return same;
  const [a, b] = [fold(sent), fold(got)];
  return a.includes(b) || b.includes(a) ? "unclear" : "differs";
}

function comparePhone(sent: string | undefined, got: string | null | undefined): Agreement {
  const same = compareText(sent, got);
  if (same !== "differs" || !sent || !got) return same;
  const [a, b] = [bareDigits(sent), bareDigits(got)];
  if (a === b) return a === "" ? "differs" : "agrees";
  const [short = "", long = ""] = [a, b].sort((one, other) => one.length - other.length);
  if (!long.endsWith(short) || short === "") return "differs";
  // With a country code it is the same number; otherwise it may be, as are the last digits of one.
  const isInternational = /^\s*(\+|00)/.test(long === a ? sent : got);
  const isWhole = short.length >= shortestPhone && long.length - short.length <= 3;
  return isInternational && isWhole ? "agrees" : "unclear";
}

/** 2.4: one combined string of province, city, district and detail; how it is joined is not shown. */
function compareAddress(parts: readonly (string | undefined)[], got: string | null | undefined): Agreement {
  const given = parts.filter((part) => part !== undefined && part !== "").map((part) => squeeze(part ?? ""));
  if (given.length === 0) return got ? "unclear" : "agrees";
  if (got === undefined || got === null) return "unclear";
  const whole = squeeze(got);
  let position = 0;
  let between = "";
  for (const part of given) {
    const found = whole.indexOf(part, position);
    if (found < 0) return "unclear"; // joined or cleaned up in a way we do not know
    between += whole.slice(position, found);
    position = found + part.length;
  }
  // More than separators around the parts: `Room 12` is not `Room 1`.
  return /[\p{L}\p{N}]/u.test(between + whole.slice(position)) ? "unclear" : "agrees";
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

/** True for a text in which the service may have hidden or shortened something. */
export function isReworded(text: string): boolean {
  return maskPattern.test(text);
}

/** Text without the differences that storing and joining may make: blanks and Unicode forms. */
export function squeeze(text: string): string {
  return text.normalize("NFC").replace(/\s+/g, "");
}

/** Text without the differences that tidying may make: wide forms and the case of letters. */
export function fold(text: string): string {
  return squeeze(text).normalize("NFKC").toLowerCase();
}

/** A telephone number's digits without blanks, dashes and the zeros that dial out. */
function bareDigits(phone: string): string {
  return phone.normalize("NFKC").replace(/\D/g, "").replace(/^0+/, "");
}
