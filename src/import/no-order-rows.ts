/**
 * Rows of a sheet that are no orders: totals, zeros, remarks, headers that are repeated, hints and samples of templates,
 * lines with a part of a receiver.
 */

import { isNoColumn } from "./columns/columns.ts";
import type { Layout } from "./columns/layout.ts";
import { createTitleReader, simplifyTitle } from "./columns/title-words.ts";
import { isZeroText, numberPaths } from "./order-fields.ts";
import { type OrderOptions, problemOf, type RowProblem } from "./order-record.ts";
import { type FilledCell, hasAddress, type Line } from "./sheet-line.ts";

const unit = "(?:[件单單个個笔筆箱票元]|公斤|千克|kg|pcs|items?|pieces?|orders?)";
/** 2单3件. Each number but the last needs its unit: without one, a long number could be split in too many ways. */
const count = `\\d+(?:\\.\\d+)?\\s*${unit}[\\s，,、]*`;
const thing = "(?:商品|货品|貨品|订单|訂單|包裹)";
const measure = "(?:[数數]量?|金?[额額]|[价價]格?|重量?|[件单單箱][数數]量?)";
const counted = `(?:${thing}?${measure}|${thing})`;
/** What is counted may stand on both sides: 数量合计, 总计件数, 商品总数, 2单合计. */
const chineseTotal =
  `(?:本[页頁单單]|以上)?(?:${count})*${counted}?` +
  `(?:(?:[合总總小共]\\s*[计計]|累[计計]|[总總一]共|汇总|彙總)${counted}?|[总總]${thing}?${measure})`;
const measured = "(?:qty|quantity|items?|pieces|pcs|weight|amount|price|value|orders?|units|parcels)";
const englishTotal = `(?:${measured}\\s+)?(?:(?:grand\\s+|sub[\\s-]?)?totals?|sum)(?:\\s+(?:number\\s+of\\s+)?${measured})?`;
/** A word for a total, with a note and a number: 合计（2单）, Total: 5. 共 needs a number: 共2单3件. */
const totalWord = new RegExp(
  `^(?:${chineseTotal}|${englishTotal})\\s*(?:[（(][^（()）]*[）)]\\s*)?(?:[:：]\\s*)?(?:${count})*(?:\\d+(?:\\.\\d+)?)?$|` +
    `^共有?\\s*(?:${count})+$`,
  "i",
);

const isNumber = (path: string) => numberPaths.has(path);

/** The problem of a row below the orders that adds them up: it names neither a receiver nor goods, or has only a word for a total. */
export function findTotal({ source, cells, key }: Line, options: OrderOptions): RowProblem | undefined {
  if (key !== "") return undefined;
  const told = [...cells].filter(([path]) => /^(?:ref|receiver|item)\b/.test(path));
  const words = told.filter(([path]) => !isNumber(path));
  const [found] = words.length > 0 ? words : told;
  if (!found || !words.every(([, { text }]) => totalWord.test(text.trim()))) return undefined;
  const [path, cell] = found;
  const message = isNumber(path)
    ? "is a number without goods: where the row adds up the rows above, delete it, else name its goods"
    : `looks like a total of the rows above: delete the row, or give ${path.startsWith("item.") ? "the item" : "the receiver"} another name`;
  return problemOf(source, cell, message, options);
}

/** The problem of a row of formulas that refer to empty cells. */
export function findZeros({ source, cells }: Line, options: OrderOptions): RowProblem | undefined {
  const [first] = [...cells].filter(([path, { text }]) => isZeroText(path, text));
  const isAll = [...cells.values()].every(({ text }) => /^0+(?:\.0+)?$/.test(text));
  const message = "is 0 like the whole row, as formulas show empty cells: delete the row";
  return first && isAll ? problemOf(source, first[1], message, options) : undefined;
}

/** What a template writes for a value, alone, with a note or before one: 示例, 示例（勿删）, 例：张三. */
const sample =
  /^(?:(?:填[写寫])?[示样樣范範]例(?:数据|數據)?|example|sample)\s*(?:[(（[【].*[)）\]】])?$|^(?:例|例如|[示样樣范範]例|example)\s*[:：]/i;
/** Shops ship samples. */
const sampleGoods = /^sample/i;
/** Beside a value, （示例）张三. Goods may be called so. */
const sampleNote =
  /^[(（[【](?:[示样樣范範]例|example)[)）\]】]|[(（[【](?:[示样樣范範]例|example)[)）\]】]$/i;
/** People and goods may be called so. */
const sampleRef = /^(?:模板|demo)$/i;

function isSample(path: string, text: string): boolean {
  if (path === "item.name") return sample.test(text) && !sampleGoods.test(text);
  return sample.test(text) || sampleNote.test(text) || (path === "ref" && sampleRef.test(text));
}

/** The problem of the row with which a template shows how rows are filled. */
export function findSample({ source, cells }: Line, options: OrderOptions): RowProblem | undefined {
  for (const [path, other] of [
    ["ref", "the order another number"],
    ["receiver.name", "the receiver another name"],
    ["receiver.text", "the receiver another name"],
    ["item.name", "the item another name"],
  ] as const) {
    const cell = cells.get(path);
    if (!cell || !isSample(path, cell.text)) continue;
    const message = `looks like a sample row of a template: delete the row, or give ${other}`;
    return problemOf(source, cell, message, options);
  }
  return undefined;
}

/** The problem of a row below an order that has goods and no more than the phone of a receiver: most are lines of that order. */
export function findLonePhone(line: Line, orderAbove: string, options: OrderOptions): RowProblem | undefined {
  const phone = line.cells.get("receiver.phone");
  const isAlone = phone && line.key === "" && orderAbove !== "" && !options.layout.preset;
  if (!isAlone || hasAddress(line)) return undefined;
  const message =
    "is a phone without a receiver's name or address: empty the cell where the row is a further line of the order above, else name the receiver";
  return problemOf(line.source, phone, message, options);
}

const isOfPlace = (path: string) => /^receiver\.(?!name$|phone$)/.test(path);

/**
 * The problem of a row that has no more of a receiver than the name or the phone of the order directly above, which has an
 * address: most are lines of that order. The cell that it names is the empty one, which may be merged with the one above.
 */
export function findRepeatedReceiver(
  { source, cells, key }: Line,
  above: Line | undefined,
  options: OrderOptions,
): RowProblem | undefined {
  const place = above && [...above.cells].find(([path]) => isOfPlace(path));
  const told = [...cells].filter(([path]) => path.startsWith("receiver."));
  if (!place || key !== "" || options.layout.preset || told.length === 0) return undefined;
  if (told.some(([path, { text }]) => isOfPlace(path) || above.cells.get(path)?.text !== text))
    return undefined;
  const way = above.key === "" ? "add the goods to that row" : "leave only the goods filled";
  const message = `is empty, and the receiver is that of row ${above.source.row}: ${way} where they are of that order, else fill in the address`;
  return problemOf(source, { text: "", index: place[1].index }, message, options);
}

/** In a column with such a title, a row may have goods of the order above, or a part of an order. */
const titleOfOrder =
  /[货品贝件赠规格型款色码数清号名话机址人]|item|product|goods|article|varia|model|style|colou?r|size|quant|qty|gift|desc|content|detail|number|name|phone|mobile|addr|recip|receiv|sender|sku/i;

/** Finds rows with nothing in a column that is used: a remark below an order, or a summary beside the table. */
export function createRemarkFinder({ names, unused }: Layout): (line: Line) => boolean {
  const isOfRemarks = names.map(
    (title) => isNoColumn(title) || (unused.includes(title) && !titleOfOrder.test(simplifyTitle(title))),
  );
  return ({ source: { cells, faults }, cells: { size } }) =>
    size === 0 &&
    cells.some((cell) => cell !== "") &&
    cells.every((cell, index) => isOfRemarks[index] || (cell.trim() === "" && !faults?.has(index)));
}

/** What templates write below a column that must be filled, or need not. */
const requirement = /^[*＊]?[(（[【]?(?:必填|选填|非必填|可选|required|optional|mandatory)[项)）\]】]?$/i;
const fewestTitles = 3;
const fewestRequirements = 2;

/** Finds the problem of a row that is a header again, in another language, or says which columns must be filled. */
export function createTitleFinder(options: OrderOptions): (line: Line) => RowProblem | undefined {
  const { names } = options.layout;
  const { fieldOf, isShort } = createTitleReader();
  const isTitle = ({ text, index }: FilledCell) =>
    text === names[index]?.trim() || fieldOf(text) !== undefined || isShort(text);
  const isHint = ({ text }: FilledCell) => requirement.test(text);
  return ({ source, cells }) => {
    // A row of titles fills these columns, too; one of them is enough to pass over nearly all rows.
    const first = cells.get("receiver.name") ?? cells.get("receiver.text") ?? cells.get("item.name");
    if (!first || !(isTitle(first) || isHint(first))) return undefined;
    const all = [...cells.values()];
    if (all.filter(isHint).length >= fewestRequirements)
      return problemOf(source, first, "says which columns are to be filled: delete the row", options);
    const titles = all.filter(isTitle).length;
    return titles >= fewestTitles || (titles > 1 && titles === all.length)
      ? problemOf(source, first, "is the title of a column, as in a header: delete the row", options)
      : undefined;
  };
}
