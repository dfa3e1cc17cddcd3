/** The fields of one order in full, as columns of a table. */

/** 2.4, in the order of the specification. */
export const detailPaths = [
  "id",
  "order_no",
  "tracking_number",
  "status",
  "payment_status",
  "service_type",
  "estimated_fee",
  "actual_fee",
  "created_at",
  "updated_at",
  ...["sender", "receiver"].flatMap((part) => [`${part}.name`, `${part}.phone`, `${part}.address`]),
  ...["name", "description", "weight", "value", "quantity"].map((name) => `item.${name}`),
] as const;
