/** Orders to cancel, chosen by state and day: from a complete list, by what each order itself says (3 and 4.3). */

import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import type { Context } from "../command/command.ts";
import { createListProgress } from "../command/list-progress.ts";
import { matchingOrders } from "../command/matching-orders.ts";
import type { OptionValues } from "../command/options.ts";
import {
  checkFilter,
  createOwnFilter,
  filterOptions,
  type OrderQuery,
  type OwnFilter,
  saysState,
} from "../command/order-filter.ts";
import { unknownState } from "../command/unknown-state.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { parseInstant } from "../core/time.ts";
import type { OrderSummary } from "../model/interface.ts";
import { cannotBeCancelled, stateNames } from "../model/states.ts";
import { show } from "../terminal/blocks.ts";

const pagesAtOnce = 8;
const group = "Orders of the account, instead of names";

export const selectionOptions = {
  status: { ...filterOptions.status, summary: "all orders in this state; several with commas", group },
  from: { ...filterOptions.from, group },
  to: { ...filterOptions.to, group },
  last: { ...filterOptions.last, group },
  utc: { ...filterOptions.utc, group },
} as const;

export interface Selection {
  readonly orders: readonly OrderSummary[];
  /** Why an order that was read again is not meant any more; undefined where it is. */
  readonly mismatch: (order: Pick<OrderSummary, "status" | "created_at">) => string | undefined;
}

/** The choice of orders; undefined where none is given. Throws a usage error for one that can find nothing to cancel. */
export function checkSelection(
  options: OptionValues<typeof selectionOptions>,
  names: readonly string[],
  { clock }: Context,
): OrderQuery | undefined {
  const { status, from, to, last, utc } = options;
  if (status === undefined) {
    if ((from ?? to ?? last ?? utc) === undefined) return undefined;
    throw usageError(
      "--from, --to and --last choose among the orders of --status",
      "add --status pending,paid",
    );
  }
  if (names.length > 0) throw usageError("names of orders and --status exclude each other");
  const query = checkFilter(options, clock);
  const wrong = query.statuses.filter(cannotBeCancelled);
  if (wrong.length > 0)
    throw usageError(
      `orders that are ${wrong.join(" or ")} cannot be cancelled`,
      "pending and paid orders can be cancelled: --status pending,paid",
    );
  return query;
}

/**
 * Reads the whole list before anything is cancelled. The service may ignore its filters: an order in another state is
 * left out. Throws ServiceFailure for a list that fails or is not complete, `clock`, exit 2, where the days were counted from
 * another day than the service's, and `invalid_response`, exit 70, where an order does not say whether it is meant.
 */
export async function selectOrders(query: OrderQuery, context: Context): Promise<Selection> {
  const { messages } = context;
  const own = createOwnFilter(query, context.clock);
  const orders = await readList(query, own, context).catch((error) => {
    if (!(error instanceof ServiceFailure)) throw error;
    throw error.with({ message: `${error.message}; nothing was cancelled` });
  });
  const otherDay = own.describeClock();
  if (otherDay !== undefined)
    throw new CourierError("clock", 2, `${otherDay}; nothing was cancelled`, {
      hint: "set the clock, or give the days as dates: --from 2026-01-01 --to 2026-01-31",
    });
  own.warn(messages);
  for (const status of query.statuses) {
    const isKnown = stateNames.includes(status) || orders.some((order) => order.status === status);
    if (!isKnown) messages.warn(unknownState(status));
  }
  if (own.note) messages.note(own.note);
  return { orders, mismatch: (order) => findMismatch(order, query, own) };
}

async function readList(query: OrderQuery, own: OwnFilter, context: Context): Promise<OrderSummary[]> {
  const service = await context.service();
  const progress = createListProgress(context);
  const orders = matchingOrders(service, query, {
    own,
    concurrency: pagesAtOnce,
    isBounded: "uncounted",
    async beforeOthers(calls, total) {
      progress.noteTotal(total);
      await checkApiQuota(calls, service, context);
    },
    pass: progress.count,
  });
  const found: OrderSummary[] = [];
  let unclear: OrderSummary | undefined;
  let others = 0;
  try {
    for await (const order of orders) {
      if (saysState(order.status) && saysItsDay(order, query))
        found.push(context.globals.yes ? briefly(order) : order);
      else if (unclear) others += 1;
      else unclear = order;
    }
  } finally {
    progress.end();
  }
  if (unclear) throw unclearList(unclear, others, context);
  return found;
}

/** What the result says of an order: there may be hundreds of thousands, and only a person is shown the others' fields. */
function briefly({ id, order_no, tracking_number, status }: OrderSummary): OrderSummary {
  return { id, order_no, tracking_number, status };
}

/** A day filter keeps an order whose time cannot be read; that is not enough to cancel it. */
function saysItsDay({ created_at }: Pick<OrderSummary, "created_at">, { days }: OrderQuery): boolean {
  return days === undefined || parseInstant(created_at ?? "") !== undefined;
}

function unclearList(first: OrderSummary, others: number, { nextCommand }: Context): CourierError {
  const more = others > 0 ? ` and ${others} more` : "";
  return new CourierError(
    "invalid_response",
    70,
    `the list does not say state or time of order ${first.id.value}${more}; nothing was cancelled`,
    { hint: `name the orders to cancel by their ids: ${nextCommand("orders list")}` },
  );
}

function findMismatch(
  order: Pick<OrderSummary, "status" | "created_at">,
  query: OrderQuery,
  own: OwnFilter,
): string | undefined {
  if (!saysState(order.status)) return "it does not say its state";
  if (!query.statuses.includes(order.status)) return `it is ${show(order.status)} now`;
  if (saysItsDay(order, query) && own.hasDay(order.created_at)) return undefined;
  return "it does not say that it was created on the chosen days";
}
