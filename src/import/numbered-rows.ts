/** Which rows have the orders whose numbers an earlier write-back wrote beside them. */

import type { NumberedCreate } from "../ledger/import-rows.ts";
import { nameOperation, type OperationName } from "../ledger/operation.ts";
import { canHaveRef, isOfFile } from "../ledger/order-of-row.ts";
import {
  type FileFacts,
  type RowName,
  type RowNumber,
  type RowsByNumber,
  type RowToSend,
  recordedContents,
} from "../ledger/row-to-send.ts";

export type NumberedRow = RowName & Pick<RowToSend, "content" | "formerContents" | "writtenNumbers">;

type Facts = Pick<FileFacts, "files" | "shop" | "hasRef">;

/**
 * Rows in the order of the file. Each order counts for one row: the first one with its number that has its ref, or its
 * content and no other ref. `known` has the creates of this ledger by the numbers of their orders.
 */
export function indexByNumber(
  rows: readonly NumberedRow[],
  known: ReadonlyMap<string, readonly NumberedCreate[]>,
  file: Facts,
): RowsByNumber {
  const own = new Map<number, RowNumber & { readonly operation: OperationName }>();
  const holders = new Map<string, NumberedRow>();
  const ofContents = new Map<string, number[]>();
  const foreign = new Map<string, number[]>();
  const put = (map: Map<string, number[]>, { row, content, ref }: NumberedRow) => {
    if (ref !== undefined) return;
    const same = map.get(content) ?? [];
    map.set(content, same);
    same.push(row);
  };
  const rowsWith = new Map<string, number>();
  for (const { writtenNumbers = [] } of rows)
    for (const number of new Set(writtenNumbers)) rowsWith.set(number, (rowsWith.get(number) ?? 0) + 1);
  /**
   * Those that no other row has. Some services give all new orders one text in the place of a number, such as PENDING: it
   * tells nothing beside a number that is the row's alone.
   */
  const aloneIn = ({ writtenNumbers = [] }: NumberedRow) =>
    writtenNumbers.filter((number) => rowsWith.get(number) === 1 && !isCut(number));
  for (const row of rows) {
    const found = candidatesOf(row, known).find(
      ({ create }) => !holders.has(nameOperation(create)) && isOwn(row, create, file),
    );
    put(found ? ofContents : foreign, row);
    if (!found) continue;
    own.set(row.row, { number: found.number, operation: found.create });
    holders.set(nameOperation(found.create), row);
  }
  const firstRows = new Map<string, NumberedRow>();
  const shared = new Set<string>();
  const numbers = new Map<number, RowNumber>();
  for (const row of rows) {
    numbers.set(row.row, own.get(row.row) ?? readNumber(row));
    const hasOwn = aloneIn(row).length > 0;
    for (const number of row.writtenNumbers ?? []) {
      if (hasOwn && (rowsWith.get(number) ?? 0) > 1) shared.add(number);
      if (!firstRows.has(number) && !isCut(number)) firstRows.set(number, row);
    }
  }

  /** The number of an order that is not known to be the row's. */
  function readNumber(row: NumberedRow): RowNumber {
    const alone = aloneIn(row);
    const written = alone.length > 0 ? alone : (row.writtenNumbers ?? []);
    const [candidate] = candidatesOf(row, known);
    const first = written.map((each) => firstRows.get(each)).find((each) => each !== undefined);
    return {
      number: candidate?.number ?? written[0] ?? "",
      operation: candidate?.create,
      holder: (candidate && holders.get(nameOperation(candidate.create))) ?? first,
    };
  }

  return {
    operationOf(row) {
      const { operation } = own.get(row) ?? {};
      return operation && nameOperation(operation);
    },
    holderOf: (operation) => holders.get(nameOperation(operation)),
    numberOf: (row) => numbers.get(row),
    rowOf: (number) => (shared.has(number) ? undefined : firstRows.get(number)?.row),
    countBefore: ({ row, content }) => ofContents.get(content)?.filter((each) => each < row).length ?? 0,
    foreignBefore: ({ row, content }) => foreign.get(content)?.filter((each) => each < row).length ?? 0,
    isForeign: ({ row, content }) => foreign.get(content)?.includes(row) ?? false,
    countPlain: (content, all) =>
      all - (ofContents.get(content)?.length ?? 0) - (foreign.get(content)?.length ?? 0),
  };
}

/** Spreadsheet programs keep six digits of a long number, `7.73461E+14`: many numbers become one text. */
function isCut(number: string): boolean {
  return /^\d(?:[.,]\d+)?E\+\d+$/i.test(number);
}

function candidatesOf(
  { writtenNumbers = [] }: NumberedRow,
  known: ReadonlyMap<string, readonly NumberedCreate[]>,
) {
  const creates = (number: string) => known.get(number) ?? [];
  // A number of one order tells more than one that several have.
  return [...writtenNumbers]
    .sort((one, other) => creates(one).length - creates(other).length)
    .flatMap((number) => creates(number).map((create) => ({ number, create })));
}

function isOwn(row: NumberedRow, create: NumberedCreate, file: Facts): boolean {
  const { ref } = row;
  if (ref !== undefined && create.ref === ref && create.shop === file.shop) return true;
  if (!recordedContents(row).includes(create.content ?? "") || !canHaveRef(ref, create, file)) return false;
  // It may have been sent again: the places of equal rows tell which order is whose.
  if (create.isCancelled) return false;
  return create.allowance !== "extra" || !isOfFile(create, file);
}
