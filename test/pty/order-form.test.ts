/** The order form in a real terminal: filled in, reviewed, corrected, edited, kept, dropped. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { sentBodies } from "../support/answers.ts";
import { createServedTerminalHome, createTerminalHome, keys } from "../support/terminal.ts";
import {
  body,
  declineSaving,
  fillForm,
  fillItem,
  fillParty,
  instead,
  itemQuestions,
  li,
  partyFields,
  zhang,
} from "./person.ts";

test("an order from the first question to the tracking number, in the sandbox of a fresh machine", async () => {
  const home = await createTerminalHome({});
  const terminal = home.open("orders create --account sandbox");
  await fillForm(terminal);
  await terminal.until("the sandbox on this machine; nothing is shipped");
  await terminal.choose("What now?", "Send this order");
  await declineSaving(terminal, "张三", "李四");
  expect(await terminal.ended).toEqual({ exit: 0, signal: undefined });
  for (const part of [
    "Order created",
    /Order +1000001/,
    /Order number +CO\d+/,
    /Tracking number +CR\d+/,
    /State +pending/,
    /Estimated fee +\d+\.\d\d/,
    /courier track CR\d+/,
    "courier orders show 1000001",
    "courier orders cancel 1000001",
  ])
    expect(terminal.screen()).toMatch(part);
  expect(terminal.isCursorVisible).toBe(true);
});

test("what is sent is what was typed, decimals included, and fields left out are absent", async () => {
  const home = await createServedTerminalHome();
  const whole = home.open("orders create");
  await fillForm(whole);
  await whole.choose("What now?", "Send this order");
  await declineSaving(whole, "张三", "李四");
  expect((await whole.ended).exit).toBe(0);

  const sparse = home.open("orders create");
  await sparse.choose("Sender", "new address");
  await fillParty(sparse, "Sender", ["王五"]);
  await sparse.choose("Receiver", "new address");
  await fillParty(sparse, "Receiver", ["", "13700137000"]);
  await fillItem(sparse, []);
  await sparse.choose("Service level", "let the service choose");
  await sparse.choose("What now?", "Send this order");
  await declineSaving(sparse, "王五");
  expect((await sparse.ended).exit).toBe(0);
  expect(sentBodies(home)).toEqual([
    body,
    '{"sender":{"name":"王五"},"receiver":{"phone":"13700137000"},"item":{}}',
  ]);
});

test("types are checked while typing, and a wrong number can be mended", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --sender-name A --receiver-name B --item-name C");
  for (const title of ["Sender", "Receiver"])
    for (const name of partyFields.slice(1)) await terminal.answer(`${title} ${name}`);
  await terminal.answer("Item description");
  for (const [question, wrong, complaint, right] of [
    ["Item weight", "1,5", "a number such as 2.50, or Enter to leave it out", "1.50"],
    ["Declared value", "1e3", "a number such as 2.50, or Enter to leave it out", "1000"],
    ["Number of pieces", "1.5", "a whole number, or Enter to leave it out", "12345678901234567890"],
  ] as const) {
    await terminal.until(`? ${question}`);
    terminal.type(wrong + keys.enter);
    await terminal.until(complaint);
    await terminal.until(`? ${question} ${wrong}`);
    await terminal.answer(question, instead(right));
  }
  await terminal.choose("Service level", "let the service choose");
  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Save A");
  expect(sentBodies(home)[0]).toBe(
    '{"sender":{"name":"A"},"receiver":{"name":"B"},"item":{"name":"C","weight":1.50,"value":1000,"quantity":12345678901234567890}}',
  );
});

test("a refused field alone is asked again, with the rest kept, and reviewed before it is sent", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create");
  await fillForm(terminal, zhang, ["李四", "12", ...li.slice(2)]);
  await terminal.choose("What now?", "Send this order");
  await terminal.until("the service refused: receiver.phone must be a telephone number");
  await terminal.until("? Receiver phone 12");
  await terminal.answer("Receiver phone", `${keys.backspace.repeat(2)}13900139000`);
  await terminal.until("? What now?");
  expect(sentBodies(home)).toHaveLength(1);
  expect(lastReview(terminal.screen())).toContain("李四  13900139000");
  await terminal.choose("What now?", "Send this order");
  await declineSaving(terminal, "张三", "李四");
  expect((await terminal.ended).exit).toBe(0);
  expect(sentBodies(home)[1]).toBe(body);
});

test("a refusal that names no field goes back to the review with its message", async () => {
  const home = await createServedTerminalHome();
  home.sandbox.faults.add({
    kind: "status",
    method: "POST",
    status: 400,
    times: 1,
    contentType: "application/json",
    body: '{"success":false,"error":{"code":"NO_BALANCE","message":"余额不足"}}',
  });
  const terminal = home.open("orders create --sender-name A --receiver-name B --item-name C");
  await enterTo(terminal, "What now?");
  await terminal.choose("What now?", "Send this order");
  await terminal.until(/余额不足[\s\S]*\? What now\?/);
  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Save A");
  expect(sentBodies(home)).toHaveLength(2);
});

test("every part can be changed in the review, and a field be emptied", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create");
  await fillForm(terminal);
  await terminal.choose("What now?", "Change the sender");
  await terminal.choose("Sender", "edit its fields");
  await fillParty(terminal, "Sender", [instead("王五"), "", instead("")]);
  await terminal.choose("What now?", "Change the receiver");
  await terminal.choose("Receiver", "edit its fields");
  await fillParty(terminal, "Receiver", ["", "", keys.backspace.repeat(3), "", "", "甲"]);
  await terminal.choose("What now?", "Change the item");
  await fillItem(terminal, ["", keys.clear, instead("0.50")]);
  await terminal.choose("What now?", "Change the service level");
  await terminal.choose("Service level", "same_day");
  await terminal.until("? What now?");
  const review = lastReview(terminal.screen());
  for (const text of ["王五  13800138000", "北京市 朝阳区 建国路88号甲", /weight +0\.50\n/, "same_day"])
    expect(review).toMatch(text);
  expect(review).not.toContain("广东省");
  await terminal.choose("What now?", "Send this order");
  await declineSaving(terminal, "王五", "李四");
  await terminal.ended;
  expect(JSON.parse(sentBodies(home)[0] ?? "")).toEqual({
    sender: { name: "王五", phone: "13800138000", city: "深圳市", district: "南山区", detail: zhang[5] },
    receiver: {
      name: "李四",
      phone: "13900139000",
      city: "北京市",
      district: "朝阳区",
      detail: `${li[5]}甲`,
    },
    item: { name: "手机", weight: 0.5, value: 2999, quantity: 1 },
    service_type: "same_day",
  });
});

test("kept as a draft it is offered next time, and goes on to be sent", async () => {
  const home = await createServedTerminalHome();
  const first = home.open("orders create");
  await fillForm(first);
  await first.choose("What now?", "Keep as a draft and quit");
  expect((await first.ended).exit).toBe(0);
  expect(first.screen()).toContain("The draft is kept");
  expect(home.sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);

  const second = home.open("orders create");
  await second.until("An unfinished order:");
  await second.answer("Continue with it?");
  await second.choose("What now?", "Send this order");
  await declineSaving(second, "张三", "李四");
  expect((await second.ended).exit).toBe(0);
  expect(sentBodies(home)[0]).toBe(body);

  const third = home.open("orders create");
  await third.until("? Sender");
  expect(third.screen()).not.toContain("unfinished");
});

const pasted = "李四\r13900139000\r北京市朝阳区建国路88号";

test("a saved sender, a pasted receiver, twice back: sent with twelve keys besides the texts", async () => {
  const home = await createServedTerminalHome();
  const flags = ["--name", "张三", "--phone", "13800138000", "--city", "深圳市", "--detail", "1号"];
  await home.open(["addresses", "add", "shop", ...flags, "--default"]).ended;
  const terminal = home.open("orders create", { columns: 80, rows: 24 });
  let count = 0;
  const press = async (key: string, shown: string | RegExp) => {
    count += 1;
    terminal.type(key);
    await terminal.until(shown);
  };
  await terminal.until(/\? Receiver\n❯ new address[\s\S]*select/);
  terminal.type(`\u001b[200~${pasted}\u001b[201~`);
  await terminal.until(/street address +建国路88号\n\n\? Is this receiver right\?\n❯ right[\s\S]*select/);
  await terminal.rest();
  await press(keys.enter, "? Item name");
  terminal.type("书");
  await press(keys.enter, "? Item description");
  await press(keys.escape, "? Item name 书");
  terminal.type("本");
  await press(keys.enter, "? Item description");
  await press(keys.enter, "? Item weight");
  terminal.type("3");
  await press(keys.enter, "? Declared value");
  await press(keys.escape, "? Item weight 3");
  terminal.type(".5");
  await press(keys.enter, "? Declared value");
  await press(keys.enter, "? Number of pieces");
  await press(keys.enter, /\? Service level\n❯ let[\s\S]*select/);
  await terminal.rest();
  await press(keys.enter, /\? What now\?\n❯ Send[\s\S]*select/);
  await terminal.rest();
  await press(keys.enter, "? Save 李四");
  expect(count).toBe(12);
  expect(JSON.parse(sentBodies(home)[0] ?? "")).toEqual({
    sender: { name: "张三", phone: "13800138000", city: "深圳市", detail: "1号" },
    receiver: {
      name: "李四",
      phone: "13900139000",
      province: "北京市",
      city: "北京市",
      district: "朝阳区",
      detail: "建国路88号",
    },
    item: { name: "书本", weight: 3.5 },
  });
});

test("Up goes back to the field before, with what was typed, and in a list it moves", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --sender-name A --receiver-name B");
  await terminal.until("Esc or ↑ goes back");
  await terminal.until("? Sender phone");
  for (const name of partyFields.slice(1)) await terminal.answer(`Sender ${name}`);
  for (const name of partyFields.slice(1)) await terminal.answer(`Receiver ${name}`);
  await terminal.answer("Item name", "书");
  await terminal.until("? Item description");
  terminal.type("two");
  await terminal.until("? Item description two");
  terminal.type(keys.up);
  await terminal.until("? Item name 书");
  terminal.type("\u001bOA"); // as terminals send it in their application mode
  await terminal.until("? Receiver street address");
  await terminal.answer("Receiver street address");
  await terminal.answer("Item name", "本");
  await terminal.until("? Item description two");
  for (const question of itemQuestions.slice(1)) await terminal.answer(question);
  await terminal.until(/\? Service level\n❯ let[\s\S]*select/);
  await terminal.rest();
  terminal.type(keys.down + keys.down + keys.up);
  await terminal.until("❯ standard");
});

test.each([
  ["marked by the terminal", (text: string) => `\u001b[200~${text}\u001b[201~`],
  ["not marked", (text: string) => text],
])("a blank line within the paste of an address ends nothing: %s", async (_how, mark) => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --sender-name A --item-name B");
  for (const name of partyFields.slice(1)) await terminal.answer(`Sender ${name}`);
  await terminal.choose("Receiver", "paste an address as text");
  await terminal.until(/empty line\n>/);
  terminal.type(mark("李四\r13900139000\r\r北京市朝阳区建国路88号\r"));
  await terminal.until(/> 李四\n> 13900139000\n> 北京市朝阳区建国路88号\n>/);
  terminal.type("\r");
  await terminal.until(/name +李四\n +phone +13900139000\n[\s\S]*建国路88号[\s\S]*❯ right/);
});

test("a line break at the end of a marked paste answers no question", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --sender-name A --receiver-name B --item-name C");
  for (const title of ["Sender", "Receiver"])
    for (const name of partyFields.slice(1)) await terminal.answer(`${title} ${name}`);
  await terminal.until("? Item description");
  terminal.type("\u001b[200~two\r\u001b[201~");
  await terminal.until("? Item description two");
  terminal.type(" books");
  await terminal.until("? Item description two books");
  await terminal.answer("Item description");
  await terminal.until("? Item weight");
});

test("Esc leaves the paste of an address for the list, and Ctrl-C there keeps what was pasted", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create --sender-name A --item-name B");
  for (const name of partyFields.slice(1)) await terminal.answer(`Sender ${name}`);
  await terminal.choose("Receiver", "paste an address as text");
  await terminal.until(/empty line\n>/);
  terminal.type("Jane Miller\r12 High Str");
  await terminal.until("> 12 High Str");
  terminal.type(keys.escape);
  await terminal.until(/> 12 High Str\n\? Receiver\n❯ edit its fields[\s\S]*select/);
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  const again = home.open("orders create");
  await again.until(/Receiver +-\n +Jane Miller 12 High Str\n/);
});

test.each([
  ["the name, marked by the terminal", "Receiver name", `\u001b[200~${pasted}\u001b[201~`],
  ["the name, not marked", "Receiver name", pasted],
  ["a later field", "Receiver city", `\u001b[200~${pasted}\r\u001b[201~`],
])(
  "an address that is pasted at %s is split, and kept when Ctrl-C comes",
  async (_where, question, paste) => {
    const home = await createServedTerminalHome();
    const terminal = home.open("orders create --sender-name A --item-name 书");
    for (const name of partyFields.slice(1)) await terminal.answer(`Sender ${name}`);
    await terminal.choose("Receiver", "new address");
    for (const name of partyFields) {
      await terminal.until(`? Receiver ${name}`);
      if (`Receiver ${name}` === question) break;
      await terminal.answer(`Receiver ${name}`);
    }
    terminal.type(paste);
    await terminal.until(/name +李四\n +phone +13900139000\n[\s\S]*❯ right/);
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
    const again = home.open("orders create");
    await again.until(/Receiver +李四 +13900139000\n +北京市 北京市 朝阳区 建国路88号/);
  },
);

test("quitting sends nothing and drops the draft", async () => {
  const home = await createServedTerminalHome();
  const first = home.open("orders create");
  await fillForm(first);
  await first.choose("What now?", "Quit without sending");
  expect((await first.ended).exit).toBe(130);
  expect(first.screen()).toContain("nothing was sent, and the draft was dropped");
  expect(home.sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  const second = home.open("orders create");
  await second.until("? Sender");
  expect(second.screen()).not.toContain("unfinished");
});

test("a draft that is not wanted is forgotten", async () => {
  const home = await createServedTerminalHome();
  const first = home.open("orders create");
  await first.choose("Sender", "new address");
  await first.answer("Sender name", "张三");
  await first.until("? Sender phone");
  first.type(keys.ctrlC);
  await first.ended;
  const second = home.open("orders create");
  await second.answer("Continue with it?", "n");
  await second.answer("Delete this draft?", "y");
  await second.until("? Sender");
  second.type(keys.ctrlC);
  await second.ended;
  const third = home.open("orders create");
  await third.until("? Sender");
  expect(third.screen()).not.toContain("unfinished");
});

test("a draft that is not wanted now stays while another order is begun, also once that one is kept", async () => {
  const home = await createServedTerminalHome();
  const begin = async (name: string, hasDraft: boolean) => {
    const terminal = home.open("orders create");
    if (hasDraft) {
      await terminal.answer("Continue with it?", "n");
      await terminal.answer("Delete this draft?");
    }
    await terminal.choose("Sender", "new address");
    await terminal.answer("Sender name", name);
    await terminal.until("? Sender phone");
    terminal.type(keys.ctrlC);
    await terminal.ended;
  };
  await begin("张三", false);
  await begin("王五", true);
  const third = home.open("orders create");
  await third.until(/Sender +王五/);
  await third.answer("Continue with it?", "n");
  await third.answer("Delete this draft?", "y");
  await third.until(/Sender +张三/);
  third.type(keys.ctrlC); // also before the question stands there
  expect((await third.ended).exit).toBe(130);
});

test("after an order its new addresses can be saved, and are found by typing the next time", async () => {
  const home = await createServedTerminalHome();
  const first = home.open("orders create");
  await fillForm(first);
  await first.choose("What now?", "Send this order");
  await first.answer("Save 张三", "y");
  await first.answer("Short name for it", "shop");
  await first.answer("Use it as the usual sender?");
  await first.answer("Save 李四", "y");
  await first.answer("Short name for it"); // its name is suggested
  expect((await first.ended).exit).toBe(0);

  const second = home.open("orders create");
  await second.until("? Sender");
  await second.until(
    "❯ @shop 张三 13800138000 深圳市 南山区\n  new address\n  paste an address as text\n  @李四",
  );
  second.type("1390013");
  await second.until(/\? Sender 1390013\n❯ @李四/);
  second.type(keys.backspace.repeat(7));
  await second.until(/\? Sender\n❯ @shop/);
  second.type("sho");
  await second.until(/\? Sender sho\n❯ @shop/);
  second.type(keys.enter);
  await second.until("✔ Sender @shop 张三");
  await second.until("? Receiver");
  second.type("北京");
  await second.until(/\? Receiver 北京\n❯ @李四/);
  second.type(keys.enter);
  await second.until(`? ${itemQuestions[0]}`);
});

test("a list that does not show all choices says how many there are", async () => {
  const home = await createServedTerminalHome();
  const file = path.join(home.directory, "addresses.csv");
  const lines = Array.from({ length: 9 }, (_, index) => `a${index},名${index},1380000000${index}`);
  await writeFile(file, `alias,name,phone\n${lines.join("\n")}\n`);
  await home.open(["addresses", "import", file, "--yes"]).ended;
  const form = home.open("orders create");
  await form.until("? Sender");
  await form.until("11 choices; type to filter, or paste an address");
  form.type(keys.ctrlC);
  expect((await form.ended).exit).toBe(130);
});

test("what the order waits for is said after the review, and not over it", async () => {
  const home = await createServedTerminalHome();
  home.sandbox.faults.add({ kind: "stall", path: "/api/v1/orders", method: "GET" });
  const form = home.open("orders create");
  await fillForm(form);
  await form.choose("What now?", "Send this order");
  await form.until(/✔ What now\? Send this order\nWaiting for 127\.0\.0\.1:\d+…$/);
  form.type(keys.ctrlC);
  expect((await form.ended).exit).toBe(130);
  expect(form.transcript()).not.toContain("Waiting for");
});

async function enterTo(
  terminal: ReturnType<Awaited<ReturnType<typeof createTerminalHome>>["open"]>,
  end: string,
) {
  const questions = [
    ...["Sender", "Receiver"].flatMap((title) => partyFields.slice(1).map((name) => `${title} ${name}`)),
    ...itemQuestions.slice(1),
  ];
  for (const question of questions) await terminal.answer(question);
  await terminal.choose("Service level", "let the service choose");
  await terminal.until(`? ${end}`);
}

/** What stands above the question that is open. */
function lastReview(screen: string): string {
  return screen.slice(screen.lastIndexOf("\nSender "));
}
