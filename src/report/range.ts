/** Which orders of the mirror a report is about: those of some local days, and of one state. */

import type { OptionValues } from "../command/options.ts";
import { checkFilter, type filterOptions } from "../command/order-filter.ts";
import { dayStart } from "./periods.ts";

export interface OrderRange {
  readonly status: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Whether an order created then is one of them. An order without a readable time is in no limited range. */
  readonly hasInstant: (createdMs: number) => boolean;
}

/** Throws a usage error for days in the wrong order. */
export function orderRange(options: OptionValues<typeof filterOptions>): OrderRange {
  const { status, dateFrom: from, dateTo: to } = checkFilter(options);
  const firstMs = from === undefined ? Number.NEGATIVE_INFINITY : dayStart(from);
  const endMs = to === undefined ? Number.POSITIVE_INFINITY : dayStart(to, 1);
  const isLimited = from !== undefined || to !== undefined;
  const hasInstant = (createdMs: number) => (isLimited ? createdMs >= firstMs && createdMs < endMs : true);
  return { status, from, to, hasInstant };
}

/** ` from 2026-10-01 to 2026-10-31`, or nothing. */
export function describeRange({ from, to, status }: OrderRange): string {
  const parts = [
    ...(status === undefined ? [] : [`in the state ${status}`]),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
  ];
  return parts.map((part) => ` ${part}`).join("");
}
