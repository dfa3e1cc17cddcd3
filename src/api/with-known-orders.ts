/** A service that reports every order in its answers to a callback, for the Tab key and the mirror. */

import type { OrderDetail, OrderSummary, Tracking } from "../model/interface.ts";
import { fromCreated, fromDetail, fromSummary, fromTracking, type KnownOrder } from "../model/known-order.ts";
import type { CourierService } from "./service.ts";

/** What an answer says about an existing order, as it came. */
export type OrderAnswer =
  | { readonly kind: "list"; readonly id: string; readonly value: OrderSummary }
  | { readonly kind: "detail"; readonly id: string; readonly value: OrderDetail }
  | { readonly kind: "tracking"; readonly id: undefined; readonly value: Tracking };

/** The same service; `notice` is called with the orders of each answer, `keep` with the answer about each. */
export function withKnownOrders(
  service: CourierService,
  notice: (orders: readonly KnownOrder[]) => void,
  keep: (answer: OrderAnswer) => void,
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
      notice(found.orders.map(fromSummary));
      for (const order of found.orders) keep({ kind: "list", id: order.id.value, value: order });
      return found;
    },
    async order(id) {
      const order = await service.order(id);
      notice([fromDetail(order)]);
      keep({ kind: "detail", id: order.id.value, value: order });
      return order;
    },
    async tracking(trackingNumber, options) {
      const tracking = await service.tracking(trackingNumber, options);
      notice([fromTracking(tracking)]);
      keep({ kind: "tracking", id: undefined, value: tracking });
      return tracking;
    },
  };
}
