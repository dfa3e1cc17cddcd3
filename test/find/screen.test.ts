/** The search screen of `courier find`: typing filters, and keys show, track, cancel, repeat and copy an order. */

import { describe, expect, test } from "vitest";
import type { Context } from "../../src/command/command.ts";
import { unnamedAccount } from "../../src/config/accounts.ts";
import { foundColumns } from "../../src/find/find.ts";
import { openSearchScreen } from "../../src/find/screen.ts";
import { listPicture } from "../../src/find/screen-view.ts";
import { jsonNumber } from "../../src/model/json.ts";
import type { FoundOrder } from "../../src/model/results.ts";
import { putConfig } from "../support/config-file.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createTwoCustomers, firstKey, secondKey } from "../support/customers.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { expectInert, hostileText, ownMoves } from "../support/hostile.ts";
import { readRuns } from "../support/ledger.ts";
import { type LiveScreenOptions, openLiveScreen } from "../support/live-screen.ts";
import { openMirror } from "../support/mirror.ts";
import { screenWidths, tooWide } from "../support/screens.ts";
import { type Script, scriptedPrompts } from "../support/scripted-prompts.ts";
import { keys } from "../support/terminal.ts";

const escapeKey = "\u001b";
const [pageUp, pageDown] = ["\u001b[5~", "\u001b[6~"];

async function createOrder(home: ServedHome, name: string, phone: string, item = "Tea Pot") {
  const words = ["orders", "create", "--sender-name", "店", "--receiver-name", name];
  const more = ["--receiver-phone", phone, "--receiver-detail", "世纪大道 100 号", "--item-name", item];
  const { exit, stdout } = await home.courier([...words, ...more, "--yes", "--json"]);
  expect(exit).toBe(0);
  return JSON.parse(stdout) as { id: number; tracking_number: string };
}

async function homeWithLi(options: Parameters<typeof createServedHome>[0] = {}) {
  const home = await createServedHome(options);
  await createOrder(home, "王伟", "13900001234", "书");
  const li = await createOrder(home, "李明", "13900004466");
  await createOrder(home, "李雷", "13900005577", "杯子");
  return { home, li };
}

/** The screen with the order to the 李 with 4466 open. */
async function openLi(home: ServedHome, options: LiveScreenOptions = {}) {
  const screen = openLiveScreen(home, "find", options);
  await screen.until("王伟");
  screen.type("李 4466");
  await screen.until(/Find: 李 4466\n(?![\s\S]*王伟)/);
  screen.type(keys.enter);
  await screen.until("c cancel");
  return screen;
}

function answering(script: Script) {
  return { prompts: scriptedPrompts(script) };
}

describe("one screen", () => {
  test("an Enter that was typed before the screen was there opens the order", async () => {
    const { home, li } = await homeWithLi();
    const screen = openLiveScreen(home, "find");
    await screen.until("王伟");
    screen.type("李 4466\n"); // as the terminal's line mode passes it on
    await screen.until(`courier orders show ${li.id}`);
    await screen.until("c cancel");
  });

  test("what is typed is found and shown without a call; t asks the service", async () => {
    const { home, li } = await homeWithLi();
    await home.courier("sync");
    const before = home.sandbox.requests.length;
    const screen = await openLi(home);
    await screen.until(/courier orders show \d+\n[\s\S]*13900004466/);
    expect(home.sandbox.requests.length).toBe(before);
    screen.type("t");
    await screen.until(`courier track ${li.tracking_number}\nanswer of just now`);
    expect(home.sandbox.requests.length).toBe(before + 1);
    screen.type(escapeKey);
    await screen.until("courier orders show");
    screen.type(escapeKey);
    await screen.until("Find: 李 4466");
    screen.type(escapeKey);
    await screen.until("王伟");
    screen.type(escapeKey);
    expect(await screen.ended).toMatchObject({ exit: 0, stderr: "" });
    expect(await screen.picture()).toBe("");
    expect(screen.isRaw).toBe(false);
  });

  test("an answer that the mirror has comes first, with its age, and the state is the newest", async () => {
    const { home, li } = await homeWithLi();
    const screen = await openLi(home);
    screen.type("t");
    await screen.until("answer of just now");
    screen.type(escapeKey);
    await screen.until("courier orders show");
    home.clock.advance(3 * 60_000);
    await home.sandbox.advance({ trackingNumber: li.tracking_number, to: "picked" });
    screen.type("t");
    await screen.until(/answer of just now[\s\S]*\[picked\]/);
    expect(screen.output).toContain("answer of 2 min ago; asking again");
    screen.type(escapeKey);
    await screen.until(/State +picked/);
    screen.type(escapeKey);
    await screen.until(/> \d+ .*picked/);
    screen.type(keys.ctrlC);
    expect((await screen.ended).exit).toBe(130);
    expect(screen.isRaw).toBe(false);
  });

  test("a terminal that goes away without a signal ends it", async () => {
    const { home } = await homeWithLi();
    const screen = openLiveScreen(home, "find");
    await screen.until("quit");
    screen.hangUp();
    await screen.ended;
    expect(screen.isRaw).toBe(false);
  });

  test("a failed call says why, and the screen goes on", async () => {
    const { home } = await homeWithLi();
    const screen = await openLi(home);
    const error = { kind: "refuse", status: 404, code: "NOT_FOUND", message: "no such parcel" } as const;
    home.sandbox.faults.set([{ ...error, times: 1 }]);
    screen.type("t");
    await screen.until(/no answer\nerror: .*no such parcel/);
    screen.type("t");
    await screen.until("answer of just now");
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("y copies the tracking number with OSC 52, and says so", async () => {
    const { home, li } = await homeWithLi();
    const screen = await openLi(home);
    screen.type("y");
    await screen.until(`Sent to the clipboard: ${li.tracking_number}, which some terminals refuse`);
    const base64 = Buffer.from(li.tracking_number).toString("base64");
    expect(screen.output).toContain(`\u001b]52;c;${base64}\u0007`);
    screen.type(keys.ctrlC);
    await screen.ended;
  });
});

describe("keys that run a command", () => {
  test("c asks as orders cancel does, and the row has the new state", async () => {
    const { home, li } = await homeWithLi();
    const { prompts } = answering({ confirms: [true] });
    const screen = await openLi(home, { prompts });
    screen.type("c");
    await screen.until("Press Enter to go back");
    expect(prompts.asked).toEqual([`Cancel order ${li.id} (pending, Tea Pot, to 李明)?`]);
    expect(await screen.picture()).toMatch(/OUTCOME[\s\S]*cancelled {2}pending {2}cancelled/);
    screen.type(keys.enter);
    await screen.until(/State +cancelled/);
    screen.type(escapeKey);
    await screen.until(/Find: 李 4466\n.*\n> \d+ .* cancelled /);
    screen.type(keys.ctrlC);
    const { exit, stderr } = await screen.ended;
    expect([exit, stderr.includes(`courier orders cancel ${li.id}`)]).toEqual([130, true]);
    const [last] = JSON.parse((await home.courier("log --json")).stdout);
    expect(last).toMatchObject({ command: "orders cancel" });
  });

  test("no cancels nothing", async () => {
    const { home, li } = await homeWithLi();
    const screen = await openLi(home, answering({ confirms: [false] }));
    screen.type("c");
    await screen.until("Press Enter to go back");
    screen.type(keys.enter);
    await screen.until(/State +pending/);
    screen.type(keys.ctrlC);
    await screen.ended;
    expect(JSON.parse((await home.courier(`orders show ${li.id} --json`)).stdout).status).toBe("pending");
  });

  test("Ctrl-C while the cancellation is sent: the screen waits until it is recorded, and says what is open", async () => {
    const { home, li } = await homeWithLi();
    const screen = await openLi(home, answering({ confirms: [true] }));
    home.sandbox.faults.set([{ kind: "stall", method: "DELETE" }]);
    const before = home.sandbox.requests.length;
    screen.type("c");
    await screen.until(() => home.sandbox.requests.slice(before).some(({ method }) => method === "DELETE"));
    screen.interrupt();
    const { exit, stderr } = await screen.ended;
    expect(exit).toBe(130);
    expect(stderr).toMatch(
      new RegExp(`stopped while order ${li.id} was being cancelled[\\s\\S]*error:.* interrupted`),
    );
    expect(screen.isRaw).toBe(false);
    expect((await readRuns(home)).at(-1)).toMatchObject({
      command: "orders cancel",
      exit: 130,
      operations: [{ kind: "cancel", state: "unknown" }],
    });
  });

  test("Ctrl-C while the command reads: it is reported once", async () => {
    const { home } = await homeWithLi();
    const screen = await openLi(home);
    home.sandbox.faults.set([{ kind: "stall", method: "GET" }]);
    const before = home.sandbox.requests.length;
    screen.type("c");
    await screen.until(() => home.sandbox.requests.length > before);
    screen.interrupt();
    const { exit, stderr } = await screen.ended;
    expect(exit).toBe(130);
    expect(stderr.match(/interrupted/g)).toHaveLength(1);
  });

  test("r opens the review of orders create, and the new order is there to be found", async () => {
    const { home, li } = await homeWithLi();
    const script = { choices: ["Send"], confirms: [true, false, false] };
    const { prompts } = answering(script);
    const screen = await openLi(home, { prompts, env: { NO_COLOR: "1" } });
    screen.type("r");
    await screen.until("Press Enter to go back");
    expect(prompts.asked[0]).toBe("What now?");
    screen.type(keys.enter);
    await screen.until(`courier orders show ${li.id}`);
    screen.type(escapeKey);
    await screen.until(/1 of 2; /);
    screen.type(keys.ctrlC);
    const { stderr } = await screen.ended;
    expect(stderr).toContain(`courier orders create --like ${li.id}`);
    expect(stderr).toMatch(/Receiver +李明 {2}13900004466/);
  });

  test("r sends nothing without a review", async () => {
    const { home } = await homeWithLi();
    const orders = async () => JSON.parse((await home.courier("orders list --all --json")).stdout).length;
    const before = await orders();
    const screen = await openLi(home, answering({ choices: ["Quit"] }));
    screen.type("r");
    await screen.until("Press Enter to go back");
    screen.type(keys.ctrlC);
    await screen.ended;
    expect(await orders()).toBe(before);
  });

  test("fifteen in a row leave nothing behind", async () => {
    const { home } = await homeWithLi();
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on("warning", onWarning);
    const screen = await openLi(home, answering({ confirms: Array(15).fill(false) }));
    for (let index = 0; index < 15; index++) {
      screen.type("c");
      await screen.until("Press Enter to go back");
      screen.type(keys.enter);
      await screen.until("c cancel");
    }
    screen.type(keys.ctrlC);
    await screen.ended;
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});

describe("the account was changed in another terminal", () => {
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };

  /** The accounts shop and till, whose services count their own orders, and the screen with shop's first order. */
  async function openShop(script: Script) {
    const [home, other] = [await createServedHome(), await createServedHome()];
    const storedAt = ({ sandbox }: ServedHome) => ({ base_url: sandbox.baseUrl, key: sandbox.apiKey });
    const accounts = { shop: storedAt(home), till: storedAt(other) };
    await putConfig(home, { current: "shop", accounts });
    const parties = "--sender-name 店 --receiver-name 李明 --item-name 书 --yes --json";
    const create = (account: string) =>
      home.courier(`orders create --account ${account} ${parties}`, { env });
    const [{ id }, second] = [await create("shop"), await create("till")].map(({ stdout }) =>
      JSON.parse(stdout),
    );
    expect(second.id).toBe(id);
    const list = async (account: string) =>
      JSON.parse((await home.courier(`orders list --account ${account} --json`, { env })).stdout).map(
        ({ status }: { status: string }) => status,
      );
    const screen = openLiveScreen(home, "find", { ...answering(script), env });
    await screen.until("李明");
    screen.type(keys.enter);
    await screen.until("c cancel");
    const orders = async () => ({ shop: await list("shop"), till: await list("till") });
    return { home, accounts, screen, orders };
  }

  test.each([
    ["c", { confirms: [true] }, ["cancelled"]],
    ["r", { choices: ["Send"], confirms: [true, false, false] }, ["pending", "pending"]],
  ])("%s acts on the account whose orders are shown", async (key, script, shop) => {
    const { home, screen, orders } = await openShop(script);
    expect((await home.courier("accounts use till", { env })).exit).toBe(0);
    screen.type(key);
    await screen.until("Press Enter to go back");
    screen.type(keys.ctrlC);
    await screen.ended;
    expect(await orders()).toEqual({ shop, till: ["pending"] });
  });

  test("c does nothing where the account has another service by then", async () => {
    const { home, accounts, screen, orders } = await openShop({ confirms: [true] });
    await putConfig(home, { current: "shop", accounts: { ...accounts, shop: accounts.till } });
    screen.type("c");
    const { exit, stderr } = await screen.ended;
    expect(exit).toBe(2);
    expect(stderr).toContain("the account shop was changed meanwhile: nothing was sent");
    await putConfig(home, { current: "shop", accounts });
    expect(await orders()).toEqual({ shop: ["pending"], till: ["pending"] });
  });
});

test.each(["keychain", "file"])(
  "c cancels no order of another customer, whose key the %s has by then",
  async (store) => {
    const home = await createTwoCustomers();
    const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
    const login = async (account: string, key: string) => {
      const to = `--account ${account} --base-url ${home.baseUrl} --allow-http --key-store ${store}`;
      const ran = await home.courier(`login ${to}`, { env, stdin: key });
      expect(ran.exit, ran.stderr).toBe(0);
    };
    await login("shop", firstKey);
    await login("till", secondKey);
    const create = async (account: string, name: string) => {
      const order = `--sender-name 店 --receiver-name ${name} --item-name 书`;
      const ran = await home.courier(`orders create --account ${account} ${order} --yes --json`, { env });
      expect(ran.exit, ran.stderr).toBe(0);
      return JSON.parse(ran.stdout).id;
    };
    expect(await create("shop", "李明")).toBe(await create("till", "王伟"));
    const screen = openLiveScreen(home, "find --account shop", { ...answering({ confirms: [true] }), env });
    await screen.until("李明");
    screen.type(keys.enter);
    await screen.until("c cancel");
    await login("shop", secondKey);
    screen.type("c");
    const { exit, stderr } = await screen.ended;
    expect([exit, stderr]).toEqual([2, expect.stringContaining("the account shop was changed meanwhile")]);
    const list = await home.courier("orders list --account till --json", { env });
    expect(JSON.parse(list.stdout)).toMatchObject([{ status: "pending" }]);
  },
);

describe("typing and moving", () => {
  test("backspace takes one character, Ctrl-W a word, Ctrl-U all; a paste with Enter opens what it finds", async () => {
    const { home, li } = await homeWithLi();
    const screen = openLiveScreen(home, "find");
    await screen.until("王伟");
    screen.type("李 44667");
    await screen.until("No orders match");
    screen.type(keys.backspace);
    await screen.until(/Find: 李 4466\n[\s\S]*1 of 1/);
    expect(screen.cursor()).toEqual({ row: 0, column: 13 });
    screen.type("\u0017");
    await screen.until(/Find: 李\n[\s\S]*1 of 2/);
    screen.type("\u0015");
    await screen.until("1 of 3");
    screen.type(`4466${keys.enter}`);
    await screen.until(`courier orders show ${li.id}`);
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("a paste of thousands of words is cut, and the keys after it count", async () => {
    const { home } = await homeWithLi();
    const screen = openLiveScreen(home, "find");
    await screen.until("王伟");
    screen.type(Array.from({ length: 10_000 }, (_, place) => `李${place}`).join(" "));
    await screen.until(/Find: .*\nNo orders match/);
    screen.type(keys.clear);
    screen.type("4466");
    await screen.until(/Find: 4466\n(?![\s\S]*王伟)[\s\S]*李明/);
    screen.type(keys.ctrlC);
    expect((await screen.ended).exit).toBe(130);
  });

  test("arrows and pages move through more orders than fit", async () => {
    const home = await createServedHome({ seedOrders: 60 });
    await home.courier("sync");
    const screen = openLiveScreen(home, "find", { rows: 16 });
    await screen.until(/1 of \d+\+; 60 orders/);
    screen.type(keys.up + keys.down + keys.down);
    await screen.until("3 of ");
    screen.type(pageDown + pageDown);
    await screen.until(/23 of \d+/);
    for (let page = 0; page < 8; page++) screen.type(pageDown);
    await screen.until("60 of 60; ");
    expect((await screen.picture()).split("\n").filter((line) => line.startsWith("> "))).toHaveLength(1);
    screen.type(pageUp);
    await screen.until("50 of 60; ");
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("a filter of the command line holds, and is shown", async () => {
    const { home } = await homeWithLi();
    const screen = openLiveScreen(home, "find --status delivered");
    await screen.until(/^Find --status delivered: /);
    await screen.until("No orders match");
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("an empty mirror says how it is filled", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const screen = openLiveScreen(home, "find");
    await screen.until(/The mirror is empty\nFill it with: courier sync/);
    screen.type(escapeKey);
    expect((await screen.ended).exit).toBe(0);
  });

  test("a mirror before its first sync says how to read all orders of the account", async () => {
    const home = await createServedHome({ seedOrders: 5 });
    const account = { base_url: home.sandbox.baseUrl, key: home.sandbox.apiKey };
    await putConfig(home, { current: "main", accounts: { main: account, shop: account } });
    const options = { env: { COURIER_API_KEY: "", COURIER_BASE_URL: "" } };
    await home.courier("find --account shop", options); // makes the mirror
    await home.courier("orders show 1 --account shop", options);
    const screen = openLiveScreen(home, "find --account shop", options);
    await screen.until("only 1 order; all: courier sync --account shop");
    screen.type(escapeKey);
    expect((await screen.ended).exit).toBe(0);
  });

  test("with --limit, --all, --no-input, --fields, a pipe or a dumb terminal there is a table", async () => {
    const { home } = await homeWithLi();
    for (const words of [
      "find --limit 5",
      "find --all",
      "find --no-input",
      "find --fields id",
      "find --json",
    ])
      expect((await home.courier(words, { terminal: 80 })).exit).toBe(0);
    expect((await home.courier("find")).stdout).toContain("李明");
    expect((await home.courier("find", { terminal: 80, env: { TERM: "dumb" } })).stdout).toContain("李明");
  });
});

describe("what is written", () => {
  test("nothing where nothing changed: another second, a key without a meaning, the first order's Up", async () => {
    const { home } = await homeWithLi();
    const screen = openLiveScreen(home, "find");
    await screen.until("王伟");
    const { bytes } = screen;
    for (const key of [keys.up, keys.left, "\u001bOP", "\u0001", pageUp]) {
      screen.type(key);
      await turns();
    }
    home.clock.advance(1_000);
    await turns();
    expect(screen.bytes - bytes).toBe(0);
    screen.type(keys.down);
    await screen.until("2 of 3");
    expect(screen.bytes - bytes, "two rows, the place, the command").toBeLessThan(800);
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("a key makes one search, which reads the file once where a page is found", async () => {
    const home = await createServedHome();
    const clock = createHandClock("2026-03-01T08:00:00Z");
    const mirror = await openMirror(home.stateDir, { account: "a", service: "b", key: "" }, { clock });
    const orders = Array.from({ length: 300 }, (_, index) => {
      const value = { id: jsonNumber(String(index + 1)), order_no: `SO${index}`, receiver: { name: "李" } };
      return { id: String(index + 1), kind: "list" as const, value };
    });
    await mirror.record(orders, clock.now());
    const counts = { searches: 0, others: 0, readings: 0 };
    const counted = {
      ...mirror,
      search(search: Parameters<typeof mirror.search>[0]) {
        counts.searches += 1;
        const between = async () => {
          counts.readings += 1;
          await search.between?.();
        };
        return mirror.search({ ...search, between });
      },
      order(id: string) {
        counts.others += 1;
        return mirror.order(id);
      },
      facts() {
        counts.others += 1;
        return mirror.facts();
      },
    };
    const signal = new AbortController().signal;
    const context = { clock, signal, nextCommand: (words: string) => `courier ${words}` };
    const toRow = ({ fields }: { fields: object }) => fields as FoundOrder;
    const describeNames = async () => undefined;
    const setup = {
      mirror: counted,
      search: {},
      filter: "",
      columns: foundColumns,
      toRow,
      describeNames,
      asksForKey: false,
    };
    const screen = await openSearchScreen(setup, context as unknown as Context);
    const room = { lines: 23, columns: 80, quitKey: "q" };
    await screen.screen(clock.now(), room);
    for (const text of ["SO1", "李", "o"]) {
      Object.assign(counts, { searches: 0, others: 0, readings: 0 });
      for (const key of text) screen.controls?.press(key);
      await screen.events.next();
      await screen.screen(clock.now(), room);
      expect(counts, text).toEqual({ searches: 1, others: 0, readings: 0 });
    }
    Object.assign(counts, { searches: 0, others: 0, readings: 0 });
    screen.controls?.press("up");
    await screen.events.next();
    expect(counts).toEqual({ searches: 0, others: 0, readings: 0 });
    screen.quit();
    mirror.close();
  });

  test("hostile texts do nothing to the terminal", async () => {
    const home = await createServedHome();
    const party = { name: hostileText, phone: hostileText, address: hostileText };
    const numbers = { id: jsonNumber("7"), tracking_number: hostileText, order_no: hostileText };
    const others = { status: hostileText, created_at: hostileText, [hostileText]: hostileText };
    await fillMirror(home, [{ ...numbers, ...others, sender: party, receiver: party, item: party }]);
    const screen = openLiveScreen(home, "find", { columns: 140, rows: 40 });
    await screen.until("> 7");
    screen.type(keys.enter);
    await screen.until("courier orders show 7");
    screen.type("y");
    await screen.until("Not copied: the tracking number has control characters");
    expect(screen.output).not.toContain("\u001b]52");
    screen.type("t");
    await screen.until("damaged");
    screen.type(keys.ctrlC);
    await screen.ended;
    expectInert(screen.output.replace(ownMoves, ""));
  });
});

describe("pictures", () => {
  const rows = [
    { id: 1000123, name: "李明", phone: "13900004466", status: "in_transit", item: "茶壶" },
    { id: 1000122, name: "Ólafur 🙂 李", phone: "+354 555 4466", status: "pending", item: "mug" },
    { id: 1000121, name: "欧阳娜娜娜娜娜娜娜", phone: "13900014466", status: "delivered", item: "书" },
  ];
  const orders = rows.map(({ id, name, phone, status, item }) => ({
    id: jsonNumber(String(id)),
    order_no: `CO${id}`,
    tracking_number: `CR10000${id}`,
    status,
    created_at: `2026-02-${id - 1000100}T08:00:00Z`,
    sender: { name: "小店", phone: "13800000000", address: "杭州市西湖区文一西路 969 号" },
    receiver: { name, phone, address: "上海市浦东新区世纪大道 100 号" },
    item: { name: item, weight: jsonNumber("1.50") },
  }));

  test.each(screenWidths)("the list, an order and its tracking, at %d columns", async (columns) => {
    const home = await createServedHome();
    await fillMirror(home, orders);
    const records = [
      { location: "上海市", description: "快件已到达", occurred_at: "2026-02-28T08:00:00Z" },
      { location: "杭州市", description: "快递员已取件", occurred_at: "2026-02-27T12:00:00Z" },
    ];
    const tracking = { tracking_number: "CR100001000123", status: "delivering", records };
    await fillMirror(home, [{ ...tracking, id: jsonNumber("1000123") }], "tracking", "2026-03-01T07:20:00Z");
    const screen = openLiveScreen(home, "find", { columns, rows: 30, env: { NO_COLOR: "1" } });
    const expectPicture = async (name: string) => {
      const picture = `${await screen.picture()}\n`;
      expect(tooWide(picture, columns)).toEqual([]);
      await expect(picture).toMatchFileSnapshot(`screens/find-${name}-${columns}.txt`);
    };
    await screen.until("1 of 3");
    screen.type("4466 ");
    screen.type("李");
    await screen.until("1 of 2");
    screen.type(keys.down);
    await screen.until("2 of 2");
    await expectPicture("list");
    screen.type(keys.up + keys.enter);
    await screen.until("courier orders show 1000123");
    await expectPicture("order");
    home.sandbox.faults.set([{ kind: "refuse", status: 404, code: "NOT_FOUND", message: "no such parcel" }]);
    screen.type("t");
    await screen.until("error:");
    await expectPicture("tracking");
    screen.type(keys.ctrlC);
    await screen.ended;
    expect(screen.output).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test.each([
    [80, 5],
    [40, 8],
    [20, 6],
    [12, 3],
  ])("a terminal of %d columns and %d rows", async (columns, height) => {
    const home = await createServedHome();
    await fillMirror(home, orders);
    const screen = openLiveScreen(home, "find", { columns, rows: height });
    await screen.until("> 1000123");
    screen.type(keys.down);
    await screen.until("> 1000122");
    expect((await screen.picture()).split("\n").length).toBeLessThan(height);
    expect(tooWide(await screen.picture(), columns)).toEqual([]);
    screen.type(keys.enter);
    await screen.until((shown) => shown.startsWith("courier"));
    expect((await screen.picture()).split("\n").length).toBeLessThan(height);
    screen.type(keys.ctrlC);
    await screen.ended;
  });

  test("narrower, wider, lower: one screen, and the place in the list stays", async () => {
    const home = await createServedHome({ seedOrders: 60 });
    await home.courier("sync");
    const screen = openLiveScreen(home, "find", { rows: 40 });
    await screen.until(/1 of \d+/);
    screen.type(pageDown);
    await screen.until(/^> .*/m);
    const chosen = async () => /^> (\d+)/m.exec(await screen.picture())?.[1];
    await screen.until(/[2-9]\d of \d+/);
    const before = await chosen();
    for (const [columns, height] of [
      [40, 12],
      [140, 30],
      [60, 6],
    ] as const) {
      screen.resize(columns, height);
      await screen.until((shown) => shown.split("\n").length <= height && shown.startsWith("Find"));
      await turns();
      expect(await chosen()).toBe(before);
      expect((await screen.picture()).split("Find").length).toBe(2);
    }
    screen.type(keys.ctrlC);
    await screen.ended;
  });
});

type Answers = Parameters<Awaited<ReturnType<typeof openMirror>>["record"]>[0];

async function fillMirror(
  home: ServedHome,
  orders: readonly object[],
  kind: Answers[number]["kind"] = "detail",
  at = "2026-03-01T07:00:00Z",
): Promise<void> {
  const owner = { account: unnamedAccount, service: home.sandbox.baseUrl, key: "test-key-0123456789" };
  const mirror = await openMirror(home.stateDir, owner);
  const answers = orders.map((value) => ({ id: String((value as { id: object }).id), kind, value }));
  await mirror.record(answers as Answers, Date.parse(at));
  mirror.close();
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resume) => setImmediate(resume));
}

test("a list of very many orders has a picture", () => {
  const order = { id: { value: "1" }, status: "pending" } as never;
  const searched = {
    path: "",
    orders: 1,
    notShown: 0,
    withoutPhone: 0,
    syncedAtMs: 0,
    syncedThrough: undefined,
  };
  const rest = {
    hasMore: true,
    isSearching: false,
    selected: 0,
    top: 0,
    nowMs: 0,
    command: "",
    syncCommand: "",
  };
  const picture = { text: "", filter: "", found: Array(200_000).fill(order), searched, ...rest };
  expect(listPicture(picture, foundColumns, { columns: 80, lines: 24 } as never)).not.toEqual([]);
});

test("a window that is enlarged shows more orders, without a key", async () => {
  const home = await createServedHome({ seedOrders: 60 });
  await home.courier("sync");
  const screen = openLiveScreen(home, "find", { columns: 80, rows: 12 });
  const rows = (picture: string) => picture.split("\n").filter((each) => /^[> ] +\d+ /.test(each)).length;
  await screen.until("1 of ");
  expect(rows(await screen.picture())).toBeLessThan(10);
  screen.resize(80, 40);
  await screen.until((picture) => rows(picture) > 30);
  screen.type(keys.ctrlC);
  await screen.ended;
});
