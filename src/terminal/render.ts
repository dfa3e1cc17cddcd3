/** Renders blocks as text: sanitises, colours, words times, and fits the width of a terminal. */

import { largest } from "../core/extremes.ts";
import { formatLocal, formatRelative, parseInstant } from "../core/time.ts";
import { stringifyJson } from "../model/json.ts";
import type { Block, Span, Text, Window } from "./blocks.ts";
import { sanitise, sanitiseJson } from "./sanitise.ts";
import { type Paint, plainPaint } from "./style.ts";
import {
  fitWidths,
  type LineMemory,
  layOutTable,
  type TableCell,
  type TableLayout,
  wantedWidths,
} from "./table.ts";
import { displayWidth, padToWidth, widestPadding, wrapToWidth } from "./width.ts";

/** The output of a view. In a pipe there is no width, nothing is cut, and times stay unchanged. */
export interface View {
  /** Columns of the terminal; undefined in a pipe. */
  readonly width: number | undefined;
  readonly paint: Paint;
  readonly nowMs: number;
  /** Lets signals in between parts that take long to lay out; rejects after a signal to stop. */
  readonly pause?: () => Promise<void>;
  /** Of a view that is drawn again and again. */
  readonly memory?: LineMemory;
}

/** Text is not broken into lines shorter than this, however narrow the terminal. */
const narrowestText = 16;
const remarkIndent = 5;
/** Characters whose layout takes some tenths of a second at most. */
const pausedAfter = 100_000;
/** At a terminal, no person reads more of a text, and its layout would take seconds. */
const longestText = 20_000;
/** At a terminal, a table takes so many characters of a text, and one for each column of the terminal: some have no width. */
const longestCell = 1_000;
/** Rows that are laid out at once. */
const rowsAtOnce = 100;

type TimeForm = "full" | "absolute" | "relative";

/** Renders blocks as lines, each ended by a line break. */
export async function render(blocks: readonly Block[], view: View): Promise<string> {
  let text = "";
  for (const block of blocks) for (const line of await renderBlock(block, view)) text += `${line}\n`;
  return text;
}

/** How many lines blocks take at this width. */
export async function countLines(blocks: readonly Block[], width: number, nowMs: number): Promise<number> {
  return (await render(blocks, { width, paint: plainPaint, nowMs })).split("\n").length - 1;
}

async function renderBlock(block: Block, view: View): Promise<string[]> {
  switch (block.kind) {
    case "line":
      return [paintText(block.text, view).painted];
    case "paragraph":
      return fitText(block.text, view, view.width);
    case "blank":
      return [""];
    case "fields":
      return renderFields(block.fields, view);
    case "table":
      return createTableWriter(block.titles, view).write(block.rows);
    case "timeline":
      return renderTimeline(block.entries, view);
    case "steps":
      return renderSteps(block.steps, block.current, view);
    case "window":
      return renderWindow(block, view);
    case "json":
      return [sanitiseJson(stringifyJson(block.value, 2))];
  }
}

async function renderWindow({ blocks, from, lines, narrowest = 0 }: Window, view: View): Promise<string[]> {
  const width = view.width === undefined ? undefined : Math.max(narrowest, view.width);
  const text = await render(blocks, { ...view, width });
  const all = text.split("\n").slice(0, -1);
  return Array.from({ length: lines }, (_, index) => all[from + index] ?? "");
}

async function renderFields(entries: readonly (readonly [string, Text])[], view: View): Promise<string[]> {
  const labelWidth = Math.min(widestPadding, widest(entries.map(([label]) => label)));
  const room = view.width === undefined ? undefined : Math.max(narrowestText, view.width - labelWidth - 2);
  return withPauses(entries, view, ([label, value]) => {
    const padded = view.paint("dim", padToWidth(safeText(label, view), labelWidth));
    const [first, ...rest] = fitText(value, view, room);
    return [`${padded}  ${first}`, ...rest.map((text) => " ".repeat(labelWidth + 2) + text)];
  });
}

/** Lines of parts, with a pause after each so many of their characters. */
async function withPauses<T>(
  parts: readonly T[],
  view: View,
  toLines: (part: T, index: number) => readonly string[],
): Promise<string[]> {
  const lines: string[] = [];
  let unpaused = 0;
  for (const [index, part] of parts.entries()) {
    for (const text of toLines(part, index)) {
      lines.push(text);
      unpaused += text.length;
    }
    if (unpaused < pausedAfter) continue;
    unpaused = 0;
    await view.pause?.();
  }
  return lines;
}

/** A text as lines of at most `room` columns. */
function fitText(text: Text, view: View, room: number | undefined): string[] {
  const { plain, painted, paint } = toCell(text, view, "full");
  if (room === undefined || displayWidth(plain) <= room) return [painted];
  return wrapToWidth(plain, room).map(paint);
}

type TableBlock = Extract<Block, { kind: "table" }>;

export interface TableWriter {
  /** Lines of further rows, aligned with those before; the titles come before the first. Remarks stand below. */
  write(rows: TableBlock["rows"], remarks?: readonly (Text | undefined)[]): Promise<string[]>;
}

/**
 * Lays out a table that may arrive in parts. Where it does not fit, times shorten, then cells are cut,
 * then spare columns go; where even that is not enough, each row becomes a block of named lines.
 */
export function createTableWriter(titles: TableBlock["titles"], view: View): TableWriter {
  const heading = titles.map(({ title }) => toCell({ style: "dim", text: title }, view, "full"));
  const isPipe = view.width === undefined; // where nothing is cut, and no column is endless
  const widestColumn = isPipe ? widestPadding : undefined;
  const layouts: readonly TableLayout[] = isPipe ? titles.map(({ flexible: _, ...uncut }) => uncut) : titles;
  let fitted: { columns: number[]; widths: readonly number[]; form: TimeForm } | "listed" | undefined;

  async function chooseLayout(rows: TableBlock["rows"]): Promise<NonNullable<typeof fitted>> {
    for (const columns of columnChoices(titles)) {
      const layout = columns.map((column) => titles[column] ?? { title: "" });
      const uncut = layout.map(({ align }) => (align ? { align } : {}));
      for (const [form, room] of [
        ["full", uncut],
        ["absolute", uncut],
        ["relative", uncut],
        ["relative", layout],
      ] as const) {
        const { wanted } = await measure(rows, columns, form);
        const widths = fitWidths(wanted, room, view.width);
        if (widths) return { columns, widths, form };
      }
    }
    return "listed";
  }

  /** The cells with the heading, and the width of each column. */
  async function measure(rows: TableBlock["rows"], columns: readonly number[], form: TimeForm) {
    const cells = [columns.map((column) => heading[column] ?? toCell("", view, form))];
    let wanted = wantedWidths(cells, widestColumn);
    await withPauses(rows, view, (row) => {
      const body = columns.map((column) => toCell(shorten(row[column] ?? "-", view), view, form));
      cells.push(body);
      wanted = wantedWidths([body], widestColumn).map((width, index) => Math.max(width, wanted[index] ?? 0));
      return body.map(({ plain }) => plain);
    });
    return { cells, wanted };
  }

  async function layOut(
    cells: readonly (readonly TableCell[])[],
    layout: readonly TableLayout[],
    widths: readonly number[],
  ): Promise<string[]> {
    const lines: string[] = [];
    let unpaused = 0;
    for (let first = 0; first < cells.length; first += rowsAtOnce) {
      if (unpaused >= pausedAfter) {
        unpaused = 0;
        await view.pause?.();
      }
      const part = cells.slice(first, first + rowsAtOnce);
      for (const text of await layOutTable(part, layout, widths, view.memory)) {
        lines.push(text);
        unpaused += text.length;
      }
    }
    return lines;
  }

  return {
    async write(rows, remarks = []) {
      const isFirst = fitted === undefined;
      fitted ??= await chooseLayout(rows);
      if (fitted === "listed") {
        const lines: string[] = [];
        for (const [index, row] of rows.entries()) {
          const named = titles.map(({ title }, column) => [title.toLowerCase(), row[column] ?? "-"] as const);
          if (!isFirst || index > 0) lines.push("");
          lines.push(...(await renderFields(named, view)), ...renderRemark(remarks[index], view));
        }
        return lines;
      }
      const { columns, form } = fitted;
      const layout = columns.map((column) => layouts[column] ?? {});
      const { cells, wanted } = await measure(rows, columns, form);
      // Later rows may be wider: their columns grow, unless a terminal's width has fixed them.
      const widths = fitted.widths.map((width, index) =>
        view.width !== undefined && layout[index]?.flexible ? width : Math.max(width, wanted[index] ?? 0),
      );
      fitted = { columns, widths, form };
      const [heading = "", ...lines] = await layOut(cells, layout, widths);
      const body = lines.flatMap((text, index) => [text, ...renderRemark(remarks[index], view)]);
      return isFirst ? [heading, ...body] : body;
    },
  };
}

function renderRemark(remark: Text | undefined, view: View): string[] {
  if (remark === undefined) return [];
  const indent = " ".repeat(remarkIndent);
  const room = view.width === undefined ? undefined : Math.max(narrowestText, view.width - remarkIndent);
  return fitText(remark, view, room).map((text) => indent + text);
}

/** All columns, then fewer: spare ones leave by their number. */
function columnChoices(titles: TableBlock["titles"]): number[][] {
  let columns = titles.map((_, index) => index);
  const choices = [columns];
  const rank = (column: number) => titles[column]?.spare ?? Number.POSITIVE_INFINITY;
  const spares = columns.filter((column) => rank(column) < Number.POSITIVE_INFINITY);
  for (const spare of spares.sort((a, b) => rank(a) - rank(b))) {
    columns = columns.filter((column) => column !== spare);
    choices.push(columns);
  }
  return choices;
}

function toCell(text: Text, view: View, form: TimeForm): TableCell {
  const { plain, painted } = paintText(text, view, form);
  const [only] = Array.isArray(text) ? (text.length === 1 ? text : []) : [text];
  const style = typeof only === "object" && "style" in only ? only.style : undefined;
  return { plain, painted, paint: (cut) => (style ? view.paint(style, cut) : cut) };
}

/** A cell's text without what no terminal of this width shows. */
function shorten(text: Text, { width }: View): Text {
  if (width === undefined) return text;
  const longest = longestCell + width;
  const cut = (whole: string) =>
    whole.length <= longest ? whole : `${whole.slice(0, longest).replace(/\p{Surrogate}$/u, "")}…`;
  const cutSpan = (span: Span): Span => {
    if (typeof span === "string") return cut(span);
    return "text" in span ? { ...span, text: cut(span.text) } : span;
  };
  return Array.isArray(text) ? (text as readonly Span[]).map(cutSpan) : cutSpan(text as Span);
}

type TimelineBlock = Extract<Block, { kind: "timeline" }>;

/** One line for each entry where that fits, at need without the distance in time; else two. */
function renderTimeline(entries: TimelineBlock["entries"], view: View): Promise<string[]> {
  const places = entries.map(({ place }) => safeText(place, view));
  const texts = entries.map(({ text }) => safeText(text, view));
  const timesIn = (form: TimeForm) => entries.map(({ at }) => spanText({ instant: at }, view, form));
  const fits = (times: string[]) =>
    view.width === undefined || 2 + widest(times) + 2 + widest(places) + 2 + widest(texts) <= view.width;
  const form = (["full", "absolute"] as const).find((each) => fits(timesIn(each)));
  const times = timesIn(form ?? "full");
  const [timeWidth = 0, placeWidth = 0] = [times, places].map((each) =>
    Math.min(widestPadding, widest(each)),
  );
  const bar = view.paint("dim", "|");
  return withPauses(entries, view, (_, index) => {
    const [time = "", place = "", text = ""] = [times[index], places[index], texts[index]];
    const mark = index === 0 ? view.paint("accent", "*") : bar;
    if (form) {
      return [
        `${mark} ${view.paint("dim", padToWidth(time, timeWidth))}  ${padToWidth(place, placeWidth)}  ${text}`,
      ];
    }
    const room = Math.max(narrowestText, (view.width ?? 0) - 4);
    return [
      `${mark} ${view.paint("dim", time)}`,
      ...wrapToWidth(`${place}  ${text}`, room).map((part) => `${bar}   ${part}`),
    ];
  });
}

function widest(texts: readonly string[]): number {
  return largest(texts.map(displayWidth));
}

function renderSteps(steps: readonly string[], current: string, view: View): string[] {
  const position = steps.indexOf(current);
  const lines: string[] = [];
  let text = "";
  let width = 0;
  for (const [index, step] of steps.entries()) {
    const label = index === position ? `[${step}]` : step;
    const separator = index === 0 ? "" : " > ";
    const following = index === steps.length - 1 ? 0 : " >".length;
    const isWrapped =
      view.width !== undefined && width + separator.length + label.length + following > view.width;
    if (isWrapped) {
      lines.push(`${text} >`);
      text = "  ";
      width = 2;
    }
    const painted =
      index === position ? view.paint("strong", label) : index > position ? view.paint("dim", label) : label;
    text += isWrapped ? painted : separator + painted;
    width += label.length + (isWrapped ? 0 : separator.length);
  }
  return [...lines, text];
}

function paintText(text: Text, view: View, form: TimeForm = "full"): { plain: string; painted: string } {
  const spans = Array.isArray(text) ? (text as readonly Span[]) : [text as Span];
  let plain = "";
  let painted = "";
  for (const span of spans) {
    const safe = spanText(span, view, form);
    plain += safe;
    painted += typeof span === "object" && "style" in span ? view.paint(span.style, safe) : safe;
  }
  return { plain, painted };
}

function safeText(text: string, { width }: View): string {
  if (width === undefined || text.length <= longestText) return sanitise(text);
  const shown = text.slice(0, longestText).replace(/\p{Surrogate}$/u, "");
  return `${sanitise(shown)}… (${text.length} characters; --json shows all)`;
}

/** The safe text of a span. A time without an offset names no instant and is shown unchanged. */
function spanText(span: Span, view: View, form: TimeForm): string {
  if (typeof span === "string") return safeText(span, view);
  if ("text" in span) return safeText(span.text, view);
  if (span.instant === null || span.instant === undefined) return "-";
  const instantMs = parseInstant(span.instant);
  if (view.width === undefined || instantMs === undefined) return sanitise(span.instant);
  const relative = formatRelative(instantMs, view.nowMs);
  if (form === "relative") return relative;
  return form === "absolute" ? formatLocal(instantMs) : `${formatLocal(instantMs)} (${relative})`;
}
