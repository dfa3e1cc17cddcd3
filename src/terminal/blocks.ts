/**
 * Views as data: what a command shows to a person. Only `render.ts` sanitises, styles, aligns and cuts a view, so
 * that none reaches the terminal raw.
 */

import { isJsonNumber, type Json, type JsonObject, stringifyJson } from "../model/json.ts";

export type Style = "strong" | "dim" | "good" | "warn" | "bad" | "accent";

/** A piece of text; a plain string is an unstyled one. `instant` is a timestamp as the service sent it. */
export type Span =
  | string
  | { readonly text: string; readonly style: Style }
  | { readonly instant: string | null | undefined };

export type Text = Span | readonly Span[];

/** A column of rows: `path` names the field for `--fields` and CSV, `cell` shows it to a person. */
export interface Column<Row> {
  readonly path: string;
  readonly title: string;
  readonly cell: (row: Row) => Text;
  readonly align?: "right";
  /** What its values are in a workbook, where they are more than text. */
  readonly holds?: "number" | "time";
  /** May be cut at a narrow terminal; columns that one copies from, such as ids, are never cut. */
  readonly flexible?: boolean;
  /** Left out where the terminal is too narrow for all columns: the lowest number goes first. */
  readonly spare?: number;
  /** Left out of tables; a remark below the row shows it. */
  readonly isRemark?: boolean;
}

export type Block =
  | { readonly kind: "line"; readonly text: Text }
  | { readonly kind: "paragraph"; readonly text: Text }
  | { readonly kind: "blank" }
  | { readonly kind: "fields"; readonly fields: readonly (readonly [label: string, value: Text])[] }
  | {
      readonly kind: "table";
      readonly titles: readonly Omit<Column<never>, "cell" | "path">[];
      readonly rows: readonly (readonly Text[])[];
    }
  | { readonly kind: "timeline"; readonly entries: readonly TimelineEntry[] }
  | { readonly kind: "steps"; readonly steps: readonly string[]; readonly current: string }
  | { readonly kind: "json"; readonly value: Json }
  | Window;

/** Some of the lines that blocks have; blank lines where they have fewer. */
export interface Window {
  readonly kind: "window";
  readonly blocks: readonly Block[];
  /** The first line. */
  readonly from: number;
  readonly lines: number;
  /** Laid out at this width at least, though the terminal may be narrower. */
  readonly narrowest?: number;
}

export interface TimelineEntry {
  readonly at: string | null | undefined;
  readonly place: string;
  readonly text: string;
}

export function line(...text: Span[]): Block {
  return { kind: "line", text };
}

/** A text that breaks at words where it does not fit: nothing that is to be copied. */
export function paragraph(text: Text): Block {
  return { kind: "paragraph", text };
}

export const blank: Block = { kind: "blank" };

export function fields(...entries: (readonly [label: string, value: Text])[]): Block {
  return { kind: "fields", fields: entries };
}

/** A table of rows by their columns. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Block {
  return {
    kind: "table",
    titles: columns,
    rows: rows.map((row) => columns.map((column) => column.cell(row))),
  };
}

/** A value of the service, unchanged; `-` when it is missing (design: a missing field shows as `-`). */
export function show(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "-";
  if (typeof value === "string") return value;
  return isJsonNumber(value) ? value.value : stringifyJson(value);
}

export function styled(style: Style, value: Json | undefined): Span {
  return { style, text: show(value) };
}

export function instant(value: string | null | undefined): Span {
  return { instant: value };
}

const stateStyles: Readonly<Record<string, Style>> = {
  pending: "warn",
  delivered: "good",
  completed: "good",
  cancelled: "dim",
};

/** A state in its colour; one outside the specification's table is shown as it is. */
export function state(value: string | null | undefined): Span {
  const style =
    typeof value === "string" && Object.hasOwn(stateStyles, value) ? stateStyles[value] : undefined;
  return styled(style ?? "accent", value);
}

/** Fields that the interface does not name, unchanged, so that nothing of the service is hidden. */
export function otherFields(value: JsonObject, known: readonly string[]): Block[] {
  const others = Object.entries(value).filter(([name]) => !known.includes(name));
  if (others.length === 0) return [];
  return [{ kind: "fields", fields: others.map(([name, other]) => [name, show(other)] as const) }];
}
