/** The view of an order that was just created (specification, 2.4). */

import type { Context } from "../command/command.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { type CreatedOrder, createdOrderSchema, orderDetailSchema } from "../model/interface.ts";
import { fieldNames } from "../model/schema.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";

/** An order that had to be looked up comes as a detail, with more fields than a creation result. */
const knownFields = [...fieldNames(createdOrderSchema), ...fieldNames(orderDetailSchema)];

export function createdView(order: CreatedOrder, { nextCommand }: Context): readonly Block[] {
  const { id, tracking_number } = order;
  const follow = tracking_number
    ? [["  Follow it", styled("accent", nextCommand(`track ${shellQuote(tracking_number)}`))] as const]
    : [];
  return [
    line(styled("good", "Order created")),
    fields(
      ["Order", styled("strong", id)],
      ["Order number", show(order.order_no)],
      ["Tracking number", styled("strong", tracking_number)],
      ["State", state(order.status)],
      ["Estimated fee", show(order.estimated_fee)],
      ["Created", instant(order.created_at)],
    ),
    ...otherFields(order, knownFields),
    blank,
    fields(
      ...follow,
      ["  See it", styled("accent", nextCommand(`orders show ${id.value}`))],
      ["  Cancel it", styled("accent", nextCommand(`orders cancel ${id.value}`))],
    ),
  ];
}
