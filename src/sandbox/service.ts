/** What the six endpoints do (specification, section 4); of HTTP it knows status codes and no more. */

import type { Clock } from "../core/clock.ts";
import { type Json, jsonNumber } from "../model/json.ts";
import { type Answer, success } from "./answer.ts";
import { account, createdStatus } from "./defaults.ts";
import { idOfTrackingNumber } from "./numbers.ts";
import type { OrdersRepository } from "./orders-repository.ts";
import { acceptListQuery } from "./query.ts";
import { invalidParameter, notFound } from "./refusal.ts";
import { trackingView } from "./tracking-history.ts";
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
      return success(trackingView(known, clock.now()));
    },
  };
}

/** An integer too large to be anybody's id is merely unknown. */
function acceptId(text: string): number {
  if (!/^\d+$/.test(text)) throw invalidParameter("id", text, "an integer");
  return Number(text);
}
