/** The board: the state of a watch as a view of a given height. */

import type { LiveRoom } from "../command/command.ts";
import { quote } from "../command/options.ts";
import { formatDuration } from "../core/format-duration.ts";
import { formatHour } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import { normalise, splitWords } from "../mirror/grams.ts";
import { stateNames } from "../model/states.ts";
import { type Block, blank, type Column, fields, line, show, styled, table } from "../terminal/blocks.ts";
import { keyLines, type NamedKeys } from "../terminal/key-line.ts";
import type { Caret } from "../terminal/live-region.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { fitTyped } from "../terminal/typed-line.ts";
import { wrapToWidth } from "../terminal/width.ts";
import { columnsOf, newsLine, orderOfParcel } from "./board-rows.ts";
import type { Goal } from "./goal.ts";
import type { Change, Parcel } from "./parcel.ts";
import type { ParcelOrder } from "./parcel-orders.ts";
import type { Board } from "./watcher.ts";

/** The state of a watch beside its parcels. */
export interface Seen {
  readonly goal: Goal;
  /** The newest changes, newest first. */
  readonly news: readonly Change[];
  readonly changes: number;
  /** Calls for anything but a parcel. */
  readonly otherCalls: number;
  /** 2.1: the last known api_calls_remaining, and when the service sent it. */
  readonly left: { readonly calls: number; readonly atMs: number } | undefined;
  /** What is known of the parcels' orders, by name and tracking number. */
  readonly orders: ReadonlyMap<string, ParcelOrder>;
  /** The watch is over: says what it waits for before it ends. */
  readonly describeWait: (() => string) | undefined;
}

const filterTitle = "Filter: ";
const newsShown = 10;
const fewestNews = 3;
const reasonsShown = 3;
/** At the end of a watch of more parcels, only those that changed have a row, and so many at most. */
const mostLastRows = 20;

/** Which parcels a person wants to see, and in which order. */
export interface BoardList {
  /** Each of its words occurs in the parcel's number, receiver, item or state. */
  readonly text: string;
  readonly isTyping: boolean;
  readonly order: ListOrder;
  /** The name of the chosen parcel. */
  readonly chosen: string | undefined;
  /** The first row. */
  readonly top: number;
}

export const listOrders = ["change", "state", "number"] as const;
export type ListOrder = (typeof listOrders)[number];

export const wholeList: BoardList = {
  text: "",
  isTyping: false,
  order: "change",
  chosen: undefined,
  top: 0,
};

/** What of a board fits into its room. */
export interface BoardLayout {
  /** All parcels that match, in their order. */
  readonly matching: readonly Parcel[];
  /** How many of them are shown, and the first one. */
  readonly rows: number;
  readonly top: number;
  readonly news: readonly Change[];
  readonly troubles: readonly Block[];
  readonly footer: readonly Block[];
}

export function layOutBoard(
  board: Board,
  seen: Seen,
  nowMs: number,
  given: LiveRoom,
  list: BoardList,
): BoardLayout {
  const matching = matchingParcels(board, seen, list);
  const troubles = troublesOf(board.parcels()).flatMap((text) => troubleLines(text, given.columns));
  const footer = footerLines(board, seen, nowMs, given, list);
  const around = 3 + (troubles.length > 0 ? troubles.length + 1 : 0) + footer.length + 1;
  const room = shareRoom(matching.length, seen.news.length, given.lines - around);
  const place = matching.findIndex(({ name }) => name === list.chosen);
  const last = Math.max(0, matching.length - room.parcels);
  const top = place < 0 ? 0 : Math.max(0, Math.min(list.top, place, last), place - room.parcels + 1);
  return { matching, rows: room.parcels, top, news: seen.news.slice(0, room.news), troubles, footer };
}

/** Without `given`, the last screen of a watch. */
export function boardScreen(
  board: Board,
  seen: Seen,
  nowMs: number,
  given: LiveRoom | undefined,
  list: BoardList = wholeList,
): readonly Block[] {
  if (given)
    return boardPicture(board, seen, nowMs, given, list, layOutBoard(board, seen, nowMs, given, list));
  const parcels = board.parcels();
  const shown = lastRows(parcels, board);
  return lastScreen(parcels, shown, seen, columnsOf(board, nowMs, shown, seen.orders, { isLast: true }));
}

export function boardPicture(
  board: Board,
  seen: Seen,
  nowMs: number,
  { columns }: LiveRoom,
  list: BoardList,
  { matching, rows, top, news, troubles, footer }: BoardLayout,
): readonly Block[] {
  const parcels = board.parcels();
  const shown = matching.slice(top, top + rows);
  const options = { chosen: list.chosen, columns };
  return [
    list.isTyping ? typedLine(list.text, columns) : headLine(parcels, matching, list.text),
    blank,
    matching.length === 0
      ? line("No parcels match")
      : table(columnsOf(board, nowMs, parcels, seen.orders, options), shown),
    ...(shown.length < matching.length ? [moreLine(matching, shown, list.chosen)] : []),
    ...(news.length > 0 ? [blank, ...news.map((change) => newsLine(change, nowMs))] : []),
    ...(troubles.length > 0 ? [blank, ...troubles] : []),
    blank,
    ...footer,
  ];
}

/** Where the person types. */
export function filterCaret({ text }: BoardList, columns: number): Caret {
  return { line: 0, column: fitTyped(filterTitle, text, columns).column };
}

function typedLine(text: string, columns: number): Block {
  const { shown } = fitTyped(filterTitle, text, columns);
  return line(
    styled("strong", filterTitle),
    text === "" ? styled("dim", "part of a number, receiver, item or state") : shown,
  );
}

function headLine(parcels: readonly Parcel[], matching: readonly Parcel[], text: string): Block {
  const count = counted(parcels.length, "parcel");
  const title =
    text === "" ? `Watching ${count}` : `Watching ${count}, ${matching.length} with ${quote(text)}`;
  return line(styled("strong", title), "  ", styled("dim", countStates(matching)));
}

export function matchingParcels(
  board: Board,
  { orders }: Seen,
  { text, order }: BoardList,
): readonly Parcel[] {
  const words = splitWords(normalise(text));
  const parcels = board.parcels();
  const matching = words.length === 0 ? parcels : parcels.filter((parcel) => hasWords(parcel, words, orders));
  if (order === "change") return byInterest(matching, board);
  if (order === "number") return sortBy(matching, ({ trackingNumber }) => trackingNumber);
  return sortBy(matching, placeOfState);
}

/** States that the specification does not list come after the others. */
function placeOfState({ tracking }: Parcel): number {
  const place = stateNames.indexOf(tracking?.status ?? "");
  return place < 0 ? stateNames.length : place;
}

function hasWords(
  parcel: Parcel,
  words: readonly string[],
  orders: ReadonlyMap<string, ParcelOrder>,
): boolean {
  const order = orderOfParcel(parcel, orders);
  const texts = [parcel.trackingNumber, parcel.name, order?.to, order?.item, parcel.tracking?.status];
  const all = normalise(texts.map((each) => each ?? "").join("\n"));
  return words.every((word) => all.includes(word));
}

/** Equal ones stay in the order given. */
function sortBy<K extends string | number>(
  parcels: readonly Parcel[],
  keyOf: (parcel: Parcel) => K,
): readonly Parcel[] {
  return parcels
    .map((parcel) => ({ parcel, key: keyOf(parcel) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ parcel }) => parcel);
}

/** All of a few parcels; of many, those that changed, the latest first. */
function lastRows(parcels: readonly Parcel[], board: Board): readonly Parcel[] {
  if (parcels.length <= mostLastRows) return parcels;
  const changed = parcels.filter(({ changedMs }) => changedMs !== undefined);
  return byInterest(changed, board).slice(0, mostLastRows);
}

/** It stays on the screen, and in its history. */
function lastScreen(
  parcels: readonly Parcel[],
  shown: readonly Parcel[],
  { news }: Seen,
  columns: readonly Column<Parcel>[],
): readonly Block[] {
  const troubles = troublesOf(parcels).map((text) => ["!", text] as const);
  const entries = news.slice(0, newsShown).map((change) => ({
    at: change.record?.occurred_at ?? change.observed_at,
    place: `${change.tracking_number}  ${show(change.current)}`,
    text: `${show(change.record?.location ?? change.current_location)}  ${show(change.record?.description)}`,
  }));
  const rows = shown.length === 0 ? [] : [table(columns, shown)];
  const others = shown.length < parcels.length ? [moreLine(parcels, shown)] : [];
  return [
    ...rows,
    ...others,
    blank,
    ...(entries.length > 0 ? [{ kind: "timeline", entries } as const, blank] : []),
    ...(troubles.length > 0 ? [fields(...troubles), blank] : []),
  ];
}

/** `Watched 3 parcels for 2 h: 4 changes, 312 calls`. */
export function summarise(board: Board, seen: Seen): string {
  const calls = board.polls() + seen.otherCalls;
  const counts = `${counted(seen.changes, "change")}, ${counted(calls, "call")}`;
  return `Watched ${counted(board.parcels().length, "parcel")} for ${formatDuration(board.elapsedMs())}: ${counts}`;
}

/** How many rows and news fit. Where not all do, both are shortened, the news down to a few. */
function shareRoom(parcels: number, news: number, lines: number): { parcels: number; news: number } {
  const wanted = Math.min(news, newsShown);
  const gap = wanted > 0 ? 1 : 0;
  if (parcels + gap + wanted <= lines) return { parcels, news: wanted };
  const kept = Math.min(wanted, Math.max(fewestNews, lines - parcels - gap));
  const hasNews = kept > 0 && lines > 2 * fewestNews;
  const left = lines - (hasNews ? kept + gap : 0);
  return { parcels: parcels <= left ? parcels : Math.max(1, left - 1), news: hasNews ? kept : 0 };
}

/** First the latest changes, then stale parcels, then open ones, then those that reached the goal. */
function byInterest(parcels: readonly Parcel[], board: Board): readonly Parcel[] {
  return sortBy(parcels, (parcel) => {
    if (parcel.changedMs !== undefined) return -parcel.changedMs;
    return parcel.stale ? 1 : board.goalResult(parcel) === "open" ? 2 : 3;
  });
}

/** A long text continues on a second line: the reason is at its end. */
function troubleLines(text: string, columns: number): readonly Block[] {
  const [first = "", ...rest] = wrapToWidth(sanitise(text), Math.max(1, columns - 2));
  const second = rest.length > 0 ? [line(`  ${rest.join(" ")}`)] : [];
  return [line(styled("warn", "!"), ` ${first}`), ...second];
}

/** One line for each reason, with the time of the first parcel that it affects. */
function troublesOf(parcels: readonly Parcel[]): readonly string[] {
  const byReason = new Map<string, { sinceMs: number; numbers: string[] }>();
  for (const { trackingNumber, stale } of parcels) {
    if (!stale) continue;
    const entry = byReason.get(stale.reason) ?? { sinceMs: stale.sinceMs, numbers: [] };
    entry.sinceMs = Math.min(entry.sinceMs, stale.sinceMs);
    entry.numbers.push(trackingNumber);
    byReason.set(stale.reason, entry);
  }
  const all = [...byReason].map(([reason, { sinceMs, numbers }]) => {
    const who = numbers.length === 1 ? (numbers[0] ?? "") : `${numbers.length} parcels`;
    return `${who} since ${formatHour(sinceMs)}: ${reason}`;
  });
  const more = all.length - reasonsShown;
  return more > 0 ? [...all.slice(0, reasonsShown), `and ${more} more reasons`] : all;
}

function moreLine(parcels: readonly Parcel[], shown: readonly Parcel[], chosen?: string): Block {
  const rows = new Set(shown);
  const hidden = parcels.filter((parcel) => !rows.has(parcel));
  const place = parcels.findIndex(({ name }) => name === chosen) + 1;
  const others = rows.size === 0 ? counted(hidden.length, "parcel") : `and ${hidden.length} more`;
  const count = place > 0 ? `${place} of ${parcels.length}, ${others}` : others;
  return line(styled("dim", `  ${count}: ${countStates(hidden)}`));
}

/** `3 in_transit, 2 delivered`. */
function countStates(parcels: readonly Parcel[]): string {
  const counts = new Map<string, number>();
  for (const { tracking } of sortBy(parcels, placeOfState)) {
    const name = tracking ? show(tracking.status) : "not seen yet";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, number]) => `${number} ${name}`).join(", ");
}

function footerLines(
  board: Board,
  seen: Seen,
  nowMs: number,
  { columns, quitKey }: LiveRoom,
  list: BoardList,
): readonly Block[] {
  if (seen.describeWait)
    return [line(styled("dim", seen.describeWait())), line(styled("dim", "Ctrl-C ends the wait"))];
  const due = board.parcels().map(({ name }) => board.dueMs(name) ?? Infinity);
  const nextMs = Math.min(...due);
  const isPaused = board.isPaused();
  const waitS = Math.max(0, Math.ceil((nextMs - nowMs) / 1_000));
  const overdue = due.filter((ms) => ms <= nowMs).length;
  const next = !Number.isFinite(nextMs)
    ? "polling"
    : isPaused
      ? `rate limited by the service, next poll at ${formatHour(nextMs)}`
      : overdue > 0
        ? `polling, ${counted(overdue, "parcel")} due`
        : `next poll in ${waitS} s`;
  const goal = seen.goal.kind === "state" ? `until ${seen.goal.state}; ` : "";
  const calls = `${counted(board.polls() + seen.otherCalls, "call")} made${describeLeft(seen)}`;
  return [
    line(styled("dim", `${goal}${next}; ${calls}`)),
    ...keyLines(
      quitKey === "q"
        ? keysOf(list, matchingParcels(board, seen, list).length > 0)
        : [[quitKey, "ends the watch"]],
      columns,
      1,
    ),
  ];
}

function keysOf({ isTyping, text, order }: BoardList, hasMatch: boolean): NamedKeys {
  if (isTyping) return typingKeys;
  const isFiltered = text !== "";
  const opening: NamedKeys = hasMatch ? [["Enter", "timeline"]] : [];
  return [
    ["q", "ends the watch"],
    ...(isFiltered ? [["Esc", "all"] as const] : []),
    ["?", "keys"],
    ...opening,
    ...(isFiltered ? [] : [["/", "filter"] as const]),
    ["s", `sort: ${order}`],
    ["Up/Down", "move"],
  ];
}

const typingKeys: NamedKeys = [
  ["Enter", "keep the filter"],
  ["Esc", "all parcels"],
  ["Ctrl-C", "ends the watch"],
];

/** The profile is read less often than parcels, so the number has a time. */
function describeLeft({ left }: Seen): string {
  return left ? `, ${left.calls} left at ${formatHour(left.atMs)}` : "";
}
