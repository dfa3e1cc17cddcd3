/** An answer that named another order's id: nothing that is meant for the sent order happens to the other one. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { listRows } from "../../src/import/row-words.ts";
import { answerData, answerRaw, onePage, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createImportHome, outcomes, row, sheet } from "../support/imports.ts";
import { openLiveScreen } from "../support/live-screen.ts";
import { plainDraft } from "../support/orders.ts";
import type { ShownOrder } from "../support/shown-order.ts";
import { keys } from "../support/terminal.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const { receiver, item } = plainDraft;
/** Another receiver, and the same goods: a shop may always ship the same. */
const bert = { name: "王五", phone: "13700137000", address: "上海市浦东新区世纪大道1号" };
const address = [receiver.province, receiver.city, receiver.district, receiver.detail].join("");

async function homeThatShows(shown: object): Promise<ServedHome> {
  const home = await createServedHome();
  const words = "orders create --file - --json --ref A-1";
  const created = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
  const { order_no, tracking_number } = JSON.parse(created.stdout);
  const order = { id: 1000001, status: "pending", order_no, tracking_number, item, ...shown };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  return home;
}

test("an equal order is not sent for a day where the answer named another order, unless it is allowed", async () => {
  const home = await homeThatShows({ receiver: bert, item: { name: "雨伞" } });
  const send = (words = "") =>
    home.courier(`orders create --file - --json ${words}`, { stdin: JSON.stringify(plainDraft) });
  const posts = () => requestCount(home, "POST");
  expect((await send()).exit).toBe(2); // reads the details
  home.clock.advance(11 * 60_000);
  const refused = await send();
  expect([refused.exit, posts()], refused.stderr).toEqual([2, 1]);
  expect(refused.stderr).toContain("as 1000001, which the service shows as another order");
  expect(refused.stderr).toContain("courier orders resolve 1.1 --as ORDER");
  const allowed = await send("--allow-duplicate");
  expect([allowed.exit, posts()], allowed.stderr).toEqual([0, 2]);
});

describe("another receiver in all fields, and the same item", () => {
  test("cancel ref: leaves it alone, show says so", async () => {
    const home = await homeThatShows({ receiver: bert });
    const cancelled = await home.courier("orders cancel ref:A-1 --yes");
    expect([cancelled.exit, requestCount(home, "DELETE")]).toEqual([3, 0]);
    expect(cancelled.stderr).toContain("the service shows another receiver than was sent: 王五, ");
    expect((await home.courier("orders show ref:A-1")).stderr).toContain(
      "ref:A-1 led to order 1000001, but the service",
    );
  });

  test("undo leaves it alone, it has no slip for its ref, and a repeated ref warns", async () => {
    const home = await homeThatShows({ receiver: bert });
    const undone = await home.courier("undo 1 --yes --json");
    expect([undone.exit, requestCount(home, "DELETE")]).toEqual([3, 0]);
    expect(JSON.parse(undone.stdout)).toMatchObject([{ outcome: "left_alone", reason: "other_order" }]);
    const warning = "warning: the answer to 1.1 named order 1000001, but the service shows another receiver";
    const slips = await home.courier("orders slips ref:A-1 --json");
    expect(slips.stderr).toContain(warning);
    expect([slips.exit, slips.stdout]).toEqual([3, ""]);
    const byId = await home.courier("orders slips 1000001 --json");
    expect(JSON.parse(byId.stdout)).toMatchObject([{ ref: null }]);
    const words = "orders create --file - --json --ref A-1";
    const again = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
    expect([again.exit, requestCount(home, "POST")]).toEqual([0, 1]);
    expect(again.stderr).toContain(warning);
  });

  test.each(["", "--allow-duplicate"])(
    "where it is cancelled, the create is not, and a repeated ref does not send it %s",
    async (flag) => {
      const home = await homeThatShows({ receiver: bert, status: "cancelled" });
      const send = (ref: string) =>
        home.courier(`orders create --file - --json --ref ${ref} ${flag}`, {
          stdin: JSON.stringify(plainDraft),
        });
      for (let time = 0; time < 2; time++) {
        const again = await send("A-1");
        expect([again.exit, requestCount(home, "POST")], again.stderr).toEqual([2, 1]);
        expect(again.stderr).toContain(
          '"message":"order 1000001, which the answer to the order with the ref A-1 named, was cancelled, and may be another order; nothing was sent","hint":"see whose order it is: courier orders show 1000001; if courier orders list still does not have the sent one in an hour, send it with another ref"',
        );
      }
      const [logged] = JSON.parse((await home.courier("log show 1 --json")).stdout);
      expect(logged.order_state).not.toBe("cancelled");
      expect((await send("B-7")).exit).toBe(0);
      expect(requestCount(home, "POST")).toBe(2);
    },
  );

  test("with other numbers, undo leaves it alone, and the ref is in doubt", async () => {
    const home = await homeThatShows({ receiver: bert, order_no: "CO9", tracking_number: "CR9" });
    const undone = await home.courier("undo 1 --yes --json");
    expect([undone.exit, requestCount(home, "DELETE")]).toEqual([6, 0]);
    expect(JSON.parse(undone.stdout)).toMatchObject([{ outcome: "left_alone", reason: "other_order" }]);
    const words = "orders create --file - --json --ref A-1";
    const again = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
    expect([again.exit, requestCount(home, "POST")]).toEqual([2, 1]);
    expect(again.stderr).toContain("may or may not have been created");
  });

  test.each([
    ["the phone is the sent one", { ...bert, phone: receiver.phone }],
    ["the address is the sent one", { ...bert, address }],
    ["the phone is hidden in part", { ...bert, phone: "139****9000" }],
  ])("where %s, it may be the sent order", async (_what, shown) => {
    const home = await homeThatShows({ receiver: shown, order_no: "CO9", tracking_number: "CR9" });
    await home.courier("orders cancel ref:A-1 --yes");
    expect(requestCount(home, "DELETE")).toBe(1);
  });
});

const jose = { name: "José Núñez", phone: "13900100074", city: "Baoding", detail: "Wensan Road 478" };
const zoe = { name: "Zoë Müller", phone: "13600100185", address: "Changchun Nanjing Road 5" };
const li = { name: "李娜", phone: "13900100074", city: "保定市", detail: "莲池区文三路478号" };
const liAddress = "保定市莲池区文三路478号";
const longStreet = "Building 12, Room 1203, Wensan Road 478, beside the old railway station, Lianchi";

async function cancelShown(sent: object, shown: object) {
  const home = await createServedHome();
  const stdin = JSON.stringify({ ...plainDraft, receiver: sent });
  const created = await home.courier("orders create --file - --json --ref A-1 --yes", { stdin });
  const { id, order_no, tracking_number } = JSON.parse(created.stdout);
  const order = { id, status: "pending", order_no, tracking_number, item, receiver: shown };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  const cancelled = await home.courier("orders cancel ref:A-1 --yes");
  const deletes = requestCount(home, "DELETE");
  const undone = await home.courier("undo 1 --yes --json");
  return { home, cancelled, deletes, undone };
}

test.each<[string, object, object]>([
  ["a name with accents", jose, zoe],
  ["a name with an apostrophe", { ...jose, name: "Anne O'Neil" }, { ...zoe, name: "Zoe Muller" }],
  ["a long address", { ...jose, name: "Li Na", detail: longStreet }, { ...zoe, name: "Chen Jing" }],
  ["a hidden name that cannot be the sent one", li, { ...bert, name: "陈*" }],
  ["a hidden name that may be the sent one", li, { ...bert, name: "李*" }],
  ["a name that is hidden in whole", li, { ...bert, name: "***" }],
  ["a hidden name and phone", li, { ...bert, name: "陈*", phone: "136****0185" }],
  [
    "a hidden name, phone and address",
    li,
    { name: "陈*", phone: "136****0185", address: "上海市浦东新区****" },
  ],
])("%s, and another receiver: cancel ref: and undo leave the order alone", async (_what, sent, shown) => {
  const { home, cancelled, undone } = await cancelShown(sent, shown);
  expect([cancelled.exit, undone.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 3, 0]);
  expect(cancelled.stderr).toContain("the service shows another receiver than was sent");
  expect(JSON.parse(undone.stdout)).toMatchObject([{ outcome: "left_alone", reason: "other_order" }]);
  await home.courier("find");
  await home.courier("orders show 1000001");
  const found = await home.courier("find A-1");
  expect(found.stderr).toContain("the service shows order 1000001 with another receiver than was sent");
});

test.each<[string, object, object]>([
  ["without accents", jose, { ...zoe, name: "JOSE NUNEZ" }],
  ["as codes", { ...jose, name: "Anne O'Neil" }, { ...zoe, name: "Anne O&#39;Neil" }],
  ["hidden, with a part of the address", li, { ...bert, name: "李*", address: "保定市莲池区****" }],
  ["hidden in whole, with the sent address", li, { ...bert, name: "***", address: liAddress }],
  ["hidden, with both ends of the address", li, { ...bert, name: "李*", address: "保定市莲池区…478号" }],
  ["of another script, with the sent street", jose, { ...zoe, address: "河北省 Wensan Road 478" }],
  ["of another script, with a part of the address", li, { ...zoe, address: "保定市莲池区****" }],
  ["of another script, with most of the address hidden", li, { ...zoe, address: "河北省****" }],
])("a name that is shown %s may be the sent one: the order is cancelled", async (_what, sent, shown) => {
  const { cancelled, deletes } = await cancelShown(sent, shown);
  expect([cancelled.exit, deletes], cancelled.stderr).toEqual([3, 1]);
});

describe("an order that was given another receiver and item on the website", () => {
  const hourMs = 3_600_000;
  /** Its numbers, and what the list shows else, are those of the answer. */
  async function editedHome() {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "赵六", "13600136000")));
    expect((await home.run()).exit).toBe(0);
    const order = JSON.parse((await home.courier("orders show 1000001 --json")).stdout);
    const edited = { ...order, receiver: bert, item: { ...order.item, name: "耳机" } };
    answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(edited));
    const listed = JSON.parse((await home.courier("orders list --json")).stdout);
    const list = listed.map((each: { id: number }) =>
      each.id === 1000001 ? { ...each, receiver: { name: bert.name }, item_name: "耳机" } : each,
    );
    const pages = onePage.replace('"total_items":1', '"total_items":2');
    answerData(home, "GET /api/v1/orders", JSON.stringify(list), pages);
    return home;
  }

  test.each(["orders show ref:A-1", "orders cancel ref:A-1 --yes"])(
    "is not sent again after %s, however long that is ago",
    async (words) => {
      const home = await editedHome();
      expect((await home.courier(words)).stderr).toContain("is in doubt now");
      for (let time = 0; time < 3; time++) {
        const again = await home.run();
        expect([again.exit, outcomes(again.report)], again.stderr).toEqual([6, "unknown shipped"]);
        expect(again.report[0]?.error?.message).toContain("1000001");
        home.clock.advance(hourMs);
      }
      expect(home.posts).toBe(2);
      const undone = await home.courier("undo 1 --yes --json");
      expect(undone.exit, undone.stderr).toBe(6);
    },
  );

  test("is named by each import, and the service does not count as one that changes names", async () => {
    const home = await editedHome();
    for (let time = 0; time < 2; time++) {
      const done = path.join(home.directory, `done-${time}.csv`);
      const ran = await home.run(`--write-back ${done}`);
      expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped"]);
      expect(ran.stderr).toContain(
        "warning: the answer to 1.1 named order 1000001, but the service shows another receiver than was sent: 王五, 耳机",
      );
      expect(await readFile(done, "utf8")).toContain("the service shows another receiver than was sent");
    }
    expect((await home.courier("orders cancel ref:A-1 --yes")).stderr).toContain("is in doubt now");
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("stays in doubt until a person decides", async () => {
    const home = await editedHome();
    await home.courier("orders show ref:A-1");
    const refused = await home.courier("orders resolve ref:A-1 --not-created --yes");
    expect(refused.stderr).toContain("1000001");
    const resolved = await home.courier("orders resolve ref:A-1 --as 1000001 --yes");
    expect(resolved.exit, resolved.stderr).toBe(0);
    const again = await home.run();
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([0, "shipped shipped"]);
  });

  test("nor is a single order that is repeated with its ref", async () => {
    const home = await createServedHome();
    const words = "orders create --file - --ref A-1 --yes";
    const stdin = JSON.stringify(plainDraft);
    expect((await home.courier(words, { stdin })).exit).toBe(0);
    const order = JSON.parse((await home.courier("orders show 1000001 --json")).stdout);
    const edited = { ...order, receiver: bert, item: { ...item, name: "耳机" } };
    answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(edited));
    for (let time = 0; time < 3; time++) {
      const again = await home.courier(words, { stdin });
      expect(again.exit, again.stderr).toBe(2);
      expect(again.stderr).toContain("1000001");
      home.clock.advance(hourMs);
    }
    expect(requestCount(home, "POST")).toBe(1);
  });
});

/** Two creates to one receiver, and each order is shown with the other's item: their answers were exchanged. */
async function exchangedHome(): Promise<ServedHome> {
  const home = await createServedHome();
  const items = [item, { ...item, name: "台灯" }];
  const orders: object[] = [];
  for (const [index, each] of items.entries()) {
    const stdin = JSON.stringify({ ...plainDraft, item: each });
    const words = `orders create --file - --json --ref A-${index} --yes`;
    const { id, order_no, tracking_number } = JSON.parse((await home.courier(words, { stdin })).stdout);
    orders.push({ id, status: "pending", order_no, tracking_number, receiver: { ...receiver, address } });
  }
  for (const [index, order] of orders.entries())
    answerData(
      home,
      `GET /api/v1/orders/${1000001 + index}`,
      JSON.stringify({ ...order, item: items[1 - index] }),
    );
  return home;
}

test("find forgets what was sent where the ledger has taken the order from its create", async () => {
  const home = await createUnfaithfulHome();
  const foreign = home.service.foreign({
    ...plainDraft,
    receiver: { ...plainDraft.receiver, ...bert },
    item: { name: "台灯" },
  });
  home.service.ways = { answerWith: () => 1 };
  const words = "orders create --file - --ref A-1 --yes";
  const first = await home.courier(words, { stdin: JSON.stringify(plainDraft) });
  expect(first.exit, first.stderr).toBe(0);
  home.service.ways = {};
  const found = async (text: string) => {
    const { stdout } = await home.courier(["find", text, "--json"]);
    return JSON.parse(stdout).map(({ id }: { id: number }) => id);
  };
  expect(await found("A-1")).toEqual([foreign.id]);
  expect((await home.courier("sync")).exit).toBe(0);
  const warning = `warning: the service shows order ${foreign.id} with another receiver than was sent`;
  expect((await home.courier("find A-1")).stderr).toContain(warning);
  expect((await home.courier("orders list --offline")).stderr).toContain(warning);
  const screen = openLiveScreen(home, "find");
  await screen.until(bert.name);
  screen.type(`${bert.name}${keys.enter}`);
  await screen.until("Shown with another receiver than was sent");
  screen.type(keys.ctrlC);
  await screen.ended;
  await home.courier("orders show ref:A-1");
  expect(await found("A-1")).toEqual([]);
  expect(await found(receiver.phone)).toEqual([]);
  const resolved = await home.courier("orders resolve 1.1 --as 2 --yes");
  expect(resolved.exit, resolved.stderr).toBe(0);
  const own = home.service.orders.find(({ id }) => id !== foreign.id);
  for (const text of ["A-1", receiver.phone]) expect(await found(text)).toEqual([own?.id]);
});

test("find does not warn of a service that writes all names in its own way", async () => {
  const home = await createUnfaithfulHome({
    rewrite: ({ receiver, item: named, ...order }) => ({
      ...order,
      receiver: { ...receiver, name: `Pinyin ${receiver?.phone}` },
      item: { ...named, name: `Goods ${receiver?.phone}` },
    }),
  });
  for (let index = 0; index < 6; index++) {
    const draft = {
      ...plainDraft,
      receiver: { ...receiver, name: `王${index}`, phone: `1390013900${index}` },
    };
    const ran = await home.courier("orders create --file - --yes", { stdin: JSON.stringify(draft) });
    expect(ran.exit, ran.stderr).toBe(0);
  }
  await home.courier("sync");
  const found = await home.courier("find 13900139003");
  expect(found.stdout).toContain("Pinyin 13900139003");
  expect(found.stderr).not.toContain("warning");
});

describe("two orders to one receiver, whose answers were exchanged", () => {
  const shown = /the service shows the data of 2\.1: 李四, 台灯/;

  test("cancel ref:, undo and show say whose data the order has, and cancel nothing", async () => {
    const home = await exchangedHome();
    const cancelled = await home.courier("orders cancel ref:A-0 --yes");
    expect(cancelled.exit, cancelled.stderr).toBe(3);
    expect(cancelled.stderr).toMatch(shown);
    expect(cancelled.stderr).toContain("1.1 is in doubt now");
    const undone = await home.courier("undo 1 --yes");
    expect(undone.exit, undone.stderr).toBe(6);
    expect(undone.stderr).toContain("in doubt: 1.1");
    expect(requestCount(home, "DELETE")).toBe(0);
  });

  test("a repeated ref warns, and is in doubt", async () => {
    const home = await exchangedHome();
    const again = await home.courier("orders create --file - --ref A-0 --yes", {
      stdin: JSON.stringify(plainDraft),
    });
    expect([again.exit, requestCount(home, "POST")], again.stderr).toEqual([2, 2]);
    expect(again.stderr).toMatch(shown);
    expect(again.stderr).toContain("may or may not have been created");
  });
});

describe("an import whose first answer names the order of the second row, whose answer is lost", () => {
  async function importExchanged(...rows: readonly string[]) {
    const home = await createImportHome(sheet(...rows));
    const answer =
      '{"success":true,"data":{"id":1000002,"order_no":"CO2","tracking_number":"CR2","status":"pending"}}';
    answerRaw(home, "POST /api/v1/orders", answer, { status: 201, times: 1, processed: true });
    home.sandbox.faults.add({ kind: "drop_after", method: "POST", path: "/api/v1/orders", times: 1 });
    return { home, first: await home.run("--concurrency 1") };
  }

  test("two people of one name: each row gets its own order, by phone and address", async () => {
    const { home, first } = await importExchanged(
      row("A-1", "李四", "13511110001").replace("建国路88号", "北路1号"),
      row("B-1", "李四", "13622220002").replace("建国路88号", "南路2号"),
    );
    expect(first.exit, first.stderr).toBe(6);
    const again = await home.run();
    expect(
      again.report.map(({ ref, id }) => [ref, id]),
      again.stderr,
    ).toEqual([
      ["A-1", 1000001],
      ["B-1", 1000002],
    ]);
    expect(home.posts).toBe(2);
  });

  test("two orders to one receiver: each row gets its own order, by the goods", async () => {
    const { home, first } = await importExchanged(row("A-1"), row("B-1").replace("茶叶", "台灯"));
    expect(first.exit, first.stderr).toBe(6);
    expect(first.stderr).toContain("the report has row 1 with an order of another row");
    const again = await home.run();
    expect(again.report.map(({ ref, id }) => [ref, id])).toEqual([
      ["A-1", 1000001],
      ["B-1", 1000002],
    ]);
    expect(home.posts).toBe(2);
  });
});

test("at a service that cuts the names of items, the order of a lost row is taken from the row whose answer named it", async () => {
  const home = await createUnfaithfulHome({
    rewrite: ({ item: named, ...order }) => ({
      ...order,
      item: named && { ...named, name: String(named.name).slice(0, 3) },
    }),
  });
  const goods = ["耳机 & Pro", "书", "T-shirt <M>", "Mug & Co", "毛巾"];
  const people = goods.map((name, index) =>
    row(`A-${index}`, `王${index}`, `1370013700${index}`).replace("茶叶", name).replace("88号", `${index}号`),
  );
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(...people.slice(2)));
  const words = ["orders", "import", file, "--yes", "--json"];
  expect((await home.courier(words)).exit).toBe(0);
  home.service.ways = {
    ...home.service.ways,
    listLagMs: 3_000,
    loss: ({ body }) => (body.includes("王0") ? "after" : "answered"),
    answerWith: ({ body }) => (body.includes("王1") ? 4 : undefined),
  };
  await writeFile(file, sheet(...people));
  await home.courier(words);
  const { exit, stdout, stderr } = await home.courier(words);
  expect(exit, stderr).toBe(0);
  const receivers = JSON.parse(stdout).map(({ id }: { id: number }) => {
    const order = home.service.orders.find((each) => each.id === id);
    return order?.body.receiver.name;
  });
  expect(receivers).toEqual(["王0", "王1", "王2", "王3", "王4"]);
  expect(home.service.orders).toHaveLength(5);
});

test.each([
  ["the answer of the first lost", 3, true],
  ["none lost", 5, false],
  ["none lost", 8, false],
])(
  "answers that name the order before, %s, %i rows: a report that has a row with another row's order names it, and the last has none",
  async (_how, count, isLost) => {
    const home = await createUnfaithfulHome();
    const people = Array.from({ length: count }, (_, index) =>
      row(`A-${index}`, `王${index}`, `1370013700${index}`)
        .replace("茶叶", `茶叶${index}`)
        .replace("88号", `${index}号`),
    );
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...people));
    const words = ["orders", "import", file, "--yes", "--ndjson"];
    home.service.ways = {
      loss: (_request, n) => (isLost && n === 1 ? "after" : "answered"),
      answerWith: (_request, n) => n - 1,
      ...(isLost ? { refuseList: { status: 403 } } : {}),
    };
    await home.courier(words);
    home.service.ways = {};
    expect((await home.courier("find 王")).exit).toBe(0); // what it keeps of the refs is wrong in part
    let last: readonly number[] = [];
    for (let run = 0; run < count; run++) {
      const { exit, stdout, stderr } = await home.courier(words);
      last = stdout
        .split("\n")
        .filter(Boolean)
        .flatMap((line) => {
          const { row: number, id } = JSON.parse(line);
          const order = home.service.orders.find((each) => each.id === id);
          return order && order.body.receiver.name !== `王${number - 1}` ? [number] : [];
        });
      const noticed = [...stderr.matchAll(/the answer to 1\.(\d+) named order/g)].map(([, number]) =>
        Number(number),
      );
      const misreported = last.filter((number) => noticed.includes(number)).sort();
      if (misreported.length === 0) continue;
      const error = `the report has row ${listRows(misreported)} with an order of another row`;
      expect([exit, stderr]).toEqual([6, expect.stringContaining(error)]);
    }
    expect(last).toEqual([]);
    for (let number = 0; number < count; number++) {
      const { stdout, stderr } = await home.courier(`orders show ref:A-${number} --json`);
      expect(JSON.parse(stdout || "{}").receiver?.name, stderr).toBe(`王${number}`);
    }
    expect(home.service.orders).toHaveLength(count);
  },
);

test("the sheet of an import has no number of an order that it warns of, and warns once, and at its end", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const [made] = (await home.run()).report as unknown as { tracking_number: string }[];
  const order = { id: 1000001, status: "cancelled", tracking_number: made?.tracking_number };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...order, receiver: bert, item }));
  const listed = JSON.stringify([{ ...order, receiver: { name: bert.name }, item_name: item.name }]);
  answerData(home, "GET /api/v1/orders", listed, onePage);
  const done = path.join(home.directory, "done.csv");
  const ran = await home.run(`--write-back ${done}`);
  expect(ran.stderr.match(/the answer to 1\.1 named order 1000001/g)).toHaveLength(2);
  const text = await readFile(done, "utf8");
  expect(text).toContain("the service shows another receiver than was sent");
  expect(text).not.toContain(made?.tracking_number);
});

test("what undo takes from its create is not sent again unasked", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  expect((await home.run()).exit).toBe(0);
  const other = { id: 1000001, status: "pending", order_no: "CO9", tracking_number: "CR9", receiver: bert };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify({ ...other, item: { name: "台灯" } }));
  answerData(
    home,
    "GET /api/v1/orders",
    "[]",
    '"pagination":{"current_page":1,"total_pages":0,"total_items":0}',
  );
  const undone = await home.courier("undo 1 --yes");
  expect(undone.exit, undone.stderr).toBe(6);
  expect(undone.stderr).toContain("in doubt: 1.1");
  let again = await home.run();
  for (let day = 0; day < 2; day++) {
    home.clock.advance(86_400_000);
    again = await home.run();
  }
  expect([outcomes(again.report), home.posts], again.stderr).toEqual(["unknown", 1]);
  expect(JSON.parse((await home.courier("log show 1 --json")).stdout)).toMatchObject([{ state: "unknown" }]);
});

test("write-back --refresh warns where the service shows another order than the row's", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
  expect((await home.run()).exit).toBe(0);
  const order = { id: 1000001, status: "pending", receiver: bert, item };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  const written = await home.courier([
    "orders",
    "write-back",
    home.file,
    "--refresh",
    "-o",
    `${home.file}.new`,
  ]);
  expect(written.exit, written.stderr).toBe(0);
  expect(written.stderr).toContain(
    "the answer to 1.1 named order 1000001, but the service shows another receiver",
  );
  const { tracking_number } = JSON.parse((await home.courier("orders show 1000002 --json")).stdout);
  const text = await readFile(`${home.file}.new`, "utf8");
  expect(text).toMatch(/^A-1,.*,,,,,"the service shows another receiver than was sent: .*"$/m);
  expect(text).toContain(tracking_number);
});

test("write-back --refresh counts orders as in doubt that it takes from their creates, and names one that it cannot read", async () => {
  const home = await createImportHome(
    sheet(row("A-1"), row("A-2", "王五", "13700137000").replace("茶叶", "台灯")),
  );
  expect((await home.run("--concurrency 1")).exit).toBe(0);
  const refresh = async () =>
    home.courier(["orders", "write-back", home.file, "--refresh", "--json", "-o", `${home.file}.new`]);
  const fault = { kind: "status", status: 503, method: "GET", path: /orders\/1000002$/, body: "" } as const;
  home.sandbox.faults.set([fault]);
  const failed = await refresh();
  expect(failed.exit).toBe(5);
  expect(failed.stderr).toContain("order 1000002 could not be read, and the sheet is as it was: ");
  expect(failed.stderr).toContain("run the same command again");
  home.sandbox.faults.clear();
  const place = { phone: "13900139000", address: "北京市建国路88号" };
  const shown = { status: "pending" };
  const one = { ...shown, id: 1000002, receiver: { ...place, name: "李四" }, item: { name: "茶叶" } };
  const other = { ...place, name: "王五", phone: "13700137000" };
  const two = { ...shown, id: 1000001, receiver: other, item: { name: "台灯" } };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(two));
  answerData(home, "GET /api/v1/orders/1000002", JSON.stringify(one));
  const written = await refresh();
  expect(written.exit, written.stderr).toBe(0);
  expect(JSON.parse(written.stdout)).toMatchObject({ orders: 0, in_doubt: 2 });
});

const hideNames = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { ...shown.receiver, name: `${String(shown.receiver?.name).charAt(0)}*` },
});
const hidePhones = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { ...shown.receiver, phone: String(shown.receiver?.phone).replace(/(?<=^.{3})..../, "****") },
});

const hideAddresses = (shown: ShownOrder): ShownOrder => ({
  ...shown,
  receiver: { ...shown.receiver, address: "上海市浦东新区****" },
});

test("resolve --not-created reads the orders beside it: one of them may be its own, also with a hidden name", async () => {
  const home = await createUnfaithfulHome({ rewrite: hideNames });
  const file = path.join(home.directory, "orders.csv");
  const earlier = path.join(home.directory, "earlier.csv");
  const people = Array.from({ length: 25 }, (_, index) =>
    row(`E-${index}`, `孙${index}`, `138001380${10 + index}`),
  );
  await writeFile(earlier, sheet(...people));
  for (let run = 0; run < 3; run++) {
    expect((await home.courier(`orders import ${earlier} --yes --json`)).exit).toBe(0);
    home.clock.advance(60_000);
  }
  const other = row("R-2", "王五", "13700137001").replace("茶叶", "台灯").replace("88号", "1号");
  await writeFile(file, sheet(row("R-1"), other));
  home.service.ways = {
    rewrite: hideNames,
    loss: (_request, n) => (n === 26 ? "after" : "answered"),
    answerWith: (_request, n) => n - 1,
  };
  const words = `orders import ${file} --yes --json --settle 1s`;
  expect((await home.courier(words)).exit).toBe(6);
  const refused = await home.courier("orders resolve 4.1 --not-created --yes");
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringContaining("order 26 may be 4.1: nothing was recorded"),
  ]);
  home.service.ways = { rewrite: hideNames };
  await home.courier(words);
  expect(home.service.orders).toHaveLength(27);
});

/** Two rows, and the service shows each order with the other's data: the answers to the creates were exchanged. */
async function exchangedImport(hide: (shown: ShownOrder) => ShownOrder = (shown) => shown) {
  const home = await createUnfaithfulHome();
  const file = path.join(home.directory, "orders.csv");
  await writeFile(
    file,
    sheet(row("R-1"), row("R-2", "王五", "13700137001").replace("茶叶", "台灯").replace("88号", "1号")),
  );
  const ship = async (words = "") => {
    const ran = await home.courier(
      ["orders", "import", file, "--yes", "--json", ...words.split(" ")].filter(Boolean),
    );
    const report: { outcome: string; id: number }[] = JSON.parse(ran.stdout);
    return { ...ran, report: report.map(({ outcome, id }) => `${outcome} ${id}`) };
  };
  expect((await ship()).report).toEqual(["created 1", "created 2"]);
  const [one, two] = home.service.orders;
  home.service.ways = {
    rewrite: (shown) => {
      const other = { 1: two, 2: one }[Number(shown.id)];
      return hide(other ? { ...shown, receiver: other.body.receiver, item: other.body.item } : shown);
    },
  };
  const cancelElsewhere = async (id: number) => {
    const env = { COURIER_STATE_DIR: path.join(home.directory, "another machine") };
    expect((await home.courier(`orders cancel ${id} --yes`, { env })).exit).toBe(0);
  };
  return { home, ship, cancelElsewhere };
}

describe("two rows whose answers were exchanged", () => {
  const named =
    "the answer to 1.2 named order 2, but the service shows another receiver than was sent: 李四, 茶叶";

  test("cancel of an id leaves it alone and, once it was cancelled, the other row is not taken for cancelled", async () => {
    const { home, ship } = await exchangedImport();
    const left = await home.courier("orders cancel 2 --yes");
    expect([left.exit, left.stderr]).toEqual([
      3,
      expect.stringMatching(
        /shows another receiver than was sent: 李四, 茶叶; 1\.2 is in doubt now.*again cancels it/,
      ),
    ]);
    expect((await home.courier("orders cancel 2 --yes")).exit).toBe(0);
    expect((await ship()).report).toEqual(["cancelled 2", "found 1"]);
    expect((await ship("--allow-duplicate R-1")).report).toEqual(["created 3", "shipped 1"]);
    expect(home.service.orders.map(({ status }) => status)).toEqual(["pending", "cancelled", "pending"]);
  });

  test("an import that reads the cancelled order says so", async () => {
    const { ship, cancelElsewhere } = await exchangedImport();
    await cancelElsewhere(2);
    const ran = await ship();
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining(named)]);
    expect(ran.report[1]).toBe("found 1");
    expect((await ship()).report).toEqual(["cancelled 2", "shipped 1"]);
  });

  test("an equal single order is not sent where that order was cancelled", async () => {
    const { home, cancelElsewhere } = await exchangedImport();
    await cancelElsewhere(2);
    const stdin = home.service.orders[1]?.text ?? "";
    const created = await home.courier("orders create --file - --yes", { stdin });
    expect([created.exit, home.service.orders.length], created.stderr).toEqual([2, 2]);
    expect(created.stderr).toContain(named);
  });

  test.each([
    ["names", hideNames],
    ["names and phones", (shown: ShownOrder) => hidePhones(hideNames(shown))],
    ["names and addresses", (shown: ShownOrder) => hideAddresses(hideNames(shown))],
    ["names, phones and addresses", (shown: ShownOrder) => hideAddresses(hidePhones(hideNames(shown)))],
  ])("also where the service hides %s: no other parcel is cancelled", async (_what, hide) => {
    const { home } = await exchangedImport(hide);
    const shown = await home.courier("orders show ref:R-1 --json");
    expect(shown.stderr).toContain("ref:R-1 led to order 1, but the service shows");
    expect([shown.exit, shown.stdout]).toEqual([6, ""]);
    expect((await home.courier("orders resolve --json")).stdout).toContain('"1.1"');
    const cancelled = await home.courier("orders cancel ref:R-1 --yes");
    expect(cancelled.exit, cancelled.stderr).not.toBe(0);
    expect(home.service.orders.map(({ status }) => status)).toEqual(["pending", "pending"]);
  });

  test("show of an id says so", async () => {
    const { home, ship } = await exchangedImport();
    const shown = await home.courier("orders show 2");
    expect([shown.exit, shown.stderr]).toEqual([0, expect.stringContaining(named)]);
    await ship();
    expect((await ship()).report).toEqual(["shipped 2", "shipped 1"]);
  });

  test("undo takes the cancelled order for none of the other row", async () => {
    const { home, cancelElsewhere } = await exchangedImport();
    await cancelElsewhere(2);
    const undone = await home.courier("undo 1 --yes --json");
    expect(JSON.parse(undone.stdout), undone.stderr).not.toContainEqual(
      expect.objectContaining({ ref: "R-2", outcome: "already_cancelled" }),
    );
  });
});

test("a service that shows one name and one item for all orders takes no order from its create", async () => {
  const home = await createUnfaithfulHome({
    rewrite: (shown) => ({
      ...shown,
      receiver: { ...hidePhones(shown).receiver, name: "客户", address: "上海市****" },
      item: { ...shown.item, name: "货物" },
    }),
  });
  const file = path.join(home.directory, "orders.csv");
  await writeFile(file, sheet(row("R-1"), row("R-2", "王五", "13700137001")));
  const words = `orders import ${file} --yes --json`;
  expect((await home.courier(words)).exit).toBe(0);
  expect((await home.courier(words)).exit).toBe(0);
  for (const line of ["orders show ref:R-1", "orders cancel 2 --yes"]) {
    const ran = await home.courier(line);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
  }
  const again = await home.courier(words);
  expect(outcomes(JSON.parse(again.stdout)), again.stderr).toBe("shipped cancelled");
});

test("cancel leaves an order alone that a number led to and that has others, unless its id is named", async () => {
  const home = await homeThatShows({ receiver: { ...receiver, address } });
  const { tracking_number } = JSON.parse((await home.courier("orders show 1000001 --json")).stdout);
  home.sandbox.faults.clear();
  const order = { id: 1000001, status: "pending", order_no: "CO9", tracking_number: "CR9", receiver, item };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  const cancelled = await home.courier(`orders cancel ${tracking_number} --yes`);
  expect([cancelled.exit, requestCount(home, "DELETE")], cancelled.stderr).toEqual([3, 0]);
  expect(cancelled.stderr).toContain(
    `order 1000001 was left alone: ${tracking_number} was known as a number of order 1000001, which has CO9 and CR9; name it by its id`,
  );
  await home.courier(`orders cancel ${tracking_number} 1000001 --yes`);
  expect(requestCount(home, "DELETE")).toBe(1);
});

test("show warns where the order that a number led to has others", async () => {
  const home = await homeThatShows({ receiver: { ...receiver, address } });
  const { stdout } = await home.courier("orders show 1000001 --json");
  const { tracking_number } = JSON.parse(stdout);
  home.sandbox.faults.clear();
  const order = { id: 1000001, order_no: "CO9", tracking_number: "CR9", receiver, item };
  answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(order));
  const shown = await home.courier(`orders show ${tracking_number}`);
  expect(shown.exit).toBe(0);
  expect(shown.stderr).toContain(
    `warning: ${tracking_number} was known as a number of order 1000001, which has CO9 and CR9`,
  );
});

describe("where two orders have each other's numbers since they were made", () => {
  async function renumberedHome() {
    const home = await createUnfaithfulHome();
    home.service.foreign(plainDraft);
    const words = "orders create --file - --ref A-1 --json";
    const own = { ...plainDraft, receiver: { ...plainDraft.receiver, name: "王五" } };
    const made = JSON.parse((await home.courier(words, { stdin: JSON.stringify(own) })).stdout);
    const rewrite = (shown: ShownOrder) =>
      String(shown.id) === "1"
        ? { ...shown, tracking_number: made.tracking_number, order_no: made.order_no }
        : { ...shown, tracking_number: "SF1", order_no: "NO1" };
    home.service.ways = { ...home.service.ways, rewrite };
    home.clock.advance(60_000);
    expect((await home.courier("sync")).exit).toBe(0);
    return { home, made };
  }

  test("cancel by the number that the create printed cancels no other order", async () => {
    const { home, made } = await renumberedHome();
    const cancelled = await home.courier(`orders cancel ${made.tracking_number} --yes`);
    expect(cancelled.exit, cancelled.stderr).toBe(3);
    expect(cancelled.stderr).toContain(
      `order 1 was left alone: ${made.tracking_number} is the number with which order 2 was made, and leads to order 1 now; name it by its id`,
    );
    expect(home.service.orders.map(({ status }) => status)).toEqual(["pending", "pending"]);
    expect((await home.courier("orders cancel SF1 --yes")).exit).toBe(0);
    expect(home.service.orders.map(({ status }) => status)).toEqual(["pending", "cancelled"]);
  });

  test("a copy of the number that the create printed is no copy of another order", async () => {
    const { home, made } = await renumberedHome();
    const { exit, stderr } = await home.courier(`orders create --like ${made.tracking_number} --yes`);
    expect([exit, home.service.orders.length], stderr).toEqual([2, 2]);
    expect(stderr).toContain(
      `${made.tracking_number} is the number with which order 2 was made, and leads to order 1 now\nhint: name the order that is meant by its id\n`,
    );
    expect((await home.courier("orders create --like 2 --yes --dry-run")).exit).toBe(0);
  });

  test("track of its ref asks for the number that it has now", async () => {
    const { home } = await renumberedHome();
    await home.courier("track ref:A-1");
    const asked = home.service.requests.filter(({ endpoint }) => endpoint === "tracking");
    expect(asked.map(({ path: asked }) => asked.split("/").at(-1))).toContain("SF1");
  });
});

test.each([0, 3])(
  "an import's answer that named the website's order: its row is in doubt, %i orders known before",
  async (known) => {
    const home = await createUnfaithfulHome();
    const file = path.join(home.directory, "orders.csv");
    const ship = async (...rows: readonly string[]) => {
      await writeFile(file, sheet(...rows));
      const ran = await home.courier(`orders import ${file} --yes --json`);
      return { ...ran, report: JSON.parse(ran.stdout) };
    };
    const before = Array.from({ length: known }, (_, index) =>
      row(`K-${index}`, `王${index}`, `1390013900${index}`),
    );
    if (known > 0) expect((await ship(...before)).exit).toBe(0);
    let id = 0;
    const answerWith = ({ body }: { body: string }) => {
      if (!body.includes("孙大力")) return undefined;
      const party = { name: "钱七", phone: "13600136000", city: "上海市", detail: "中山路1号" };
      id = home.service.foreign({ ...plainDraft, receiver: party, item: { name: "陶瓷杯" } }).id;
      return id;
    };
    home.service.ways = { answerWith, commitDelayMs: ({ body }) => (body.includes("孙大力") ? 1e9 : 0) };
    const rows = [row("A", "孙大力", "13722223333"), row("B", "周文", "13533334444")];
    const ran = await ship(...rows);
    expect(ran.stderr).toContain(`named order ${id}, but the service shows another receiver`);
    expect([ran.exit, ran.stderr.includes(" is in doubt now")], ran.stderr).toEqual([6, true]);
    const cancelled = await home.courier("orders cancel ref:A --yes");
    expect(cancelled.exit, cancelled.stderr).toBe(6);
    expect(home.service.orders.every(({ status }) => status === "pending")).toBe(true);
  },
);
