/** The columns that a write-back adds to a sheet: their titles in English and Chinese, and where they go. */

import { parseOperationName } from "../../ledger/operation.ts";
import type { MarkedDoubt } from "../../ledger/row-to-send.ts";
import { canEncode, unescapeCharacters } from "../../sheets/encode-text.ts";
import type { Encoding } from "../../sheets/source.ts";
import { answerOfCell } from "../plain-text.ts";

/** What is written beside a row, in the order of the columns. */
export const writtenFields = ["tracking_number", "order_no", "status", "estimated_fee", "error"] as const;
export type WrittenField = (typeof writtenFields)[number];
export type WrittenValues = Readonly<Record<WrittenField, string>>;
/** What is written into the cells of one row: a cell without a text stays as it is. */
export type RowValues = Partial<WrittenValues>;

export const nothing: WrittenValues = {
  tracking_number: "",
  order_no: "",
  status: "",
  estimated_fee: "",
  error: "",
};

/** No platform has a column of these names. */
const english: WrittenValues = {
  tracking_number: "Courier tracking number",
  order_no: "Courier order number",
  status: "Courier state",
  estimated_fee: "Courier estimated fee",
  error: "Courier error",
};
const chinese: WrittenValues = {
  tracking_number: "快递运单号",
  order_no: "快递订单编号",
  status: "快递订单状态",
  estimated_fee: "快递预估运费",
  error: "快递下单错误",
};

const fieldsByTitle: ReadonlyMap<string, WrittenField> = new Map(
  writtenFields.flatMap((field) => [[english[field], field] as const, [chinese[field], field] as const]),
);

/** Earlier versions wrote the Chinese titles into sheets whose encoding lacks characters of them: 快\u9012…. */
function readTitle(header: string): WrittenField | undefined {
  return fieldsByTitle.get(unescapeCharacters(header.trim()));
}

/** True for a column that an earlier write-back added: an import does not read it. */
export function isWrittenTitle(header: string): boolean {
  return readTitle(header) !== undefined;
}

/** A header without what an earlier write-back added at its end: a row that it did not fill has no cells there. */
export function countOwnColumns(header: readonly string[]): number {
  return header.findLastIndex((title) => !isWrittenTitle(title)) + 1;
}

/** Reads what an earlier write-back, of this machine or another, wrote into these columns beside the rows of an order. */
export function createNumberReader(header: readonly string[], read: readonly WrittenField[]) {
  const fields = header.map(readTitle);
  const columns = read.flatMap((field) => fields.flatMap((each, index) => (each === field ? [index] : [])));
  return (rows: readonly (readonly string[])[]): readonly string[] =>
    columns
      .flatMap((column) => rows.map((cells) => answerOfCell(cells[column]?.trim() ?? "")))
      .filter((text) => text !== "");
}

/** The operation in doubt that an earlier write-back names beside a row, in the words of row-words.ts. */
export function findMarkedDoubt(texts: readonly string[]): MarkedDoubt | undefined {
  for (const text of texts) {
    const [, words, name = ""] = /(orders resolve|the edited row of operation) (\d+\.\d+)/.exec(text) ?? [];
    const operation = parseOperationName(name);
    if (operation) return { ...operation, isOpen: words === "orders resolve" };
  }
  return undefined;
}

export interface WrittenColumn {
  readonly field: WrittenField;
  /** From 0. */
  readonly index: number;
  readonly title: string;
  /** The sheet does not have it yet. */
  readonly isNew: boolean;
}

/**
 * Columns of an earlier write-back are used again; the others begin at `firstFree`. Their titles are Chinese where the
 * header is, and `encoding` has all characters of them: other titles would be written as codes.
 */
export function placeColumns(
  header: readonly string[],
  firstFree: number,
  encoding: Encoding,
): readonly WrittenColumn[] {
  const titles = header.map((title) => title.trim());
  const written = titles.filter(isWrittenTitle);
  const named = (written.length > 0 ? written : titles).filter((title) => title !== "");
  const isChinese = named.filter((title) => /\p{Script=Han}/u.test(title)).length * 2 > named.length;
  const own = isChinese && canEncode(encoding, Object.values(chinese).join("")) ? chinese : english;
  let next = firstFree;
  return writtenFields.map((field) => {
    const index = titles.findIndex((title) => readTitle(title) === field);
    if (index >= 0) return { field, index, title: titles[index] ?? "", isNew: false };
    return { field, index: next++, title: own[field], isNew: true };
  });
}
