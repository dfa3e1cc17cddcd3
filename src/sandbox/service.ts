/** What the six endpoints do (specification, section 4); of HTTP it knows status codes and no more. */

import type { Clock } from "../core/clock.ts";
import { isCalendarDate } from "../core/time.ts";
import { type Json, jsonNumber } from "../model/json.ts";
import { type Answer, success } from "./answer.ts";
import { account, createdStatus, largestPage } from "./defaults.ts";
import { idOfTrackingNumber } from "./numbers.ts";
import type { OrdersRepository, Selection } from "./orders-repository.ts";
import { invalidParameter, notFound } from "./refusal.ts";
import { stateAt } from "./schedule.ts";
import { trackingAnswer } from "./tracking-history.ts";
import { cancelAt } from "./transitions.ts";
import { acceptOrder } from "./validate-order.ts";
import { creationView, detailView, listView } from "./views.ts";

/** Every call throws a Refusal where the service refuses. */
export interface Service {
  profile(): Promise<Answer>;
  createOrder(body: Json): Promise<Answer>;
  listOrders(query: URLSearchParams): Promise<Answer>;
  showOrder(id: string): Promise<Answer>;
  cancelOrder(id: string): Promise<Answer>;
  track(trackingNumber: string): Promise<Answer>;
}

export interface ServiceParts {
  readonly orders: OrdersRepository;
  readonly clock: Clock;
  readonly profileId: () => Promise<number>;
  readonly callsLeft: () => number;
}

export function createService({ orders, clock, profileId, callsLeft }: ServiceParts): Service {
  return {
    async profile() {
      return success({
        id: await profileId(),
        name: account.name,
        email: account.email,
        balance: jsonNumber(account.balance),
        api_calls_remaining: callsLeft(),
      });
    },

    async createOrder(body) {
      const order = await orders.create(acceptOrder(body, clock.now()));
      return { ...success(creationView(order), { message: "order created" }), status: createdStatus };
    },

    async listOrders(query) {
      const { page, limit, matches } = acceptListQuery(query, clock.now());
      const listing = await orders.list({ matches, offset: (page - 1) * limit, limit });
      return success(
        listing.orders.map((known) => listView(known, clock.now())),
        {
          pagination: {
            current_page: page,
            total_pages: Math.ceil(listing.total / limit),
            total_items: listing.total,
            per_page: limit,
          },
        },
      );
    },

    async showOrder(id) {
      const known = await orders.find(acceptId(id));
      if (!known) throw notFound(`order ${id}`);
      return success(detailView(known, clock.now()));
    },

    async cancelOrder(id) {
      if (!(await orders.change(acceptId(id), cancelAt(clock.now())))) throw notFound(`order ${id}`);
      return { status: 200, body: { success: true, message: "order cancelled" } };
    },

    async track(trackingNumber) {
      const id = idOfTrackingNumber(trackingNumber);
      const known = id === undefined ? undefined : await orders.find(id);
      if (!known) throw notFound(`tracking number ${trackingNumber}`);
      return success(trackingAnswer(known, clock.now()));
    },
  };
}

/** An integer too large to be anybody's id is merely unknown. */
function acceptId(text: string): number {
  if (!/^\d+$/.test(text)) throw invalidParameter("id", text, "an integer");
  return Number(text);
}

interface ListQuery {
  readonly page: number;
  readonly limit: number;
  /** Undefined where nothing was filtered by. */
  readonly matches: Selection["matches"];
}

const dayMs = 86_400_000;

/** Throws a Refusal for a page, limit or date that is malformed; states are nowhere to be found when unknown. */
function acceptListQuery(query: URLSearchParams, nowMs: number): ListQuery {
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
