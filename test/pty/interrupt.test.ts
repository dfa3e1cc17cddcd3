/** Ctrl-C at every step of the form and during the request: nothing is lost, nothing is sent unseen, the terminal is whole. */

import { expect, test as testAnywhere } from "vitest";
import { sentBodies } from "../support/answers.ts";
import { effort } from "../support/effort.ts";
import {
  createServedTerminalHome,
  keys,
  notingShell,
  type ServedTerminalHome,
  type Terminal,
} from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";
import { body, fillForm, instead, itemQuestions, li, partyFields, phone, zhang } from "./person.ts";

const test = testAnywhere.skipIf(lacks("sh", "stty"));

async function interrupt(home: ServedTerminalHome, terminal: Terminal): Promise<void> {
  const sent = sentBodies(home).length;
  terminal.type(keys.ctrlC);
  expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
  expect(terminal.screen()).toContain("error: interrupted");
  expect(terminal.screen()).not.toMatch(/^\s+at /m);
  expect(terminal.isCursorVisible).toBe(true);
  expect(await home.read("after")).toBe(await home.read("before"));
  expect(sentBodies(home)).toHaveLength(sent);
}

test("after a question, where files may not grow: exit 130, and no signal of the limit ends the program", async () => {
  const home = await createServedTerminalHome();
  let terminal = home.open("orders create", { shell: notingShell });
  await terminal.choose("Sender", "new address");
  await terminal.until("? Sender name");
  await interrupt(home, terminal);
  // Blocks of 512 bytes, less than the ledger has.
  terminal = home.open("orders create", { shell: `ulimit -f 100; ${notingShell}` });
  await terminal.choose("Sender", "new address");
  await terminal.answer("Sender name", "张三");
  await terminal.until("? Sender phone");
  await interrupt(home, terminal);
  expect(terminal.screen()).toContain("your draft is kept");
});

/** `npm test` stops at every other question of an address, the long run at each. */
const everyStep = effort(2, 1);

test("at each step: exit 130, nothing is sent, and the next run goes on where it stopped", async () => {
  const home = await createServedTerminalHome();
  let terminal = home.open("orders create", { shell: notingShell });
  await terminal.until("? Sender");
  await interrupt(home, terminal); // nothing was typed yet
  expect(terminal.screen()).not.toContain("draft");

  terminal = home.open("orders create", { shell: notingShell });
  await terminal.choose("Sender", "new address");
  await terminal.until("? Sender name");
  expect(terminal.screen()).not.toContain("unfinished");

  /** Ctrl-C at a question that is open, and on from there; what was answered stands in the lines. */
  async function interruptAt(question: string, answered: readonly (readonly [string, string])[]) {
    await terminal.until(`? ${question}`);
    await interrupt(home, terminal);
    expect(terminal.screen()).toContain("your draft is kept; courier orders create continues it");
    terminal = home.open("orders create", { shell: notingShell });
    await terminal.until("An unfinished order:");
    await terminal.answer("Continue with it?");
    for (const [name, answer] of answered) {
      await terminal.until(`? ${name} ${answer}`.trimEnd());
      await terminal.answer(name);
    }
    await terminal.until(`? ${question}`);
  }

  for (const [title, answers] of [
    ["Sender", zhang],
    ["Receiver", li],
  ] as const) {
    if (title === "Receiver") {
      await interruptAt("Receiver", []);
      await terminal.choose("Receiver", "new address");
    }
    const questions = partyFields.map((name, index) => [`${title} ${name}`, answers[index] ?? ""] as const);
    for (const [index, [question, answer]] of questions.entries()) {
      if (index > 0 && index % everyStep === 0) await interruptAt(question, questions.slice(0, index));
      await terminal.answer(question, answer);
    }
  }
  const questions = itemQuestions.map((question, index) => [question, phone[index] ?? ""] as const);
  for (const [index, [question, answer]] of questions.entries()) {
    await interruptAt(question, questions.slice(0, index));
    await terminal.answer(question, answer);
  }
  await interruptAt("Service level", []);
  await terminal.choose("Service level", "express");
  await interruptAt("What now?", []);
  expect(home.sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);

  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Save");
  expect(sentBodies(home)).toEqual([body]);
}, 60_000);

test("at the offer to go on, the draft stays for another time", async () => {
  const home = await createServedTerminalHome();
  let terminal = home.open("orders create", { shell: notingShell });
  await terminal.choose("Sender", "new address");
  await terminal.answer("Sender name", "张三");
  await terminal.until("? Sender phone");
  await interrupt(home, terminal);
  for (let time = 0; time < 2; time++) {
    terminal = home.open("orders create", { shell: notingShell });
    await terminal.until("? Continue with it?");
    expect(terminal.screen()).toMatch(/Sender +张三/);
    await interrupt(home, terminal);
    expect(terminal.screen()).toContain("your draft is kept; courier orders create continues it");
  }
});

test("with a default sender a draft is offered all the same", async () => {
  const home = await createServedTerminalHome();
  await home.open("addresses add shop --name 店 --default").ended;
  let terminal = home.open("orders create", { shell: notingShell });
  await terminal.choose("Receiver", "new address");
  await terminal.answer("Receiver name", "李四");
  await terminal.until("? Receiver phone");
  await interrupt(home, terminal);
  terminal = home.open("orders create", { shell: notingShell });
  await terminal.until("? Continue with it?");
  await interrupt(home, terminal);
  terminal = home.open("orders create");
  await terminal.until(/Sender +店\nReceiver +李四/);
  await terminal.answer("Continue with it?");
  await terminal.until("? Receiver name 李四");
});

test("while a part is changed in the review, while a refused field is corrected, while an address is pasted", async () => {
  const home = await createServedTerminalHome();
  let terminal = home.open("orders create", { shell: notingShell });
  await fillForm(terminal, zhang, ["李四", "12"]);
  await terminal.choose("What now?", "Change the sender");
  await terminal.choose("Sender", "edit its fields");
  await terminal.answer("Sender name", instead("王五"));
  await terminal.until("? Sender phone");
  await interrupt(home, terminal);

  terminal = home.open("orders create", { shell: notingShell });
  await terminal.until(/Sender +王五 {2}13800138000/);
  await terminal.answer("Continue with it?");
  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Receiver phone 12");
  await interrupt(home, terminal);

  terminal = home.open("orders create", { shell: notingShell });
  await terminal.until(/Receiver +李四 {2}12\n/);
  await terminal.answer("Continue with it?", "n");
  await terminal.answer("Delete this draft?", "y");
  await terminal.choose("Sender", "paste an address as text");
  await terminal.until("paste the address, then an empty line");
  terminal.type("张三\r13800138000");
  await terminal.until("> 13800138000");
  await interrupt(home, terminal);
  expect(sentBodies(home)).toHaveLength(1); // the one that was refused
});

test("at the offer to save an address, the order is shown as created", async () => {
  const home = await createServedTerminalHome();
  const terminal = home.open("orders create", { shell: notingShell });
  await fillForm(terminal);
  await terminal.choose("What now?", "Send this order");
  await terminal.until("? Save 张三");
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.screen()).toContain("Order created");
  expect(await home.read("after")).toBe(await home.read("before"));
});

test.each([
  ["before the answer", { kind: "stall" }],
  ["in the middle of the answer", { kind: "stall_body" }],
] as const)(
  "during the request, %s: it may have been created, how to check is said, and no draft is offered",
  async (_when, fault) => {
    const home = await createServedTerminalHome();
    let terminal = home.open("orders create", { shell: notingShell });
    await fillForm(terminal);
    await terminal.choose("What now?", "Keep as a draft and quit");
    await terminal.ended;

    home.sandbox.faults.add({ ...fault, method: "POST" });
    terminal = home.open("orders create", { shell: notingShell });
    await terminal.answer("Continue with it?");
    await terminal.choose("What now?", "Send this order");
    await expect.poll(() => sentBodies(home).length).toBe(1);
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
    const text = terminal.screen().replaceAll("\n", "");
    expect(text).toContain("it may or may not have been created");
    expect(text).toMatch(/courier orders list --from \d{4}-\d\d-\d\d --all/);
    expect(text).not.toContain("draft is kept");
    expect(terminal.isCursorVisible).toBe(true);
    expect(await home.read("after")).toBe(await home.read("before"));

    terminal = home.open("orders create");
    await terminal.until("? Sender");
    expect(terminal.screen()).not.toContain("unfinished");
  },
);
