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

// One schema each for all fields: making them is a large part of a start-up.
const text = maybe(textSchema);
const decimal = maybe(decimalSchema);
const integer = maybe(integerSchema);

function shape<T extends Fields>(fields: T) {
  return looseObject(fields, { error: "object" });
}

/** 2.1, answer of GET /api/v1/user/profile. */
export const profileSchema = shape({
  id: integer,
  name: text,
  email: text,
  balance: decimal,
  api_calls_remaining: integer,
});
export type Profile = Infer<typeof profileSchema> & JsonObject;

/** 2.4, answer of POST /api/v1/orders. Only `id` is needed to find the order again. */
export const createdOrderSchema = shape({
  id: integerSchema,
  order_no: text,
  tracking_number: text,
  status: text,
  estimated_fee: decimal,
  created_at: text,
});
export type CreatedOrder = Infer<typeof createdOrderSchema> & JsonObject;

const partySummary = maybe(shape({ name: text, city: text }));

/** 2.4, element of the answer of GET /api/v1/orders. */
export const orderSummarySchema = shape({
  id: integerSchema,
  order_no: text,
  tracking_number: text,
  status: text,
  payment_status: text,
  actual_fee: decimal,
  item_name: text,
  created_at: text,
  sender: partySummary,
  receiver: partySummary,
});
export type OrderSummary = Infer<typeof orderSummarySchema> & JsonObject;

const partyDetail = maybe(shape({ name: text, phone: text, address: text }));

/** 2.3 as the service sends it. */
const itemSchema = shape({
  name: text,
  description: text,
  weight: decimal,
  value: decimal,
  quantity: integer,
});

/** 2.4, answer of GET /api/v1/orders/{id}. */
export const orderDetailSchema = shape({
  id: integerSchema,
  order_no: text,
  tracking_number: text,
  status: text,
  payment_status: text,
  service_type: text,
  estimated_fee: decimal,
  actual_fee: decimal,
  created_at: text,
  updated_at: text,
  sender: partyDetail,
  receiver: partyDetail,
  item: maybe(itemSchema),
});
export type OrderDetail = Infer<typeof orderDetailSchema> & JsonObject;

export const trackingRecordSchema = shape({
  location: text,
  description: text,
  occurred_at: text,
});
export type TrackingRecord = Infer<typeof trackingRecordSchema> & JsonObject;

/** 2.5, answer of GET /api/v1/tracking/{tracking_number}. Without the number it may be of anything. */
export const trackingSchema = shape({
  tracking_number: textSchema,
  status: text,
  current_location: text,
  estimated_delivery: text,
  records: maybe(array(trackingRecordSchema, { error: "array" })),
});
export type Tracking = Infer<typeof trackingSchema> & JsonObject;

/** 2.6, beside `data` in list answers. Which of the fields are always there is not shown. */
export const paginationSchema = shape({
  current_page: integer,
  total_pages: integer,
  total_items: integer,
  per_page: integer,
});
export type Pagination = Infer<typeof paginationSchema> & JsonObject;

export const orderPageSchema = array(orderSummarySchema, { error: "array" });

/** Section 7: the failure envelope. `error` itself may be missing or of another shape. */
export const serviceErrorSchema = shape({
  code: text,
  message: text,
  details: optional(unknown()),
});
export type ServiceError = Infer<typeof serviceErrorSchema> & JsonObject;
