/** What an order costs, in hundredths. */

import { type JsonNumber, jsonNumber } from "../model/json.ts";
import { fees } from "./defaults.ts";
import type { ServiceType } from "./order.ts";

/** 2.4, estimated_fee. `weight` is a JSON number within `numberLimits` and not negative, or missing. */
export function estimateFee(serviceType: ServiceType, weight: JsonNumber | undefined): JsonNumber {
  const { first, further } = fees[serviceType];
  const furtherUnits = Math.max(0, Math.ceil(Number(weight?.value ?? 0)) - 1);
  return money(first + furtherUnits * further);
}

/** An amount of hundredths as a JSON number: 1250 becomes `12.50`. */
export function money(hundredths: number): JsonNumber {
  return jsonNumber((hundredths / 100).toFixed(2));
}
