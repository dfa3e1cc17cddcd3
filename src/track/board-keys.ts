/** The keys of the board: they choose, filter and sort parcels, and open the timeline of one. */

import type { LiveRoom, ScreenControls } from "../command/command.ts";
import { formatHour } from "../core/time.ts";
import { type Block, fields, line, show, styled } from "../terminal/blocks.ts";
import { keyLines, type NamedKeys } from "../terminal/key-line.ts";
import type { Key } from "../terminal/keypress.ts";
import { countLines } from "../terminal/render.ts";
import { trackingView } from "../terminal/tracking-view.ts";
import { editText } from "../terminal/typed-line.ts";
import {
  type BoardLayout,
  type BoardList,
  boardPicture,
  boardScreen,
  filterCaret,
  layOutBoard,
  listOrders,
  matchingParcels,
  type Seen,
  wholeList,
} from "./board.ts";
import { orderOfParcel } from "./board-rows.ts";
import type { Parcel } from "./parcel.ts";
import type { Board } from "./watcher.ts";

export interface BoardScreen {
  readonly screen: (nowMs: number, room: LiveRoom | undefined) => Promise<readonly Block[]>;
  readonly controls: ScreenControls;
}

const allKeys: NamedKeys = [
  ["Up/Down", "choose a parcel, or scroll"],
  ["PgUp/PgDn", "the same by pages"],
  ["Home/End", "the first or the last parcel"],
  ["Enter", "all movements of the chosen parcel"],
  ["/", "filter: part of a number, receiver, item or state"],
  ["s", "sort by last change, state or number"],
  ["Esc", "go back, or show all parcels again"],
  ["q", "end the watch"],
  ["Ctrl-C", "end the watch (exit code 130)"],
];

/** `below` is how many lines follow. */
function backKeys(below: number): NamedKeys {
  return [
    ["Esc", "back"],
    ...(below > 0 ? [["Down", `${below} more`] as const] : []),
    ["q", "ends the watch"],
    ["Up/Down", "scroll"],
  ];
}

/** `quit` ends the watch. */
export function openBoardScreen(board: Board, seen: Seen, quit: () => void): BoardScreen {
  let mode: "list" | "timeline" | "keys" = "list";
  let list: BoardList = wholeList;
  /** Of the last picture. */
  let layout: BoardLayout | undefined;
  let room: LiveRoom | undefined;
  let opened: string | undefined;
  /** The first line of a timeline or of the keys. */
  let from = 0;

  function press(key: Key): undefined {
    if (list.isTyping && mode === "list") return pressInFilter(key);
    if (key === "q" || key === "Q") quit();
    else if (mode === "list") pressInList(key);
    else if (key === "escape" || key === "?") [mode, from] = ["list", 0];
    else from = Math.max(0, from + stepOf(key, bodyLines()));
    return undefined;
  }

  function pressInList(key: Key): void {
    switch (key) {
      case "return": {
        const parcel = chosenParcel() ?? matching()[0];
        if (parcel === undefined) return;
        [mode, from, opened] = ["timeline", 0, parcel.name];
        list = { ...list, chosen: parcel.name };
        return;
      }
      case "/":
        list = { ...list, isTyping: true };
        return;
      case "?":
        [mode, from] = ["keys", 0];
        return;
      case "s":
      case "S":
        list = { ...list, order: nextOrder(), top: 0 };
        return;
      case "escape":
        list = { ...wholeList, order: list.order, chosen: list.text === "" ? undefined : list.chosen };
        return;
      default:
        move(key);
    }
  }

  function pressInFilter(key: Key): undefined {
    if (key === "return") list = { ...list, isTyping: false };
    else if (key === "escape") list = { ...list, text: "", isTyping: false };
    else {
      const text = editText(list.text, key);
      if (text === undefined) move(key);
      else list = { ...list, text };
    }
  }

  function move(key: Key): void {
    const step = stepOf(key, layout?.rows ?? 1);
    if (step === 0) return;
    const parcels = matching();
    const place = parcels.findIndex(({ name }) => name === list.chosen);
    // The first arrow chooses the first parcel.
    const next = place < 0 && Math.abs(step) === 1 ? 0 : Math.max(0, place) + step;
    const chosen = parcels[Math.max(0, Math.min(next, parcels.length - 1))]?.name;
    list = { ...list, chosen };
  }

  function nextOrder() {
    return listOrders[(listOrders.indexOf(list.order) + 1) % listOrders.length] ?? "change";
  }

  function chosenParcel(): Parcel | undefined {
    return matching().find(({ name }) => name === list.chosen);
  }

  /** Several keys may come before the next picture. */
  function matching(): readonly Parcel[] {
    return matchingParcels(board, seen, list);
  }

  function bodyLines(): number {
    return Math.max(1, (room?.lines ?? 1) - 2);
  }

  async function screen(nowMs: number, given: LiveRoom | undefined): Promise<readonly Block[]> {
    if (given === undefined) return boardScreen(board, seen, nowMs, given);
    room = given;
    if (seen.describeWait) mode = "list"; // the board says what it waits for
    const parcel = board.parcels().find(({ name }) => name === opened);
    if (mode === "keys") return bodyPicture(keysBody, styled("strong", "Keys of the board"), nowMs, given);
    if (mode === "timeline" && parcel !== undefined)
      return bodyPicture(timelineOf(parcel), describe(parcel), nowMs, given);
    layout = layOutBoard(board, seen, nowMs, given, list);
    list = { ...list, top: layout.top };
    return boardPicture(board, seen, nowMs, given, list, layout);
  }

  async function bodyPicture(
    body: readonly Block[],
    head: Parameters<typeof line>[0],
    nowMs: number,
    { columns }: LiveRoom,
  ): Promise<readonly Block[]> {
    const lines = bodyLines();
    const last = Math.max(0, (await countLines(body, columns, nowMs)) - lines);
    from = Math.max(0, Math.min(from, last));
    const footer = keyLines(backKeys(last - from), columns, 1);
    return [line(head), { kind: "window", blocks: body, from, lines }, ...footer];
  }

  /** The receiver and the item, the next poll, and why the last one failed. */
  function describe(parcel: Parcel) {
    const { name, trackingNumber, stale } = parcel;
    const order = orderOfParcel(parcel, seen.orders);
    const texts = [order?.to, order?.item].filter((text) => text !== undefined);
    const dueMs = board.dueMs(name);
    const next = board.isPolling(name)
      ? "polling"
      : dueMs === undefined
        ? "no further poll"
        : `next poll at ${formatHour(dueMs)}`;
    const trouble = stale ? `stale since ${formatHour(stale.sinceMs)}: ${stale.reason}` : next;
    return styled(
      stale ? "warn" : "dim",
      [...(texts.length > 0 ? texts : [trackingNumber]), trouble].join("; "),
    );
  }

  return {
    screen,
    controls: {
      press,
      isPaced: true,
      caret: () => (mode === "list" && list.isTyping && room ? filterCaret(list, room.columns) : undefined),
    },
  };
}

const keysBody: readonly Block[] = [fields(...allKeys)];

/** What the last poll that succeeded has shown. */
function timelineOf({ tracking, trackingNumber }: Parcel): readonly Block[] {
  return tracking ? trackingView(tracking) : [line(`No answer for ${show(trackingNumber)} yet`)];
}

/** How far a key moves; 0 for a key that does not move. */
function stepOf(key: Key, page: number): number {
  switch (key) {
    case "up":
      return -1;
    case "down":
      return 1;
    case "pageup":
      return -page;
    case "pagedown":
      return page;
    case "home":
      return Number.NEGATIVE_INFINITY;
    case "end":
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}
