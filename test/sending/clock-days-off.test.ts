/** A machine whose clock is days off, at a service that does not tell its own: an order is not made twice. */

import { describe, expect, test } from "vitest";
import { plainDraft } from "../support/orders.ts";
import { createUnfaithfulHome, type UnfaithfulHome } from "../support/unfaithful-service.ts";
import type { Fate, ReceivedRequest } from "../support/unfaithful-ways.ts";

const dayMs = 86_400_000;
const create = "orders create --file - --json --settle 10s";
const stdin = JSON.stringify(plainDraft);

/** Sets this machine's clock, and not the service's. */
function setClock(home: UnfaithfulHome, days: number): void {
  home.clock.jump(days * dayMs);
  const { dateSkewMs = 0 } = home.service.ways;
  home.service.ways = { ...home.service.ways, dateSkewMs: dateSkewMs - days * dayMs };
}

/** The fate of all further creates. */
function lose(home: UnfaithfulHome, fate: Fate): void {
  home.service.ways = { ...home.service.ways, loss: () => fate };
}

async function importOrders(home: UnfaithfulHome, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, name: `收件人${index}`, phone: `139000${10_000 + index}` },
  }));
  const { exit, stderr } = await home.courier("orders import - --yes", { stdin: JSON.stringify(rows) });
  expect(exit, stderr).toBe(0);
}

const isOwn = ({ body }: { readonly body: object }) => JSON.stringify(body) === stdin;
const lists = ({ service }: UnfaithfulHome): readonly ReceivedRequest[] =>
  service.requests.filter(({ endpoint }) => endpoint === "list");

describe.each([0, 25])("with %i own orders known, an order whose answer was lost is found", (known) => {
  test.each([-30, -9, 9, 30])("by a clock that is off by %i days", async (days) => {
    const home = await createUnfaithfulHome({ hideDate: true });
    if (known > 0) await importOrders(home, known);
    setClock(home, days);
    lose(home, "after");
    const first = await home.courier(create, { stdin });
    lose(home, "answered");
    await home.courier(create, { stdin });
    expect(home.service.orders.filter(isOwn)).toHaveLength(1);
    expect(first.stderr).toMatch(/found it as|there are orders that may be it/);
  });
});

test("the list begins a day before the newest own order that is older, whatever the clock says", async () => {
  const home = await createUnfaithfulHome({ hideDate: true });
  await importOrders(home, 1);
  home.clock.advance(40 * dayMs);
  setClock(home, 30);
  lose(home, "after");
  expect((await home.courier(create, { stdin })).exit).toBe(6);
  expect(lists(home).at(-1)?.query).toMatchObject({ date_from: "2026-02-28" });
});

test("the last known error of the clock counts for nothing once the clock was set", async () => {
  const home = await createUnfaithfulHome();
  await importOrders(home, 1);
  home.clock.advance(5 * dayMs);
  setClock(home, 30);
  lose(home, "after");
  home.service.ways = { ...home.service.ways, refuseList: { status: 503 }, hideDate: true };
  expect((await home.courier(create, { stdin })).exit).toBe(6);
  home.service.ways = { ...home.service.ways, refuseList: () => undefined, hideDate: false };
  lose(home, "answered");
  for (let run = 0; run < 3; run++) {
    home.clock.advance(3 * dayMs);
    expect((await home.courier(create, { stdin })).stderr).toContain("possible matches: 2");
  }
  expect(home.service.orders.filter(isOwn)).toHaveLength(1);
});

test("where no order is known, the whole list is read", async () => {
  const home = await createUnfaithfulHome({ hideDate: true });
  home.service.foreign(plainDraft);
  home.clock.advance(300 * dayMs);
  lose(home, "before");
  expect((await home.courier(create, { stdin })).exit).toBe(6);
  expect(lists(home).map(({ query }) => query.date_from)).toEqual(lists(home).map(() => undefined));
  expect(home.service.orders).toHaveLength(1);
});

describe("orders made elsewhere are compared", () => {
  test.each([
    [0, "whole list"],
    [1, "days before the newest own order"],
  ])("by a clock that is 30 days ahead, with %i own orders known: %s", async (known) => {
    const home = await createUnfaithfulHome({ hideDate: true });
    if (known > 0) await importOrders(home, known);
    setClock(home, 30);
    home.service.foreign(plainDraft);
    const { exit, stdout } = await home.courier("orders import - --yes --json", {
      stdin: JSON.stringify([plainDraft]),
    });
    expect([exit, home.service.orders.filter(isOwn).length], stdout).toEqual([3, 1]);
  });

  test.each([
    ["right", 0, 0],
    ["ten days ahead at the first import", 10, 0],
    ["a year ahead at the first import", 365, 0],
    ["left behind at the day of the first import", 0, -19],
    ["five years behind at the second import", 0, -1826],
  ])("since the last import, by a clock that was %s", async (_what, first, second) => {
    const home = await createUnfaithfulHome();
    setClock(home, first);
    await importOrders(home, 1);
    setClock(home, -first);
    home.clock.advance(2 * dayMs);
    home.service.foreign(plainDraft);
    home.clock.advance(18 * dayMs);
    setClock(home, second);
    const { exit, stderr } = await home.courier("orders import - --yes --json", {
      stdin: JSON.stringify([plainDraft]),
    });
    expect([exit, home.service.orders.filter(isOwn).length], stderr).toEqual([3, 1]);
  });

  test("also since a time to come, where no clock tells how long ago it was", async () => {
    const home = await createUnfaithfulHome({ hideDate: true });
    setClock(home, 100);
    await importOrders(home, 1);
    setClock(home, -100);
    home.clock.advance(2 * dayMs);
    home.service.foreign(plainDraft);
    home.clock.advance(18 * dayMs);
    home.service.ways = { ...home.service.ways, hideDate: false };
    const { exit, stderr } = await home.courier("orders import - --yes --json", {
      stdin: JSON.stringify([plainDraft]),
    });
    expect([exit, home.service.orders.filter(isOwn).length], stderr).toEqual([3, 1]);
  });

  test("at least over three days after the clock was set back", async () => {
    const home = await createUnfaithfulHome();
    setClock(home, 30);
    await importOrders(home, 1);
    setClock(home, -30);
    home.clock.advance(60_000);
    home.service.foreign(plainDraft);
    home.clock.advance(2 * dayMs);
    const { exit } = await home.courier("orders import - --yes --json", {
      stdin: JSON.stringify([plainDraft]),
    });
    expect([exit, home.service.orders.filter(isOwn).length]).toEqual([3, 1]);
  });
});

test("a list that is too long is read from fewer days once its first page has told the service's clock", async () => {
  const home = await createUnfaithfulHome({ pageCap: 2 });
  await importOrders(home, 1);
  for (let count = 0; count < 120; count++) home.service.foreign(plainDraft);
  home.clock.advance(20 * dayMs);
  home.service.foreign(plainDraft);
  const { exit, stderr } = await home.courier("orders import - --yes --json", {
    stdin: JSON.stringify([plainDraft]),
  });
  expect(exit, stderr).toBe(3);
  expect(stderr).toContain(
    "Orders made elsewhere before 2026-03-18 were not compared: that takes 60 calls\n",
  );
});

describe("where more orders are listed than 50 calls show, a week is compared, and the next import counts from there", () => {
  test.each([
    ["this machine's clock was a year ahead at an import, without a Date", { hideDate: true }, 365, 0],
    ["the Date header was a year ahead at an import", {}, 0, 365],
  ])("after %s", async (_what, ways, clockDays, dateDays) => {
    const home = await createUnfaithfulHome(ways);
    await importOrders(home, 1);
    for (let count = 0; count < 120; count++) home.service.foreign(plainDraft);
    home.clock.advance(20 * dayMs);
    setClock(home, clockDays);
    const right = home.service.ways;
    const { dateSkewMs = 0 } = right;
    const [skewMs, stampSkewMs] = [dateSkewMs + dateDays * dayMs, -dateDays * dayMs];
    home.service.ways = { ...right, dateSkewMs: skewMs, stampSkewMs };
    const another = {
      ...plainDraft,
      receiver: { ...plainDraft.receiver, name: "周八", phone: "13700137008" },
    };
    const words = ["orders", "import", "-", "--yes", "--json"];
    expect((await home.courier(words, { stdin: JSON.stringify([another]) })).exit).toBe(0);
    home.service.ways = right;
    setClock(home, -clockDays);
    home.service.ways = { ...home.service.ways, pageCap: 2 };
    home.clock.advance(dayMs);
    const third = { ...plainDraft, receiver: { ...plainDraft.receiver, name: "吴九", phone: "13600136009" } };
    home.service.foreign(third);
    home.clock.advance(4 * dayMs);
    const held = await home.courier(words, { stdin: JSON.stringify([third]) });
    expect([held.exit, held.stderr]).toEqual([3, expect.stringContaining("were not compared: that takes")]);
    const covered = await home.courier([...words, "--skip-shipped"], { stdin: JSON.stringify([third]) });
    expect(covered.exit, covered.stderr).toBe(0);
    const next = await home.courier(words, { stdin: JSON.stringify([third]) });
    expect([next.exit, next.stderr]).toEqual([0, expect.not.stringContaining("compared")]);
  });
});

describe("at a service whose Date is three days ahead of its time stamps", () => {
  test.each([
    ["without a zone", 0],
    ["without a zone", 4],
    ["empty", 0],
    ["empty", 4],
    ["ISO 8601", 0],
    ["ISO 8601", 4],
  ])("which are %s, a lost order is not made again, with %i others known", async (form, earlier) => {
    const writeStamp = (iso: string) =>
      form === "empty" ? "" : form === "ISO 8601" ? iso : iso.slice(0, 19).replace("T", " ");
    const home = await createUnfaithfulHome({ dateSkewMs: 3 * dayMs, stampSkewMs: -3 * dayMs, writeStamp });
    if (earlier > 0) await importOrders(home, earlier);
    const draftOf = (name: string) => ({ ...plainDraft, receiver: { ...plainDraft.receiver, name } });
    const rows = [plainDraft, draftOf("周八"), draftOf("吴九")];
    lose(home, "answered");
    home.service.ways = {
      ...home.service.ways,
      loss: (_, number) => (number === earlier + 1 ? "after" : "answered"),
    };
    const words = ["orders", "import", "-", "--yes", "--settle", "10s"];
    for (let run = 0; run < 4; run++) {
      await home.courier(words, { stdin: JSON.stringify(rows) });
      home.clock.advance(20_000);
    }
    const names = home.service.orders.map(({ body }) => body.receiver.name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toContain(plainDraft.receiver.name);
  });
});
