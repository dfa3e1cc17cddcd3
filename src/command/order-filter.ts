/** The filters of the list of orders, as options (specification, 4.3). */

import type { OrderFilter } from "../api/service.ts";
import { usageError } from "../core/errors.ts";
import { stateChoices, stateNames } from "../model/states.ts";
import { type OptionValues, textOption } from "./options.ts";
import { dateOption } from "./value-options.ts";

export const filterOptions = {
  status: textOption("STATE", `only orders in this state: ${stateNames.join(", ")}`, {
    candidates: stateChoices,
  }),
  from: dateOption("only orders from this date on"),
  to: dateOption("only orders up to this date"),
} as const;

/** Throws a usage error for dates in the wrong order. */
export function checkFilter({ status, from, to }: OptionValues<typeof filterOptions>): OrderFilter {
  if (from !== undefined && to !== undefined && from > to)
    throw usageError(`--from ${from} is after --to ${to}`);
  return { status, dateFrom: from, dateTo: to };
}
