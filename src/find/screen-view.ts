/** The pictures of the search screen: the orders found, one order, and its tracking. */

import type { LiveRoom } from "../command/command.ts";
import type { CourierError } from "../core/errors.ts";
import { largest } from "../core/extremes.ts";
import { formatRelative } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import type { MirrorFacts } from "../mirror/mirror.ts";
import type { MirroredOrder } from "../mirror/mirrored-order.ts";
import type { Tracking } from "../model/interface.ts";
import type { FoundOrder } from "../model/results.ts";
import {
  type Block,
  blank,
  type Column,
  fields,
  line,
  type Span,
  show,
  styled,
  table,
} from "../terminal/blocks.ts";
import { keyLines, type NamedKeys } from "../terminal/key-line.ts";
import type { Caret } from "../terminal/live-region.ts";
import { trackingView } from "../terminal/tracking-view.ts";
import { fitTyped, type TypedLine } from "../terminal/typed-line.ts";
import { displayWidth } from "../terminal/width.ts";

export interface ListPicture {
  readonly text: string;
  /** The flags that narrow the search. */
  readonly filter: string;
  /** The orders found so far, and which of them is chosen. */
  readonly found: readonly FoundOrder[];
  readonly hasMore: boolean;
  /** The orders are still those of the text before. */
  readonly isSearching: boolean;
  readonly selected: number;
  /** The first order shown. */
  readonly top: number;
  readonly searched: MirrorFacts;
  readonly nowMs: number;
  /** What Enter stands for. */
  readonly command: string | undefined;
  readonly syncCommand: string;
}

export interface OrderPicture {
  readonly order: MirroredOrder;
  readonly body: readonly Block[];
  /** Lines of the body at this width, and the first one shown. */
  readonly from: number;
  readonly command: string;
  readonly age: string;
  readonly notice: Span | undefined;
}

const label = "Find";
const narrowestName = 6;
const highTerminal = 14;

const orderKeys: NamedKeys = [
  ["Esc", "back"],
  ["t", "track"],
  ["c", "cancel"],
  ["r", "repeat"],
  ["y", "copy number"],
  ["Ctrl-C", "quit"],
  ["Up/Down", "scroll"],
];

function listKeys(text: string): NamedKeys {
  const leave = ["Esc", text === "" ? "quit" : "clear"] as const;
  return [["Enter", "open"], leave, ["Up/Down", "move"], ["Ctrl-C", "quit"], ["PgUp/PgDn", "page"]];
}

/** On two lines of a high terminal, on none of a very low one. */
function keysOf(keys: NamedKeys, { columns, lines }: LiveRoom): readonly Block[] {
  return keyLines(keys, columns, lines >= highTerminal ? 2 : lines >= 3 ? 1 : 0);
}

/** Lines for orders, the heading of the table included. */
export function listRoom(room: LiveRoom, text: string): { readonly body: number; readonly orders: number } {
  const { lines } = room;
  const others = 1 + keysOf(listKeys(text), room).length + (lines >= 6 ? 1 : 0) + (lines >= 7 ? 1 : 0);
  const body = Math.max(1, lines - others);
  return { body, orders: body >= 4 ? body - 1 : body };
}

function queryLine({ text, filter }: ListPicture, columns: number): TypedLine {
  return fitTyped(`${label}${filter === "" ? "" : ` ${filter}`}: `, text, columns);
}

export function listCaret(picture: ListPicture, columns: number): Caret {
  return { line: 0, column: queryLine(picture, columns).column };
}

export function listPicture(
  picture: ListPicture,
  columns: readonly Column<FoundOrder>[],
  room: LiveRoom,
): readonly Block[] {
  const { text, found, hasMore, isSearching, selected, top, command } = picture;
  const { title, shown } = queryLine(picture, room.columns);
  const { body, orders } = listRoom(room, text);
  const typed: Span =
    text === "" ? styled("dim", "part of a name, phone, address, number, item or ref") : shown;
  const place = isSearching
    ? "searching; "
    : found.length === 0
      ? ""
      : `${selected + 1} of ${found.length}${hasMore ? "+" : ""}; `;
  const isHeaded = orders < body;
  const rows: readonly Block[] =
    found.length === 0
      ? emptyBody(picture)
      : [table(columns.map(mark(found[selected])), found.slice(top, top + orders))];
  const narrowest = found.length === 0 ? 0 : narrowestTable(found);
  const from = isHeaded || found.length === 0 ? 0 : 1;
  return [
    line(styled("strong", title), typed),
    { kind: "window", blocks: rows, from, lines: body, narrowest },
    ...(room.lines >= 6 ? [line(styled("dim", `${place}${describeMirror(picture)}`))] : []),
    ...(room.lines >= 7 ? [line(styled("accent", command ?? picture.syncCommand))] : []),
    ...keysOf(listKeys(text), room),
  ];
}

/** What the search did not see: an old mirror, and phones that no answer had. */
function describeMirror({ searched, nowMs, syncCommand }: ListPicture): string {
  const { orders, withoutPhone, syncedAtMs } = searched;
  if (orders === 0) return "the mirror is empty";
  if (syncedAtMs === undefined) return `only ${counted(orders, "order")}; all: ${syncCommand}`;
  const phones = withoutPhone === 0 ? "" : `; ${withoutPhone} without a phone`;
  return `${counted(orders, "order")}, synced ${formatRelative(syncedAtMs, nowMs)}${phones}`;
}

function emptyBody({ searched, isSearching, syncCommand }: ListPicture): readonly Block[] {
  if (searched.orders > 0) return [line(isSearching ? "" : "No orders match")];
  return [line("The mirror is empty"), line("Fill it with: ", styled("accent", syncCommand))];
}

/** Narrower, the table would be a list of fields. */
function narrowestTable(found: readonly FoundOrder[]): number {
  const widest = (texts: readonly string[]) => largest(texts.map(displayWidth));
  const state = widest(["STATE", ...found.map(({ status }) => show(status))]);
  return 2 + widest(found.map(({ id }) => show(id))) + 2 + state + 2 + narrowestName;
}

/** The chosen order has a mark, which shows without colours too. */
function mark(chosen: FoundOrder | undefined) {
  return (column: Column<FoundOrder>): Column<FoundOrder> => {
    if (column.path === "tracking_number") return { ...column, spare: 4.5 };
    if (column.path !== "id") return column;
    const cell = (row: FoundOrder) => [
      row === chosen ? styled("accent", "> ") : "  ",
      ...[column.cell(row)].flat(),
    ];
    return { ...column, title: `  ${column.title}`, cell };
  };
}

export function orderPicture(picture: OrderPicture, room: LiveRoom): readonly Block[] {
  const { command, age, body, from, notice } = picture;
  return [
    line(styled("accent", command)),
    ...(room.lines >= 5 ? [line(styled("dim", age))] : []),
    { kind: "window", blocks: body, from, lines: orderRoom(room, notice) },
    ...(notice === undefined ? [] : [line(notice)]),
    ...keysOf(orderKeys, room),
  ];
}

/** Lines for what is known of an order. */
export function orderRoom(room: LiveRoom, notice: Span | undefined): number {
  const others = 1 + keysOf(orderKeys, room).length + (room.lines >= 5 ? 1 : 0);
  return Math.max(1, room.lines - others - (notice === undefined ? 0 : 1));
}

export interface TrackingState {
  /** What the mirror has. */
  readonly answer: Tracking | undefined;
  readonly askedAtMs: number | undefined;
  readonly isAsking: boolean;
  readonly failure: CourierError | undefined;
}

export function trackingBody({ answer, isAsking, failure }: TrackingState): readonly Block[] {
  const hint = failure?.hint === undefined ? [] : [["hint:", failure.hint] as const];
  const problem = failure === undefined ? [] : [fields(["error:", styled("bad", failure.message)], ...hint)];
  if (answer === undefined) return isAsking ? [] : problem;
  return problem.length === 0 ? trackingView(answer) : [...problem, blank, ...trackingView(answer)];
}

export function trackingAge({ askedAtMs, isAsking, failure }: TrackingState, nowMs: number): string {
  const known = askedAtMs === undefined ? "" : `answer of ${formatRelative(askedAtMs, nowMs)}`;
  if (isAsking) return known === "" ? "asking the service" : `${known}; asking again`;
  if (failure !== undefined) return known === "" ? "no answer" : `${known}; the last call failed`;
  return known;
}
