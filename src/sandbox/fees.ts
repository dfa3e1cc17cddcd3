/** What an order costs, in hundredths and whole units: no binary fractions. */

import { type JsonNumber, jsonNumber } from "../model/json.ts";
import { fees } from "./defaults.ts";
import type { ServiceType } from "./order.ts";

/** 2.4, estimated_fee. `weight` is a JSON number within `numberLimits` and not negative, or missing. */
export function estimateFee(serviceType: ServiceType, weight: JsonNumber | undefined): JsonNumber {
  const { first, further } = fees[serviceType];
  const units = weight === undefined ? 0n : roundUp(weight.value);
  return money(units > 1n ? first + (units - 1n) * further : first);
}

/** An amount of hundredths as a JSON number: 1250 becomes `12.50`. */
export function money(hundredths: bigint): JsonNumber {
  return jsonNumber(`${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`);
}

/** The smallest integer that is not below a decimal: `1.01` becomes 2, `2e1` becomes 20. */
function roundUp(decimal: string): bigint {
  const [significand = "", exponent = "0"] = decimal.toLowerCase().split("e");
  const [whole = "", fraction = ""] = significand.split(".");
  const scale = BigInt(exponent) - BigInt(fraction.length);
  const digits = BigInt(whole + fraction);
  if (scale >= 0n) return digits * 10n ** scale;
  const divisor = 10n ** -scale;
  return (digits + divisor - 1n) / divisor;
}
