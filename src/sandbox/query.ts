/** The query of the order list (specification, 4.3). The first of a repeated parameter counts. */

import { isCalendarDate } from "../core/time.ts";
import { largestPage } from "./defaults.ts";
import type { Selection } from "./orders-repository.ts";
import { invalidParameter } from "./refusal.ts";
import { stateAt } from "./schedule.ts";

export interface ListQuery {
  readonly page: number;
  readonly limit: number;
  /** Undefined where nothing was filtered by. */
  readonly matches: Selection["matches"];
}

const dayMs = 86_400_000;

/** Throws a Refusal for a page, limit or date that is malformed; states are nowhere to be found when unknown. */
export function acceptListQuery(query: URLSearchParams, nowMs: number): ListQuery {
  const page = acceptCount(query, "page", 1, largestPage);
  const limit = acceptCount(query, "limit", 10, 100);
  const status = query.get("status");
  const fromMs = acceptDay(query, "date_from") ?? Number.NEGATIVE_INFINITY;
  const untilMs = (acceptDay(query, "date_to") ?? Number.POSITIVE_INFINITY) + dayMs;
  if (status === null && fromMs === Number.NEGATIVE_INFINITY && untilMs === Number.POSITIVE_INFINITY) {
    return { page, limit, matches: undefined };
  }
  return {
    page,
    limit,
    matches: (facts, events) =>
      facts.createdMs >= fromMs &&
      facts.createdMs < untilMs &&
      (status === null || stateAt(facts, events, nowMs) === status),
  };
}

function acceptCount(query: URLSearchParams, name: string, fallback: number, most: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > most) throw invalidParameter(name, text, `an integer from 1 to ${most}`);
  return count;
}

/** The first instant of a day in UTC. */
function acceptDay(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!isCalendarDate(text)) throw invalidParameter(name, text, "a date YYYY-MM-DD");
  return Date.parse(`${text}T00:00:00Z`);
}
