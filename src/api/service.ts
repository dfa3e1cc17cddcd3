/** The six endpoints of the interface as typed functions (specification, section 4). */

import { CourierError } from "../core/errors.ts";
import type { Draft } from "../model/draft.ts";
import {
  type CreatedOrder,
  createdOrderSchema,
  type OrderDetail,
  type OrderSummary,
  orderDetailSchema,
  orderPageSchema,
  type Pagination,
  type Profile,
  paginationSchema,
  profileSchema,
  type Tracking,
  trackingSchema,
} from "../model/interface.ts";
import { isJsonObject, type Json, type JsonNumber } from "../model/json.ts";
import { withoutZeros } from "../model/order-id.ts";
import { check } from "../model/schema.ts";
import type { Client } from "./client.ts";
import { ServiceFailure } from "./failure.ts";

/** 4.3: all optional; dates are YYYY-MM-DD, `limit` is at most 100. */
export interface OrderFilter {
  readonly status?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

export interface OrderPage {
  readonly orders: readonly OrderSummary[];
  readonly pagination: Pagination;
}

export interface CreateOptions {
  readonly retries?: boolean;
  /** Called synchronously before the request is written: false cancels it, and it fails as unreachable. */
  readonly mayLeave?: () => boolean;
}

export interface CourierService {
  /** 4.1 */
  profile(options?: { retries: boolean }): Promise<Profile>;
  /** 4.2. A failure with `mayHaveHappened` leaves open whether the order exists. */
  createOrder(
    draft: Draft,
    options?: CreateOptions,
  ): Promise<{ order: CreatedOrder; message: string | undefined }>;
  /** 4.3: one page; the service's own defaults apply to what is left out. */
  listOrders(filter: OrderFilter, page?: number, limit?: number): Promise<OrderPage>;
  /** 4.4: `id` is an integer as text, since it may be larger than a number can hold. */
  order(id: string): Promise<OrderDetail>;
  /** 4.5: answers with the service's message. */
  cancelOrder(id: string): Promise<string | undefined>;
  /** 4.6 */
  tracking(trackingNumber: string, options?: { retries: boolean }): Promise<Tracking>;
  /** Service's clock minus ours in milliseconds, from the last answer with a `Date`; undefined before. */
  clockOffsetMs(): number | undefined;
}

export function createService(client: Client): CourierService {
  return {
    async profile({ retries } = { retries: true }) {
      const call = { method: "GET", path: ["user", "profile"], retries } as const;
      return (await client.call(call, profileSchema)).data as Profile;
    },
    async createOrder(draft, { retries = true, mayLeave } = {}) {
      const call = { method: "POST", path: ["orders"], body: draft, retries, mayLeave } as const;
      const { data, message, envelope } = await client.call(call, createdOrderSchema);
      const said = [message, textOfError(envelope.error)].filter((text) => text !== undefined);
      return { order: data as CreatedOrder, message: said.length > 0 ? said.join("; ") : undefined };
    },
    async listOrders(filter, page, limit) {
      const query = {
        page: page?.toString(),
        limit: limit?.toString(),
        status: filter.status,
        date_from: filter.dateFrom,
        date_to: filter.dateTo,
      };
      const reply = await client.call({ method: "GET", path: ["orders"], query }, orderPageSchema);
      const pagination = check(paginationSchema, reply.envelope.pagination);
      if ("value" in pagination) {
        return { orders: reply.data as OrderSummary[], pagination: pagination.value as Pagination };
      }
      const [first] = pagination.mismatches;
      const where = ["pagination", first?.path].filter(Boolean).join(".");
      throw new ServiceFailure(
        "invalid_response",
        `the list of orders came without usable paging: ${where} is ${first?.received}`,
        {
          code: "wrong_shape",
        },
      );
    },
    async order(id) {
      const { data } = await client.call({ method: "GET", path: ["orders", id] }, orderDetailSchema);
      const order = data as OrderDetail;
      const asked = withoutZeros(id);
      if (order.id.value !== asked) throw new AnotherAnswer(`order ${id}`, `order ${order.id.value}`);
      return order;
    },
    cancelOrder: (id) => client.callForEnvelope({ method: "DELETE", path: ["orders", id] }),
    async tracking(trackingNumber, { retries } = { retries: true }) {
      if (/\p{Surrogate}/u.test(trackingNumber))
        throw new CourierError(
          "no_tracking_number",
          1,
          `the tracking number ${trackingNumber} is damaged: no address has half a character`,
        );
      const call = { method: "GET", path: ["tracking", trackingNumber], retries } as const;
      const tracking = (await client.call(call, trackingSchema)).data as Tracking;
      const { tracking_number: got } = tracking;
      if (got !== trackingNumber && plainNumber(got) !== plainNumber(trackingNumber))
        throw new AnotherAnswer(`parcel ${trackingNumber}`, `parcel ${got}`);
      return tracking;
    },
    clockOffsetMs: () => client.clockOffsetMs(),
  };
}

/** Section 7 has an error in refusals only. One beside an order is shown. */
function textOfError(error: Json | undefined): string | undefined {
  if (!isJsonObject(error)) return typeof error === "string" ? error : undefined;
  const { message, code } = error;
  const texts = [message, code].filter((text) => typeof text === "string" && text !== "");
  return texts.length > 0 ? `error: ${texts.join(", ")}` : undefined;
}

/** Stops before the next step acts on another order than the requested one. */
export class AnotherAnswer extends ServiceFailure {
  constructor(asked: string, got: string) {
    super("invalid_response", `the service was asked for ${asked} and answered with ${got}`, {
      code: "wrong_shape",
      hint: "run it again; if it happens again, the service mixes up its answers: --debug shows the calls",
    });
  }
}

/** A service may normalise a tracking number: `cr 988` becomes `CR988`. */
export function plainNumber(trackingNumber: string): string {
  return trackingNumber.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase();
}

/** An id or count of the interface as a native integer, for paging arithmetic. */
export function toCount(value: JsonNumber | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value.value);
}
