/** The keys of the board: they choose, filter and sort parcels, and open a timeline, without a call. */

import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";
import { expectInert, hostileText, ownMoves } from "../support/hostile.ts";
import { openLiveScreen } from "../support/live-screen.ts";
import { until } from "../support/process.ts";
import { screenWidths, tooWide } from "../support/screens.ts";
import { keys } from "../support/terminal.ts";

const escapeKey = "\u001b";
const [pageUp, pageDown, home, end] = ["\u001b[5~", "\u001b[6~", "\u001b[H", "\u001b[F"];

interface Shown {
  readonly number: string;
  readonly status?: string;
  readonly to?: string;
  readonly item?: string;
}

interface Scene {
  readonly parcels: readonly Shown[];
  readonly columns?: number;
  readonly rows?: number;
  readonly words?: string;
  /** The parcels are those of the account's list, which nothing has read before. */
  readonly isListed?: boolean;
  /** The text of movements. */
  readonly text?: string;
  readonly movements?: number;
}

/** A board after its first round of polls: the second round stays without an answer, so that time stands still. */
async function openBoard({
  parcels,
  columns = 80,
  rows = 24,
  words = "",
  isListed = false,
  text = "已揽收",
  movements = 1,
}: Scene) {
  const served = await createServedHome();
  const orders = parcels.map(({ number, status = "in_transit", to = "李四", item = "茶壶" }, index) => ({
    id: index + 1,
    order_no: `CO${index}`,
    tracking_number: number,
    status,
    item_name: item,
    created_at: "2026-03-01T08:00:00Z",
    sender: { name: "店", city: "深圳" },
    receiver: { name: to, city: "北京" },
  }));
  const pagination = { current_page: 1, total_pages: 1, total_items: orders.length, per_page: 100 };
  const answer = (path: string, body: object) =>
    ({
      kind: "status",
      status: 200,
      path,
      contentType: "application/json",
      body: JSON.stringify(body),
    }) as const;
  const records = Array.from({ length: movements }, (_, index) => ({
    location: "深圳市",
    description: `${text} ${movements - index}`,
    occurred_at: "2026-03-01T07:00:00Z",
  }));
  served.sandbox.faults.set([answer("/api/v1/orders", { success: true, data: orders, pagination })]);
  if (!isListed) expect((await served.courier("sync")).exit).toBe(0);
  served.sandbox.faults.set([
    ...(isListed ? [answer("/api/v1/orders", { success: true, data: orders, pagination })] : []),
    ...parcels.map(({ number, status = "in_transit" }) => ({
      ...answer(`/api/v1/tracking/${number}`, {
        success: true,
        data: { tracking_number: number, status, current_location: "深圳市", records },
      }),
      times: 1,
    })),
    { kind: "stall", path: "/api/v1/tracking/.+" } as const,
  ]);
  const numbers = isListed ? "--all-active" : parcels.map(({ number }) => number).join(" ");
  const screen = openLiveScreen(served, `track ${numbers} --watch --yes ${words}`, {
    columns,
    rows,
    env: { NO_COLOR: "1" },
  });
  const asked = () => served.sandbox.requests.filter(({ path }) => path.includes("/tracking/")).length;
  await until("the first round is over", () => asked() > parcels.length);
  served.clock.advance(1_000);
  await screen.until((shown) => /^Watching \d/.test(shown) && !shown.includes("not seen"));
  return { served, screen };
}

const many = Array.from({ length: 40 }, (_, index) => ({ number: `T${100 + index}` }));
const three: readonly Shown[] = [
  { number: "T2", status: "picked", to: "王伟", item: "书" },
  { number: "T1", status: "delivering", to: "Anna Lindqvist", item: "Mug" },
  { number: "T3", status: "picked", to: "李四", item: "茶壶" },
];

function numbersOf(shown: string): string[] {
  return [...shown.matchAll(/^[ *!][ >](T\d+)/gm)].map(([, number = ""]) => number);
}

const chosen = (number: string) => new RegExp(`^[ *!]>${number}\\b`, "m");

describe("the list", () => {
  test("arrows and pages choose a parcel, and the list scrolls with it", async () => {
    const { screen } = await openBoard({ parcels: many });
    expect(await screen.picture()).not.toMatch(/>T/);
    screen.type(keys.down);
    await screen.until(chosen("T100"));
    screen.type(keys.down);
    await screen.until(chosen("T101"));
    const page = numbersOf(await screen.picture()).length;
    screen.type(pageDown);
    await screen.until(chosen(`T${101 + page}`));
    expect(await screen.picture()).toContain(`  ${page + 2} of 40, and ${40 - page} more: `);
    screen.type(end);
    await screen.until(chosen("T139"));
    expect(numbersOf(await screen.picture()).at(-1)).toBe("T139");
    screen.type(pageUp);
    await screen.until(chosen(`T${139 - page}`));
    screen.type(home);
    await screen.until(chosen("T100"));
    screen.type(keys.up);
    screen.type(escapeKey);
    await screen.until((shown) => !shown.includes(">T"));
    screen.type("q");
    expect(await screen.ended).toMatchObject({ exit: 0 });
  });

  test("Enter opens the movements of the chosen parcel, Esc goes back, all without a call", async () => {
    const { served, screen } = await openBoard({ parcels: three, movements: 30 });
    const { length } = served.sandbox.requests;
    screen.type(keys.down);
    await screen.until(chosen("T2"));
    screen.type(keys.down);
    screen.type(keys.enter);
    await screen.until(/^Anna Lindqvist; Mug; .*\nT1 {2}delivering\n[\s\S]*已揽收 30/);
    expect(await screen.picture()).not.toContain("已揽收 1\n");
    screen.type(keys.down);
    await screen.until((shown) => !shown.includes("T1  delivering"));
    for (const key of [pageDown, pageDown, pageDown, pageDown]) screen.type(key);
    await screen.until("已揽收 1\n");
    expect((await screen.picture()).split("\n").at(-1)).toBe("Esc back  q ends the watch  Up/Down scroll");
    screen.type(escapeKey);
    await screen.until(chosen("T1"));
    expect(served.sandbox.requests.length).toBe(length);
    screen.type(keys.enter);
    await screen.until("T1  delivering");
    screen.type("q");
    expect((await screen.ended).exit).toBe(0);
    expect(screen.isRaw).toBe(false);
  });

  test("at 40 columns the keys tell how to leave a filter, and that more movements follow", async () => {
    const { screen } = await openBoard({ parcels: three, movements: 30, columns: 40 });
    const footer = async () => (await screen.picture()).split("\n").at(-1);
    screen.type("/");
    screen.type("t1");
    screen.type(keys.enter);
    await screen.until(/1 with/);
    expect(await footer()).toBe("q ends the watch  Esc all  ? keys");
    screen.type(keys.enter);
    await screen.until("T1  delivering");
    expect(await footer()).toMatch(/^Esc back {2}Down \d+ more {2}q ends the watch$/);
    screen.type(end);
    await screen.until("已揽收 1\n");
    expect(await footer()).not.toContain("more");
    screen.type("q");
    await screen.ended;
  });

  test("Enter is not offered where no parcel matches", async () => {
    const { screen } = await openBoard({ parcels: three, columns: 140 });
    expect(await screen.picture()).toContain("Enter timeline");
    screen.type("/");
    screen.type("nowhere");
    screen.type(keys.enter);
    await screen.until(/0 with “nowhere”/);
    expect(await screen.picture()).toContain("Esc all");
    expect(await screen.picture()).not.toContain("Enter timeline");
    screen.type("q");
    await screen.ended;
  });

  test("Enter without a choice opens the first parcel", async () => {
    const { screen } = await openBoard({ parcels: three });
    screen.type(keys.enter);
    await screen.until(/^王伟; 书; /);
    screen.type(keys.ctrlC);
    expect((await screen.ended).exit).toBe(130);
  });

  test("/ filters by any part of number, receiver, item and state", async () => {
    const { screen } = await openBoard({ parcels: three });
    for (const [text, numbers] of [
      ["t3", ["T3"]],
      ["ANNA", ["T1"]],
      ["茶", ["T3"]],
      ["pick", ["T2", "T3"]],
      ["pick 李", ["T3"]],
      ["nowhere", []],
    ] as const) {
      screen.type("/");
      await screen.until("Filter: part of a number, receiver, item or state");
      screen.type(text);
      await screen.until(`Filter: ${text}\n`);
      expect(screen.cursor()).toMatchObject({ row: 0 });
      const shown = await screen.picture();
      expect(numbersOf(shown), text).toEqual(numbers);
      expect(shown.includes("No parcels match")).toBe(numbers.length === 0);
      screen.type(keys.enter);
      await screen.until(`Watching 3 parcels, ${numbers.length} with “${text}”`);
      screen.type(escapeKey);
      await screen.until(/^Watching 3 parcels {2}/);
    }
    screen.type("q");
    await screen.ended;
  });

  test("of parcels from the list, it filters by receiver and item before anything was kept", async () => {
    const { screen } = await openBoard({ parcels: three, isListed: true });
    screen.type(`/茶壶${keys.enter}`);
    await screen.until("Watching 3 parcels, 1 with “茶壶”");
    expect(numbersOf(await screen.picture())).toEqual(["T3"]);
    screen.type("q");
    await screen.ended;
  });

  test("keys that come faster than the pictures mean the parcels that match", async () => {
    const { screen } = await openBoard({ parcels: three });
    screen.type(`/T3${keys.enter}${keys.enter}`);
    await screen.until(/^李四; 茶壶; .*\nT3 {2}picked/);
    screen.type("q");
    await screen.ended;
  });

  test("while a filter is typed q and s are letters; Backspace and Esc take them back", async () => {
    const { screen } = await openBoard({ parcels: three });
    screen.type("/qs");
    await screen.until("Filter: qs\n");
    screen.type(keys.backspace);
    await screen.until("Filter: q\n");
    screen.type(escapeKey);
    await screen.until(/^Watching 3 parcels {2}[\s\S]*T1/);
    screen.type("q");
    expect((await screen.ended).exit).toBe(0);
  });

  test("s sorts by state, by number, and by the last change again", async () => {
    const { screen } = await openBoard({ parcels: three });
    expect(numbersOf(await screen.picture())).toEqual(["T2", "T1", "T3"]);
    screen.type("s");
    await screen.until("s sort: state");
    expect(numbersOf(await screen.picture())).toEqual(["T2", "T3", "T1"]);
    screen.type("s");
    await screen.until("s sort: number");
    expect(numbersOf(await screen.picture())).toEqual(["T1", "T2", "T3"]);
    screen.type("s");
    await screen.until("s sort: change");
    screen.type("q");
    await screen.ended;
  });

  test("the chosen parcel stays chosen when the order changes", async () => {
    const { screen } = await openBoard({ parcels: three });
    screen.type(keys.down);
    await screen.until(chosen("T2"));
    screen.type("ss");
    await screen.until("s sort: number");
    expect(await screen.picture()).toMatch(chosen("T2"));
    screen.type("q");
    await screen.ended;
  });

  test("? lists the keys, and goes back", async () => {
    const { screen } = await openBoard({ parcels: three });
    screen.type("?");
    await screen.until(/^Keys of the board\n[\s\S]*Ctrl-C/);
    for (const key of ["Up/Down", "PgUp/PgDn", "Enter", "/", "s", "Esc", "q"])
      expect(await screen.picture()).toMatch(new RegExp(`^${key.replace("?", "\\?")}:? `, "m"));
    screen.type(escapeKey);
    await screen.until(/^Watching/);
    screen.type("q");
    await screen.ended;
  });

  test("q before the goal is exit 7, as without a choice", async () => {
    const { screen } = await openBoard({ parcels: three, words: "--until delivered" });
    await screen.until(/^until delivered; /m);
    screen.type(`${keys.down}q`);
    expect((await screen.ended).exit).toBe(7);
  });
});

describe("what is written", () => {
  test("nothing where nothing changes; a few bytes for a step", async () => {
    const { served, screen } = await openBoard({ parcels: many });
    const settle = async () => {
      for (let index = 0; index < 20; index++) await turn();
      await screen.picture();
    };
    await settle();
    const before = screen.bytes;
    for (const key of [keys.left, "x", "\u001bOP", "\u0001"]) {
      screen.type(key);
      await settle();
    }
    expect(screen.bytes - before).toBe(0);
    screen.type(keys.down);
    await screen.until(chosen("T100"));
    expect(screen.bytes - before).toBeLessThan(400);
    const later = screen.bytes;
    screen.type(keys.down);
    await screen.until(chosen("T101"));
    expect(screen.bytes - later, "two rows and the place").toBeLessThan(400);
    const moved = screen.bytes;
    served.clock.advance(1_000);
    await settle();
    expect(screen.bytes - moved, "times").toBeLessThan(400);
    screen.type("q");
    await screen.ended;
  });

  test("text of the service does nothing, wherever it is shown", async () => {
    const parcels = [{ number: "T1", to: hostileText, item: hostileText }, { number: "T2" }];
    const { screen } = await openBoard({ parcels, text: hostileText });
    screen.type(keys.enter);
    await screen.until("T1  in_transit");
    screen.type(`${escapeKey}`);
    await screen.until(/^Watching/);
    screen.type("/x");
    await screen.until("Filter: x");
    screen.type(keys.ctrlC);
    await screen.ended;
    expectInert(screen.output.replace(ownMoves, ""));
  });
});

test.each(screenWidths)("the screens at %d columns", async (columns) => {
  const parcels = [...three, ...many.slice(0, 30)];
  const { screen } = await openBoard({ parcels, columns, movements: 3 });
  for (const [name, typed, sign] of [
    ["list", [], /^Watching/],
    ["chosen", [keys.down], />T2/],
    ["filter", ["/李"], /^Filter: 李/],
    ["timeline", [escapeKey, keys.enter], /\[picked\]/],
    ["keys", [escapeKey, "?"], /^Keys/],
  ] as const) {
    for (const key of typed) {
      screen.type(key);
      if (key === escapeKey) await screen.until(/^Watching/);
    }
    await screen.until(sign);
    const shown = await screen.picture();
    expect(tooWide(shown, columns)).toEqual([]);
    await expect(`${shown}\n`).toMatchFileSnapshot(`screens/track-keys-${name}-${columns}.txt`);
  }
  screen.type(keys.ctrlC);
  await screen.ended;
});
