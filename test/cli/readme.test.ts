/** What README.md, docs/commands.md and the help say can be typed as it stands there. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../src/cli/parser.ts";
import { program } from "../../src/cli/program.ts";
import { type CommandEntry, type Group, isGroup } from "../../src/command/command.ts";
import { renderReference } from "../support/reference.ts";

const pages = ["README.md", "docs/commands.md"].map((name) => ({
  name,
  text: readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"),
}));

test("the sections of docs/commands.md are those that the code renders (npm run docs)", async () => {
  const { text } = pages[1] ?? expect.fail();
  expect(await renderReference(text)).toBe(text);
});

describe("every example in the help parses to its own command", async () => {
  const commands = await Promise.all(entries(program).map((entry) => entry.load()));
  const examples = commands.flatMap((command) => command.examples.map(({ line }) => ({ line, command })));

  test.each(examples)("courier $line", async ({ line, command }) => {
    const parsed = await parse(line);
    expect(parsed.kind === "run" && parsed.command).toBe(command);
  });
});

describe("every example of a noun, and every related command, is one that there is", async () => {
  const commands = await Promise.all(entries(program).map((entry) => entry.load()));
  const lines = groups(program).flatMap(({ examples }) => examples.map(({ line }) => line));
  const names = commands.flatMap(({ seeAlso = [] }) => seeAlso.map((name) => `${name} --help`));

  test.each([...new Set([...lines, ...names])])("courier %s", async (line) => {
    const parsed = await parse(line);
    if (parsed.kind === "text") expect(parsed.text).toContain(`\n  courier ${line.replace(" --help", "")} `);
    else expect(parsed.kind).toBe("run");
  });
});

describe.each(pages)("every courier line in $name parses", ({ text }) => {
  const lines = [...text.matchAll(/```sh\n(.*?)```/gs)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .flatMap((line) => /(?:^|\s)courier (?!-cli)(.*)$/.exec(line)?.[1] ?? []);

  test("there are some", () => expect(lines.length).toBeGreaterThan(25));

  test.each(lines)("courier %s", async (line) => {
    expect(["run", "text"]).toContain((await parse(line)).kind);
  });
});

function parse(line: string) {
  return parseCommandLine(program, shellWords(line), { version: "0.0.0", width: 80 });
}

/** The words of the first command of a shell line: up to a pipe, a redirection, a comment or an ampersand. */
function shellWords(line: string): string[] {
  const [command = ""] = line.split(/\s+(?:[|<>&#]|2>)/);
  const words = command.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/, "$2"));
}

function groups(group: Group): Group[] {
  return [group, ...group.commands.filter(isGroup).flatMap(groups)];
}

function entries(group: Group): CommandEntry[] {
  return group.commands.flatMap((entry) => (isGroup(entry) ? entries(entry) : [entry]));
}
