/**
 * The shapes that the service answers with (specification, sections 2 and 7). Schemas check the
 * types of the fields that courier uses and keep everything else; no field list and no set of values
 * is closed.
 */

import type { JsonObject } from "./json.ts";
import {
  array,
  decimalSchema,
  type Fields,
  type Infer,
  integerSchema,
  looseObject,
  maybe,
  optional,
  textSchema,
  unknown,
} from "./schema.ts";

function shape<T extends Fields>(fields: T) {
  return looseObject(fields, { error: "object" });
}

/** 2.1, answer of GET /api/v1/user/profile. */
export const profileSchema = shape({
  id: maybe(integerSchema),
  name: maybe(textSchema),
  email: maybe(textSchema),
  balance: maybe(decimalSchema),
  api_calls_remaining: maybe(integerSchema),
});
export type Profile = Infer<typeof profileSchema> & JsonObject;

/** 2.4, answer of POST /api/v1/orders. Only `id` is needed to find the order again. */
export const createdOrderSchema = shape({
  id: integerSchema,
  order_no: maybe(textSchema),
  tracking_number: maybe(textSchema),
  status: maybe(textSchema),
  estimated_fee: maybe(decimalSchema),
  created_at: maybe(textSchema),
});
export type CreatedOrder = Infer<typeof createdOrderSchema> & JsonObject;

const partySummarySchema = shape({ name: maybe(textSchema), city: maybe(textSchema) });

/** 2.4, element of the answer of GET /api/v1/orders. */
export const orderSummarySchema = shape({
  id: integerSchema,
  order_no: maybe(textSchema),
  tracking_number: maybe(textSchema),
  status: maybe(textSchema),
  payment_status: maybe(textSchema),
  actual_fee: maybe(decimalSchema),
  item_name: maybe(textSchema),
  created_at: maybe(textSchema),
  sender: maybe(partySummarySchema),
  receiver: maybe(partySummarySchema),
});
export type OrderSummary = Infer<typeof orderSummarySchema> & JsonObject;

const partyDetailSchema = shape({
  name: maybe(textSchema),
  phone: maybe(textSchema),
  address: maybe(textSchema),
});

/** 2.3 as the service sends it. */
const itemSchema = shape({
  name: maybe(textSchema),
  description: maybe(textSchema),
  weight: maybe(decimalSchema),
  value: maybe(decimalSchema),
  quantity: maybe(integerSchema),
});

/** 2.4, answer of GET /api/v1/orders/{id}. */
export const orderDetailSchema = shape({
  id: integerSchema,
  order_no: maybe(textSchema),
  tracking_number: maybe(textSchema),
  status: maybe(textSchema),
  payment_status: maybe(textSchema),
  service_type: maybe(textSchema),
  estimated_fee: maybe(decimalSchema),
  actual_fee: maybe(decimalSchema),
  created_at: maybe(textSchema),
  updated_at: maybe(textSchema),
  sender: maybe(partyDetailSchema),
  receiver: maybe(partyDetailSchema),
  item: maybe(itemSchema),
});
export type OrderDetail = Infer<typeof orderDetailSchema> & JsonObject;

const trackingRecordSchema = shape({
  location: maybe(textSchema),
  description: maybe(textSchema),
  occurred_at: maybe(textSchema),
});
export type TrackingRecord = Infer<typeof trackingRecordSchema> & JsonObject;

/** 2.5, answer of GET /api/v1/tracking/{tracking_number}. Without the number it may be of anything. */
export const trackingSchema = shape({
  tracking_number: textSchema,
  status: maybe(textSchema),
  current_location: maybe(textSchema),
  estimated_delivery: maybe(textSchema),
  records: maybe(array(trackingRecordSchema, { error: "array" })),
});
export type Tracking = Infer<typeof trackingSchema> & JsonObject;

/** 2.6, beside `data` in list answers. Which of the fields are always there is not shown. */
export const paginationSchema = shape({
  current_page: maybe(integerSchema),
  total_pages: maybe(integerSchema),
  total_items: maybe(integerSchema),
  per_page: maybe(integerSchema),
});
export type Pagination = Infer<typeof paginationSchema> & JsonObject;

export const orderPageSchema = array(orderSummarySchema, { error: "array" });

/** Section 7: the failure envelope. `error` itself may be missing or of another shape. */
export const serviceErrorSchema = shape({
  code: maybe(textSchema),
  message: maybe(textSchema),
  details: optional(unknown()),
});
export type ServiceError = Infer<typeof serviceErrorSchema> & JsonObject;
