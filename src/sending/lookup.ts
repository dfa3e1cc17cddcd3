/** Looking for an order whose create was sent and never answered. */

import { allOrders } from "../api/pages.ts";
import type { Context } from "../command/command.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Operation } from "../ledger/operation.ts";
import { findLostOrder, type OrderLookup, type SearchResult } from "./reconcile.ts";

const pagesAtOnce = 4;

/** Looks once for the order of one operation. Throws ServiceFailure where the service does not let us look. */
export async function lookFor(operation: Operation, ledger: Ledger, context: Context): Promise<SearchResult> {
  const { draft, sentAtMs } = operation;
  if (draft === undefined || sentAtMs === undefined) return { kind: "unclear", candidates: [] };
  return findLostOrder(draft, sentAtMs, await createLookup(operation.customer, ledger, context));
}

/** How orders of a customer are looked for at the service; those that other operations have become do not count. */
export async function createLookup(customer: number, ledger: Ledger, context: Context): Promise<OrderLookup> {
  const service = await context.service();
  return {
    list: (dateFrom, dateTo) => allOrders(service, { dateFrom, dateTo }, { concurrency: pagesAtOnce }),
    detail: (id) => service.order(id),
    findClaimed: async (ids) => new Set((await ledger.findOwners(customer, ids)).keys()),
    clockOffsetMs: () => service.clockOffsetMs(),
  };
}
