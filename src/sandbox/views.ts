/** Orders as answers show them (specification, 2.4): creation result, list element, detail. */

import { type JsonNumber, type JsonObject, jsonNumber } from "../model/json.ts";
import { fees, paymentStatus } from "./defaults.ts";
import { orderNumberOf, trackingNumberOf } from "./numbers.ts";
import type { KnownOrder, Order, Party, ServiceType } from "./order.ts";
import { reachedChanges, type StateChange } from "./schedule.ts";

export function isoTime(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

export function creationView(order: Order): JsonObject {
  return {
    ...numbersOf(order),
    status: "pending",
    estimated_fee: estimatedFeeOf(order),
    created_at: isoTime(order.createdMs),
  };
}

export function listView(known: KnownOrder, nowMs: number): JsonObject {
  const { order } = known;
  const { status, payment_status, actual_fee } = present(known, nowMs);
  return {
    ...numbersOf(order),
    status,
    payment_status,
    actual_fee,
    item_name: order.item.name,
    created_at: isoTime(order.createdMs),
    sender: { name: order.sender.name, city: order.sender.city },
    receiver: { name: order.receiver.name, city: order.receiver.city },
  };
}

export function detailView(known: KnownOrder, nowMs: number): JsonObject {
  const { order } = known;
  const { status, payment_status, actual_fee, updated_at } = present(known, nowMs);
  return {
    ...numbersOf(order),
    status,
    payment_status,
    service_type: order.serviceType,
    estimated_fee: estimatedFeeOf(order),
    actual_fee,
    created_at: isoTime(order.createdMs),
    updated_at,
    sender: addressed(order.sender),
    receiver: addressed(order.receiver),
    item: order.item,
  };
}

function numbersOf({ id }: Order) {
  return { id: jsonNumber(String(id)), order_no: orderNumberOf(id), tracking_number: trackingNumberOf(id) };
}

function estimatedFeeOf({ serviceType, item }: Order): JsonNumber {
  return estimateFee(serviceType, item.weight);
}

/** What changes with time. Nothing is charged before an order is paid, nor after it was refunded. */
function present({ order, events }: KnownOrder, nowMs: number) {
  const reached = reachedChanges(order, events, nowMs);
  const last = reached.at(-1);
  const payment = paymentOf(reached);
  return {
    status: last?.state,
    payment_status: payment,
    actual_fee: payment === paymentStatus.paid ? estimatedFeeOf(order) : money(0),
    updated_at: isoTime(last?.sinceMs ?? order.createdMs),
  };
}

function paymentOf(reached: readonly StateChange[]): string {
  if (!reached.some(({ state }) => state === "paid")) return paymentStatus.unpaid;
  return reached.at(-1)?.state === "cancelled" ? paymentStatus.refunded : paymentStatus.paid;
}

function addressed({ name, phone, province, city, district, detail }: Party): JsonObject {
  return { name, phone, address: [province, city, district, detail].join("") };
}

/** 2.4, estimated_fee. `weight` is a JSON number within `numberLimits` and not negative, or missing. */
function estimateFee(serviceType: ServiceType, weight: JsonNumber | undefined): JsonNumber {
  const { first, further } = fees[serviceType];
  const furtherUnits = Math.max(0, Math.ceil(Number(weight?.value ?? 0)) - 1);
  return money(first + furtherUnits * further);
}

/** An amount of hundredths as a JSON number: 1250 becomes `12.50`. */
export function money(hundredths: number): JsonNumber {
  return jsonNumber((hundredths / 100).toFixed(2));
}
