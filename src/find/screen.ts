/** The search screen of `courier find`: typing filters the orders, and keys act on the chosen one. */

import { createService } from "../api/service.ts";
import { addOwnOrders } from "../command/account-mirror.ts";
import type { Context, Items, LiveOutput, LiveRoom } from "../command/command.ts";
import { parseTrackingNumber } from "../command/options.ts";
import { orderView, trackCommand } from "../command/order-view.ts";
import { CourierError } from "../core/errors.ts";
import { nextTurn } from "../core/next-turn.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { formatRelative } from "../core/time.ts";
import type { Mirror, OrderSearch } from "../mirror/mirror.ts";
import { type MirroredOrder, textAt } from "../mirror/mirrored-order.ts";
import type { OrderDetail, Tracking } from "../model/interface.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { FoundOrder } from "../model/results.ts";
import { type Block, type Column, line, type Span, styled } from "../terminal/blocks.ts";
import type { Key } from "../terminal/keypress.ts";
import { countLines } from "../terminal/render.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { editText } from "../terminal/typed-line.ts";
import {
  type ListPicture,
  listCaret,
  listPicture,
  listRoom,
  orderPicture,
  orderRoom,
  type TrackingState,
  trackingAge,
  trackingBody,
} from "./screen-view.ts";

export interface ScreenSetup {
  readonly mirror: Mirror;
  /** What narrows the search beside the text. */
  readonly search: Omit<OrderSearch, "text" | "between">;
  /** The same as flags. */
  readonly filter: string;
  readonly columns: readonly Column<FoundOrder>[];
  readonly toRow: (order: MirroredOrder) => FoundOrder;
  /** A program prints the key, and may ask for something first. */
  readonly asksForKey: boolean;
  /** Where the service lists other names than were sent. */
  readonly describeNames: (order: MirroredOrder) => Promise<string | undefined>;
}

/** A search that a later key has made useless. */
class Superseded extends Error {}

interface Hit {
  readonly order: MirroredOrder;
  readonly row: FoundOrder;
}

/** Orders that a search found so far, and the rest of it. */
interface Found {
  readonly hits: readonly Hit[];
  readonly rest: AsyncGenerator<MirroredOrder, void> | undefined;
}

type Mode = "list" | "order" | "tracking" | "returned";

/** Before the terminal's height is known. */
const usualLines = 20;

export async function openSearchScreen(setup: ScreenSetup, context: Context): Promise<LiveOutput> {
  const { mirror } = setup;
  const { clock, signal, nextCommand } = context;
  let mode: Mode = "list";
  let facts = await mirror.facts();
  let text = "";
  let found: Found = { hits: [], rest: undefined };
  let selected = 0;
  let top = 0;
  let room: LiveRoom | undefined;
  let opened: MirroredOrder | undefined;
  let from = 0;
  let notice: Span | undefined;
  let askNumber = 0;
  let isAsking = false;
  let failure: CourierError | undefined;
  let { asksForKey } = setup;
  const turn = createTurn();

  // The search

  let searchNumber = 0;
  let isSearchDue = false;
  let isSearching = false;
  /** Enter came before its search had ended. */
  let opensFirst = false;

  function searchSoon(): void {
    if (isSearchDue) return;
    isSearchDue = true;
    setImmediate(() => {
      isSearchDue = false;
      search().then(turn.next, fail);
    });
  }

  async function search(keepPlace = false): Promise<void> {
    searchNumber += 1;
    const mine = searchNumber;
    isSearching = true;
    const between = async () => {
      turn.next(); // what was typed is shown meanwhile
      await nextTurn();
      if (mine !== searchNumber) throw new Superseded();
    };
    try {
      const wanted = keepPlace ? Math.max(pageLines(), found.hits.length) : pageLines();
      const orders = mirror.search({ ...setup.search, text, page: wanted, between });
      const next = await take(orders, wanted, []);
      if (mine !== searchNumber) return;
      found = next;
      isSearching = false;
      if (!keepPlace) [selected, top, goal] = [0, 0, 0];
      select(selected);
      const [first] = found.hits;
      if (opensFirst && first) open(first.order, "order");
      opensFirst = false;
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    }
  }

  async function take(
    orders: AsyncGenerator<MirroredOrder, void>,
    count: number,
    before: readonly Hit[],
  ): Promise<Found> {
    const hits = [...before];
    while (hits.length < before.length + count) {
      const next = await orders.next();
      if (next.done) return { hits, rest: undefined };
      hits.push({ order: next.value, row: toRow(next.value) });
    }
    return { hits, rest: orders };
  }

  let isTakingMore = false;

  /** The next pages, where the person has come near the end of the orders so far. */
  async function takeMore(): Promise<void> {
    if (isTakingMore) return;
    isTakingMore = true;
    const mine = searchNumber;
    try {
      while (found.rest && goal + pageLines() >= found.hits.length) {
        const next = await take(found.rest, pageLines(), found.hits);
        if (mine !== searchNumber) return;
        found = next;
        select(goal);
      }
      goal = selected;
    } catch (error) {
      if (!(error instanceof Superseded)) throw error;
    } finally {
      isTakingMore = false;
    }
  }

  /** The window may have grown. */
  function fillWindow(): void {
    if (isTakingMore || isSearching || !found.rest || found.hits.length >= pageLines()) return;
    takeMore().then(turn.next, fail);
  }

  function toRow(order: MirroredOrder): FoundOrder {
    return { ...setup.toRow(order), status: stateOf(order) ?? null } as FoundOrder;
  }

  function pageLines(): number {
    return room === undefined ? usualLines : listRoom(room, text).orders;
  }

  function select(place: number): void {
    selected = Math.max(0, Math.min(place, found.hits.length - 1));
    top = Math.max(0, Math.min(top, selected), selected - pageLines() + 1);
  }

  /** Where the person wants to be: the orders up to there may not be read yet. */
  let goal = 0;

  function moveTo(place: number): void {
    goal = Math.max(0, place);
    select(goal);
    takeMore().then(turn.next, fail);
    turn.next();
  }

  // The chosen order

  function open(order: MirroredOrder, next: Mode): void {
    opened = order;
    [mode, from, notice] = [next, 0, undefined];
    turn.next();
    if (next === "order") describeNames(order).catch(fail);
  }

  async function describeNames(order: MirroredOrder): Promise<void> {
    const warning = await setup.describeNames(order);
    if (warning !== undefined && opened === order) say(styled("warn", warning));
  }

  async function reload(order: MirroredOrder): Promise<void> {
    const fresh = await mirror.order(order.id);
    if (fresh === undefined) return;
    if (opened?.id === fresh.id) opened = fresh;
    const hits = found.hits.map((hit) =>
      hit.order.id === fresh.id ? { order: fresh, row: toRow(fresh) } : hit,
    );
    found = { ...found, hits };
  }

  function trackingNumberOf({ fields }: MirroredOrder): string | undefined {
    return textAt(fields, "tracking_number");
  }

  async function track(order: MirroredOrder): Promise<void> {
    const number = trackingNumberOf(order);
    if (number === undefined || /\p{Surrogate}/u.test(number)) {
      say(number === undefined ? noNumber : damagedNumber);
      return;
    }
    open(order, "tracking");
    askNumber += 1;
    const mine = askNumber;
    [isAsking, failure] = [true, undefined];
    try {
      const service = createService(await context.client());
      const value = await service.tracking(parseTrackingNumber(number));
      await mirror.record([{ id: order.id, kind: "tracking", value }], clock.now());
      await reload(order);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CourierError)) throw error;
      if (mine === askNumber) failure = error;
    } finally {
      if (mine === askNumber) isAsking = false;
      turn.next();
    }
  }

  /** A key command may ask at the terminal: it runs while the keyboard is free. */
  async function trackWithKey(order: MirroredOrder): Promise<void> {
    await context.client().catch(() => undefined); // `track` says what failed
    asksForKey = false;
    track(order).catch(fail);
  }

  function copy(order: MirroredOrder): void {
    const number = trackingNumberOf(order);
    if (number === undefined) say(noNumber);
    else if (sanitise(number) !== number) say(notPlain);
    else {
      context.copyText(number);
      say(`Sent to the clipboard: ${number}, which some terminals refuse`);
    }
  }

  function say(text: Span): void {
    notice = text;
    turn.next();
  }

  /** The command asks and reports as it does when it is typed. */
  async function act(words: readonly string[], order: MirroredOrder): Promise<void> {
    try {
      await context.display([line(styled("accent", nextCommand(words.map(shellQuote).join(" "))))]);
      await context.runCommand(words);
      await addOwnOrders(mirror, context);
      await reload(order);
      await search(true);
      facts = await mirror.facts();
      mode = "returned";
    } catch (error) {
      fail(error);
    }
  }

  // Keys

  function press(key: Key): (() => Promise<void>) | undefined {
    if (mode === "list") pressInList(key);
    else if (mode === "returned") {
      if (key === "return" || key === "escape") leaveTo("order");
    } else return pressInOrder(key);
    return undefined;
  }

  function pressInList(key: Key): void {
    const hit = found.hits[selected];
    if (key === "return") {
      if (isSearchDue || isSearching) opensFirst = true;
      else if (hit) open(hit.order, "order");
    } else if (key === "escape") {
      if (text === "") turn.end();
      else type("");
    } else if (key === "up" || key === ctrl.p) moveTo(goal - 1);
    else if (key === "down" || key === ctrl.n) moveTo(goal + 1);
    else if (key === "pageup") moveTo(goal - pageLines());
    else if (key === "pagedown") moveTo(goal + pageLines());
    else if (key === "home") moveTo(0);
    else if (key === "end") moveTo(found.hits.length - 1);
    else type(editText(text, key) ?? text);
  }

  function type(next: string): void {
    if (next === text) return;
    text = next;
    opensFirst = false;
    searchSoon();
  }

  function pressInOrder(key: Key): (() => Promise<void>) | undefined {
    const order = opened;
    if (order === undefined) return undefined;
    const page = room === undefined ? 1 : orderRoom(room, notice);
    switch (key.length === 1 ? key.toLowerCase() : key) {
      case "escape":
        leaveTo(mode === "tracking" ? "order" : "list");
        return undefined;
      case "t":
        if (asksForKey) return () => trackWithKey(order);
        track(order).catch(fail);
        return undefined;
      case "y":
        copy(order);
        return undefined;
      case "c":
        return () => act(["orders", "cancel", order.id], order);
      case "r":
        return () => act(["orders", "create", "--like", order.id], order);
      case "up":
      case "down":
        return scrollBy(key === "up" ? -1 : 1);
      case "pageup":
      case "pagedown":
        return scrollBy(key === "pageup" ? -page : page);
    }
    return undefined;
  }

  function scrollBy(lines: number): undefined {
    from = Math.max(0, from + lines); // no further than the last line: `screen` knows how many there are
    turn.next();
  }

  function leaveTo(next: Mode): void {
    [mode, from, notice] = [next, 0, undefined];
    turn.next();
  }

  function fail(error: unknown): void {
    turn.end(error);
  }

  // The picture

  async function screen(nowMs: number, shownRoom: LiveRoom | undefined): Promise<readonly Block[]> {
    if (shownRoom === undefined) return [];
    room = shownRoom;
    if (mode === "returned") return [line("Press Enter to go back to the order")];
    if (mode === "list" || opened === undefined) {
      select(selected);
      fillWindow();
      return listPicture(toList(), setup.columns, shownRoom);
    }
    const { command, age, body } = mode === "tracking" ? toTracking(opened, nowMs) : toOrder(opened, nowMs);
    const height = orderRoom(shownRoom, notice);
    from = Math.max(0, Math.min(from, (await countLines(body, shownRoom.columns, nowMs)) - height));
    return orderPicture({ order: opened, body, from, command, age, notice }, shownRoom);
  }

  function toList(): ListPicture {
    const hit = found.hits[selected];
    return {
      text,
      filter: setup.filter,
      found: found.hits.map(({ row }) => row),
      hasMore: found.rest !== undefined,
      isSearching,
      selected,
      top,
      searched: facts,
      nowMs: clock.now(),
      command: hit && nextCommand(`orders show ${hit.order.id}`),
      syncCommand: nextCommand("sync"),
    };
  }

  function toOrder(order: MirroredOrder, nowMs: number) {
    return {
      command: nextCommand(`orders show ${order.id}`),
      age: `from the mirror, as of ${formatRelative(order.seenAtMs, nowMs)}`,
      body: orderView(toDetail(order), context),
    };
  }

  function toTracking(order: MirroredOrder, nowMs: number) {
    const { tracking } = order.fields;
    const state: TrackingState = {
      answer: isJsonObject(tracking) ? (tracking as Tracking) : undefined,
      askedAtMs: order.trackedAtMs,
      isAsking,
      failure,
    };
    return {
      command: trackCommand(order.id, trackingNumberOf(order) ?? "", context),
      age: trackingAge(state, nowMs),
      body: trackingBody(state),
    };
  }

  /**
   * The first search by words takes three times as long as the next one. So one is done before the
   * first key, which then finds compiled code and read pages.
   */
  function warmUp(): void {
    const [hit] = found.hits;
    const name = textAt(hit?.order.fields.receiver, "name");
    if (text !== "" || name === undefined) return;
    const between = async () => {
      throw new Superseded();
    };
    const first = mirror.search({ ...setup.search, text: name.slice(0, 1), page: pageLines(), between });
    take(first, 1, []).catch(() => {}); // a key meets the same failure, and shows it
  }

  await search();
  const onAbort = () => turn.end();
  signal.addEventListener("abort", onAbort, { once: true });

  async function* events(): Items {
    try {
      setImmediate(warmUp);
      while (await turn.wait()) yield null;
      signal.throwIfAborted();
      return undefined;
    } finally {
      signal.removeEventListener("abort", onAbort);
      searchNumber += 1; // ends what is being searched
    }
  }

  return {
    kind: "live",
    events: events(),
    human: () => [],
    screen,
    complain: () => {},
    summary: () => "",
    quit: () => turn.end(),
    controls: {
      press,
      caret: () => (mode === "list" && room !== undefined ? listCaret(toList(), room.columns) : undefined),
    },
  };
}

const noNumber = styled("warn", "This order has no tracking number yet");
/** What is pasted would be another text than the screen shows. */
const notPlain = styled("warn", "Not copied: the tracking number has control characters");

/** Half of a character, which no address of the service can have. */
const damagedNumber = styled("warn", "The tracking number of this order is damaged");

const ctrl = { n: "\u000e", p: "\u0010" };

/** What the service said last of the parcel may be newer than the order's own state. */
function stateOf({ fields, trackedAtMs, seenAtMs }: MirroredOrder): string | undefined {
  const state = trackedAtMs === seenAtMs ? textAt(fields.tracking, "status") : undefined;
  return state ?? textAt(fields, "status");
}

/** An order as the service shows one, from all its answers. A list names the item beside it. */
function toDetail(order: MirroredOrder): OrderDetail {
  const { tracking: _tracking, item_name, item, ...others } = order.fields;
  const named: Json | undefined = item ?? (item_name === undefined ? undefined : { name: item_name });
  const status = stateOf(order);
  return { ...others, status, ...(named === undefined ? {} : { item: named }) } as OrderDetail;
}

/** Redraws that are due, and the end of the screen. */
function createTurn() {
  let isDue = false;
  let hasEnded = false;
  let failed: { readonly error: unknown } | undefined;
  let wake = () => {};
  return {
    next(): void {
      isDue = true;
      wake();
    },
    end(error?: unknown): void {
      if (error !== undefined) failed ??= { error };
      hasEnded = true;
      wake();
    },
    /** False at the end; rejects with the error of it. */
    async wait(): Promise<boolean> {
      if (!isDue && !hasEnded) await new Promise<void>((resume) => (wake = resume));
      isDue = false;
      if (failed) throw failed.error;
      return !hasEnded;
    },
  };
}
