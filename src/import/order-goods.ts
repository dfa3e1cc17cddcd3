/** The goods of an order, whose lines may name several. */

import { sumDecimals } from "../model/decimal.ts";
import type { DraftItem } from "../model/draft.ts";
import { cleanCell } from "./clean-cell.ts";
import type { CellDraft } from "./draft-from-cells.ts";
import { hasNamelessGoods, readItemList } from "./item-list.ts";
import { checkCell, numberPaths, setField } from "./order-fields.ts";
import type { OrderOptions } from "./order-record.ts";
import type { FilledCell, Line } from "./sheet-line.ts";

type Item = ReadonlyMap<string, FilledCell>;

export interface GoodsRead {
  /** Earlier versions read them in another way. */
  readonly isReadAnew: boolean;
  /** Some goods have a number of pieces and others none, so none is set. */
  readonly lacksPieces: boolean;
}

/**
 * The goods of all lines: names joined, numbers summed where every line has one. A cell that is merged over several lines
 * counts once. `isEarlier`: a list is read as earlier versions read it.
 */
export function setItem(
  lines: readonly Line[],
  { draft, set, report }: CellDraft,
  isMerged: OrderOptions["isMerged"],
  isEarlier = false,
): GoodsRead {
  const [first] = lines;
  if (!first) return { isReadAnew: false, lacksPieces: false };
  const items = lines.map((line) => readItem(line, isEarlier));
  for (const line of lines) {
    const list = line.cells.get("item.list");
    if (list && hasNamelessGoods(list.text))
      report(line, list.index, list.text, "has goods without the key “name”");
  }
  /** It is the cell of the line above. Where other columns are joined to it, they may differ. */
  const isShared = (path: string, at: number) => {
    const [above, own] = [items[at - 1]?.get(path), items[at]?.get(path)];
    const rowOf = (index: number) => lines[index]?.source.row ?? 0;
    return own && above?.text === own.text && isMerged(own.index, rowOf(at - 1), rowOf(at));
  };
  let hasMerged = false;
  const paths = new Set(items.flatMap((item) => [...item.keys()]));
  for (const path of paths) {
    const cells = items.map((item) => item.get(path));
    const filled = cells.filter((cell) => cell !== undefined);
    const [one] = filled;
    if (!one) continue;
    const texts = cells.flatMap((cell, at) => (cell && !isShared(path, at) ? [cell.text] : []));
    hasMerged ||= texts.length < filled.length;
    const line = lines[cells.indexOf(one)] ?? first;
    if (line.source.faults?.has(one.index)) continue;
    if (!numberPaths.has(path)) {
      set(line, path, { ...one, text: texts.join("; ") });
      continue;
    }
    let isWrong = false;
    for (const [at, cell] of cells.entries()) {
      if (!cell) continue;
      // One number beside two goods may be that of each, or of both.
      const isUnclear = path === "item.quantity" && isShared(path, at) && items[at]?.has("item.name");
      const message =
        isUnclear && !isShared("item.name", at)
          ? "is merged with the row above, and the goods are not: write the pieces of each row"
          : checkCell(path, cell.text);
      if (!message) continue;
      isWrong = true;
      report(lines[at] ?? first, cell.index, cell.text, message);
    }
    if (!isWrong && filled.length === lines.length)
      setField(draft, path, texts.length === 1 ? one.text : sumDecimals(texts));
  }
  const isCleaned = lines.some(
    (line, at) =>
      line.cells.has("item.list") && !isSame(readItem(line, true), items[at] ?? new Map(), "item.quantity"),
  );
  const hasPieces = paths.has("item.quantity") || lines.some(hasListedPieces);
  return {
    isReadAnew: hasMerged || isCleaned,
    lacksPieces: hasPieces && (draft.item as DraftItem | undefined)?.quantity === undefined,
  };
}

const isSame = (one: Item, other: Item, path: string) => one.get(path)?.text === other.get(path)?.text;

const hasListedPieces = ({ cells }: Line) =>
  !cells.has("item.name") &&
  readItemList(cells.get("item.list")?.text ?? "").some(({ quantity }) => quantity !== "");

/** A list of goods in one cell becomes a name and a number of pieces. Earlier versions did not clean the pieces in it. */
export function readItem({ cells }: Line, isEarlier = false): Item {
  const item = new Map([...cells].filter(([path]) => path.startsWith("item.")));
  const list = item.get("item.list");
  item.delete("item.list");
  if (!list || item.has("item.name")) return item;
  const listed = readItemList(list.text);
  if (listed.length === 0) return item;
  item.set("item.name", { ...list, text: listed.map(({ name }) => name).join("; ") });
  const pieces = listed.map(({ quantity }) =>
    isEarlier ? quantity : cleanCell("item.quantity", quantity).text,
  );
  if (pieces.every((each) => /^\d+$/.test(each)))
    item.set("item.quantity", { ...list, text: sumDecimals(pieces) });
  return item;
}
