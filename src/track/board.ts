/** The board: the state of a watch as a view of a given height. */

import type { LiveRoom } from "../command/command.ts";
import { formatDuration } from "../core/duration.ts";
import { formatHour } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import { type Block, blank, type Column, fields, line, show, styled, table } from "../terminal/blocks.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { wrapToWidth } from "../terminal/width.ts";
import { columnsOf, newsLine } from "./board-rows.ts";
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

const newsShown = 10;
const fewestNews = 3;
const reasonsShown = 3;
/** At the end of a watch of more parcels, only those that changed have a row, and so many at most. */
const mostLastRows = 20;

/** Without `given`, shows everything: the last screen of a watch. */
export function boardScreen(
  board: Board,
  seen: Seen,
  nowMs: number,
  given: LiveRoom | undefined,
): readonly Block[] {
  const parcels = board.parcels();
  if (!given) {
    const shown = lastRows(parcels, board);
    return lastScreen(parcels, shown, seen, columnsOf(board, nowMs, true, shown, seen.orders));
  }
  const troubles = troublesOf(parcels).flatMap((text) => troubleLines(text, given.columns));
  const footer = footerLines(board, seen, nowMs, given.quitKey);
  const around = 3 + (troubles.length > 0 ? troubles.length + 1 : 0) + footer.length + 1;
  const room = shareRoom(parcels.length, seen.news.length, given.lines - around);
  const shown = room.parcels < parcels.length ? byInterest(parcels, board).slice(0, room.parcels) : parcels;
  const news = seen.news.slice(0, room.news).map((change) => newsLine(change, nowMs));
  return [
    line(
      styled("strong", `Watching ${counted(parcels.length, "parcel")}`),
      "  ",
      styled("dim", countStates(parcels)),
    ),
    blank,
    table(columnsOf(board, nowMs, false, shown, seen.orders, given.columns), shown),
    ...(shown.length < parcels.length ? [moreLine(parcels, shown)] : []),
    ...(news.length > 0 ? [blank, ...news] : []),
    ...(troubles.length > 0 ? [blank, ...troubles] : []),
    blank,
    ...footer,
  ];
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
  const rank = (parcel: Parcel) =>
    parcel.changedMs !== undefined ? 0 : parcel.stale ? 1 : board.goalResult(parcel) === "open" ? 2 : 3;
  return [...parcels].sort((a, b) => rank(a) - rank(b) || (b.changedMs ?? 0) - (a.changedMs ?? 0));
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

function moreLine(parcels: readonly Parcel[], shown: readonly Parcel[]): Block {
  const rows = new Set(shown);
  const hidden = parcels.filter((parcel) => !rows.has(parcel));
  const count = rows.size === 0 ? counted(hidden.length, "parcel") : `and ${hidden.length} more`;
  return line(styled("dim", `  ${count}: ${countStates(hidden)}`));
}

/** `3 in_transit, 2 delivered`. */
function countStates(parcels: readonly Parcel[]): string {
  const counts = new Map<string, number>();
  for (const { tracking } of parcels) {
    const name = tracking ? show(tracking.status) : "not seen yet";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, number]) => `${number} ${name}`).join(", ");
}

function footerLines(board: Board, seen: Seen, nowMs: number, quitKey: string): readonly Block[] {
  if (seen.describeWait)
    return [line(styled("dim", seen.describeWait())), line(styled("dim", "Ctrl-C ends the wait"))];
  const due = board.parcels().map(({ name }) => board.dueMs(name) ?? Infinity);
  const nextMs = Math.min(...due);
  const isPaused = board.isPaused();
  const waitS = Math.max(0, Math.ceil((nextMs - nowMs) / 1_000));
  const next = Number.isFinite(nextMs)
    ? `${isPaused ? `rate limited by the service, next poll at ${formatHour(nextMs)}` : `next poll in ${waitS} s`}`
    : "polling";
  const goal = seen.goal.kind === "state" ? `until ${seen.goal.state}; ` : "";
  return [
    line(
      styled("dim", `${next}; ${counted(board.polls() + seen.otherCalls, "call")} made${describeLeft(seen)}`),
    ),
    line(styled("dim", `${goal}${quitKey} ends the watch`)),
  ];
}

/** The profile is read less often than parcels, so the number has a time. */
function describeLeft({ left }: Seen): string {
  return left ? `, ${left.calls} left at ${formatHour(left.atMs)}` : "";
}
