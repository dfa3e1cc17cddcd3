/** Two keys of one customer that the ledger knew as two: what was recorded of both counts once they are one. */

import { describe, expect, test } from "vitest";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { outcomes, row } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { createRenewedHome, firstKey, renewedKey } from "../support/renewed-service.ts";
import type { Rewriting } from "../support/shown-order.ts";
import type { MadeOrder } from "../support/unfaithful-ways.ts";
import { minuteMs } from "./known-home.ts";

const dayMs = 24 * 60 * minuteMs;
const rows = ["王一", "王二", "王三", "李四"].map((name, index) =>
  row(`A-${index}`, name, `1390013900${index}`),
);
const [one = "", two = ""] = rows;
const named = (name: string) => JSON.stringify({ ...plainDraft, item: { ...plainDraft.item, name } });
const create = (ref: string) => `orders create --file - --json --ref ${ref}`;

async function firstHome() {
  const renewed = await createRenewedHome();
  await renewed.login(firstKey, "--no-verify");
  return renewed;
}

/** The first two orders are shown with the data of each other. */
function exchange(orders: () => readonly MadeOrder[]): Rewriting {
  return (shown) => {
    const { body } = orders()[shown.id === 1 ? 1 : 0] as MadeOrder;
    return shown.id === 1 || shown.id === 2 ? { ...shown, receiver: body.receiver, item: body.item } : shown;
  };
}

describe("an import that runs meanwhile", () => {
  const many = Array.from({ length: 24 }, (_, index) =>
    row(`S-${index}`, `王${index}`, `139001${39_000 + index}`).replace("建国路88号", `南路${index}号`),
  );
  test.each([
    ["a profile is shown", true],
    ["the service has no profiles", false],
  ])("stops, and sends nothing again: %s", async (_why, showsProfile) => {
    const { home, courier, login, importRows, renew, sent } = await createRenewedHome();
    if (!showsProfile) {
      await login(renewedKey, "--no-verify --account second");
      expect((await courier("sync --account second")).exit).toBe(0);
    }
    await login(firstKey, "--no-verify --account first");
    const words = "--concurrency 1 --account first";
    expect((await importRows(many, words)).exit).toBe(0);
    home.clock.advance(30 * minuteMs);
    let isDone = false;
    const before = async () => {
      if (isDone) return;
      isDone = true;
      if (showsProfile) await renew("--account second");
      expect((await courier("orders resolve --account second")).exit).toBe(0);
    };
    home.service.ways = { before };
    const ran = await importRows([row("N-1"), ...many, row("N-2", "孙七", "13500135001")], words);
    expect([ran.exit, sent() <= 26], ran.stderr).toEqual([5, true]);
    expect(ran.stderr).toContain("another command has found out meanwhile");
    const again = await importRows([row("N-1"), ...many, row("N-2", "孙七", "13500135001")], words);
    expect([again.exit, sent()], again.stderr).toEqual([0, 26]);
  });
});

test("a list that lacks orders which it had shown to the first key proves nothing", async () => {
  const { home, importRows, renew, sent } = await firstHome();
  for (let time = 0; time < 2; time++) {
    expect((await importRows(rows.slice(0, 3))).exit).toBe(0);
    home.clock.advance(minuteMs);
  }
  const omitFromList = ({ id }: MadeOrder) => id >= 3;
  home.service.ways = { omitFromList };
  await importRows(rows.slice(0, 3));
  home.clock.advance(60 * minuteMs);
  home.service.ways = { omitFromList, loss: () => "after" };
  expect((await importRows(rows)).exit).toBe(6);
  home.service.ways = { omitFromList };
  await renew();
  for (const minutes of [1, 20, 60]) {
    home.clock.advance(minutes * minuteMs);
    const again = await importRows(rows);
    expect([again.exit, sent()], again.stderr).toEqual([6, 4]);
  }
});

test("the days are compared since the first key's last import", async () => {
  const { home, importRows, renew, sent } = await firstHome();
  expect((await importRows([one])).exit).toBe(0);
  home.clock.advance(10 * dayMs);
  const [made] = home.service.orders;
  const other = JSON.stringify(made?.body)
    .replaceAll("王一", "王二")
    .replaceAll("13900139000", "13900139001");
  home.service.foreign(JSON.parse(other));
  home.clock.advance(10 * dayMs);
  await renew();
  const ran = await importRows([one, two]);
  expect([ran.exit, outcomes(ran.report), sent()], ran.stderr).toEqual([3, "shipped held", 2]);
});

test("an order that a list had shown to the first key is no new one", async () => {
  const { home, courier, importRows, renew } = await firstHome();
  await importRows([one]);
  home.service.foreign({ ...plainDraft, item: { name: "绿茶", weight: 1, quantity: 1 } });
  expect((await courier("orders list --json")).exit).toBe(0);
  home.clock.advance(minuteMs);
  await renew();
  home.service.ways = { answerWith: () => 2 };
  const ran = await courier(create("B-1"), JSON.stringify(plainDraft));
  expect(JSON.parse(ran.stdout).id, ran.stderr).toBe(3);
});

test("an order that was taken from its create stays named so", async () => {
  const { home, courier, importRows, renew } = await firstHome();
  const other = row("A-2", "王五", "13700137001").replace("建国路88号", "南路2号");
  expect((await importRows([row("A-1"), other], "--concurrency 1")).exit).toBe(0);
  home.service.ways = { rewrite: exchange(() => home.service.orders) };
  const words = `orders cancel ${home.service.orders[0]?.trackingNumber} --yes --json`;
  expect((await courier(words)).exit).toBe(3);
  await renew();
  const again = await courier(words);
  expect([again.exit, home.service.orders[0]?.status], again.stderr).toEqual([3, "pending"]);
});

test("a ledger whose orders moved to a shared one sends nothing for either key", async () => {
  const { home, courier, renew, sent } = await firstHome();
  expect((await courier(create("A-1"), named("茶叶"))).exit).toBe(0);
  const ledger = (await loadDriver()).open(ledgerPath(home.stateDir));
  ledger.exec("INSERT INTO moved SELECT id, 'postgresql://db.example/courier' FROM customers");
  ledger.close();
  await renew("--account till");
  for (const account of ["default", "till"]) {
    const ran = await courier(`${create("A-2")} --account ${account}`, named("绿茶"));
    expect([ran.exit, sent()], ran.stderr).toEqual([5, 1]);
    expect(ran.stderr).toContain("its orders are kept in a shared ledger now");
  }
});

describe("a renewed key at a service without profiles is known by the customer's orders", () => {
  test("where the answers of two were exchanged", async () => {
    const { home, courier, login, sent } = await firstHome();
    const stdin = named("茶叶");
    const other = JSON.stringify({
      ...plainDraft,
      receiver: { ...plainDraft.receiver, name: "王五", phone: "13700137001" },
    });
    await courier(create("A-1"), stdin);
    await courier(create("A-2"), other);
    home.service.ways = { rewrite: exchange(() => home.service.orders) };
    home.clock.advance(minuteMs);
    await login(renewedKey, "--no-verify");
    const again = await courier(create("A-1"), stdin);
    expect([again.exit, sent()], again.stderr).toEqual([0, 2]);
  });

  test("where the website has changed the only one", async () => {
    const { home, courier, login, sent } = await firstHome();
    const stdin = named("茶叶");
    await courier(create("A-1"), stdin);
    home.clock.advance(60 * minuteMs);
    const receiver = {
      name: "王五",
      phone: "13700137001",
      address: "上海市上海市黄浦区南京东路5号",
      city: "上海市",
    };
    home.service.ways = { rewrite: (shown) => ({ ...shown, receiver: { ...shown.receiver, ...receiver } }) };
    await login(renewedKey, "--no-verify");
    await courier(create("A-1"), stdin);
    expect(sent()).toBe(1);
  });

  test("not by one that is cancelled and gone: what is in doubt besides is not sent", async () => {
    const { home, courier, login, sent } = await firstHome();
    await courier(create("A-1"), named("茶叶"));
    expect((await courier("orders cancel ref:A-1 --yes")).exit).toBe(0);
    const drops = {
      omitFromList: ({ id }: MadeOrder) => id === 1,
      refuseDetail: ({ path }: { readonly path: string }) =>
        path.endsWith("/1") ? { status: 404, code: "NOT_FOUND" } : undefined,
    };
    home.service.ways = { ...drops, loss: () => "after", refuseList: { status: 503 } };
    expect((await courier(create("A-2"), named("绿茶"))).exit).toBe(6);
    home.service.ways = drops;
    home.clock.advance(minuteMs);
    await login(renewedKey, "--no-verify");
    const again = await courier(create("A-2"), named("绿茶"));
    expect([again.exit, JSON.parse(again.stderr).error.code, sent()], again.stderr).toEqual([
      5,
      "customer_unknown",
      2,
    ]);
  });
});

test("while another key's order is in doubt, no command says that none is", async () => {
  const { home, courier, importRows, renew } = await firstHome();
  home.service.ways = { loss: () => "after", refuseList: { status: 503 } };
  expect((await importRows([one])).exit).toBe(6);
  home.service.ways = {};
  await renew();
  const listed = await courier("orders resolve --json");
  expect([listed.exit, JSON.parse(listed.stderr).error.code]).toEqual([5, "customer_unknown"]);
  const checked = await importRows([one], "--check");
  expect(checked.report, checked.stderr).toMatchObject({ compared: false });
});

test("the list of a key that may be another customer's settles nothing", async () => {
  const { home, courier, renew, sent } = await firstHome();
  for (const [ref, fate] of [
    ["R-1", "before"],
    ["R-2", "after"],
  ] as const) {
    home.service.ways = { loss: () => fate, refuseList: { status: 503 } };
    expect((await courier(create(ref), named(ref))).exit).toBe(6);
  }
  home.clock.advance(20 * minuteMs);
  home.service.ways = { omitFromList: () => true };
  await renew();
  for (let time = 0; time < 2; time++) {
    const resolved = await courier("orders resolve 1.1 --not-created --yes");
    expect(resolved.exit, resolved.stderr).toBe(time === 0 ? 0 : 2);
  }
  expect((await courier("log show 2 --json")).stdout).toContain('"state":"unknown"');
  expect(sent()).toBe(1);
});
