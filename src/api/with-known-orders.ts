/** A service, and a client for raw calls, that report every order in their answers, for the Tab key, the mirror and the ledger. */

import {
  type OrderDetail,
  type OrderSummary,
  orderDetailSchema,
  orderSummarySchema,
  type Tracking,
} from "../model/interface.ts";
import { fromCreated, fromDetail, fromSummary, fromTracking, type KnownOrder } from "../model/known-order.ts";
import { withoutZeros } from "../model/order-id.ts";
import { check } from "../model/schema.ts";
import type { Client } from "./client.ts";
import type { CourierService } from "./service.ts";

/** What an answer says about an existing order, as it came. */
export type OrderAnswer =
  | { readonly kind: "list"; readonly id: string; readonly value: OrderSummary }
  | { readonly kind: "detail"; readonly id: string; readonly value: OrderDetail }
  | { readonly kind: "tracking"; readonly id: undefined; readonly value: Tracking };

/** Is called with the answers about existing orders of each call. */
export type Report = (answers: readonly OrderAnswer[]) => void;

/** Calls `notice` with the orders of each call, `keep` with each answer. */
export function reportTo(
  notice: (orders: readonly KnownOrder[]) => void,
  keep: (answer: OrderAnswer) => void,
): Report {
  return (answers) => {
    notice(answers.map(toKnownOrder));
    for (const answer of answers) keep(answer);
  };
}

function toKnownOrder({ kind, value }: OrderAnswer): KnownOrder {
  if (kind === "list") return fromSummary(value);
  return kind === "detail" ? fromDetail(value) : fromTracking(value);
}

/** The same service; `notice` is called with each order that it creates. */
export function withKnownOrders(
  service: CourierService,
  notice: (orders: readonly KnownOrder[]) => void,
  report: Report,
): CourierService {
  return {
    ...service,
    async createOrder(draft, options) {
      const created = await service.createOrder(draft, options);
      notice([fromCreated(created.order, draft)]);
      return created;
    },
    async listOrders(filter, page, limit) {
      const found = await service.listOrders(filter, page, limit);
      report(found.orders.map((value) => ({ kind: "list", id: value.id.value, value })));
      return found;
    },
    async order(id) {
      const value = await service.order(id);
      report([{ kind: "detail", id: value.id.value, value }]);
      return value;
    },
    async tracking(trackingNumber, options) {
      const value = await service.tracking(trackingNumber, options);
      report([{ kind: "tracking", id: undefined, value }]);
      return value;
    },
  };
}

/** The same client, for raw calls: the orders that they read (4.3, 4.4) are reported, where they have the right shape. */
export function withKnownRawOrders(client: Client, report: Report): Client {
  return {
    ...client,
    async exchange(call) {
      const reply = await client.exchange(call);
      const [path, asked] = /\/api\/v1\/orders(?:\/(\d+))?\/?$/.exec(reply.url.pathname) ?? [];
      if (call.method !== "GET" || path === undefined) return reply;
      const data = reply.envelope?.data;
      // Parameters may leave out fields, and a detail lacks none.
      const isDetail = asked !== undefined && reply.url.search === "";
      const answers = (Array.isArray(data) ? data : [data]).flatMap((item): readonly OrderAnswer[] => {
        const checked = isDetail ? check(orderDetailSchema, item) : check(orderSummarySchema, item);
        if (!("value" in checked)) return [];
        const id = checked.value.id.value;
        if (asked !== undefined && id !== withoutZeros(asked)) return [];
        return [{ kind: isDetail ? "detail" : "list", id, value: checked.value } as OrderAnswer];
      });
      report(answers);
      return reply;
    },
  };
}
