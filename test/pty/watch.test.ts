/** The live board in a real terminal: drawn in place, resized, stopped and resumed, and left as it was found. */

import { readFile } from "node:fs/promises";
import { expect, test as testAnywhere } from "vitest";
import { plainDraft } from "../support/orders.ts";
import {
  createServedTerminalHome,
  keys,
  notingShell,
  type ServedTerminalHome,
  stoppingShell,
  type Terminal,
} from "../support/terminal.ts";
import { lacks } from "../support/tools.ts";

const test = testAnywhere.skipIf(lacks("sh", "stty", "cat"));

async function homeWithParcels(count: number): Promise<{ home: ServedTerminalHome; numbers: string[] }> {
  const home = await createServedTerminalHome();
  const { baseUrl, apiKey } = home.sandbox;
  const numbers: string[] = [];
  for (let index = 0; index < count; index++) {
    const answer = await fetch(`${baseUrl}/api/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(plainDraft),
    });
    numbers.push(((await answer.json()) as { data: { tracking_number: string } }).data.tracking_number);
  }
  return { home, numbers };
}

const words = (numbers: readonly string[]) => `track ${numbers.join(" ")} --watch --interval 1s --yes`;

function timesShown(terminal: Terminal, part: string): number {
  return terminal.transcript().split(part).length - 1;
}

async function expectWhole(home: ServedTerminalHome, terminal: Terminal): Promise<void> {
  expect(terminal.isCursorVisible).toBe(true);
  expect(await home.read("after")).toBe(await home.read("before"));
  expect(terminal.cursor().column).toBe(0);
}

test("redraws in place, writes what has changed, and q leaves the last state with a summary", async () => {
  const { home, numbers } = await homeWithParcels(3);
  const terminal = home.open(words(numbers), { shell: notingShell });
  await terminal.until(/3 pending[\s\S]*calls? made/);
  expect(terminal.isCursorVisible).toBe(false);
  await home.sandbox.advance({ trackingNumber: numbers[1] ?? "", to: "picked" });
  await terminal.until(new RegExp(`^\\* [\\d:]{8} {2}${numbers[1]} {2}picked`, "m"));
  expect(terminal.screen()).toMatch(new RegExp(`^\\* ${numbers[1]} {2}picked`, "m"));
  expect(timesShown(terminal, "Watching 3 parcels  "), "one board").toBe(1);
  const written = terminal.output.length;
  const asked = home.sandbox.requests.length;
  await terminal.until(() => home.sandbox.requests.length > asked + 9);
  const bytesALook = (terminal.output.length - written) / (home.sandbox.requests.length - asked);
  expect(bytesALook).toBeLessThan(terminal.screen().length / 2);

  terminal.type("q");
  expect(await terminal.ended).toEqual({ exit: 0, signal: undefined });
  expect(terminal.screen()).toMatch(/Watched 3 parcels for \d+ s: 1 change, \d+ calls$/);
  expect(terminal.screen()).not.toContain("Watching");
  expect(timesShown(terminal, `  ${numbers[0]}  pending`)).toBe(1);
  await expectWhole(home, terminal);
});

test.each([
  ["Ctrl-C", keys.ctrlC],
  ["Esc and Ctrl-C in one piece", `${keys.escape}${keys.ctrlC}`],
])("%s: exit 130, the last state, a whole terminal", async (_what, typed) => {
  const { home, numbers } = await homeWithParcels(1);
  const terminal = home.open(words(numbers), { shell: notingShell });
  await terminal.until(/pending[\s\S]*q ends the watch/);
  terminal.type(typed);
  expect(await terminal.ended).toEqual({ exit: 130, signal: undefined });
  expect(terminal.screen()).toMatch(/pending[\s\S]*Watched 1 parcel for .*\nerror: interrupted$/);
  await expectWhole(home, terminal);
});

test("a paste of several lines is text of the filter, and no key where nothing is typed", async () => {
  const { home, numbers } = await homeWithParcels(2);
  const terminal = home.open(words(numbers), { shell: notingShell });
  await terminal.until("q ends the watch");
  expect(terminal.marksPastes).toBe(true);
  const pasted = `\u001b[200~${numbers[1]}\rq\rpending\r\u001b[201~`;
  terminal.type(pasted); // on the list
  terminal.type("/");
  await terminal.until("Filter: part of a number");
  terminal.type(pasted);
  await terminal.until(`Filter: ${numbers[1]} q pending`);
  terminal.type(`${keys.clear}${numbers[1]}${keys.enter}`);
  await terminal.until(`1 with “${numbers[1]}”`);
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.marksPastes).toBe(false);
  await expectWhole(home, terminal);
});

test("q while waiting for a state: exit 7", async () => {
  const { home, numbers } = await homeWithParcels(1);
  const terminal = home.open(`${words(numbers)} --until delivered`);
  await terminal.until(/^until delivered; [\s\S]*q ends the watch/m);
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(7);
  expect(terminal.screen()).toContain(
    "error: stopped before the parcels reached delivered: 1 of 1 parcel not there yet",
  );
});

test("narrower, wider, lower: always one board, with its footer", async () => {
  const { home, numbers } = await homeWithParcels(6);
  const terminal = home.open(words(numbers), { columns: 100, rows: 30 });
  await terminal.until(/NEXT POLL[\s\S]*q ends the watch/);
  for (const [columns, rows] of [
    [40, 30],
    [120, 30],
    [60, 13],
    [80, 24],
    [40, 10],
    [90, 30],
  ] as const) {
    terminal.resize(columns, rows);
    await terminal.until((screen) => {
      const lines = screen.split("\n");
      const isOne = lines.filter((line) => line.startsWith("Watching 6 parcels")).length === 1;
      return (
        isOne &&
        lines.at(-1)?.startsWith("q ends the watch  ? keys") === true &&
        lines.filter((line) => line.includes("next poll")).length === 1 &&
        (columns < 80 || screen.includes("NEXT POLL"))
      );
    });
  }
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
});

test("Ctrl-Z gives the terminal back; going on draws the board anew", async () => {
  const { home, numbers } = await homeWithParcels(2);
  const terminal = home.open(words(numbers), { shell: notingShell });
  await terminal.until("q ends the watch");
  terminal.type("\u001a");
  await terminal.until(() => terminal.isCursorVisible);
  const boards = timesShown(terminal, "Watching 2 parcels  ");
  terminal.signal("SIGCONT");
  await terminal.until(
    () => timesShown(terminal, "Watching 2 parcels  ") > boards && !terminal.isCursorVisible,
  );
  await home.sandbox.advance({ trackingNumber: numbers[0] ?? "", to: "paid" });
  await terminal.until(new RegExp(`^\\* [\\d:]{8} {2}${numbers[0]} {2}paid`, "m"));
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  await expectWhole(home, terminal);
});

test("a window that was made narrower while the watch was stopped: one board, of the new width", async () => {
  const { home, numbers } = await homeWithParcels(6);
  const terminal = home.open(words(numbers), { columns: 100, rows: 30, shell: stoppingShell });
  await terminal.until(/NEXT POLL[\s\S]*q ends the watch/);
  terminal.type(keys.ctrlZ);
  await terminal.until("in the shell");
  terminal.resize(40);
  terminal.type(keys.enter);
  await terminal.until(/^Watching 6 parcels .*\n\n {2}TRACKING +STATE +SINCE\n(?![\s\S]*Watching)/);
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
});

test("numbers from a pipe: keys come from the terminal all the same", async () => {
  const { home, numbers } = await homeWithParcels(2);
  const shell = `${notingShell.replace('"$@";', `printf '%s\\n' ${numbers.join(" ")} | "$@";`)}`;
  const terminal = home.open("track - --watch --interval 1s --yes", { shell });
  await terminal.until("q ends the watch");
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.screen()).toContain("Watched 2 parcels");
  await expectWhole(home, terminal);
});

test("a board that nobody can type at says what ends it", async () => {
  const { home, numbers } = await homeWithParcels(1);
  const terminal = home.open(words(numbers), { env: { TERM: "dumb" } });
  await terminal.until("pending");
  expect(terminal.output, "a terminal that cannot redraw gets lines").not.toContain("\u001b[?25l");
  terminal.type(keys.ctrlC);
  expect((await terminal.ended).exit).toBe(130);
});

test("more parcels than lines: the one that changes comes to the top", async () => {
  const { home, numbers } = await homeWithParcels(12);
  const terminal = home.open(words(numbers), { rows: 14 });
  await terminal.until(/^Watching 12 parcels {2}12 pending$/m);
  const last = numbers.at(-1) ?? "";
  expect(terminal.screen()).not.toContain(last);
  await home.sandbox.advance({ trackingNumber: last, to: "delivering" });
  await terminal.until(new RegExp(`TRACKING.*\\n\\* ${last} {2}delivering`));
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  for (const number of numbers) expect(terminal.transcript()).toContain(number);
});

test("trouble stands on the board, with since when and why, and goes when it is over", async () => {
  const { home, numbers } = await homeWithParcels(2);
  const [first = ""] = numbers;
  const terminal = home.open(words(numbers));
  await terminal.until("2 pending");
  home.sandbox.faults.set([{ kind: "drop_before", path: `/api/v1/tracking/${first}` }]);
  await terminal.until(
    new RegExp(
      `^! ${first} {2}pending[\\s\\S]*^! ${first} since \\d\\d:\\d\\d:\\d\\d: the[\\s\\S]*dropped$`,
      "m",
    ),
  );
  home.sandbox.faults.clear();
  await terminal.until((screen) => !screen.includes("!") && screen.includes(first));
  home.sandbox.faults.set([{ kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "no" }]);
  expect((await terminal.ended).exit).toBe(4);
  expect(terminal.isCursorVisible).toBe(true);
});

test("a command's output comes above the board, and the board stays one", async () => {
  const { home, numbers } = await homeWithParcels(2);
  const terminal = home.open([
    ...words(numbers).split(" "),
    "--exec",
    "echo told $COURIER_CURRENT; cat > change.json",
  ]);
  await terminal.until("2 pending");
  await home.sandbox.advance({ trackingNumber: numbers[0] ?? "", to: "picked" });
  await terminal.until(/told picked\nWatching 2 parcels[\s\S]*q ends the watch/);
  expect(terminal.screen().match(/^Watching 2 parcels {2}/gm)).toHaveLength(1);
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  expect(JSON.parse(await readFile(`${home.directory}/change.json`, "utf8"))).toMatchObject({
    current: "picked",
  });
});

test("keys choose, filter and open a parcel while the watch goes on, and leave the terminal whole", async () => {
  const { home, numbers } = await homeWithParcels(3);
  const [first = "", second = ""] = numbers;
  const terminal = home.open(words(numbers), { shell: notingShell });
  await terminal.until("3 pending");
  terminal.type("\u001b[B");
  await terminal.until(new RegExp(`^[ *!]>${first}`, "m"));
  terminal.type(`/${second}`);
  await terminal.until((screen) => screen.includes(`\nFilter: ${second}\n`) && !screen.includes(first));
  expect(terminal.isCursorVisible).toBe(true);
  terminal.type("\r");
  await terminal.until("Watching 3 parcels, 1 with");
  expect(terminal.isCursorVisible).toBe(false);
  terminal.type("\r");
  await terminal.until(new RegExp(`^${second} {2}pending`, "m"));
  await home.sandbox.advance({ trackingNumber: second, to: "picked" });
  await terminal.until(new RegExp(`^${second} {2}picked`, "m"));
  terminal.type("\u001b");
  await terminal.until("Watching 3 parcels, 1 with");
  terminal.type("q");
  expect((await terminal.ended).exit).toBe(0);
  expect(terminal.screen()).toMatch(/Watched 3 parcels for \d+ s: 1 change, \d+ calls$/);
  await expectWhole(home, terminal);
});
