/** Which orders of the mirror a report is about: those of some days, and of some states. */

import type { OptionValues } from "../command/options.ts";
import { checkFilter, type filterOptions } from "../command/order-filter.ts";
import type { Clock } from "../core/clock.ts";
import type { Zone } from "../core/days.ts";
import { dayStart } from "./periods.ts";

export interface OrderRange {
  /** None: orders in any state. */
  readonly statuses: readonly string[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Of all days that the report names. */
  readonly zone: Zone;
  /** Whether an order created then is one of them. An order without a readable time is in no limited range. */
  readonly hasInstant: (createdMs: number) => boolean;
}

/** Throws a usage error for days that exclude each other. */
export function orderRange(options: OptionValues<typeof filterOptions>, clock: Clock): OrderRange {
  const { statuses, days } = checkFilter(options, clock);
  const { from, to, zone = "local" } = days ?? {};
  const firstMs = from === undefined ? Number.NEGATIVE_INFINITY : dayStart(from, zone);
  const endMs = to === undefined ? Number.POSITIVE_INFINITY : dayStart(to, zone, 1);
  const hasInstant = (createdMs: number) => !days || (createdMs >= firstMs && createdMs < endMs);
  return { statuses, from, to, zone, hasInstant };
}

/** Whether a state, by the number of its text, is one of the range. */
export function stateFilter(
  { statuses }: OrderRange,
  texts: readonly string[],
): ((state: number) => boolean) | undefined {
  if (statuses.length === 0) return undefined;
  const numbers = new Set(statuses.map((status) => texts.indexOf(status)));
  return (state) => numbers.has(state);
}

/** ` from 2026-10-01 to 2026-10-31`, or nothing. */
export function describeRange({ from, to, statuses }: OrderRange): string {
  const parts = [
    ...(statuses.length === 0 ? [] : [`of orders that are ${statuses.join(" or ")}`]),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
  ];
  return parts.map((part) => ` ${part}`).join("");
}
