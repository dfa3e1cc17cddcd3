/** A service that reports every order in its answers to a callback, for the order cache. */

import { fromCreated, fromDetail, fromSummary, fromTracking, type KnownOrder } from "../model/known-order.ts";
import type { CourierService } from "./service.ts";

/** The same service; `notice` is called with the orders of each answer. */
export function withKnownOrders(
  service: CourierService,
  notice: (orders: readonly KnownOrder[]) => void,
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
      return found;
    },
    async order(id) {
      const order = await service.order(id);
      notice([fromDetail(order)]);
      return order;
    },
    async tracking(trackingNumber, options) {
      const tracking = await service.tracking(trackingNumber, options);
      notice([fromTracking(tracking)]);
      return tracking;
    },
  };
}
