/** Owns finding out what became of rows whose answer was lost: one look at the list for all of them. */

import { utcDate } from "../core/time.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { compareAge, compareOrder, couldBe, isReworded, type OrderLookup, squeeze } from "./reconcile.ts";
import type { ImportRow } from "./rows.ts";

export interface LostRow {
  readonly row: ImportRow;
  /** When it was first sent, by our clock. */
  readonly sentAtMs: number;
}

export type Finding =
  /** This order is the row's. */
  | { readonly kind: "found"; readonly row: ImportRow; readonly order: OrderDetail }
  /** No order is: it was not created. */
  | { readonly kind: "absent"; readonly row: ImportRow }
  /** Orders may be the row's, but not for certain. */
  | { readonly kind: "unclear"; readonly row: ImportRow; readonly candidates: readonly string[] };

/**
 * Looks all lost rows up. `owns` tells the orders that some row has become already: none is taken twice.
 * Equal rows are interchangeable: of two of them and one order, one is found and the other absent; more
 * orders than rows leave open which are whose.
 */
export async function findLostRows(
  lost: readonly LostRow[],
  owns: (orderId: string) => boolean,
  lookup: OrderLookup,
): Promise<readonly Finding[]> {
  const candidates = await collectCandidates(lost, owns, lookup);
  const offsetMs = lookup.clockOffsetMs();
  const groups = groupByContent(lost);
  const findings: Finding[] = [];
  for (const group of groups.values()) findings.push(...settleGroup(group, candidates, offsetMs));
  return findings;
}

async function collectCandidates(
  lost: readonly LostRow[],
  owns: (orderId: string) => boolean,
  lookup: OrderLookup,
): Promise<readonly OrderDetail[]> {
  const byReceiver = new Map<string, ImportRow[]>();
  for (const { row } of lost) {
    const name = squeeze(row.draft.receiver?.name ?? "");
    byReceiver.set(name, [...(byReceiver.get(name) ?? []), row]);
  }
  const everyRow = lost.map(({ row }) => row);
  const mayBe = ({ receiver }: OrderSummary) => {
    const name = receiver?.name ?? "";
    // A name that is missing or masked may stand for any; rows without a name may be any.
    if (name === "" || isReworded(name)) return everyRow;
    return [...(byReceiver.get(squeeze(name)) ?? []), ...(byReceiver.get("") ?? [])];
  };
  const firstMs = Math.min(...lost.map(({ sentAtMs }) => sentAtMs)) + (lookup.clockOffsetMs() ?? 0);
  const lastMs = Math.max(...lost.map(({ sentAtMs }) => sentAtMs)) + (lookup.clockOffsetMs() ?? 0);
  const candidates: OrderDetail[] = [];
  // Which zone the service's dates are in is not specified: a day more on both sides covers every one.
  for await (const summary of lookup.list(utcDate(firstMs, -1), utcDate(lastMs, 2))) {
    if (owns(summary.id.value)) continue;
    if (mayBe(summary).some(({ draft }) => couldBe(summary, draft))) {
      candidates.push(await lookup.detail(summary.id.value));
    }
  }
  return candidates;
}

function settleGroup(
  group: readonly LostRow[],
  candidates: readonly OrderDetail[],
  offsetMs: number | undefined,
): Finding[] {
  const sure: OrderDetail[] = [];
  const unsure: OrderDetail[] = [];
  const firstSentMs = Math.min(...group.map(({ sentAtMs }) => sentAtMs));
  const [first] = group;
  for (const order of candidates) {
    const age = compareAge(order.created_at, firstSentMs, offsetMs);
    const agreement = first ? compareOrder(order, first.row.draft) : "differs";
    if (age === "differs" || agreement === "differs") continue;
    (age === "agrees" && agreement === "agrees" ? sure : unsure).push(order);
  }
  if (unsure.length > 0 || sure.length > group.length) {
    const ids = [...sure, ...unsure].map(({ id }) => id.value);
    return group.map(({ row }) => ({ kind: "unclear", row, candidates: ids }));
  }
  return group.map(({ row }, index) => {
    const order = sure[index];
    return order ? { kind: "found", row, order } : { kind: "absent", row };
  });
}

function groupByContent(lost: readonly LostRow[]): Map<string, LostRow[]> {
  const groups = new Map<string, LostRow[]>();
  for (const each of lost) groups.set(each.row.content, [...(groups.get(each.row.content) ?? []), each]);
  return groups;
}
