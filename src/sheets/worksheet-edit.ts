/** Writes cells into the XML of a worksheet: all other text of it stays as it is (ECMA-376, part 1, 18.3). */

import { nameCell, nameColumn, readAddress } from "./cell-address.ts";
import { findMark } from "./text-encoding.ts";

export interface CellText {
  /** From 0. */
  readonly column: number;
  readonly text: string;
  /** A number, for sums. Any other text stays text, whatever it looks like. */
  readonly isNumber?: boolean;
  /** It looks as the cell before it, as titles do. */
  readonly isTitle?: boolean;
}

export interface WorksheetEdit {
  /** The cells to write in a row, in the order of their columns. */
  cellsOf(row: number): readonly CellText[];
  /** The last column of all of them, from 0. */
  readonly lastColumn: number;
  /** New columns, which are shown also where the sheet hides those that it does not use. */
  readonly shown?: ColumnRange | undefined;
  /** Called for what sorts the sheet without the new columns. */
  readonly onNarrow?: (what: SortedPart) => void;
}

/** What a spreadsheet program sorts by itself, whatever stands beside it. */
export type SortedPart = "filter" | "table";

/** From 0. */
interface ColumnRange {
  readonly first: number;
  readonly last: number;
}

/** A piece of the XML: a tag, a comment or the like, or the text between two of them. */
const piece =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?![!?])(?:[^>"']|"[^"]*"|'[^']*')*>|[^<]+/;

const tagName = /^<\/?(?:[^\s/>:]*:)?([^\s/>:]*)/;

/** The pieces of XML that another reader has found to be well-formed. */
async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let rest = "";
  /** Leaves a tag that is cut for the next chunk. */
  function split(text: string): string[] {
    const found: string[] = [];
    const next = new RegExp(piece, "y");
    let end = 0;
    for (let match = next.exec(text); match; match = next.exec(text)) {
      found.push(match[0]);
      end = next.lastIndex;
    }
    rest = text.slice(end);
    return found;
  }
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(findMark(chunk) ?? "utf-8", { fatal: true, ignoreBOM: true });
    yield split(rest + decoder.decode(chunk, { stream: true }));
  }
  yield [...split(rest + (decoder?.decode() ?? "")), rest];
}

/** The XML with the cells. It is in UTF-8 or UTF-16, as it was. */
export async function* editWorksheet(
  chunks: AsyncIterable<Uint8Array>,
  edit: WorksheetEdit,
): AsyncGenerator<Buffer> {
  const editor = createEditor(edit);
  let encode: ((text: string) => Buffer) | undefined;
  async function* noted() {
    for await (const chunk of chunks) {
      encode ??= encoderOf(findMark(chunk));
      yield chunk;
    }
  }
  for await (const pieces of piecesOf(noted())) {
    let text = "";
    for (const each of pieces) text += editor(each);
    if (encode && text !== "") yield encode(text);
  }
}

function encoderOf(mark: string | undefined): (text: string) => Buffer {
  if (mark === "utf-16le") return (text) => Buffer.from(text, "utf16le");
  if (mark === "utf-16be") return (text) => Buffer.from(text, "utf16le").swap16();
  return (text) => Buffer.from(text);
}

/** The last column in which a cell holds something, or which cells are merged over, from 0; -1 in an empty sheet. */
export async function findLastColumn(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let [last, column] = [-1, -1];
  let isOpen = false;
  for await (const pieces of piecesOf(chunks)) {
    for (const tag of pieces) {
      if (!tag.startsWith("<")) continue;
      const name = tagName.exec(tag)?.[1];
      if (tag.startsWith("</")) isOpen &&= name !== "c";
      else if (name === "row") column = -1;
      else if (name === "c") {
        column = readAddress(attributeOf(tag, "r") ?? "")?.column ?? column + 1;
        isOpen = !tag.endsWith("/>");
      } else if (isOpen && (name === "v" || name === "is" || name === "f")) last = Math.max(last, column);
      else if (name === "mergeCell")
        last = Math.max(last, readAddress(attributeOf(tag, "ref")?.split(":").at(-1) ?? "")?.column ?? -1);
    }
  }
  return last;
}

/** Takes the pieces one after the other, and gives what stands for each. */
function createEditor({ cellsOf, lastColumn, shown, onNarrow }: WorksheetEdit): (piece: string) => string {
  let isInData = false;
  /** Inside a cell that is written anew, so that nothing of it is kept. */
  let isReplaced = false;
  let isInCell = false;
  let [row, column] = [0, -1];
  let prefix = "";
  let styleOfRow: string | undefined;
  let styleBefore: string | undefined;
  let waiting: CellText[] = [];

  function format({ text, isNumber, isTitle, column: at }: CellText, ownStyle: string | undefined): string {
    const style = ownStyle ?? (isTitle ? styleBefore : styleOfRow);
    const start = `<${prefix}c r="${nameCell({ column: at, row })}"${style === undefined ? "" : ` s="${style}"`}`;
    if (text === "") return ownStyle === undefined ? "" : `${start}/>`;
    if (isNumber && plainNumber.test(text)) return `${start}><${prefix}v>${text}</${prefix}v></${prefix}c>`;
    const inside = `<${prefix}is><${prefix}t xml:space="preserve">${escapeText(text)}</${prefix}t></${prefix}is>`;
    return `${start} t="inlineStr">${inside}</${prefix}c>`;
  }

  /** The cells that come before this column. */
  function flush(before: number): string {
    let text = "";
    for (let [next] = waiting; next && next.column < before; [next] = waiting) {
      waiting.shift();
      text += format(next, undefined);
    }
    return text;
  }

  function openRow(tag: string): string {
    row = Number(attributeOf(tag, "r") ?? row + 1);
    column = -1;
    prefix = /^<([^\s/>:]*:)?/.exec(tag)?.[1] ?? "";
    styleOfRow = isTrue(attributeOf(tag, "customFormat")) ? attributeOf(tag, "s") : undefined;
    styleBefore = undefined;
    waiting = [...cellsOf(row)];
    if (waiting.length === 0) return tag;
    const wide = setAttribute(tag, "spans", (spans) =>
      spans.replace(/(\d+):(\d+)$/, (_, first, last) => `${first}:${Math.max(Number(last), lastColumn + 1)}`),
    );
    if (!tag.endsWith("/>")) return wide;
    return `${wide.replace(/\s*\/>$/, ">")}${flush(Number.POSITIVE_INFINITY)}</${prefix}row>`;
  }

  function openCell(tag: string): string {
    column = readAddress(attributeOf(tag, "r") ?? "")?.column ?? column + 1;
    const before = flush(column);
    const isEmpty = tag.endsWith("/>");
    const style = attributeOf(tag, "s");
    const [own] = waiting;
    isInCell = !isEmpty;
    if (own?.column !== column) {
      styleBefore = style;
      return before + tag;
    }
    waiting.shift();
    isReplaced = !isEmpty;
    return before + format(own, style);
  }

  return (each) => {
    if (!each.startsWith("<") || each.startsWith("<!") || each.startsWith("<?"))
      return isReplaced ? "" : each;
    const name = tagName.exec(each)?.[1];
    const isClosing = each.startsWith("</");
    if (!isInData) {
      if (name === "sheetData") isInData = !isClosing && !each.endsWith("/>");
      else if (name === "dimension") return setAttribute(each, "ref", (ref) => widen(ref, lastColumn));
      else if (name === "col" && shown && !isClosing) return showColumns(each, shown);
      else if (name === "tablePart" && shown) onNarrow?.("table");
      else if (name === "autoFilter" && shown && endsBefore(attributeOf(each, "ref"), shown))
        onNarrow?.("filter");
      return each;
    }
    if (isInCell) {
      const isEnd = isClosing && name === "c";
      const text = isReplaced ? "" : each;
      if (isEnd) [isInCell, isReplaced] = [false, false];
      return text;
    }
    if (isClosing) {
      if (name === "row") return flush(Number.POSITIVE_INFINITY) + each;
      if (name === "sheetData") isInData = false;
      return each;
    }
    if (name === "row") return openRow(each);
    if (name === "c") return openCell(each);
    return flush(Number.POSITIVE_INFINITY) + each; // behind the cells of a row there may be extensions
  };
}

/** As digits that a spreadsheet program keeps. */
const plainNumber = /^(?=[\d.]{1,16}$)(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** `A1:C9` up to this column at least. */
function widen(ref: string, lastColumn: number): string {
  const [first, last = first] = ref.split(":").map(readAddress);
  if (!first || !last || last.column >= lastColumn) return ref;
  return `${nameCell(first)}:${nameColumn(lastColumn)}${last.row}`;
}

function endsBefore(ref: string | undefined, { last }: ColumnRange): boolean {
  const end = readAddress(ref?.split(":").at(-1) ?? "");
  return end !== undefined && end.column < last;
}

/** The `<col>` of hidden columns as up to three: those of the range are shown, the others are as they were. */
function showColumns(tag: string, { first, last }: ColumnRange): string {
  const isHidden = isTrue(attributeOf(tag, "hidden")) || Number(attributeOf(tag, "width") ?? 1) === 0;
  if (!isHidden) return tag;
  const [min, max] = [Number(attributeOf(tag, "min")), Number(attributeOf(tag, "max"))];
  const [from, to] = [Math.max(min, first + 1), Math.min(max, last + 1)];
  if (!(from <= to)) return tag;
  const parts = [
    { from: min, to: from - 1, tag },
    { from, to, tag: tag.replace(marksOfHidden, "") },
    { from: to + 1, to: max, tag },
  ].filter((part) => part.from <= part.to);
  return parts
    .map((part, index) => {
      const whole = setAttribute(part.tag, "min", () => String(part.from));
      const own = setAttribute(whole, "max", () => String(part.to));
      return index === parts.length - 1 ? own : own.replace(/\s*\/?>$/, "/>");
    })
    .join("");
}

/** The width of what no one saw is as small as it likes. */
const marksOfHidden = /\s(?:hidden|width|customWidth)\s*=\s*(?:"[^"]*"|'[^']*')/g;

/** Characters that XML cannot hold do not come here; _x0041_ would be read as one (22.9.2.19). */
function escapeText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}

function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return found ? (found[1] ?? found[2]) : undefined;
}

function setAttribute(tag: string, name: string, change: (value: string) => string): string {
  return tag.replace(
    new RegExp(`(\\s${name}\\s*=\\s*)(?:"([^"]*)"|'([^']*)')`),
    (_, start: string, double?: string, single?: string) =>
      double === undefined ? `${start}'${change(single ?? "")}'` : `${start}"${change(double)}"`,
  );
}

function isTrue(written: string | undefined): boolean {
  return written === "1" || written === "true";
}
