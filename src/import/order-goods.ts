/** The goods of an order, whose lines may name several. */

import { sumDecimals } from "../model/decimal.ts";
import type { CellDraft } from "./draft-from-cells.ts";
import { readItemList } from "./item-list.ts";
import { checkCell, numberPaths, setField } from "./order-fields.ts";
import type { FilledCell, Line } from "./sheet-line.ts";

/** The goods of all lines: names joined, numbers summed where every line has one. */
export function setItem(lines: readonly Line[], { draft, set, report }: CellDraft): void {
  const [first] = lines;
  if (!first) return;
  const items = lines.map(readItem);
  const paths = new Set(items.flatMap((item) => [...item.keys()]));
  for (const path of paths) {
    const cells = items.map((item) => item.get(path));
    const filled = cells.filter((cell) => cell !== undefined);
    const [one] = filled;
    if (!one) continue;
    const line = lines[cells.indexOf(one)] ?? first;
    if (line.source.faults?.has(one.index)) continue;
    if (!numberPaths.has(path)) {
      set(line, path, { ...one, text: filled.map(({ text }) => text).join("; ") });
      continue;
    }
    let isWrong = false;
    for (const [at, cell] of cells.entries()) {
      const message = cell && checkCell(path, cell.text);
      if (!message || !cell) continue;
      isWrong = true;
      report(lines[at] ?? first, cell.index, cell.text, message);
    }
    if (!isWrong && filled.length === lines.length)
      setField(draft, path, filled.length === 1 ? one.text : sumDecimals(filled.map(({ text }) => text)));
  }
}

/** A list of goods in one cell becomes a name and a number of pieces. */
export function readItem({ cells }: Line): ReadonlyMap<string, FilledCell> {
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
