/** Orders that equal a row whose own one does not stand. */

import { isCancelled } from "../../ledger/operation.ts";
import { describeCancelled } from "../row-words.ts";
import type { KnownRows } from "./row-notes.ts";
import { idsOf, type Made, madeOf, type ReadStates, type RowOrder, type Seen } from "./row-order.ts";

/** A row whose order was cancelled, or has other values, may have another one that equals it: the newest. */
export async function preferStanding(
  all: readonly RowOrder[],
  states: Map<string, Seen>,
  { ledger, customer, file }: Pick<KnownRows, "ledger" | "customer" | "file">,
  readStates: ReadStates,
): Promise<readonly RowOrder[]> {
  const isOff = (made: Made) => isCancelled(made) || states.get(made.order?.id ?? "")?.status === "cancelled";
  const used = new Set(idsOf(all.map(({ made }) => made)));
  const others = new Map<RowOrder, readonly Made[]>();
  for (const each of all) {
    if (!each.row || (!each.change && !isOff(each.made))) continue;
    const equal = await ledger.equalOrders(customer, each.row, file);
    const unused = equal.filter(({ order }) => order && !used.has(order.id)).map(madeOf);
    if (unused.length > 0) others.set(each, unused);
  }
  if (others.size === 0) return all;
  const asked = [...others.values()].flatMap(idsOf).filter((id) => !states.has(id));
  if (asked.length > 0) for (const [id, seen] of await readStates([...new Set(asked)])) states.set(id, seen);
  return all.map((each) => {
    const free = (others.get(each) ?? []).filter(({ order }) => order && !used.has(order.id));
    const standing = free.findLast((made) => !isOff(made));
    const made = standing ?? (each.change ? free.at(-1) : undefined);
    if (!made) return each;
    for (const id of idsOf([made])) used.add(id);
    return { ...each, made, change: undefined, error: standing ? "" : describeCancelled(made.order?.id) };
  });
}
