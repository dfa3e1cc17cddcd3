/** Lines that are redrawn in place: a terminal shows what was last drawn, and little is written for it. */

import headless from "@xterm/headless";
import { describe, expect, test } from "vitest";
import { createLiveRegion } from "../../src/terminal/live-region.ts";
import { cutPainted, displayWidth } from "../../src/terminal/width.ts";
import { fc } from "../support/effort.ts";
import { Capture } from "../support/streams.ts";

/** A terminal that shows what a region draws on it. */
function openScreen(columns: number, rows: number) {
  const emulator = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 500,
    allowProposedApi: true,
    convertEol: true,
    logLevel: "off",
  });
  const stream = new Capture(columns, rows);
  const region = createLiveRegion(stream);
  const flush = async (): Promise<string> => {
    const written = stream.text;
    stream.forget();
    await new Promise<void>((resolve) => emulator.write(written, resolve));
    return written;
  };
  return {
    region,
    flush,
    say: (text: string) => stream.write(text),
    resize(width: number, height: number) {
      emulator.resize(width, height);
      stream.columns = width;
      stream.rows = height;
    },
    visible: () => linesFrom(emulator.buffer.active.baseY),
    lines: () => linesFrom(0),
    cursor: () => ({
      row: emulator.buffer.active.baseY + emulator.buffer.active.cursorY,
      column: emulator.buffer.active.cursorX,
    }),
  };

  function linesFrom(first: number): string[] {
    const { active } = emulator.buffer;
    const texts = Array.from(
      { length: active.length - first },
      (_, row) =>
        active
          .getLine(first + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
    while (texts.at(-1) === "") texts.pop();
    return texts;
  }
}

const text = fc.stringMatching(/^[a-z快件 ]{0,30}[a-z]$/);
const frame = fc.array(text, { minLength: 1, maxLength: 8 });

describe("whatever is drawn one after the other", () => {
  test("the terminal shows the last of it, below what was written meanwhile", async () => {
    const steps = fc.array(
      fc.oneof(
        frame.map((lines) => ({ lines })),
        text.map((said) => ({ said })),
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, frame, async (before, last) => {
        const screen = openScreen(40, 12);
        const saidLines: string[] = [];
        for (const step of before) {
          if ("lines" in step) screen.region.show(step.lines);
          else {
            screen.region.clear();
            screen.say(`${step.said}\n`);
            saidLines.push(step.said);
          }
          await screen.flush();
        }
        screen.region.show(last);
        await screen.flush();
        const wanted = [...saidLines, ...last.map((line) => cutPainted(line, 40))];
        expect(screen.lines()).toEqual(wanted.map((line) => line.trimEnd()));
      }),
      { numRuns: 60 },
    );
  });

  test("only lines that changed are written", async () => {
    await fc.assert(
      fc.asyncProperty(frame, frame, async (first, second) => {
        const screen = openScreen(60, 12);
        screen.region.show(first);
        await screen.flush();
        screen.region.show(second);
        const written = await screen.flush();
        const changed = second.filter((line, index) => line !== first[index]);
        const controls = 24 * (changed.length + 1);
        expect(written.length).toBeLessThanOrEqual(changed.join("").length + controls);
        if (changed.length === 0 && first.length === second.length) expect(written).toBe("");
      }),
    );
  });
});

test.each([
  [40, 12],
  [25, 12],
  [13, 12],
  [100, 30],
  [60, 5],
])("at %d columns and %d lines after a resize there is one picture, from the top", async (columns, rows) => {
  const screen = openScreen(60, 12);
  screen.say("before\n");
  const lines = [
    "Watching parcels that are on their way to many places",
    "快件已发出，正发往北京市转运中心，请耐心等待",
    "footer",
  ];
  screen.region.show(lines);
  await screen.flush();
  screen.resize(columns, rows);
  screen.region.show(lines);
  await screen.flush();
  expect(screen.visible()).toEqual(lines.map((line) => cutPainted(line, columns)));
  screen.region.show([...lines.slice(0, 2), "other"]);
  await screen.flush();
  expect(screen.visible().at(-1)).toBe("other");
});

test("a caret is where the person types; it goes when other output comes, and costs nothing where nothing changed", async () => {
  const screen = openScreen(40, 12);
  screen.region.show(["Find: 李", "row", "keys"], { line: 0, column: 8 });
  await screen.flush();
  expect(screen.cursor()).toEqual({ row: 0, column: 8 });
  screen.region.show(["Find: 李", "row", "keys"], { line: 0, column: 8 });
  expect(await screen.flush()).toBe("");
  screen.region.show(["Find: 李4", "other", "keys", "more"], { line: 0, column: 9 });
  await screen.flush();
  expect(screen.lines()).toEqual(["Find: 李4", "other", "keys", "more"]);
  expect(screen.cursor()).toEqual({ row: 0, column: 9 });
  screen.region.clear();
  screen.say("said\n");
  screen.region.show(["Find: 李4", "other"], { line: 0, column: 9 });
  await screen.flush();
  expect(screen.lines()).toEqual(["said", "Find: 李4", "other"]);
  screen.region.release();
  screen.say("shell\n");
  await screen.flush();
  expect(screen.lines()).toEqual(["said", "Find: 李4", "other", "shell"]);
  screen.region.forget();
  screen.region.show(["a", "b"], { line: 1, column: 0 });
  screen.region.finish(["end"]);
  await screen.flush();
  expect(screen.lines()).toEqual(["said", "Find: 李4", "other", "shell", "end"]);
  expect(screen.cursor()).toEqual({ row: 5, column: 0 });
});

test("more lines than the terminal has: the first ones and the last two", async () => {
  const screen = openScreen(40, 6);
  screen.region.show(["1", "2", "3", "4", "5", "6", "calls", "q ends it"]);
  await screen.flush();
  expect(screen.lines()).toEqual(["1", "2", "3", "calls", "q ends it"]);
});

test("the end: all lines, whole, and the cursor, which was hidden", async () => {
  const screen = openScreen(20, 5);
  screen.region.show(["1", "2"]);
  expect(await screen.flush()).toContain("\u001b[?25l");
  screen.region.finish(["1", "2", "3", "4", "5", "6", "longer than the terminal is wide"]);
  expect(await screen.flush()).toMatch(/\u001b\[\?25h$/);
  expect(screen.lines()).toEqual(["1", "2", "3", "4", "5", "6", "longer than the term", "inal is wide"]);
});

test("another program had the terminal: nothing above is touched", async () => {
  const screen = openScreen(20, 10);
  screen.region.show(["board", "footer"]);
  screen.region.release();
  screen.say("$ fg\n");
  screen.region.forget();
  screen.region.show(["board", "footer"]);
  await screen.flush();
  expect(screen.lines()).toEqual(["board", "footer", "$ fg", "board", "footer"]);
});

test("a painted line is cut to its width and keeps all its styling codes", () => {
  const painted = "\u001b[1mCR12\u001b[22m \u001b[36m快件已发出\u001b[39m";
  for (const columns of [1, 3, 4, 5, 6, 8, 14, 15, 99]) {
    const cut = cutPainted(painted, columns);
    expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
    expect(cut.match(/\u001b\[\d+m/g)).toHaveLength(4);
    expect(cut.includes("…")).toBe(columns < displayWidth(painted));
  }
});

test("a line that the terminal takes for wider than it is moves no other line", async () => {
  const { region, flush, visible, say } = openScreen(20, 8);
  const family = "👨‍👩‍👧"; // three cells of this terminal, two of a newer one
  region.show(["first", `> ${family.repeat(9)}`, "last"]);
  await flush();
  region.show(["changed", `> ${family.repeat(8)}`, "last"]);
  await flush();
  expect(visible()).toMatchObject(["changed", expect.stringContaining(">"), "last"]);
  region.finish(["changed"]);
  say("a text that is longer than a line\n");
  await flush();
  expect(visible()).toEqual(["changed", "a text that is longe", "r than a line"]);
});
