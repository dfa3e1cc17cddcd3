/** Service text in every place where it can reach a terminal: nothing acts, and JSON loses nothing. */

import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { noPasteMarks, pasteMarks } from "../../src/terminal/keypress.ts";
import { createPrompts } from "../../src/terminal/prompt.ts";
import { createHome } from "../support/courier.ts";
import { effort, fc, seed } from "../support/effort.ts";
import { expectUntouched } from "../support/emulated.ts";
import { plainDraft } from "../support/orders.ts";
import { Capture, noJob } from "../support/streams.ts";
import { terminalTexts } from "../support/terminal-grammar.ts";
import { type FuzzedLine, fuzzCommandLine } from "./command-line.ts";

const numRuns = effort(10, 60);

/** A further command that shows service text is one line here. */
const lines: readonly FuzzedLine[] = [
  { words: "profile", isVerbatim: true },
  { words: "login --base-url https://service.test --account shop", stdin: "fuzz-key-0123456789" },
  { words: "orders list --page 1", isVerbatim: true },
  { words: "orders list --all --fields id,item_name,sender,more", isVerbatim: false },
  { words: "orders export", isFile: true },
  { words: "orders show 7", isVerbatim: true },
  { words: "orders create --file - --allow-duplicate", stdin: JSON.stringify(plainDraft), isVerbatim: true },
  { words: "orders cancel 7 --yes" },
  { words: "track T1", isVerbatim: true },
  { words: "track T1 T2" },
  { words: "track T1 T2 --watch --for 3m --interval 60s --yes", isLive: true },
  { words: "api GET /api/v1/user/profile", isFile: true },
  { words: "doctor" },
];

describe.each(lines)("$words", (line) => {
  test("leaves the terminal untouched, whatever the service says", async () => {
    const home = await createHome({
      COURIER_API_KEY: "fuzz-key-0123456789",
      COURIER_BASE_URL: "https://service.test",
    });
    await fuzzCommandLine(home, line, { numRuns });
  });
});

test("the check of these tests notices what acts", async () => {
  for (const text of [
    "\u001b[2J",
    "\u001b]0;title\u0007",
    "\u001b[31;5m",
    "\u001bc",
    "\u001b[?25l",
    "\u0007",
    "\u009b2J",
    "\u009d0;x\u009c",
    "a\rb",
    "a\bb",
    "a\tb",
    "\u001b[6n",
    "\u001b(0",
    "\u001b[?1049h",
    "\u001bP$q\u001b\\",
    "\u001b[5;5r",
  ])
    await expect(expectUntouched(`before ${text} after\n`), JSON.stringify(text)).rejects.toThrow();
  await expectUntouched("\u001b[31mred\u001b[39m and 深圳\nplain\n");
  await expectUntouched("\r\u001b[KWaiting…\r\u001b[Kplain\n");
});

/** What the prompt library sends: colours, small moves, erasing lines, and the cursor's visibility. */
const ofPrompts = /\u001b\[(?:\d{1,2}(?:;\d{1,2})*)?[ABCDGKm]|\u001b\[J|\u001b\[\?25[lh]|\r?\n|\r/g;
const acting =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;

describe("questions that quote the service", () => {
  const streams = () => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new Capture(80);
    onTestFinished(() => void input.destroy());
    return {
      input,
      output,
      prompts: createPrompts({
        input,
        output,
        signal: new AbortController().signal,
        job: noJob,
        elapsed: () => 0,
      }),
    };
  };

  /** Asks, answers with Enter once something is on the screen, and looks at all that was printed. */
  async function check(ask: (prompts: ReturnType<typeof createPrompts>) => Promise<unknown>): Promise<void> {
    const { input, output, prompts } = streams();
    let isOver = false;
    const asked = ask(prompts).finally(() => {
      isOver = true;
    });
    while (output.text === "") await turn();
    while (!isOver) {
      input.write("\r");
      await turn();
    }
    await asked;
    // Each once: a text that switches them would be left.
    const rest = output.text.replace(pasteMarks, "").replace(noPasteMarks, "").replace(ofPrompts, "");
    const found = acting.exec(rest);
    expect(found && JSON.stringify(rest.slice(Math.max(0, found.index - 20), found.index + 20))).toBeNull();
  }

  test.each([
    ["text", 60, (prompts, a, b) => prompts.text(a, { suggestion: b })],
    ["an edited text", 60, (prompts, a, b) => prompts.text(a, { initial: b })],
    ["yes or no", 20, (prompts, a) => prompts.confirm(a)],
    ["a choice", 20, (prompts, a, b) => prompts.choose(a, [{ value: 1, label: b, description: a }])],
    ["a search", 60, (prompts, a, b) => prompts.search(a, () => [{ value: 1, label: b, description: a }])],
  ] satisfies [
    string,
    number,
    (prompts: ReturnType<typeof createPrompts>, a: string, b: string) => Promise<unknown>,
  ][])("%s", async (_kind, runs, ask) => {
    await fc.assert(
      fc.asyncProperty(terminalTexts, terminalTexts, (a, b) =>
        check((prompts) => ask(prompts, `q${a}`, `a${b}`)),
      ),
      { numRuns: runs },
    );
  });
});

test("figures", () => {
  console.log(`texts shown: ${lines.length} command lines × ${numRuns} runs, seed ${seed}`);
});
