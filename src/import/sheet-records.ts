/** The orders of a sheet: cleans the cells, joins the lines of one order, and leaves out what is not to be sent. */

import { byCount } from "../core/wording.ts";
import type { SplitText } from "../forms/address-text.ts";
import { sumDecimals } from "../model/decimal.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import { partyFields } from "../model/fields.ts";
import type { Json } from "../model/json.ts";
import { nameCell } from "../sheets/cell-address.ts";
import type { SheetRow } from "../sheets/sheet.ts";
import { type Cleaning, cleanCell } from "./clean-cell.ts";
import { type FormerRecord, readFormerRecord } from "./former-reading.ts";
import { hiddenMessage, isHidden } from "./hidden-text.ts";
import { piecesLeft, readItemList } from "./item-list.ts";
import type { Layout, LayoutField } from "./layout.ts";
import { checkCell, numberPaths, setField, textOf } from "./order-fields.ts";
import { fulfilledReasons, type SkipReason } from "./presets/preset.ts";
import { createPartySplitter, type PartySplitter } from "./split-party.ts";
import { cleanHeader, createTitleReader } from "./title-words.ts";

/** A row of the sheet with its number. */
export interface NumberedRow extends SheetRow {
  readonly row: number;
  /** It does not fit the header: why, and the row as one text. */
  readonly misfit?: { readonly text: string; readonly message: string };
}

/** What is wrong with one cell. */
export interface RowProblem {
  readonly row: number;
  readonly line: number;
  /** The cell of a workbook's sheet: B7. */
  readonly cell?: string;
  /** The column's header, or the JSON path. */
  readonly column: string;
  readonly value: string;
  readonly message: string;
}

/** One order as the file has it. */
export interface OrderRecord {
  /** Of its lines, the first one first. */
  readonly rows: readonly number[];
  readonly line: number;
  readonly ref: string | undefined;
  readonly draft: Draft;
  readonly lines: readonly NumberedRow[];
  readonly problems: readonly RowProblem[];
  /** The parts of the draft that lack what a problem is about. */
  readonly faulty: ReadonlySet<string>;
  /** What the first version read of it, where that is something else. */
  readonly former: FormerRecord | undefined;
  /** What later versions read of it, where that is something else. */
  readonly formerDraft?: Draft | undefined;
  /** Where it is wrong, it may be a further line of the order above: it names no other order. */
  readonly mayBeLine: boolean;
  /** All its rows are hidden: it is not to be sent, and only its ref is of use. */
  readonly isHidden: boolean;
  readonly skipped?: SkippedFacts | undefined;
}

/** Why the file says not to send an order, or a line of it, and what each line holds. Of a line, "fulfilled" says least. */
export interface SkippedFacts {
  readonly reason: SkipReason;
  readonly lines: readonly {
    readonly row: number;
    readonly goods: string | undefined;
    readonly reason: SkipReason | undefined;
  }[];
}

/** Counts what a reading changes and leaves out, for the messages. */
export interface ReadingTally {
  line(): void;
  skip(reason: SkipReason, rows: readonly number[]): void;
  /** A line is left out of an order that is sent. */
  skipLine(reason: SkipReason, row: number): void;
  clean(kind: Cleaning): void;
  /** Cells below the header are merged over several rows. */
  merge(ranges: readonly string[]): void;
  /** A cell of this column was split into these. */
  split(column: string, parts: readonly string[]): void;
}

export interface OrderOptions {
  readonly layout: Layout;
  readonly isWorkbook: boolean;
  readonly includeFulfilled: boolean;
  /** Orders that the file says not to send are given, too. */
  readonly keepsSkipped: boolean;
  /** True where cells of the column are merged over both rows. */
  readonly isMerged: (column: number, first: number, row: number) => boolean;
  readonly tally: ReadingTally | undefined;
}

interface FilledCell {
  readonly text: string;
  readonly index: number;
}

/** A row with the values of its fields. */
interface Line {
  readonly source: NumberedRow;
  readonly cells: ReadonlyMap<string, FilledCell>;
  readonly key: string;
  readonly cleanings: readonly Cleaning[];
  /** No cell was cleaned. */
  readonly isAsWritten: boolean;
}

/** Reads rows one by one; only the lines of one order are held. */
export async function* readOrders(
  rows: AsyncIterable<NumberedRow>,
  options: OrderOptions,
): AsyncGenerator<OrderRecord> {
  const { layout, tally } = options;
  const splitter = layout.fields.some(({ path }) => /\.(?:text|address)$/.test(path))
    ? await createPartySplitter()
    : undefined;
  const assemble = createAssembler(options, splitter);
  const { fieldOf, isShort } = createTitleReader();
  const isColumnName = (text: string) => fieldOf(text) !== undefined || isShort(text);
  let lines: Line[] = [];
  /** Of the last row that has one. */
  let orderAbove = "";
  for await (const source of rows) {
    if (!source.isHidden) tally?.line();
    const read = readLine(source, layout);
    const total = source.misfit ? undefined : findTotal(read, options);
    const titles = source.misfit || total ? undefined : findTitles(read, options, isColumnName);
    const found = total ?? titles;
    const line = source.misfit || found ? undefined : read;
    if (lines.length > 0 && !(line && continues(line, lines, options))) {
      const record = assemble(lines);
      if (record) yield record;
      lines = [];
    }
    if (line) {
      lines.push(line);
      if (line.key !== "") orderAbove = line.key;
    } else {
      const { key } = read;
      const mayBeLine = !titles && hasLines(layout) && (key === "" || key === orderAbove);
      yield refuseRow(source, found, mayBeLine);
    }
  }
  const last = lines.length > 0 ? assemble(lines) : undefined;
  if (last) yield last;
}

/** Whether several lines can be one order. */
function hasLines({ preset, fields, orderKey }: Layout): boolean {
  return preset
    ? preset.hasLines === true
    : orderKey !== undefined || fields.some(({ path }) => path === "ref");
}

/** Also with what is counted, such as 数量合计, and with the count: 合计（2单）, 共3件, Total: 5. */
const totalWord = new RegExp(
  "^(?:(?:本页|本頁|数量|數量|金额|金額|订单)?(?:[合总總小共]\\s*[计計]|累[计計]|[总總][数數]量?)(?:数量|數量|金额|金額)?|[总總]金[额額]|汇总|彙總|" +
    "(?:grand\\s+)?totals?|sub[\\s-]?totals?|sum)\\s*(?:[（(][^（()）]*[）)])?\\s*[:：]?\\s*(?:\\d+\\s*[件单單个個笔筆]?)?$|" +
    "^共\\s*\\d+\\s*[件单單个個笔筆箱]$",
  "i",
);

const isNumber = (path: string) => numberPaths.has(path);

/** The problem of a row below the orders that adds them up: it names neither a receiver nor goods, or has only a word for a total. */
function findTotal({ source, cells, key }: Line, options: OrderOptions): RowProblem | undefined {
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

function problemOf(
  { row, line }: NumberedRow,
  { text, index }: FilledCell,
  message: string,
  { layout, isWorkbook }: OrderOptions,
): RowProblem {
  return {
    ...{ row, line },
    ...(isWorkbook ? { cell: nameCell({ column: index, row: line }) } : {}),
    column: layout.names[index] ?? "",
    value: text,
    message,
  };
}

/** What templates write below a column that must be filled, or need not. */
const requirement = /^[*＊]?[(（[【]?(?:必填|选填|非必填|可选|required|optional|mandatory)[项)）\]】]?$/i;
const fewestTitles = 3;
const fewestRequirements = 2;

/** The problem of a row that is a header again, in another language, or says which columns must be filled. */
function findTitles(
  { source, cells }: Line,
  options: OrderOptions,
  isColumnName: (text: string) => boolean,
): RowProblem | undefined {
  const { names } = options.layout;
  const isTitle = ({ text, index }: FilledCell) => text === names[index]?.trim() || isColumnName(text);
  const isHint = ({ text }: FilledCell) => requirement.test(text);
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
}

function refuseRow(source: NumberedRow, found: RowProblem | undefined, mayBeLine: boolean): OrderRecord {
  const { row, line, misfit } = source;
  const problem = found ?? {
    ...{ row, line, column: "", value: misfit?.text ?? "" },
    message: misfit?.message ?? "",
  };
  return {
    rows: [row],
    line,
    ref: undefined,
    draft: {},
    lines: [source],
    problems: [problem],
    faulty: new Set(["sender", "receiver", "item"]), // no more is said of the row
    former: undefined,
    mayBeLine,
    isHidden: found !== undefined && source.isHidden === true,
  };
}

function readLine(source: NumberedRow, layout: Layout): Line {
  const cells = new Map<string, FilledCell>();
  const cleanings: Cleaning[] = [];
  let isAsWritten = true;
  /** The text of a cell; undefined for an empty one. A cell with a fault counts as filled. */
  const read = (path: string, index: number): string | undefined => {
    const cell = textOf(source, index, path);
    const { text, cleanings: done } = cleanCell(path, cell, layout.preset?.empty);
    if (text !== source.cells[index]) isAsWritten = false;
    cleanings.push(...done);
    return text === "" && !source.faults?.has(index) ? undefined : text;
  };
  for (const field of layout.fields) {
    const filled = readField(field, read);
    if (filled) cells.set(field.path, filled);
  }
  const pieces = cells.get("item.quantity");
  if (pieces && layout.refunded !== undefined) {
    const left = piecesLeft(pieces.text, read("item.quantity", layout.refunded) ?? "");
    if (left !== pieces.text) {
      isAsWritten = false;
      cells.set("item.quantity", { ...pieces, text: left });
    }
  }
  const key = layout.orderKey ? readField(layout.orderKey, read)?.text : cells.get("ref")?.text;
  return { source, cells, key: key ?? "", cleanings, isAsWritten };
}

/** The first choice with a text. */
function readField(
  { path, choices }: LayoutField,
  read: (path: string, index: number) => string | undefined,
): FilledCell | undefined {
  for (const choice of choices) {
    let found: { text: string; readonly index: number } | undefined;
    for (const index of choice) {
      const text = read(path, index);
      if (text === undefined) continue;
      if (found) found.text += `${path === "item.list" ? ";" : " "}${text}`;
      else found = { text, index };
    }
    if (found) return found;
  }
  return undefined;
}

const hasAddress = ({ cells }: Line) => [...cells.keys()].some((path) => /^receiver\.(?!phone$)/.test(path));

/** Whether a row is a further line of the order. */
function continues(line: Line, lines: readonly Line[], { layout, isMerged }: OrderOptions): boolean {
  const [first] = lines as readonly [Line];
  const refColumn = line.cells.get("ref")?.index;
  if (refColumn !== undefined && isMerged(refColumn, first.source.row, line.source.row)) return true;
  if (first.key === "" || (layout.preset ? !layout.preset.hasLines : line.key !== "")) return false;
  if (layout.preset && line.key !== "") return line.key === first.key;
  // Elsewhere only the goods of a further line may be filled.
  const paths = [...line.cells.keys()];
  if (layout.preset) return !hasAddress(line) && paths.length > 0;
  return paths.length > 0 && paths.every((path) => path.startsWith("item."));
}

/** The lines of an order whose goods are sent, and the others; with a reason, nothing is sent. */
interface Chosen {
  readonly reason?: SkipReason | undefined;
  readonly lines: readonly Line[];
  readonly leftOut: readonly { readonly line: Line; readonly reason: SkipReason }[];
}

function createAssembler(options: OrderOptions, splitter: PartySplitter | undefined) {
  const { layout, tally } = options;
  const { preset } = layout;

  /** The first one counts. */
  function skipReasons(lines: readonly Line[], ofLine: boolean): readonly SkipReason[] {
    return layout.skips.flatMap(({ reason, index, is, ofLine: isOfLine = false }) => {
      if (isOfLine !== ofLine || (options.includeFulfilled && fulfilledReasons.includes(reason))) return [];
      const text = lines
        .map((line) => cleanCell("", line.source.cells[index] ?? "", preset?.empty).text)
        .find(Boolean);
      return text !== undefined && is.test(text) ? [reason] : [];
    });
  }

  const isBlank = ({ source }: Line, index: number) =>
    cleanCell("", source.cells[index] ?? "", preset?.empty).text === "";

  /** Further lines of an order whose first row is elsewhere, or is wrong. */
  const lackFirstRow = (all: readonly Line[]) =>
    preset?.isPickUpWithoutAddress !== undefined &&
    !all.some((line) => hasAddress(line) || layout.firstRowOnly.some((index) => !isBlank(line, index)));

  const isSummary = ({ source }: Line) =>
    layout.summary.length > 0 &&
    layout.summary.every((index) => cleanCell("", source.cells[index] ?? "").text === "");
  const isRefunded = ({ cells }: Line) =>
    layout.refunded !== undefined && cells.get("item.quantity")?.text === "0";

  function chooseLines(all: readonly Line[]): Chosen {
    if (!preset) return { lines: all, leftOut: [] };
    const withGoods = all.some((line) => !isSummary(line)) ? all.filter((line) => !isSummary(line)) : all;
    const judged = withGoods.map((line) => ({
      line,
      reason: skipReasons([line], true)[0] ?? (isRefunded(line) ? ("refunded" as const) : undefined),
    }));
    const lines = judged.flatMap(({ line, reason }) => (reason === undefined ? [line] : []));
    const leftOut = judged.flatMap(({ line, reason }) => (reason === undefined ? [] : [{ line, reason }]));
    const isPickUp = preset.isPickUpWithoutAddress && !all.some(hasAddress) && !lackFirstRow(all);
    const none = lines.length === 0 ? leftOut[0]?.reason : undefined;
    const reason = skipReasons(all, false)[0] ?? (isPickUp ? "pick-up" : none);
    return reason === undefined ? { lines, leftOut } : { reason, lines: withGoods, leftOut };
  }

  function describeSkipped(reason: SkipReason, { lines, leftOut }: Chosen): SkippedFacts {
    return {
      reason,
      lines: lines.map((line) => {
        const other = skipReasons([line], true).find((each) => !fulfilledReasons.includes(each));
        return {
          row: line.source.row,
          goods: readItem(line).get("item.name")?.text,
          reason: other ?? leftOut.find((each) => each.line === line)?.reason,
        };
      }),
    };
  }

  return (all: readonly Line[]): OrderRecord | undefined => {
    const rows = all.map(({ source }) => source.row);
    const chosen = chooseLines(all);
    const isLeftOut = all.every(({ source }) => source.isHidden);
    const { reason } = chosen;
    if (reason !== undefined) {
      if (!isLeftOut) tally?.skip(reason, rows);
      if (isLeftOut || !options.keepsSkipped) return undefined;
    }
    if (tally && !isLeftOut && reason === undefined) {
      for (const { cleanings } of all) for (const kind of cleanings) tally.clean(kind);
      for (const { reason, line } of chosen.leftOut) tally.skipLine(reason, line.source.row);
    }
    const [first] = all as readonly [Line];
    const problems: RowProblem[] = [];
    const faulty = new Set<string>();
    const report: Report = ({ source }, index, value, message) => {
      for (const { path, choices } of layout.fields)
        if (choices.some((choice) => choice.includes(index))) faulty.add(path.replace(/\..*/, ""));
      problems.push(problemOf(source, { text: value, index }, message, options));
    };
    const draft: Record<string, Json> = {};
    const formerParts = new Map<string, SplitText>();
    /** Checks a cell and puts its text into the draft. */
    const set = (line: Line, path: string, { text, index }: FilledCell) => {
      const message = checkCell(path, text);
      if (message === undefined) setField(draft, path, text);
      else report(line, index, text, message);
    };
    for (const { source } of all) {
      for (const [index, message] of source.faults ?? [])
        if (layout.fields.some(({ choices }) => choices.some((choice) => choice.includes(index))))
          report({ source }, index, source.cells[index] ?? "", message);
      const refunded = layout.refunded === undefined ? "" : (source.cells[layout.refunded]?.trim() ?? "");
      if (layout.refunded !== undefined && !/^(?:[-+]?\d+(?:\.0+)?|-)?$/.test(refunded))
        report({ source }, layout.refunded, refunded, "must be a number of pieces");
      for (const [index, reason] of layout.mustBeBlank) {
        const text = cleanCell("", source.cells[index] ?? "", preset?.empty).text;
        if (text !== "") report({ source }, index, text, reason);
      }
    }
    const partProblem = isLeftOut ? undefined : findMissingPart(all, chosen.lines);
    if (partProblem !== undefined) {
      const { row, line } = first.source;
      problems.push({ row, line, column: "", value: "", message: partProblem });
    }
    if (preset?.lacksAddress !== undefined && reason === undefined && !all.some(hasAddress)) {
      const { row, line } = first.source;
      problems.push({ row, line, column: "", value: "", message: preset.lacksAddress });
    }
    const hasFault = problems.length > 0;
    const hasOwnItem = all.length === 1 && !first.cells.has("item.list");
    const holder = all.find(hasAddress) ?? first;
    if (all.length > 1) ensureOneReceiver(all, holder, report);
    for (const line of all) {
      for (const [path, cell] of line.cells) {
        const isOfReceiver = path.startsWith("receiver.");
        if (path === "ref" || line !== (isOfReceiver ? holder : first)) continue;
        if (path.startsWith("item.") && !hasOwnItem) continue;
        if (line.source.faults?.has(cell.index)) continue;
        if (isOfReceiver && isHidden(path, cell.text)) {
          report(line, cell.index, cell.text, hiddenMessage);
          continue;
        }
        const split = splitter?.split(path, cell.text, line.cells);
        if (!split) {
          set(line, path, cell);
          continue;
        }
        if ("message" in split) {
          report(line, cell.index, cell.text, split.message);
          continue;
        }
        const part = path.slice(0, path.indexOf("."));
        if (split.former) formerParts.set(part, split);
        for (const [name, text] of Object.entries(split.party))
          set(line, `${part}.${name}`, { text: text as string, index: cell.index });
        if (!isLeftOut)
          tally?.split(
            cleanHeader(layout.names[cell.index] ?? path),
            partyFields.flatMap((name) => split.party[name] ?? []),
          );
      }
    }
    if (preset?.shiftsMunicipalities) unshiftMunicipality(draft.receiver as DraftParty | undefined);
    if (!hasOwnItem) setItem(chosen.lines, draft, set, report);
    const cell = readRef(all);
    // What is in a cell with a fault is no ref.
    const ref = cell?.line.source.faults?.has(cell.cell.index) ? undefined : cell;
    const found = ref && checkCell("ref", ref.cell.text);
    if (ref && found) report(ref.line, ref.cell.index, ref.cell.text, found);
    const former =
      all.length > 1 || hasFault || !layout.former || (first.isAsWritten && layout.isReadAsBefore)
        ? undefined
        : readFormerRecord(first.source.cells, layout.former);
    return {
      rows,
      line: first.source.line,
      ref: ref?.cell.text,
      draft: draft as Draft,
      lines: all.map(({ source }) => source),
      problems: problems.sort(
        (a, b) => a.row - b.row || layout.names.indexOf(a.column) - layout.names.indexOf(b.column),
      ),
      faulty,
      former,
      formerDraft: formerParts.size > 0 ? asSplitBefore(draft, formerParts) : undefined,
      mayBeLine: first.key === "" && !hasAddress(first) && hasLines(layout),
      isHidden: isLeftOut,
      skipped: reason && describeSkipped(reason, chosen),
    };
  };

  /** Why lines are not a whole order. */
  function findMissingPart(all: readonly Line[], withGoods: readonly Line[]): string | undefined {
    const hidden = withGoods.filter(({ source }) => source.isHidden).map(({ source }) => source.row);
    if (hidden.length > 0)
      return `part of this order is hidden (${byCount(hidden.length, "row", "rows")} ${hidden.join(", ")}): show all its rows, or use --include-hidden`;
    return lackFirstRow(all)
      ? "the row continues an order, and the first row of that order is not directly above it"
      : undefined;
  }

  /** The first line with a text in the best column that has one. */
  function readRef(lines: readonly Line[]): { line: Line; cell: FilledCell } | undefined {
    const [only, ...others] = lines;
    const own = only?.cells.get("ref");
    if (only && others.length === 0) return own && { line: only, cell: own };
    const field = layout.fields.find(({ path }) => path === "ref");
    for (const choice of field?.choices ?? []) {
      for (const line of lines) {
        const cell = readLine(line.source, {
          ...layout,
          fields: [{ path: "ref", choices: [choice] }],
        }).cells.get("ref");
        if (cell && cell.text !== "") return { line, cell };
      }
    }
    return undefined;
  }
}

/** The draft with the parts of parties as earlier versions split them. */
function asSplitBefore(draft: Readonly<Record<string, Json>>, parts: ReadonlyMap<string, SplitText>): Draft {
  const before: Record<string, unknown> = { ...draft };
  for (const [part, { party, former }] of parts) {
    const others = Object.entries(draft[part] ?? {}).filter(([name]) => !Object.hasOwn(party, name));
    before[part] = { ...Object.fromEntries(others), ...former };
  }
  return before as Draft;
}

type Report = (line: Pick<Line, "source">, index: number, value: string, message: string) => void;

/** Lines of one order go to one receiver. */
function ensureOneReceiver(lines: readonly Line[], holder: Line, report: Report): void {
  for (const line of lines) {
    if (line === holder || !hasAddress(line)) continue;
    for (const [path, { text, index }] of line.cells) {
      if (!path.startsWith("receiver.") || path === "receiver.phone") continue;
      if (holder.cells.get(path)?.text === text) continue;
      report(
        line,
        index,
        text,
        `another receiver than row ${holder.source.row}, which has the same order number`,
      );
      break;
    }
  }
}

/** The goods of all lines: names joined, numbers summed where every line has one. */
function setItem(
  lines: readonly Line[],
  draft: Record<string, Json>,
  set: (line: Line, path: string, cell: FilledCell) => void,
  report: Report,
): void {
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
function readItem({ cells }: Line): ReadonlyMap<string, FilledCell> {
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

const municipality = /^(?:北京|天津|上海|重庆)市?$/;

/** Puts a district that stands in the column of the city where it belongs; its own column then holds a street, or nothing. */
function unshiftMunicipality(party: DraftParty | undefined): void {
  const { province = "", city, district, detail } = party ?? {};
  if (!party || !municipality.test(province) || city === undefined || !/[区县]$/.test(city)) return;
  party.city = province;
  party.district = city;
  if (district !== undefined && district !== city) party.detail = `${district}${detail ?? ""}`;
}
