/** Removes from a cell what spreadsheets and platforms put around its value. */

import { splitEnds } from "../core/blanks.ts";
import { numberPaths } from "./order-fields.ts";

/** What was removed, for a count. Blanks around a value are not counted. */
export type Cleaning = "apostrophe" | "formula text" | "tab" | "empty mark" | "full-width digits" | "amount";

export interface CleanCell {
  readonly text: string;
  readonly cleanings: readonly Cleaning[];
}

/** A text that holds none of these is left as it is: nearly all are. */
const suspicious = /[\t'=０-９＋（）－\u3000]|^[\s-]|\s$/;
const plainNumber = /^\d+(?:\.\d+)?$/;
/** `2.0`, which scripts write for a whole number. `1.000` may be a thousand. */
const wholeDecimal = /\.0{1,2}$/;
const nothing: readonly Cleaning[] = [];

/** `="0123"`, which makes a spreadsheet keep a number as it is. */
const formulaText = /^="((?:[^"]|"")*)"$/s;
/** An apostrophe that makes a cell text; a name such as 's-Hertogenbosch keeps its own. */
const textMark = /^'(?=[\p{Script=Han}\d+(]|$)/u;

/**
 * `path` is the field; `empty` are the platform's texts for an empty cell. What is fine already stays: a phone keeps
 * its +86. A change to what is removed makes a new version of reading (former-reading.ts), but for cells that every version
 * refused.
 */
export function cleanCell(path: string, cell: string, empty: readonly string[] = []): CleanCell {
  const isNumber = numberPaths.has(path);
  const isPlain = plainNumber.test(cell) && !(path === "item.quantity" && wholeDecimal.test(cell));
  if (isNumber ? isPlain : !suspicious.test(cell) && !empty.includes(cell))
    return { text: cell, cleanings: nothing };
  const cleanings: Cleaning[] = [];
  let text = cell;
  const apply = (cleaning: Cleaning, change: (text: string) => string) => {
    const changed = change(text);
    if (changed !== text) cleanings.push(cleaning);
    text = changed;
  };
  apply("tab", trimTabs);
  text = trim(text);
  apply("formula text", (each) => formulaText.exec(each)?.[1]?.replaceAll('""', '"') ?? each);
  const isCode = path === "ref" || path.endsWith(".phone");
  apply("apostrophe", (each) => each.replace(isCode ? /^'/ : textMark, ""));
  apply("tab", trimTabs);
  text = trim(text);
  apply("empty mark", (each) => (empty.includes(each) ? "" : each));
  if (isNumber || path.endsWith(".phone")) apply("full-width digits", narrow);
  if (isNumber) apply("amount", (each) => bareNumber(path, each));
  return { text, cleanings };
}

/** Only what people type for a gap: other invisible characters are reported. */
function trim(text: string): string {
  return splitEnds(text, " \t\u3000").inner;
}

/** Blanks at an end go where a tab is among them. */
function trimTabs(text: string): string {
  const { lead, inner, tail } = splitEnds(text, " \t");
  return `${lead.includes("\t") ? "" : lead}${inner}${tail.includes("\t") ? "" : tail}`;
}

function narrow(text: string): string {
  return text.replace(/[０-９＋－（）．，]/g, (each) => String.fromCharCode(each.charCodeAt(0) - 0xfee0));
}

/** A number with its unit is not longer. */
const longestAmount = 400;

/** Words that count pieces, one by one. 箱 and 打 hold a dozen or another number; 斤 and g are weights. */
const counters = "[件个個盒瓶袋包份套只隻双雙条條支罐桶本张張块塊枚把台]|pcs?|pieces?";
const pieces = new RegExp(`(?<=\\d) *[(（]?(?:${counters})[)）]?$`, "i");
/** x2, 2×. */
const times = /^[x×*＊] *(?=\d)|(?<=\d) *[x×*＊]$/i;

/**
 * `¥1,234.50`, `12.00元`, `2.5kg`, `3件`, `x2` and a quantity of `2.0` as numbers; grams and decimal commas stay, and are
 * refused.
 */
function bareNumber(path: string, text: string): string {
  if (text.length > longestAmount) return text;
  if (path === "item.weight") return text.replace(/ *[(（]?(?:kg|千克|公斤)[)）]?$/i, "");
  if (path === "item.quantity")
    return withoutCommas(text.replace(times, "").replace(pieces, "").replace(wholeDecimal, ""));
  const bare = text.replace(/^(?:[¥￥]|CNY|RMB) */i, "").replace(/ *[(（]?(?:元|CNY|RMB)[)）]?$/i, "");
  return withoutCommas(bare);
}

function withoutCommas(text: string): string {
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}
