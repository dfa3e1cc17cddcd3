/** The cancelled orders of rows that another order holds: the sheet shows their states, and no tracking number. */

import type { Ledger } from "../../ledger/ledger.ts";
import { isCancelled, isMade, type Operation } from "../../ledger/operation.ts";
import { type FileFacts, recordedContents } from "../../ledger/row-to-send.ts";
import type { RowDecision } from "../../ledger/rules.ts";
import type { ImportRow } from "../rows.ts";

export interface DecidedRow {
  readonly row: ImportRow;
  readonly decision: RowDecision;
  /** The numbers of orders in its cells. */
  readonly numbers: readonly string[];
}

/** By the numbers of the rows. An order is known by its number in the row's cells, else by its ref and content. */
export async function findOwnCancelled(
  rows: readonly DecidedRow[],
  customer: number,
  { shop: ofShop }: Pick<FileFacts, "shop">,
  ledger: Ledger,
): Promise<ReadonlyMap<number, Operation>> {
  const held = rows.filter(({ decision }) => isHeldByAnother(decision));
  const numbers = new Set(held.flatMap((each) => each.numbers));
  const known = numbers.size > 0 ? await ledger.findByNumber(customer, [...numbers]) : new Map();
  const refs = new Set(held.flatMap(({ row }) => row.ref ?? []));
  const sent = refs.size > 0 ? await ledger.findByRefs(customer, [...refs]) : [];
  const found = new Map<number, Operation>();
  for (const { row, numbers: own } of held) {
    const isSame = ({ content = "" }: Pick<Operation, "content">) => recordedContents(row).includes(content);
    const isOfRow = (each: Pick<Operation, "content" | "ref" | "shop">) =>
      isSame(each) || (each.ref !== undefined && each.ref === row.ref && each.shop === ofShop);
    const name = own
      .flatMap((number) => known.get(number) ?? [])
      .find((each) => each.isCancelled && isOfRow(each));
    const named = name && (await ledger.findOperation(name));
    const operation =
      named ??
      sent.findLast(
        (each) =>
          each.ref === row.ref && isMade(each) && isCancelled(each) && each.shop === ofShop && isSame(each),
      );
    if (operation) found.set(row.row, operation);
  }
  return found;
}

function isHeldByAnother(decision: RowDecision): boolean {
  return decision.kind === "held" || (decision.kind === "elsewhere" && !decision.isCovered);
}
