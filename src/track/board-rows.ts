/** The rows of the board: one parcel, and one change. */

import { formatHour, formatRelative, parseInstant } from "../core/time.ts";
import {
  type Block,
  type Column,
  instant,
  line,
  type Span,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";
import { type Change, type Parcel, recordsOf } from "./parcel.ts";
import type { ParcelOrder } from "./parcel-orders.ts";
import type { Board } from "./watcher.ts";

/** A change is marked as new for this time. */
const newMs = 60_000;

/** A narrower terminal has no room for the item beside the place. */
const leastForItem = 100;

export interface RowOptions {
  /** The watch is over, without a further poll. */
  readonly isLast?: boolean;
  /** The name of the chosen parcel. */
  readonly chosen?: string | undefined;
  /** Of the terminal. */
  readonly columns?: number;
}

export function orderOfParcel(
  { trackingNumber, name }: Parcel,
  orders: ReadonlyMap<string, ParcelOrder>,
): ParcelOrder | undefined {
  return orders.get(trackingNumber) ?? orders.get(name);
}

/** Has the columns that any of the parcels needs, so that scrolling does not change them. */
export function columnsOf(
  board: Board,
  nowMs: number,
  shown: readonly Parcel[],
  orders: ReadonlyMap<string, ParcelOrder>,
  { isLast = false, chosen, columns = Number.POSITIVE_INFINITY }: RowOptions,
): readonly Column<Parcel>[] {
  const orderOf = (parcel: Parcel) => orderOfParcel(parcel, orders);
  const hasItem = columns >= leastForItem && shown.some((parcel) => orderOf(parcel)?.item !== undefined);
  const hasReceiver = shown.some((parcel) => orderOf(parcel)?.to !== undefined);
  const isStale = shown.some(({ stale }) => stale);
  const none: Column<Parcel>[] = [];
  return [
    {
      path: "tracking_number",
      title: "  TRACKING",
      cell: (parcel) => [
        mark(parcel, nowMs),
        parcel.name === chosen ? styled("accent", ">") : " ",
        isFresh(parcel.changedMs, nowMs) ? styled("strong", parcel.trackingNumber) : parcel.trackingNumber,
      ],
    },
    { path: "status", title: "STATE", cell: ({ tracking }) => state(tracking?.status) },
    ...(hasReceiver
      ? [
          {
            path: "to",
            title: "TO",
            cell: (parcel: Parcel) => show(orderOf(parcel)?.to),
            flexible: true,
            spare: 4,
          },
        ]
      : none),
    ...(hasItem
      ? [
          {
            path: "item",
            title: "ITEM",
            cell: (parcel: Parcel) => show(orderOf(parcel)?.item),
            flexible: true,
            spare: 1,
          },
        ]
      : none),
    {
      path: "current_location",
      title: "PLACE",
      cell: ({ tracking }) => show(tracking?.current_location),
      flexible: true,
      spare: 5,
    },
    {
      path: "since",
      title: "SINCE",
      cell: ({ tracking }) => since(recordsOf(tracking)[0]?.occurred_at, nowMs, isLast),
      spare: 6,
    },
    ...(isLast
      ? none
      : [
          {
            path: "next",
            title: "NEXT POLL",
            cell: ({ name }: Parcel) => nextPoll(name, board),
            spare: 2,
          },
        ]),
    ...(isStale
      ? [
          {
            path: "stale",
            title: "STALE SINCE",
            cell: ({ stale }: Parcel) => (stale ? styled("warn", formatHour(stale.sinceMs)) : ""),
            spare: 3,
          },
        ]
      : none),
  ];
}

/** A relative time while the watch runs, an absolute one afterwards. */
function since(occurredAt: string | null | undefined, nowMs: number, isLast: boolean): Span {
  const instantMs = parseInstant(occurredAt ?? "");
  return instantMs === undefined || isLast ? instant(occurredAt) : formatRelative(instantMs, nowMs);
}

/** `*`: has just changed; `!`: the last poll failed. */
function mark({ changedMs, stale }: Parcel, nowMs: number): Span {
  if (stale) return styled("warn", "!");
  return isFresh(changedMs, nowMs) ? styled("accent", "*") : " ";
}

function isFresh(changedMs: number | undefined, nowMs: number): boolean {
  return changedMs !== undefined && nowMs - changedMs < newMs;
}

function nextPoll(name: string, board: Board): Span {
  if (board.isPolling(name)) return styled("dim", "now");
  const dueMs = board.dueMs(name);
  return dueMs === undefined ? styled("dim", "-") : styled("dim", formatHour(dueMs));
}

/** A change, and when it was seen. */
export function newsLine(change: Change, nowMs: number): Block {
  const { current, record } = change;
  const observedMs = Date.parse(change.observed_at);
  const isNew = isFresh(observedMs, nowMs);
  return line(
    isNew ? styled("accent", "*") : styled("dim", "|"),
    " ",
    styled("dim", formatHour(observedMs)),
    "  ",
    isNew ? styled("strong", change.tracking_number) : change.tracking_number,
    "  ",
    state(current),
    "  ",
    show(record?.location ?? change.current_location),
    "  ",
    record ? show(record.description) : "",
  );
}
