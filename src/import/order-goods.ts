/** The goods of an order, whose lines may name several. */

import { sumDecimals } from "../model/decimal.ts";
import type { CellDraft } from "./draft-from-cells.ts";
import { readItemList } from "./item-list.ts";
import { checkCell, numberPaths, setField } from "./order-fields.ts";
import type { OrderOptions } from "./order-record.ts";
import type { FilledCell, Line } from "./sheet-line.ts";

type Item = ReadonlyMap<string, FilledCell>;

/**
 * The goods of all lines: names joined, numbers summed where every line has one. A cell that is merged over several lines
 * counts once; the result tells whether there is one.
 */
export function setItem(
  lines: readonly Line[],
  { draft, set, report }: CellDraft,
  isMerged: OrderOptions["isMerged"],
): boolean {
  const [first] = lines;
  if (!first) return false;
  const items = lines.map(readItem);
  let hasMerged = false;
  const paths = new Set(items.flatMap((item) => [...item.keys()]));
  for (const path of paths) {
    const cells = items.map((item) => item.get(path));
    const filled = cells.filter((cell) => cell !== undefined);
    const [one] = filled;
    if (!one) continue;
    const origins = findOrigins(path, items, lines, isMerged);
    const counted = cells.filter((cell, at) => cell !== undefined && origins[at] === at) as FilledCell[];
    if (counted.length < filled.length) hasMerged = true;
    const line = lines[cells.indexOf(one)] ?? first;
    if (line.source.faults?.has(one.index)) continue;
    if (!numberPaths.has(path)) {
      set(line, path, { ...one, text: counted.map(({ text }) => text).join("; ") });
      continue;
    }
    let isWrong = false;
    const reportAt = (at: number, { index, text }: FilledCell, message: string) => {
      isWrong = true;
      report(lines[at] ?? first, index, text, message);
    };
    for (const [at, cell] of cells.entries()) {
      const message = cell && origins[at] === at ? checkCell(path, cell.text) : undefined;
      if (cell && message !== undefined) reportAt(at, cell, message);
    }
    if (path === "item.quantity")
      for (const [at, other] of findOtherGoods(
        items,
        origins,
        findOrigins("item.name", items, lines, isMerged),
      ))
        reportAt(
          at,
          cells[at] ?? one,
          `is merged with row ${lines[other]?.source.row}, which has goods of its own: write the number of pieces in each row`,
        );
    if (!isWrong && filled.length === lines.length)
      setField(draft, path, counted.length === 1 ? one.text : sumDecimals(counted.map(({ text }) => text)));
  }
  return hasMerged;
}

/** For each line the first one that has its cell of a field: where the cell is not merged, the line itself. */
function findOrigins(
  path: string,
  items: readonly Item[],
  lines: readonly Line[],
  isMerged: OrderOptions["isMerged"],
): readonly number[] {
  const origins: number[] = [];
  for (const [at, line] of lines.entries()) {
    const [above, own] = [items[at - 1]?.get(path), items[at]?.get(path)];
    const rowAbove = lines[at - 1]?.source.row ?? 0;
    const isSame =
      above !== undefined &&
      above.index === own?.index &&
      above.text === own.text && // other columns that are joined to it may differ
      isMerged(own.index, rowAbove, line.source.row);
    origins.push((isSame ? origins[at - 1] : undefined) ?? at);
  }
  return origins;
}

/**
 * Lines whose number of pieces is that of a line above with other goods, and that line: it may be the number of each, or
 * of both.
 */
function findOtherGoods(
  items: readonly Item[],
  origins: readonly number[],
  ofGoods: readonly number[],
): readonly (readonly [line: number, other: number])[] {
  const found: (readonly [number, number])[] = [];
  /** Of the lines with one number of pieces, the first that names goods. */
  let named: number | undefined;
  for (const [at, origin] of origins.entries()) {
    if (origin === at) named = undefined;
    if (!items[at]?.has("item.name")) continue;
    if (named === undefined) named = at;
    else if (ofGoods[at] !== ofGoods[named]) found.push([at, named]);
  }
  return found;
}

/** A list of goods in one cell becomes a name and a number of pieces. */
export function readItem({ cells }: Line): Item {
  const item = new Map([...cells].filter(([path]) => path.startsWith("item.")));
  const list = item.get("item.list");
  item.delete("item.list");
  if (!list || item.has("item.name")) return item;
  const listed = readItemList(list.text);
  item.set("item.name", { ...list, text: listed.map(({ name }) => name).join("; ") });
  if (listed.length > 0 && listed.every(({ quantity }) => /^\d+$/.test(quantity)))
    item.set("item.quantity", { ...list, text: sumDecimals(listed.map(({ quantity }) => quantity)) });
  return item;
}
