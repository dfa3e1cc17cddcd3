/** Pastes, impatient fingers, wide characters, narrow and changing windows, plain terminals, redirected results. */

import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { sentBodies } from "../support/answers.ts";
import { createServedTerminalHome, createTerminalHome, keys } from "../support/terminal.ts";
import { body, declineSaving, fillForm, fillItem, fillParty, instead, li, phone, zhang } from "./person.ts";

const threeLines = "张三\n13800138000\n广东省深圳市南山区科技园路1号 A座 502";

describe("an address of several lines", () => {
  test.each([
    ["plain", `${threeLines.replaceAll("\n", "\r")}\r\r`],
    ["bracketed", `\u001b[200~${threeLines.replaceAll("\n", "\r")}\r\u001b[201~\r`],
    ["with line feeds", `${threeLines}\n\n`],
  ])("is taken whole when pasted (%s), and each part can be edited", async (_how, pasted) => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create");
    await terminal.choose("Sender", "paste an address as text");
    await terminal.until("paste the address, then an empty line");
    terminal.type(pasted);
    await terminal.choose("Is this sender right?", "edit its fields");
    // However it was split: every field can be set right.
    await fillParty(terminal, "Sender", zhang.map(instead));
    await terminal.choose("Receiver", "new address");
    await fillParty(terminal, "Receiver", li);
    await fillItem(terminal, phone);
    await terminal.choose("Service level", "express");
    await terminal.choose("What now?", "Send this order");
    await declineSaving(terminal, "张三", "李四");
    await terminal.ended;
    expect(sentBodies(home)).toEqual([body]);
  });
});

/** All is given but the receiver's last field, so that the review comes right after it. */
const butOneField = [
  ...[
    "orders",
    "create",
    "--item-name",
    "书",
    "--item-description",
    "旧",
    "--item-weight",
    "1",
    "--item-value",
    "2",
  ],
  ...[
    "--item-quantity",
    "1",
    "--service-type",
    "express",
    "--sender-name",
    "张三",
    "--sender-phone",
    "13800138000",
  ],
  ...[
    "--sender-province",
    "广东省",
    "--sender-city",
    "深圳市",
    "--sender-district",
    "南山区",
    "--sender-detail",
    "1号",
  ],
  ...["--receiver-name", "李四", "--receiver-phone", "13900139000", "--receiver-province", "北京市"],
  ...["--receiver-city", "北京市", "--receiver-district", "朝阳区"],
];

describe("what was typed or pasted before the review was seen does not send the order", () => {
  test.each([
    ["many lines pasted into a field of one line", "建国路88号\r".repeat(300)],
    ["lines parted by line feeds", "建国路88号\n".repeat(300)],
    ["a bracketed paste of many lines", `\u001b[200~${"建国路88号\r".repeat(100)}\u001b[201~\r`],
    ["Enter held down", keys.enter.repeat(500)],
    ["Enter and arrows", `${keys.enter}${keys.up}${keys.enter}y`.repeat(60)],
    ["Enter, and half a line after it", `${keys.enter}${keys.enter}${keys.down}`],
  ])("%s", async (_what, typed) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField);
    await terminal.until("? Receiver street address");
    terminal.type(typed);
    await terminal.until(/\? What now\?\n❯ (?:Send|Change)/);
    await terminal.choose("What now?", "Quit without sending");
    expect((await terminal.ended).exit).toBe(130);
    expect(home.sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("nor does a paste that comes in pieces", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField);
    await terminal.until("? Receiver street address");
    for (let piece = 0; piece < 6; piece++) {
      terminal.type("11\n11\n11\n");
      await wait(150);
    }
    await terminal.choose("What now?", "Quit without sending");
    expect((await terminal.ended).exit).toBe(130);
    expect(home.sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("nor does it answer the question about an equal order", async () => {
    const home = await createServedTerminalHome();
    for (const end of ["Save", "The same order was sent"]) {
      const terminal = home.open([...butOneField, "--receiver-detail", "8号"]);
      await terminal.choose("What now?", "Send this order");
      terminal.type(`y${keys.enter}`.repeat(50));
      await terminal.until(`? ${end}`);
      terminal.type(keys.ctrlC);
      await terminal.ended;
    }
    expect(home.sandbox.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

test.each([0, 5, 20, 40])(
  "what is typed %s ms after a line, before a list takes keys, is not shown",
  async (delayMs) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField);
    await terminal.until("? Receiver street address");
    terminal.type(`Somewhere${keys.enter}`); // with what follows, it is no address that was pasted
    if (delayMs > 0) await wait(delayMs);
    terminal.type("typed ahead");
    await terminal.choose("What now?", "Quit without sending");
    await terminal.ended;
    expect(terminal.output).not.toContain("typed ahead");
  },
);

describe("wide characters", () => {
  test("take two columns each, and backspace takes back one character", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField);
    await terminal.until("? Receiver street address");
    const start = terminal.cursor();
    terminal.type("朝阳区建国路");
    await terminal.until("? Receiver street address 朝阳区建国路");
    expect(terminal.cursor()).toEqual({ row: start.row, column: start.column + 12 });
    terminal.type(keys.backspace.repeat(3));
    await terminal.until(/\? Receiver street address 朝阳区$/m);
    expect(terminal.cursor()).toEqual({ row: start.row, column: start.column + 6 });
    terminal.type(`${keys.left}安`);
    await terminal.until(/\? Receiver street address 朝阳安区$/m);
    await terminal.answer("Receiver street address", `${keys.end}${instead("朝阳🏠👧")}${keys.backspace}`);
    await terminal.until("北京市 北京市 朝阳区 朝阳🏠\n");
    await terminal.choose("What now?", "Send this order");
    await terminal.until("? Save");
    expect(sentBodies(home)[0]).toContain('"detail":"朝阳🏠"');
  });

  test("longer than the terminal is wide, a line can be written, read and mended", async () => {
    const home = await createServedTerminalHome();
    const long = "内蒙古自治区呼和浩特市新城区成吉思汗大街与哲里木路交叉口东北角万达广场三号楼二单元一零一室";
    const terminal = home.open(butOneField, { columns: 40 });
    await terminal.until("? Receiver street address");
    const above = terminal.screen().split("? Receiver")[0];
    for (const letter of long) {
      terminal.type(letter);
      await terminal.until((screen) => unwrapped(screen).endsWith(letter));
    }
    await terminal.until((screen) => unwrapped(screen).endsWith(`? Receiver street address${long}`));
    expect(terminal.screen().startsWith(above ?? "?")).toBe(true);
    await terminal.answer("Receiver street address", `${keys.backspace}厅`);
    await terminal.choose("What now?", "Send this order");
    await terminal.until("? Save");
    expect(JSON.parse(sentBodies(home)[0] ?? "").receiver.detail).toBe(`${long.slice(0, -1)}厅`);
  });

  test("Home, End and the arrows move through a line of several rows", async () => {
    const home = await createServedTerminalHome();
    const long = "内蒙古自治区呼和浩特市新城区成吉思汗大街与哲里木路交叉口东北角万达广场三号楼二单元一零一室";
    const terminal = home.open(butOneField, { columns: 40 });
    await terminal.until("? Receiver street address");
    const start = terminal.cursor();
    const expectCursor = (rows: number, column: number) =>
      terminal.until(() => {
        const { row, column: at } = terminal.cursor();
        return row === start.row + rows && at === column;
      });
    terminal.type(long);
    // 7 characters beside the question, 20 in each row below it.
    await expectCursor(2, 36);
    terminal.type(keys.home);
    await expectCursor(0, start.column);
    terminal.type(keys.right.repeat(8));
    await expectCursor(1, 2);
    terminal.type(keys.left.repeat(2));
    await expectCursor(0, start.column + 12);
    terminal.type("新");
    await terminal.until((screen) => unwrapped(screen).endsWith(`${long.slice(0, 6)}新${long.slice(6)}`));
    await expectCursor(1, 0);
    terminal.type(keys.end);
    await expectCursor(2, 38);
    terminal.type(keys.enter);
    await terminal.choose("What now?", "Send this order");
    await terminal.until("? Save");
    expect(JSON.parse(sentBodies(home)[0] ?? "").receiver.detail).toBe(
      `${long.slice(0, 6)}新${long.slice(6)}`,
    );
  });
});

describe("a window that changes", () => {
  test.each([
    [80, 40],
    [40, 100],
  ])("from %s to %s columns: the question goes on, and the review fits", async (before, after) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField, { columns: before });
    await terminal.until("? Receiver street address");
    terminal.type("建国路");
    await terminal.until("建国路");
    terminal.resize(after);
    terminal.type("88号");
    await terminal.until("建国路88号");
    await terminal.answer("Receiver street address");
    await terminal.until(/\? What now\?\n❯ Send/);
    terminal.resize(before);
    await terminal.rest();
    terminal.type(keys.down);
    await terminal.until("❯ Change the sender");
    terminal.type(keys.up);
    await terminal.until("❯ Send this order");
    await terminal.choose("What now?", "Send this order");
    await terminal.until("? Save");
    expect(JSON.parse(sentBodies(home)[0] ?? "").receiver.detail).toBe("建国路88号");
  });
});

describe("plain terminals", () => {
  test("TERM=dumb: filled in, mended with backspace, and sent", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField, { env: { TERM: "dumb" } });
    await terminal.answer("Receiver street address", `建国路89${keys.backspace}8号`);
    await terminal.choose("What now?", "Change the service level");
    await terminal.choose("Service level", "standard");
    await terminal.choose("What now?", "Send this order");
    await declineSaving(terminal, "张三", "李四");
    expect((await terminal.ended).exit).toBe(0);
    expect(JSON.parse(sentBodies(home)[0] ?? "")).toMatchObject({
      receiver: { detail: "建国路88号" },
      service_type: "standard",
    });
  });

  test("TERM=dumb: Backspace and Ctrl-U in a hidden key and in a search", async () => {
    const home = await createServedTerminalHome();
    const env = { TERM: "dumb", COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
    const login = home.open(["login", "--base-url", home.sandbox.baseUrl], { env });
    await login.until("? API key");
    login.type(`wrong${keys.clear}terminal-kex${keys.backspace}y-0123456789${keys.enter}`);
    await login.until("Logged in");
    expect((await login.ended).exit).toBe(0);
    expect(login.output).not.toMatch(/wrong|terminal-ke|key-0|0123456789/);

    const form = home.open("orders create", { env });
    await form.until("❯ new address");
    form.type(`王${keys.clear}张三x${keys.backspace}`);
    await form.until("❯ new address for “张三”");
    form.type(keys.enter);
    await form.until("? Sender phone");
    form.type(keys.ctrlC);
    await form.ended;
    expect(form.output).not.toMatch(/[\u007f\u0015]/);
  });

  test.each([{ NO_COLOR: "1" }, { NO_COLOR: "0" }])("%o: no colour anywhere", async (env) => {
    const home = await createServedTerminalHome();
    const terminal = home.open(butOneField, { env });
    await terminal.answer("Receiver street address");
    await terminal.choose("What now?", "Send this order");
    await declineSaving(terminal, "张三", "李四");
    await terminal.ended;
    expect(terminal.output).not.toMatch(/\u001b\[(?:[34]\d|9\d|38;|48;)[\d;]*m/);
  });
});

describe("a redirected result", () => {
  test("holds nothing else, while the questions stay on the terminal", async () => {
    const home = await createTerminalHome();
    const terminal = home.open("orders create", { shell: '"$@" > order.txt' });
    await fillForm(terminal);
    await terminal.choose("What now?", "Send this order");
    await declineSaving(terminal, "张三", "李四");
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.screen()).not.toContain("Tracking number");
    const text = await home.read("order.txt");
    expect(text).toMatch(
      /^Order created\nOrder +1000001\nOrder number +CO\d+\nTracking number +CR\d+\n[^?\u001b]+$/,
    );
  });

  test("is empty when nothing was sent", async () => {
    const home = await createTerminalHome();
    const terminal = home.open("orders create", { shell: '"$@" > order.txt' });
    await terminal.until("? Sender");
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
    expect(await home.read("order.txt")).toBe("");
  });

  test.each(["--no-input", "--json", "--ndjson"])("with %s nothing is asked", async (flag) => {
    const home = await createTerminalHome();
    const terminal = home.open(`orders create ${flag}`);
    expect((await terminal.ended).exit).toBe(2);
    expect(terminal.screen()).toContain("--sender-name");
    expect(terminal.screen()).not.toContain("? ");
  });
});

function unwrapped(screen: string): string {
  return screen.replaceAll(/\s*\n\s*|(?<=address) /g, "");
}
