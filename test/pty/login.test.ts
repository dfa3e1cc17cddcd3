/** A login that is typed faster than it asks: the key never shows. */

import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createServedTerminalHome, keys, notingShell } from "../support/terminal.ts";

const key = "terminal-key-0123456789";
const withoutKey = { COURIER_API_KEY: undefined, COURIER_BASE_URL: undefined };

describe("a key that comes after the base URL, before the program asks for it, is not shown", () => {
  test.each([0, 5, 10, 15, 20, 30, 60])("%s ms after Enter", async (delayMs) => {
    const home = await createServedTerminalHome();
    const terminal = home.open("login", { env: withoutKey });
    await terminal.until("? Base URL");
    terminal.type(home.sandbox.baseUrl);
    await terminal.until(home.sandbox.baseUrl);
    terminal.type(keys.enter);
    await wait(delayMs);
    terminal.type(key);
    await terminal.until("? API key");
    terminal.type(keys.enter);
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.output).not.toContain(key.slice(-4));
    expect(terminal.screen()).toContain("Logged in");
  });
});

test("nor is a key that comes while the service checks the one before", async () => {
  const home = await createServedTerminalHome();
  home.sandbox.faults.set([{ kind: "latency", ms: 300 }]);
  const terminal = home.open("login", { env: withoutKey });
  await terminal.answer("Base URL", home.sandbox.baseUrl);
  await terminal.answer("API key", "wrong-key-0123456789");
  await expect.poll(() => home.sandbox.requests.length).toBe(1);
  terminal.type(key);
  await terminal.answer("API key");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.output).not.toContain(key.slice(-4));
});

test("Ctrl-C while the service checks the key ends the login, and the terminal is whole", async () => {
  const home = await createServedTerminalHome();
  home.sandbox.faults.add({ kind: "stall" });
  const terminal = home.open("login", {
    env: withoutKey,
    shell: notingShell,
  });
  await terminal.answer("Base URL", home.sandbox.baseUrl);
  await terminal.answer("API key", key);
  await expect.poll(() => home.sandbox.requests.length).toBe(1);
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
  expect(await home.read("after")).toBe(await home.read("before"));
});

describe("a key command", () => {
  const asking = (how: string) => [
    "login",
    "--base-url",
    "URL",
    "--key-command",
    `sh -c 'printf "PIN: " > /dev/tty; ${how}; read pin < /dev/tty; echo "terminal-$pin"'`,
  ];
  const wordsFor = (how: string, { sandbox }: { sandbox: { baseUrl: string } }) =>
    asking(how).map((word) => (word === "URL" ? sandbox.baseUrl : word));

  test("may ask at the terminal", async () => {
    const home = await createServedTerminalHome();
    const terminal = home.open(wordsFor("true", home), { env: withoutKey });
    await terminal.until("PIN:");
    terminal.type(`key-0123456789${keys.enter}`);
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.screen()).toContain("Logged in");
  });

  test("may ask on stderr: its question is shown before it is answered", async () => {
    const home = await createServedTerminalHome();
    const words = asking("true").map((word) => word.replace("> /dev/tty", ">&2"));
    const terminal = home.open(
      words.map((word) => (word === "URL" ? home.sandbox.baseUrl : word)),
      { env: withoutKey },
    );
    await terminal.until("PIN:");
    terminal.type(`key-0123456789${keys.enter}`);
    expect((await terminal.ended).exit).toBe(0);
    expect(terminal.screen()).toContain("Logged in");
  });

  test("that is stopped at its question leaves the terminal as it was", async () => {
    const home = await createServedTerminalHome();
    const mode = 'trap "stty echo < /dev/tty; exit 1" INT TERM; stty -echo < /dev/tty';
    const terminal = home.open(wordsFor(mode, home), { env: withoutKey, shell: notingShell });
    await terminal.until("PIN:");
    await wait(200);
    terminal.type(keys.ctrlC);
    expect((await terminal.ended).exit).toBe(130);
    expect(await home.read("after")).toBe(await home.read("before"));
  });
});
