/** A self-contained HTML page that prints one packing slip an order: no script, and nothing from elsewhere. */

import type { Page } from "../command/command.ts";
import type { JsonNumber } from "../model/json.ts";
import type { Slip } from "../model/results.ts";
import { show } from "../terminal/blocks.ts";
import { htmlHead, toHtml, toOneLine } from "../terminal/html.ts";
import { cutToWidth, displayWidth } from "../terminal/width.ts";
import { type BarsProblem, drawCode128 } from "./code-128.ts";

export interface SlipSize {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** A part of a slip: its label, and the lines below each other. */
interface Part {
  readonly label: string;
  readonly lines: readonly string[];
  /** How much larger it is written than the rest. */
  readonly scale: number;
}

const paddingMm = 4;
const headMm = 6;
const noteMm = 8;
const barsMm = 14;
const codeMm = barsMm + 6;
/** Sizes of letters in tenths of a millimetre, the largest that has room is taken. */
const letterSizes = [38, 34, 30, 26, 22, 18] as const;
const lineHeight = 1.35;
const labelEm = 4.5;

const note =
  "Packing slip of the shop. It is not the courier's waybill, which the service's interface does not offer.";

/** Each slip is a page of this size. `onCut` is called for a slip that has no room for all of its text. */
export function slipPage(size: SlipSize, onCut: (id: JsonNumber) => void): Page<Slip> {
  return {
    begin: `${htmlHead("Packing slips", styleOf(size)).join("\n")}\n`,
    item: (slip) => drawSlip(slip, size, onCut),
    empty: "<p>No orders</p>\n",
    end: "</body>\n</html>\n",
  };
}

function styleOf({ widthMm, heightMm }: SlipSize): string {
  return [
    `@page{size:${widthMm}mm ${heightMm}mm;margin:0}`,
    "*{box-sizing:border-box;margin:0;padding:0}",
    'body{font-family:"Noto Sans CJK SC","Noto Sans SC","PingFang SC","Microsoft YaHei",Arial,sans-serif;color:#000}',
    // Half a millimetre less than the page: what is rounded up must not begin another one.
    `.slip{width:${widthMm}mm;height:${heightMm - 0.5}mm;padding:${paddingMm}mm;background:#fff;overflow:hidden;` +
      `display:flex;flex-direction:column;break-inside:avoid;line-height:${lineHeight}}`,
    ".slip+.slip{break-before:page}",
    ...letterSizes.map((size) => `.s${size}{font-size:${size / 10}mm}`),
    `h1{flex:none;height:${headMm}mm;font-size:3.4mm;display:flex;justify-content:space-between}`,
    "dl{flex:1 1 0;min-height:0;overflow:hidden}",
    "dl div{display:flex;margin-bottom:.5em}",
    `dt{flex:none;width:${labelEm}em;color:#444}`,
    "dd{flex:1;min-width:0;overflow-wrap:anywhere}",
    ".to{font-size:1.25em;font-weight:bold}",
    `.code{flex:none;height:${codeMm}mm;text-align:center;font:3.4mm/1.2 monospace;overflow:hidden}`,
    "svg{display:block;margin:0 auto 1mm}",
    `footer{flex:none;height:${noteMm}mm;border-top:.2mm solid;padding-top:1mm;font-size:1.9mm;overflow:hidden}`,
    "@media screen{body{background:#ddd}.slip{margin:4mm auto}}",
  ].join("\n");
}

function drawSlip(slip: Slip, size: SlipSize, onCut: (id: JsonNumber) => void): string {
  const number = slip.tracking_number ?? "";
  const { svg, problem } = drawCode128(number, size.widthMm - 2 * paddingMm, barsMm);
  const tracking = problem === undefined ? [] : [trackingPart(number, problem)];
  const { parts, letters, isCut } = fitParts([...partsOf(slip), ...tracking], size, svg !== undefined);
  if (isCut) onCut(slip.id);
  const mark = slip.status === "cancelled" ? "<b>CANCELLED</b>" : "";
  const code = svg === undefined ? [] : [`<div class="code">${svg}${toHtml(number)}</div>`];
  return [
    `<section class="slip s${letters}">`,
    `<h1>Packing slip${mark && ` ${mark}`}</h1>`,
    `<dl>${parts.map(drawPart).join("\n")}</dl>`,
    ...code,
    `<footer>${note}</footer>`,
    "</section>\n",
  ].join("\n");
}

function drawPart({ label, lines, scale }: Part): string {
  const name = scale > 1 ? ' class="to"' : "";
  return `<div><dt>${label}</dt> <dd${name}>${lines.map(toHtml).join("<br>")}</dd></div>`;
}

/** What is missing is left out. */
function partsOf({ id, order_no, ref, sender, receiver, item }: Slip): readonly Part[] {
  const part = (label: string, lines: readonly (string | null)[], scale = 1): Part[] => {
    const present = lines.flatMap(presentLine);
    return present.length === 0 ? [] : [{ label, lines: present, scale }];
  };
  const whom = ({ name, phone, address }: Slip["sender"]) => [
    [name, phone].filter(Boolean).join("  "),
    address,
  ];
  const count = item.quantity === null ? "" : `× ${show(item.quantity)}`;
  return [
    ...part("To", whom(receiver), 1.25),
    ...part("From", whom(sender)),
    ...part("Item", [[item.name, count].filter(Boolean).join(" "), item.description]),
    ...part("Ref", [ref]),
    ...part("Order", [order_no || show(id)]),
  ];
}

const problems: Readonly<Record<BarsProblem, string>> = {
  empty: "The service gives no tracking number for this order.",
  unwritable: "No bar code: Code 128 cannot write this number.",
  "too long": "No bar code: the number is too long for a slip of this width.",
};

function trackingPart(number: string, problem: BarsProblem): Part {
  return { label: "Tracking", lines: [number, problems[problem]].flatMap(presentLine), scale: 1 };
}

function presentLine(line: string | null | undefined): string[] {
  const text = toOneLine(line ?? "");
  return text === "" ? [] : [text];
}

interface Fitted {
  readonly parts: readonly Part[];
  readonly letters: number;
  readonly isCut: boolean;
}

/** No slip has room for a line of more columns; to measure a longer one would take its time. */
const longestLine = 4_000;

/** The largest letters for which all parts have room; where there are none, the longest lines are cut. */
function fitParts(parts: readonly Part[], { widthMm, heightMm }: SlipSize, hasCode: boolean): Fitted {
  const roomMm = heightMm - 0.5 - 2 * paddingMm - headMm - noteMm - (hasCode ? codeMm : 0);
  const inWidthMm = widthMm - 2 * paddingMm;
  const has = (tried: readonly Part[], letters: number) => heightOf(tried, letters / 10, inWidthMm) <= roomMm;
  const isLong = parts.some(({ lines }) => lines.some((line) => displayWidth(line) > longestLine));
  const letters = isLong ? undefined : letterSizes.find((size) => has(parts, size));
  if (letters !== undefined) return { parts, letters, isCut: false };
  const smallest = Math.min(...letterSizes);
  const cutTo = (columns: number) =>
    parts.map((part) => ({ ...part, lines: part.lines.map((line) => cutToWidth(line, columns)) }));
  let [least, most] = [1, longestLine];
  while (least < most) {
    const columns = Math.ceil((least + most) / 2);
    if (has(cutTo(columns), smallest)) least = columns;
    else most = columns - 1;
  }
  return { parts: cutTo(least), letters: smallest, isCut: true };
}

/** At least as much as a browser needs: what it has no room for is hidden. */
function heightOf(parts: readonly Part[], letterMm: number, widthMm: number): number {
  return parts.reduce((sum, { lines, scale }) => {
    // A browser ends a line one letter earlier where a punctuation mark must not begin the next one.
    const widthEm = (widthMm / letterMm - labelEm) / scale - 1;
    const count = lines.reduce((rows, line) => rows + countRows(line, widthEm), 0);
    return sum + count * lineHeight * letterMm * scale + letterMm / 2;
  }, 0);
}

/** Rows of a text that is broken after blanks where it can, and within a word where it must. */
function countRows(text: string, widthEm: number): number {
  let [rows, usedEm] = [1, 0];
  for (const word of text.split(/(?<=[ \u2E80-\uFFEF])/)) {
    const letters = [...word].map(widthOf);
    const wordEm = letters.reduce((sum, each) => sum + each, 0);
    if (usedEm + wordEm <= widthEm) {
      usedEm += wordEm;
      continue;
    }
    if (usedEm > 0) [rows, usedEm] = [rows + 1, 0];
    for (const letterEm of letters) {
      if (usedEm + letterEm > widthEm) [rows, usedEm] = [rows + 1, 0];
      usedEm += letterEm;
    }
  }
  return rows;
}

/** Of one bold letter, in any of the fonts that browsers have for it, at most. */
function widthOf(letter: string): number {
  if (/^[ -~]$/.test(letter))
    return /[MWmw@%&]/.test(letter) ? 1.05 : /[A-Z#+<=>~]/.test(letter) ? 0.8 : 0.66;
  return displayWidth(letter) > 1 ? 1.05 : 1;
}
