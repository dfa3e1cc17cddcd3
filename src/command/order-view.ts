/** The view of one order, and what can be done with it now (2.4, 3 and 4.4). */

import { shellQuote } from "../core/shell-quote.ts";
import { type OrderDetail, orderDetailSchema } from "../model/interface.ts";
import { isJsonObject, type JsonNumber } from "../model/json.ts";
import { fieldNames } from "../model/schema.ts";
import { stateFacts } from "../model/states.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  type Span,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";
import type { Context } from "./command.ts";

export function orderView(order: OrderDetail, context: Context): readonly Block[] {
  const facts = stateFacts(order.status);
  const meaning = facts && facts.meaning !== order.status?.replaceAll("_", " ") ? ` (${facts.meaning})` : "";
  return [
    fields(
      ["Order", styled("strong", order.id)],
      ["Order number", show(order.order_no)],
      ["Tracking number", show(order.tracking_number)],
      ["State", [state(order.status), meaning]],
      ["Payment", show(order.payment_status)],
      ["Service", show(order.service_type)],
      ["Estimated fee", show(order.estimated_fee)],
      ["Actual fee", show(order.actual_fee)],
      ["Created", instant(order.created_at)],
      ["Updated", instant(order.updated_at)],
    ),
    ...otherFields(order, fieldNames(orderDetailSchema)),
    blank,
    ...partyBlocks("Sender", order.sender),
    ...partyBlocks("Receiver", order.receiver),
    line(styled("strong", "Item")),
    fields(
      ["  Name", show(order.item?.name)],
      ["  Description", show(order.item?.description)],
      ["  Weight", show(order.item?.weight)],
      ["  Value", show(order.item?.value)],
      ["  Quantity", show(order.item?.quantity)],
    ),
    ...operationBlocks(order, context),
  ];
}

function partyBlocks(title: string, party: OrderDetail["sender"]): Block[] {
  return [
    line(styled("strong", title)),
    fields(
      ["  Name", show(party?.name)],
      ["  Phone", show(party?.phone)],
      ["  Address", show(party?.address ?? joinAddress(party))],
    ),
    blank,
  ];
}

/** An order that was sent from here and not looked up has the parts of its address. */
function joinAddress(party: OrderDetail["sender"]): string {
  if (!isJsonObject(party)) return "";
  const parts = [party.province, party.city, party.district, party.detail];
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}

/** Section 3 names the operations of each state; those that courier offers come with their command. */
function operationBlocks(order: OrderDetail, context: Context): Block[] {
  const operations = stateFacts(order.status)?.operations.filter((operation) => operation !== "view details");
  if (!operations || operations.length === 0) return [];
  return [
    blank,
    line(styled("strong", "Can be done now")),
    fields(
      ...operations.map((operation) => [`  ${operation}`, commandFor(operation, order, context)] as const),
    ),
  ];
}

/** The command that follows an order's parcel: by its number, where a shell gives that on as a number. */
export function trackCommand(
  id: string,
  number: string,
  { nextCommand }: Pick<Context, "nextCommand">,
): string {
  const isNumber = !/^-|[\0\p{Cs}]/u.test(number);
  return nextCommand(`track ${isNumber ? shellQuote(number) : id}`);
}

function commandFor(
  operation: string,
  { id, tracking_number }: { id: JsonNumber; tracking_number?: string | null | undefined },
  context: Context,
): Span {
  if (operation === "cancel") return styled("accent", context.nextCommand(`orders cancel ${id.value}`));
  if (operation === "track" && tracking_number)
    return styled("accent", trackCommand(id.value, tracking_number, context));
  return styled("dim", "with the service itself; its interface does not offer it");
}
