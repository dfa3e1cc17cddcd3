/** Owns noticing the orders in the service's answers, whichever command asked for them. */

import { type Sighting, sightCreated, sightDetail, sightSummary, sightTracking } from "../model/sighting.ts";
import type { CourierService } from "./service.ts";

/** The same service; `notice` hears of every order in its answers. */
export function noticeOrders(
  service: CourierService,
  notice: (orders: readonly Sighting[]) => void,
): CourierService {
  return {
    ...service,
    async createOrder(draft, options) {
      const created = await service.createOrder(draft, options);
      notice([sightCreated(created.order, draft)]);
      return created;
    },
    async listOrders(filter, page, limit) {
      const found = await service.listOrders(filter, page, limit);
      notice(found.orders.map(sightSummary));
      return found;
    },
    async order(id) {
      const order = await service.order(id);
      notice([sightDetail(order)]);
      return order;
    },
    async tracking(trackingNumber, options) {
      const tracking = await service.tracking(trackingNumber, options);
      notice([sightTracking(tracking, trackingNumber)]);
      return tracking;
    },
  };
}
