/** Owns what the six endpoints do (specification, section 4); of HTTP it knows status codes and no more. */

import type { Clock } from "../core/clock.ts";
import { type Json, jsonNumber } from "../model/json.ts";
import { type Answer, success } from "./answer.ts";
import { account, createdStatus } from "./choices.ts";
import { acceptOrder } from "./intake.ts";
import { trackingView } from "./journey.ts";
import type { Ledger } from "./ledger.ts";
import { cancelAt } from "./moves.ts";
import { idOfTrackingNumber } from "./numbers.ts";
import { acceptListQuery } from "./query.ts";
import { invalidParameter, notFound } from "./refusal.ts";
import { creationView, detailView, listView } from "./views.ts";

/** Every call throws a Refusal where the service refuses. */
export interface Service {
  profile(): Answer;
  createOrder(body: Json): Answer;
  listOrders(query: URLSearchParams): Answer;
  showOrder(id: string): Answer;
  cancelOrder(id: string): Answer;
  track(trackingNumber: string): Answer;
}

export function createService(ledger: Ledger, clock: Clock, callsLeft: () => number): Service {
  return {
    profile() {
      return success({
        id: account.id,
        name: account.name,
        email: account.email,
        balance: jsonNumber(account.balance),
        api_calls_remaining: callsLeft(),
      });
    },

    createOrder(body) {
      const order = ledger.create(acceptOrder(body, clock.now()));
      return { ...success(creationView(order), { message: "order created" }), status: createdStatus };
    },

    listOrders(query) {
      const { page, limit, matches } = acceptListQuery(query, clock.now());
      const { total, orders } = ledger.list({ matches, offset: (page - 1) * limit, limit });
      return success(
        orders.map((known) => listView(known, clock.now())),
        {
          pagination: {
            current_page: page,
            total_pages: Math.ceil(total / limit),
            total_items: total,
            per_page: limit,
          },
        },
      );
    },

    showOrder(id) {
      const known = ledger.find(acceptId(id));
      if (!known) throw notFound(`order ${id}`);
      return success(detailView(known, clock.now()));
    },

    cancelOrder(id) {
      if (!ledger.change(acceptId(id), cancelAt(clock.now()))) throw notFound(`order ${id}`);
      return { status: 200, body: { success: true, message: "order cancelled" } };
    },

    track(trackingNumber) {
      const id = idOfTrackingNumber(trackingNumber);
      const known = id === undefined ? undefined : ledger.find(id);
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
