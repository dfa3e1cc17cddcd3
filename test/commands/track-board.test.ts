/** The board at terminals of three widths and several heights: what it shows, and what it leaves out. */

import { describe, expect, test } from "vitest";
import type { Tracking } from "../../src/model/interface.ts";
import { render } from "../../src/terminal/render.ts";
import { plainPaint } from "../../src/terminal/style.ts";
import { boardScreen, type Seen } from "../../src/track/board.ts";
import type { Change } from "../../src/track/parcel.ts";
import { createWatch } from "../../src/track/watcher.ts";
import { createServedHome } from "../support/courier.ts";
import { expectInert, hostileText } from "../support/hostile.ts";
import { createOrder } from "../support/orders.ts";
import { screenOf } from "../support/screen-of.ts";
import { screenWidths, tooWide } from "../support/screens.ts";
import { createSimulatedClock } from "../support/simulated-clock.ts";

const minuteMs = 60_000;

interface Scene {
  readonly parcels: number;
  /** The service stops to answer for these. */
  readonly failing?: readonly number[];
  readonly text?: string;
  /** No parcel moves, or each does. */
  readonly isStill?: boolean;
  readonly areAllMoving?: boolean;
  /** Receivers and items, as the mirror knows them, in the order of the parcels. */
  readonly orders?: readonly { to: string | undefined; item: string | undefined }[];
}

/** A watch after twelve minutes: parcel 1 moved early, parcel 2 just now, the last one has arrived. */
async function play({ parcels, failing = [], text, orders = [], isStill, areAllMoving }: Scene) {
  const clock = createSimulatedClock("2026-03-01T08:00:00Z");
  const startMs = clock.now();
  const numbers = Array.from({ length: parcels }, (_, index) => `CR98881855854${index}`);
  const step = (hour: string, place: string, what: string) => ({
    location: text ?? place,
    description: text ?? what,
    occurred_at: `2026-03-01T${hour}:00Z`,
  });
  async function look(trackingNumber: string): Promise<Tracking> {
    const index = numbers.indexOf(trackingNumber);
    const minutes = (clock.now() - startMs) / minuteMs;
    if (failing.includes(index) && minutes > 5) throw new Error("the service is failing: HTTP 503");
    const first = step("05:00", "深圳市南山区", "快递员已取件");
    const early = [step("08:02", "深圳市转运中心", "快件已发出，正发往北京市"), first];
    const late = [step("08:11", "北京市朝阳区", "快递员正在派送"), first];
    const tracking = (status: string, records: (typeof first)[]) => ({
      status: text ?? status,
      current_location: records[0]?.location,
      records,
    });
    if (isStill) return tracking("picked", [first]) as Tracking;
    if (areAllMoving)
      return (minutes > 3 ? tracking("in_transit", early) : tracking("picked", [first])) as Tracking;
    if (index === parcels - 1 && parcels > 3) return tracking("delivered", [first]) as Tracking;
    if (index === 1 && minutes > 3) return tracking("in_transit", early) as Tracking;
    if (index === 2 && minutes > 11.2) return tracking("delivering", late) as Tracking;
    return tracking("picked", [first]) as Tracking;
  }
  const seen: { -readonly [K in keyof Seen]: Seen[K] } = {
    goal: { kind: "final" },
    news: [],
    changes: 0,
    otherCalls: 1,
    left: { calls: 9_942, atMs: startMs },
    orders: new Map(orders.map((order, index) => [numbers[index] ?? "", order])),
    describeWait: undefined,
  };
  const { board, events } = createWatch({
    trackingNumbers: numbers,
    pace: { intervalMs: minuteMs, isFixed: true },
    goal: seen.goal,
    untilMs: 12 * minuteMs,
    concurrency: 4,
    poll: look,
    classifyError: (error) => ({
      reason: (error as Error).message,
      isRefusal: false,
      isLimit: false,
      retryAfterMs: undefined,
    }),
    checkKey: async () => true,
    clock,
    random: () => 0.5,
    signal: new AbortController().signal,
    quit: new AbortController().signal,
  });
  for await (const event of events())
    if (event.kind === "change" && !event.isFirst) seen.news = [event.change as Change, ...seen.news];
  return async (width: number, lines?: number) => {
    const room = lines === undefined ? undefined : { lines, columns: width, quitKey: "q" };
    const blocks = boardScreen(board, seen, clock.now(), room);
    return render(blocks, { width, paint: plainPaint, nowMs: clock.now() });
  };
}

test.each(screenWidths)("a board of five parcels, one of them stale, at %d columns", async (width) => {
  const draw = await play({ parcels: 5, failing: [3] });
  const screen = await draw(width, 23);
  await expect(screen).toMatchFileSnapshot(`screens/track-board-${width}.txt`);
});

test("receivers and items are shown as far as the width allows, and the place is not cut for the item", async () => {
  const orders = [
    { to: "李四", item: "手工烧制的大号青花瓷茶壶，附四只茶杯" },
    { to: "Anna Lindqvist", item: undefined },
  ];
  const draw = await play({ parcels: 3, orders });
  const titles = async (width: number) => (await draw(width, 23)).split("\n")[2]?.trim().split(/ {2,}/);
  const usual = ["TRACKING", "STATE", "PLACE", "SINCE", "NEXT POLL"];
  expect(await titles(140)).toEqual(["TRACKING", "STATE", "TO", "ITEM", ...usual.slice(2)]);
  expect(await titles(80)).toEqual(["TRACKING", "STATE", "TO", ...usual.slice(2)]);
  expect(await titles(40)).not.toContain("TO");
  const wide = await draw(140, 23);
  expect(wide).toMatch(/CR988818558540 +picked +李四 +手工烧制的大号青花瓷茶壶/);
  expect(wide).toMatch(/CR988818558542 +delivering +- +- +北京市朝阳区/);
  expect(await draw(80, 23)).toContain("北京市朝阳区");
  const unknown = await play({ parcels: 3 });
  expect((await unknown(140, 23)).split("\n")[2]?.trim().split(/ {2,}/)).toEqual(usual);
});

test("a watch takes receivers and items from the mirror, where there is one", async () => {
  const home = await createServedHome();
  const { tracking_number, id } = await createOrder(home);
  await home.sandbox.advance({ trackingNumber: tracking_number, to: "delivered" });
  const watch = async (name: string) => {
    const options = { terminal: 140, env: { NO_COLOR: "1" } };
    return screenOf((await home.courier(`track ${name} --watch`, options)).stdout, 140);
  };
  expect(await watch(tracking_number)).not.toContain("李四");
  await home.courier("sync");
  const before = home.sandbox.requests.filter(({ path }) => !path.includes("/tracking/")).length;
  expect(await watch(tracking_number)).toMatch(/delivered +李四 +手机 /);
  expect(await watch(String(id))).toMatch(new RegExp(`${tracking_number} +delivered +李四 +手机 `));
  const after = home.sandbox.requests.filter(({ path }) => !path.includes("/tracking/")).length;
  expect(after - before, "a profile for each watch").toBe(2);
});

describe("more parcels than lines", () => {
  test("the changed ones come first, the latest before the others, then the stale ones", async () => {
    const draw = await play({ parcels: 9, failing: [6] });
    const lines = (await draw(80, 15)).split("\n");
    const numbers = lines.flatMap((line) => /^[ *!] (CR\d+)/.exec(line)?.[1]?.at(-1) ?? []);
    expect(numbers.slice(0, 3)).toEqual(["2", "1", "6"]);
    expect(lines.find((line) => line.startsWith("  and "))).toMatch(
      /^ {2}and \d more: \d picked, 1 delivered$/,
    );
    expect(lines.slice(0, -1).length).toBeLessThanOrEqual(15);
  });

  test.each([8, 10, 12, 14, 16, 20, 24, 40])("never more than %d lines", async (height) => {
    const draw = await play({ parcels: 9, failing: [6] });
    const shown = (await draw(80, height)).split("\n").slice(0, -1);
    expect(shown.length).toBeLessThanOrEqual(Math.max(height, 11));
    expect(shown.at(-1)).toMatch(/^q ends the watch {2}\? keys/);
  });

  test("in the end only the changed ones of many, the latest first, and how many the others are", async () => {
    const draw = await play({ parcels: 691 });
    const lines = (await draw(80)).split("\n");
    const numbers = lines.flatMap((line) => /^[ *!] (CR\d+)/.exec(line)?.[1] ?? []);
    expect(numbers).toEqual(["CR988818558542", "CR988818558541"]);
    expect(lines).toContain("  and 689 more: 688 picked, 1 delivered");
    expect(lines.length).toBeLessThan(15);
  });

  test("in the end none of many that stood still", async () => {
    const draw = await play({ parcels: 30, isStill: true });
    expect(await draw(80)).toBe("  30 parcels: 30 picked\n\n");
  });

  test("in the end at most twenty rows", async () => {
    const draw = await play({ parcels: 60, areAllMoving: true });
    const lines = (await draw(80)).split("\n");
    expect(lines.filter((line) => /^[ *!] CR/.test(line))).toHaveLength(20);
    expect(lines).toContain("  and 40 more: 40 in_transit");
  });

  test("in the end all of a few are there, in the order given", async () => {
    const draw = await play({ parcels: 9 });
    const numbers = [...(await draw(80)).matchAll(/^[ *!] CR\d+(\d)/gm)].map(([, last]) => last);
    expect(numbers).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
  });
});

test("hostile text of the service does nothing on the board", async () => {
  const orders = [{ to: hostileText, item: hostileText }];
  const draw = await play({ parcels: 3, text: hostileText, orders });
  expectInert(await draw(80, 23));
  expectInert(await draw(140));
});

test.each(screenWidths)("what a watch leaves on the screen, at %d columns", async (width) => {
  const home = await createServedHome();
  const numbers = [await createOrder(home), await createOrder(home)].map(
    ({ tracking_number }) => tracking_number,
  );
  await home.courier("orders cancel 1000002 --yes");
  const { exit, stdout, stderr } = await home.courier(`track ${numbers.join(" ")} --watch`, {
    terminal: width,
    env: { NO_COLOR: "1" },
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  const screen = await screenOf(stdout, width);
  await expect(screen).toMatchFileSnapshot(`screens/track-watch-${width}.txt`);
  expect(tooWide(screen, width)).toEqual([]);
  expect(stdout.endsWith("\u001b[?25h"), "the cursor is back").toBe(true);
});
