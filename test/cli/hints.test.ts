/** Every command that a message of the program names is one that there is, with the flags that are named. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { globalOptions, programOptions } from "../../src/cli/globals.ts";
import { ownOptions } from "../../src/cli/help.ts";
import { program } from "../../src/cli/program.ts";
import { type CommandEntry, type Group, isGroup } from "../../src/command/command.ts";
import { flagOf, type Option } from "../../src/command/options.ts";

const root = path.resolve(import.meta.dirname, "../../src");
/** What stands in a message for something that is not known before. */
const filledIn = "1";

interface Named {
  readonly file: string;
  readonly words: readonly string[];
}

const named = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const source = readFileSync(path.join(root, file), "utf8");
    const code = source.replace(/\/\*\*.*?\*\//gs, "").replace(/^\s*\/\/.*$/gm, "");
    return linesOf(code).map((line): Named => ({ file, words: wordsOf(line) }));
  });
const commands = named.filter(({ words }) => words.length > 0);

/** What follows `courier` in a text, and what is given to `nextCommand()`. */
function linesOf(code: string): readonly string[] {
  const flat = withoutExpressions(code);
  const next = [...flat.matchAll(/nextCommand\(\s*(["`])(.*?)\1/gs)].map(([, , line = ""]) => line);
  const texts = [...flat.matchAll(/(["'`])((?:(?!\1)[^\n\\]|\\.)*?)\1/g)].map(([, , text = ""]) => text);
  const inTexts = texts.flatMap((text) =>
    [...text.matchAll(/\bcourier ([^;:,()“”"<>|&]*)/g)].map(([, line = ""]) => line),
  );
  return [...next, ...inTexts];
}

/** `${…}` in a template may hold templates. */
function withoutExpressions(code: string): string {
  let flat = code;
  for (let before = ""; before !== flat; ) {
    before = flat;
    flat = flat.replace(/\$\{[^{}]*\}/g, filledIn);
  }
  return flat;
}

/** The command, and the flags and values behind it; nothing where prose follows. */
function wordsOf(line: string): readonly string[] {
  const words = line.split(/\s+/).filter((word) => word !== "");
  const found: string[] = [];
  let commands: Group["commands"] | undefined = program.commands;
  for (const word of words) {
    const entry: Group["commands"][number] | undefined = commands?.find(({ name }) => name === word);
    if (entry) {
      found.push(word);
      commands = isGroup(entry) ? entry.commands : undefined;
    } else if (found.length > 0 && /^(--?[a-z]|[A-Z_0-9]+$|'|@)/.test(word)) {
      found.push(word.replace(/[.?!`]+$/, ""));
    } else break;
  }
  return found;
}

function entryOf(words: readonly string[]): CommandEntry | Group {
  let at: CommandEntry | Group = program;
  for (const word of words) {
    const next: CommandEntry | Group | undefined = isGroup(at)
      ? at.commands.find(({ name }) => name === word)
      : undefined;
    if (!next) break;
    at = next;
  }
  return at;
}

test("there are some", () => expect(commands.length).toBeGreaterThan(120));

describe("every command in a message has the flags that the message gives it", () => {
  const lines = new Map(commands.map(({ words, file }) => [words.join(" "), { words, file }]));

  test.each([...lines])("courier %s", async (_line, { words, file }) => {
    const entry = entryOf(words);
    const options = isGroup(entry) ? {} : ownOptions(await entry.load());
    const known = Object.entries({ ...options, ...globalOptions, ...programOptions }).flatMap(
      ([key, { short }]: [string, Option<unknown>]) => [flagOf(key), `-${short}`],
    );
    const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split("=")[0] ?? "");
    expect(
      given.filter((flag) => !known.includes(flag)),
      `src/${file}`,
    ).toEqual([]);
  });
});
