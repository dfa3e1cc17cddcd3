/** The search screen in a real terminal: typed, resized, stopped and resumed, and left as it was found. */

import { expect, test as testAnywhere } from "vitest";
import {
  createServedTerminalHome,
  createTerminalHome,
  keys,
  notingShell,
  stoppingShell,
  type Terminal,
  type TerminalHome,
  type TerminalOptions,
} from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";

const test = testAnywhere.skipIf(lacks("sh", "stty"));

async function openFind(options: TerminalOptions = {}) {
  const home = await createTerminalHome();
  const words = ["orders", "create", "--sender-name", "店", "--item-name", "茶壶", "--yes"];
  for (const [name, phone] of [
    ["李明", "13900004466"],
    ["王伟", "13900001234"],
  ] as const)
    await home.open([...words, "--receiver-name", name, "--receiver-phone", phone]).ended;
  const terminal = home.open("find", { shell: notingShell, ...options });
  await terminal.until("王伟");
  return { home, terminal };
}

async function expectWhole(home: TerminalHome, terminal: Terminal): Promise<void> {
  expect(terminal.isCursorVisible).toBe(true);
  expect(await home.read("after")).toBe(await home.read("before"));
  expect(terminal.cursor().column).toBe(0);
}

test("a search, an order, a cancellation with a real question, and Esc to the shell", async () => {
  const { home, terminal } = await openFind({ rows: 30 });
  terminal.type("李 4466");
  await terminal.until(/Find: 李 4466\n(?![\s\S]*王伟)/);
  expect(terminal.isCursorVisible).toBe(true);
  expect(terminal.cursor()).toMatchObject({ column: "Find: 李 4466".length + 1 });
  terminal.type(keys.enter);
  await terminal.until("c cancel");
  terminal.type("c");
  await terminal.until("? Cancel order");
  terminal.type("\u001b"); // a no
  await terminal.until("Press Enter to go back to the order");
  terminal.type(keys.enter);
  await terminal.until(/State +pending/);
  terminal.type("c");
  await terminal.answer("Cancel order", "y");
  await terminal.until("Press Enter to go back to the order");
  terminal.type(keys.enter);
  await terminal.until(/State +cancelled/);
  terminal.type("\u001b");
  await terminal.until("Find: 李 4466");
  terminal.type("\u001b");
  await terminal.until("王伟");
  terminal.type("\u001b");
  expect(await terminal.ended).toEqual({ exit: 0, signal: undefined });
  await expectWhole(home, terminal);
});

test("r goes to the review; Ctrl-C there keeps the draft and comes back", async () => {
  const { home, terminal } = await openFind({ rows: 40 });
  terminal.type(`4466${keys.enter}`);
  await terminal.until("r repeat");
  terminal.type("r");
  await terminal.until(/❯ Change the sender\n {2}Send this order/);
  terminal.type(keys.ctrlC);
  await terminal.until("Press Enter to go back to the order");
  terminal.type(keys.enter);
  await terminal.until("r repeat");
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  await expectWhole(home, terminal);
});

test("a key command that asks at the terminal has the keyboard for itself", async () => {
  const home = await createServedTerminalHome({ seedOrders: 3 });
  const asking = `sh -c 'printf "PIN: " > /dev/tty; read pin < /dev/tty; echo "terminal-key-$pin"'`;
  const env = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };
  const login = ["login", "--base-url", home.sandbox.baseUrl, "--key-command", asking];
  const answer = async (terminal: Terminal) => {
    await terminal.until("PIN:");
    terminal.type(`0123456789${keys.enter}`);
  };
  for (const words of [login, ["sync"]]) {
    const asked = home.open(words, { env });
    await answer(asked);
    expect((await asked.ended).exit).toBe(0);
  }
  const first = home.open("find", { env });
  await answer(first);
  await first.until("1 of ");
  first.type("\u001b");
  expect((await first.ended).exit).toBe(0);
  const before = home.sandbox.requests.length;
  const terminal = home.open("find", { env, shell: notingShell });
  await terminal.until("1 of "); // nothing is new: it needs no key
  terminal.type(keys.enter);
  await terminal.until("c cancel");
  terminal.type("t");
  await answer(terminal);
  await terminal.until("answer of just now");
  expect(home.sandbox.requests.length).toBe(before + 1);
  terminal.type("c");
  await answer(terminal);
  await terminal.until("? Cancel order");
  terminal.type(keys.ctrlC);
  await terminal.until("Press Enter to go back to the order");
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  expect(await home.read("after")).toBe(await home.read("before"));
});

test("a window that is enlarged shows the orders that it has room for, without a key", async () => {
  const home = await createServedTerminalHome({ seedOrders: 40 });
  expect((await home.open("sync").ended).exit).toBe(0);
  const terminal = home.open("find", { rows: 12 });
  await terminal.until("1 of ");
  terminal.resize(80, 36);
  const rows = (screen: string) => screen.split("\n").filter((line) => /^[> ] \d+ /.test(line)).length;
  await terminal.until((screen) => rows(screen) > 25);
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
});

test("Ctrl-Z gives the terminal back; going on draws the screen anew", async () => {
  const { home, terminal } = await openFind();
  terminal.type(keys.ctrlZ);
  await terminal.until(() => terminal.cursor().column === 0);
  const times = () => terminal.transcript().split("Find: ").length;
  const before = times();
  terminal.signal("SIGCONT");
  await terminal.until(() => times() > before);
  terminal.type("4466");
  await terminal.until(/Find: 4466\n[\s\S]*1 of 1/);
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  await expectWhole(home, terminal);
});

test("a window that was made narrower while the screen was stopped: one screen, of the new width", async () => {
  const { terminal } = await openFind({ columns: 100, rows: 30, shell: stoppingShell });
  terminal.type(keys.ctrlZ);
  await terminal.until("in the shell");
  terminal.resize(40);
  terminal.type(keys.enter);
  await terminal.until(/^Find: .*\n {2}ID +STATE +TO +PHONE\n(?![\s\S]*Find: )/);
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s leaves a whole terminal", async (signal, exit) => {
  const { home, terminal } = await openFind();
  terminal.type("4466");
  await terminal.until("1 of 1");
  terminal.signal(signal);
  expect((await terminal.ended).exit).toBe(exit);
  await expectWhole(home, terminal);
});
