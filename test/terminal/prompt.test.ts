/** Questions at the moment in which a run is interrupted, and answers that are typed at once. */

import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Pasted, type Prompts, WentBack } from "../../src/core/prompts.ts";
import { createPrompts } from "../../src/terminal/prompt.ts";
import { Capture } from "../support/streams.ts";

const noJob = { stop: () => {}, onContinue: () => () => {} };

test.each<[string, (prompts: Prompts) => Promise<unknown>]>([
  ["a text", (prompts) => prompts.text("Name")],
  ["a secret", (prompts) => prompts.secret("Key")],
  ["yes or no", (prompts) => prompts.confirm("Send it?")],
  ["a choice", (prompts) => prompts.choose("What now?", [{ value: 1, label: "Send" }])],
  ["a search", (prompts) => prompts.search("Which?", () => [{ value: 1, label: "Shop" }])],
])(
  "%s that comes after the interruption is not asked, and leaves nothing that waits for a key",
  async (_kind, ask) => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new Capture(80);
    const reason = new Error("interrupted");
    const prompts = createPrompts({
      input,
      output,
      signal: AbortSignal.abort(reason),
      job: noJob,
      elapsed: () => 0,
    });
    await expect(ask(prompts)).rejects.toBe(reason);
    expect(input.isPaused() || input.readableFlowing === null).toBe(true);
    expect(input.listenerCount("data")).toBe(0);
    expect(output.text).toBe("");
  },
);

const turn = () => new Promise(setImmediate);

function inReality(spanMs: number): () => boolean {
  const endMs = performance.now() + spanMs;
  return () => performance.now() >= endMs;
}

function atTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = new Capture(80);
  const signal = new AbortController().signal;
  let nowMs = 0;
  return {
    input,
    output,
    prompts: createPrompts({ input, output, signal, job: noJob, elapsed: () => nowMs }),
    /** Time passes, without anything typed. */
    pass: (byMs: number) => {
      nowMs += byMs;
    },
    async until(shown: string) {
      while (!output.text.includes(shown)) await turn();
    },
    /** Comes in one read, and is dealt with before anything after it. */
    async read(keys: string) {
      input.write(keys);
      for (let turns = 0; turns < 20 + 2 * keys.length; turns++) await turn();
    },
  };
}

const places = ["Shop", "Li", "Wang"].map((label) => ({ value: label, label }));
const find = (term: string) => places.filter(({ label }) => label.toLowerCase().includes(term));

test.each([
  ["Enter alone", "\r", "Shop"],
  ["a text and Enter", "wan\r", "Wang"],
  ["a text, mended, and Enter", "wax\u007fng\r", "Wang"],
  ["an arrow and Enter", "\u001b[B\r", "Li"],
])("%s in one piece answers a search as slow typing does", async (_what, keys, chosen) => {
  const { input, prompts } = atTerminal();
  const answer = prompts.search("Which?", find);
  input.write(keys);
  expect(await answer).toBe(chosen);
});

test("lines that come in one piece answer one text after the other", async () => {
  const { input, prompts } = atTerminal();
  input.write("Ann\r139\rli\r");
  expect([await prompts.text("Name"), await prompts.text("Phone")]).toEqual(["Ann", "139"]);
  expect(await prompts.search("Which?", find)).toBe("Li");
});

test.each([
  ["plain", "y".repeat(3_000), "y".repeat(3_000)],
  ["wide characters", "路".repeat(1_500), "路".repeat(1_500)],
  ["after keys", `ab\u001b[D\u001b[D${"y".repeat(3_000)}`, `${"y".repeat(3_000)}ab`],
])(
  "a long paste without a line break is drawn a few times, and not for each character: %s",
  async (_what, keys, line) => {
    const { input, output, prompts } = atTerminal();
    const answer = prompts.text("Name");
    input.write(`${keys}\r`);
    expect(await answer).toBe(line);
    expect(output.text.length).toBeLessThan(100 * keys.length);
  },
);

test("a question with an endless name is asked, and its answer taken, without the middle of the name", async () => {
  const { input, output, prompts, until, pass } = atTerminal();
  const chosen = prompts.confirm(`Cancel the order to ${"建".repeat(1_000_000)} in 北京?`);
  await until("北京?");
  expect(output.text).toContain("Cancel the order to 建");
  pass(1_000);
  input.write("y\r");
  expect(await chosen).toBe(true);
  expect(output.text.length).toBeLessThan(20_000);
});

test("a long paste into a hidden line, a search and lines is taken whole", async () => {
  const { input, output, prompts } = atTerminal();
  const long = "y".repeat(3_000);
  input.write(`${long}\r`);
  expect(await prompts.secret("Key")).toBe(long);
  const lines = prompts.lines("Address");
  input.write(`${long}\r${long}\r\r`);
  expect(await lines).toBe(`${long}\n${long}`);
  const chosen = prompts.search("Which?", (term) => [{ value: term, label: "it" }]);
  input.write(`${long}\r`);
  expect(await chosen).toBe(long);
  expect(output.text.length).toBeLessThan(300 * long.length);
});

const isAddress = (text: string) => text.includes("Road 1");
const addressLines = "Ann\nRoad 1\nTown";

describe("a paste that answers more than one question", () => {
  const ways: [string, (prompts: Prompts) => Promise<unknown>][] = [
    ["a text", (prompts) => prompts.text("Name", { answersMore: isAddress })],
    ["a search", (prompts) => prompts.search("Which?", find, { answersMore: isAddress })],
  ];
  const pieces: [string, readonly string[]][] = [
    ["marked", [`\u001b[200~${addressLines.replaceAll("\n", "\r")}\r\u001b[201~`]],
    ["marked, in two pieces", ["\u001b[200~Ann\rRo", "ad 1\rTown\u001b[2", "01~"]],
    ["not marked", [addressLines.replaceAll("\n", "\r")]],
    ["not marked, in two pieces", ["Ann\rRo", "ad 1\rTown\r"]],
    ["behind what was typed", ["An", `\u001b[200~n\rRoad 1\rTown\u001b[201~`]],
  ];
  const cases = ways.flatMap(([what, ask]) => pieces.map(([how, keys]) => [what, how, ask, keys] as const));
  test.each(cases)("leaves %s with it: %s", async (_what, _how, ask, keys) => {
    const { input, output, prompts, until, read } = atTerminal();
    const answer = ask(prompts).catch((error: unknown) => error);
    await until("? ");
    for (const key of keys.slice(0, -1)) await read(key);
    input.write(keys.at(-1) ?? "");
    const end = await answer;
    expect(end).toBeInstanceOf(Pasted);
    expect((end as Pasted).text.trim()).toBe(addressLines);
    expect(output.text).toMatch(/\u001b\[\?2004h[\s\S]*\u001b\[\?2004l/);
  });

  test("does not leave a question that asks for it alone: its lines become one, and Enter stays the person's", async () => {
    const { input, prompts, until, read } = atTerminal();
    const answer = prompts.text("Street", { answersMore: isAddress });
    await until("Street");
    await read("\u001b[200~House 2\r  Floor 3\r\u001b[201~");
    input.write("!\r");
    expect(await answer).toBe("House 2 Floor 3!");
  });

  test("that is no address and is not marked is typed lines, as before", async () => {
    const { prompts, until, read } = atTerminal();
    const answer = prompts.text("Name", { answersMore: isAddress });
    await until("Name");
    await read("Ann\r139\r");
    expect([await answer, await prompts.text("Phone")]).toEqual(["Ann", "139"]);
  });

  test("is typed keys where Ctrl-C comes before its end", async () => {
    const { prompts, until, read } = atTerminal();
    const answer = prompts.text("Name", { answersMore: isAddress });
    const ended = expect(answer).rejects.toMatchObject({ exit: 130 });
    await until("Name");
    await read("\u001b[200~Ann");
    await read("\u0003");
    await ended;
  });
});

describe("Esc", () => {
  test.each<[string, (prompts: Prompts) => Promise<unknown>]>([
    ["a text", (prompts) => prompts.text("Next", { canGoBack: true })],
    ["a search", (prompts) => prompts.search("Next", find, { canGoBack: true })],
    ["a choice", (prompts) => prompts.choose("Next", places, { canGoBack: true })],
  ])("leaves %s, and takes it off the screen", async (_what, ask) => {
    const { prompts, until, read, output } = atTerminal();
    const answer = ask(prompts);
    const ended = expect(answer).rejects.toBeInstanceOf(WentBack);
    await until("Next");
    await read("\u001b");
    await ended;
    expect(output.text.slice(output.text.lastIndexOf("Next"))).toContain("\u001b[J");
  });

  test("hands on what was typed", async () => {
    const { prompts, until, read } = atTerminal();
    const kept: string[] = [];
    const keepTyped = (text: string) => kept.push(text);
    const answer = prompts.text("Name", { canGoBack: true, keepTyped });
    const ended = expect(answer).rejects.toBeInstanceOf(WentBack);
    await until("Name");
    await read("Ann");
    await read("\u001b");
    await ended;
    expect(kept).toEqual(["Ann"]);
  });

  test("is no arrow, also where the keys of one come in pieces; and nothing where there is no way back", async () => {
    const { prompts, until, read } = atTerminal();
    const answer = prompts.search("Which?", find, { canGoBack: true });
    await until("❯ Shop");
    await read("\u001b");
    await read("[B");
    await read("\r");
    expect(await answer).toBe("Li");
    const name = prompts.text("Name");
    await until("Name");
    await read("\u001b");
    await read("\r");
    expect(await name).toBe("");
  });
});

describe("Ctrl-C and Ctrl-D right after Esc, which means nothing there", () => {
  const questions: [string, (prompts: Prompts) => Promise<unknown>][] = [
    ["a text", (prompts) => prompts.text("Next")],
    ["a secret", (prompts) => prompts.secret("Next")],
    ["a choice", (prompts) => prompts.choose("Next", places)],
    ["a search", (prompts) => prompts.search("Next", find)],
    ["lines", (prompts) => prompts.lines("Next")],
  ];
  const cases = questions.flatMap(([what, ask]) => [
    [what, "Ctrl-C", "\u0003", ask] as const,
    [what, "Ctrl-D", "\u0004", ask] as const,
  ]);
  test.each(cases)("end %s: %s", async (_what, _key, key, ask) => {
    const { prompts, until, read, pass } = atTerminal();
    const answer = ask(prompts);
    const ended = expect(answer).rejects.toMatchObject({ exit: 130 });
    await until("Next");
    pass(500);
    await read("\u001b");
    await read(key);
    await ended;
  });

  test("while a letter there is one with Alt, as before", async () => {
    const { prompts, until, read } = atTerminal();
    const answer = prompts.text("Name");
    await until("Name");
    await read("Ann Lee");
    await read("\u001b");
    await read("b");
    await read("van \r");
    expect(await answer).toBe("Ann van Lee");
  });
});

describe("Esc at yes or no", () => {
  test.each([false, true])("means no, also where Enter means yes: %s", async (isYes) => {
    const { prompts, until, read, pass } = atTerminal();
    const answer = prompts.confirm("Send it?", isYes);
    await until("Send it?");
    pass(500);
    await read("\u001b");
    expect(await answer).toBe(false);
  });

  test.each(["y", "\r", "y\r"])(
    "stays no where %j comes right behind it, which answers no later question",
    async (keys) => {
      const { prompts, until, read, input, pass } = atTerminal();
      const answer = prompts.confirm("Send it?", true);
      await until("Send it?");
      pass(500);
      input.write("\u001b");
      for (const key of keys) input.write(key);
      expect(await answer).toBe(false);
      const next = prompts.confirm("Really?", true);
      await until("Really?");
      pass(500);
      await read("n");
      await read("\r");
      expect(await next).toBe(false);
    },
  );
});

test("Ctrl-C acts before lines that came ahead of it and were not read yet; the line that is typed is kept", async () => {
  const { input, prompts } = atTerminal();
  const kept: string[] = [];
  const answer = prompts.text("Name", { keepTyped: (line) => kept.push(line) });
  input.write(`${"Ann\r".repeat(20)}`);
  input.write("\u0003");
  await expect(answer).rejects.toMatchObject({ exit: 130 });
  expect(kept).toEqual(["Ann"]);
});

test("Ctrl-C in a paste keeps its lines, and the one that is not ended yet", async () => {
  const { input, until, prompts } = atTerminal();
  const kept: string[] = [];
  const answer = prompts.lines("Address", { keepTyped: (text) => kept.push(text) });
  input.write("Ann\rShop 1, half a str");
  await until("half a str");
  input.write("\u0003");
  await expect(answer).rejects.toMatchObject({ exit: 130 });
  expect(kept).toEqual(["Ann\nShop 1, half a str"]);
});

test("Ctrl-C before anything was pasted keeps nothing", async () => {
  const { input, until, prompts } = atTerminal();
  const kept: string[] = [];
  const answer = prompts.lines("Address", { keepTyped: (text) => kept.push(text) });
  await until(">");
  input.write("  \u0003");
  await expect(answer).rejects.toMatchObject({ exit: 130 });
  expect(kept).toEqual([]);
});

test("but no choice and no yes or no, which must have been seen", async () => {
  const { input, prompts, until, pass } = atTerminal();
  input.write("Ann\ry\r\r");
  expect(await prompts.text("Name")).toBe("Ann");
  const answer = prompts.confirm("Send it?");
  await until("Send it?");
  pass(500);
  input.write("\r");
  expect(await answer).toBe(false);
});

const next = [
  { value: "send", label: "Send" },
  { value: "keep", label: "Keep" },
];

test("later pieces of a paste answer no choice; it takes keys once nothing has come for half a second", async () => {
  const { input, prompts, until, pass, read } = atTerminal();
  input.write("Ann\r139\r");
  expect(await prompts.text("Name")).toBe("Ann");
  const answer = prompts.choose("What now?", next);
  await until("What now?");
  for (const piece of ["1\r1\r", "\r", "1", "\r"]) {
    pass(499);
    await read(piece);
  }
  pass(500);
  await read("\u001b[B");
  await read("\r");
  expect(await answer).toBe("keep");
});

test.each([
  ["comes to a choice", ["def\u001b[201~"]],
  ["comes to a choice after a piece of the middle", ["def", "ghi\u001b[201~"]],
  ["never comes", []],
])("a paste whose end %s takes none of the keys after it", async (_when, pieces) => {
  const { input, prompts, until, pass, read } = atTerminal();
  input.write("book\r\u001b[200~abc");
  expect(await prompts.text("Name")).toBe("book");
  const answer = prompts.choose("What now?", next);
  await until("What now?");
  for (const piece of pieces) {
    pass(100);
    await read(piece);
  }
  pass(500);
  await read("\u001b[B");
  await read("\r");
  expect(await answer).toBe("keep");
  const city = prompts.text("City");
  await until("City");
  for (const key of "Rome\r") await read(key);
  expect(await city).toBe("Rome");
});

test("a piece of several keys answers no yes or no, however late it comes", async () => {
  const { prompts, until, pass, read } = atTerminal();
  const answer = prompts.confirm("Send it?");
  await until("Send it?");
  await read("y\ry\r");
  await read("\r"); // goes with the paste
  pass(500);
  for (const key of "no") await read(key);
  await read("\r");
  expect(await answer).toBe(false);
});

test.each([
  ["y\r", true],
  ["YES\r", true],
  ["n\r", false],
])("an answer with an Enter that was as fast counts: %j", async (keys, expected) => {
  const { prompts, until, read } = atTerminal();
  const answer = prompts.confirm("Send it?", !expected);
  await until("Send it?");
  await read(keys);
  expect(await answer).toBe(expected);
});

test("letters that come in one piece choose, and Enter does once nothing has come for half a second", async () => {
  const { prompts, until, pass, read, output } = atTerminal();
  const isAgreed = prompts.confirm("Send it?", true);
  await until("Send it?");
  for (const keys of ["no", "\r"]) await read(keys);
  pass(500);
  await read("\r");
  expect(await isAgreed).toBe(false);
  const answer = prompts.choose("What now?", [...next, { value: "quit", label: "Quit" }]);
  await until("What now?");
  pass(500);
  for (const keys of ["Quit", "\r", "\r"]) await read(keys);
  expect(output.text.slice(output.text.lastIndexOf("❯"))).toMatch(/^❯ Quit/);
  pass(500);
  await read("\r");
  expect(await answer).toBe("quit");
});

test("a choice that follows nothing typed takes keys at once, and those of a held arrow together", async () => {
  const { prompts, until, read, output } = atTerminal();
  const answer = prompts.choose("What now?", [...next, { value: "quit", label: "Quit" }]);
  await until("What now?");
  await read("\u001b[B\u001b[B");
  expect(output.text.slice(output.text.lastIndexOf("❯"))).toMatch(/^❯ Quit/);
  await read("\r");
  expect(await answer).toBe("quit");
});

test("Ctrl-C ends a choice at any time, also amid a paste", async () => {
  const { prompts, until, read } = atTerminal();
  const answer = prompts.choose("What now?", next).catch((error: unknown) => error);
  await until("What now?");
  await read("a\r");
  await read("1\u0003\r");
  expect(await answer).toMatchObject({ exit: 130 });
});

test("one letter on each line answers one text after the other", async () => {
  const { input, prompts } = atTerminal();
  input.write("甲\r乙\r\r1\r");
  for (const letter of ["甲", "乙", "", "1"]) expect(await prompts.text("Name")).toBe(letter);
});

test("what is typed before a line with an old answer is drawn goes behind that answer", async () => {
  const { input, prompts } = atTerminal();
  input.write("Ann\r-B2\r");
  expect(await prompts.text("Name")).toBe("Ann");
  expect(await prompts.text("Street", { initial: "Road 1" })).toBe("Road 1-B2");
});

describe("characters of an old answer that are shown as escapes", () => {
  const joined = "\u{1F468}\u200d\u{1F469}";
  test.each([
    ["a line break", "Road 1\n3rd floor"],
    ["a joiner in a Persian name", "علی\u200cرضا"],
    ["an emoji", `Li ${joined}`],
    ["more marks than are shown", `e${"\u0301".repeat(12)}`],
    ["what is no escape", "C:\\new"],
  ])("are in the answer as they were: %s", async (_what, initial) => {
    const { input, prompts, output } = atTerminal();
    const checked: string[] = [];
    const check = (answer: string) => checked.push(answer) > 0 || "wrong";
    input.write("\r");
    expect(await prompts.text("Name", { initial, check })).toBe(initial);
    expect(new Set(checked)).toEqual(new Set([initial]));
    expect(output.text).not.toContain("1\n3");
  });

  test("stay where the line is edited, and are kept with it at Esc", async () => {
    const { input, prompts, until, read } = atTerminal();
    const initial = `${joined} Road 1\n3rd floor`;
    input.write("-B\r");
    expect(await prompts.text("Street", { initial })).toBe(`${initial}-B`);
    const kept: string[] = [];
    const left = prompts.text("City", { initial, canGoBack: true, keepTyped: (text) => kept.push(text) });
    const ended = expect(left).rejects.toBeInstanceOf(WentBack);
    await until("City");
    await read("x");
    await read("\u001b");
    await ended;
    expect(kept).toEqual([`${initial}x`]);
  });

  test("are in a suggestion that Enter takes", async () => {
    const { input, prompts } = atTerminal();
    input.write("\r");
    expect(await prompts.text("Name", { suggestion: joined })).toBe(joined);
  });
});

test("no key shows a secret", async () => {
  const { input, output, prompts } = atTerminal();
  const answer = prompts.secret("Key");
  input.write("hidden-\u0014key\u0014\r");
  expect(await answer).toBe("hidden-key");
  expect(output.text).toContain("Key");
  expect(output.text).not.toMatch(/hidden|ctrl\+t/);
});

test.each([
  ["typed", {}, "李", "李"],
  ["typed, and not valid", { check: () => "no" }, "李\r四", "李四"],
  ["changed", { initial: "李" }, "四 ", "李四"],
  ["not touched", { initial: "李" }, "", undefined],
  ["emptied", { initial: "李" }, "\u007f", undefined],
  ["of blanks", {}, "  ", undefined],
])("a line that is interrupted is told as it stands: %s", async (_what, options, typed, told) => {
  const { prompts, until, read } = atTerminal();
  let line: string | undefined;
  const keepTyped = (text: string) => {
    line = text;
  };
  const answer = prompts.text("Name", { ...options, keepTyped });
  await until("Name");
  await read(typed);
  const ended = expect(answer).rejects.toMatchObject({ exit: 130 });
  await read("\u0003");
  await ended;
  expect(line).toBe(told);
});

test("what was typed ahead answers no yes or no, also where the process was busy while it came", async () => {
  const { input, prompts, until, pass, read } = atTerminal();
  input.write(`Ann\r${"\r".repeat(50)}`);
  expect(await prompts.text("Name")).toBe("Ann");
  const answer = prompts.confirm("Send it?", true);
  const isOver = inReality(100);
  while (!isOver());
  await until("Send it?");
  pass(500);
  for (const isOver = inReality(100); !isOver(); ) await turn(); // no timer is left that ends it
  await read("n\r");
  expect(await answer).toBe(false);
});

describe("between questions that are asked together", () => {
  function atModes() {
    const modes: boolean[] = [];
    const input = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (isRaw: boolean) => modes.push(isRaw),
    });
    const stop = new AbortController();
    const job = { ...noJob, interrupt: () => stop.abort(new Error("interrupted")) };
    const output = new Capture(80);
    return {
      input,
      modes,
      prompts: createPrompts({ input, output, signal: stop.signal, job, elapsed: () => 0 }),
    };
  }

  test("the terminal shows no key, and each answers the next question", async () => {
    const { input, modes, prompts } = atModes();
    const answers = prompts.together(async () => {
      input.write("https://service.invalid\r");
      const url = await prompts.text("URL");
      input.write("hidden\r");
      await turn();
      return [url, await prompts.secret("Key")];
    });
    expect(await answers).toEqual(["https://service.invalid", "hidden"]);
    expect(modes.lastIndexOf(true)).toBe(modes.length - 2);
    expect(modes.indexOf(false)).toBe(modes.length - 1);
  });

  test("Ctrl-C interrupts the run, and the next question is not asked", async () => {
    const { input, modes, prompts } = atModes();
    const answers = prompts.together(async () => {
      input.write("Ann\r");
      await prompts.text("Name");
      input.write("139\u0003");
      await turn();
      return prompts.text("Phone");
    });
    await expect(answers).rejects.toThrow("interrupted");
    expect(modes.at(-1)).toBe(false);
    expect(input.listenerCount("data")).toBe(0);
  });
});
