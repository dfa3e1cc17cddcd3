/** Help is the manual: it fits the terminal, begins with examples, and tells where to go on. */

import { describe, expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { type Group, isGroup } from "../../src/command/command.ts";
import { createHome } from "../support/courier.ts";
import { screenWidths, tooWide } from "../support/screens.ts";

const topics = ["", "orders", "orders create", "orders import", "login", "sandbox serve"];

describe("as a person sees it", () => {
  test.each(topics)("courier %s --help", async (topic) => {
    const home = await createHome();
    const { exit, stdout, stderr } = await home.courier(`${topic} --help`, { terminal: 80 });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(`screens/help-${topic.replaceAll(" ", "-") || "courier"}.txt`);
  });

  test.each(topics)(
    "%s: examples stand before options; only commands and single words may be wider than the screen",
    async (topic) => {
      const home = await createHome();
      for (const width of screenWidths) {
        const { stdout } = await home.courier(`${topic} --help`, { terminal: width });
        expect(stdout.indexOf("Examples:")).toBeGreaterThan(0);
        expect(stdout.indexOf("Examples:")).toBeLessThan(stdout.indexOf("ptions:"));
        const isWhole = (line: string) => line.startsWith("  courier ") || !line.trim().includes(" ");
        const tooLong = tooWide(stdout, width).filter((line) => !isWhole(line));
        expect(tooLong).toEqual([]);
      }
    },
  );
});

/** Every noun and command. */
function wordsOf(group: Group, path: readonly string[]): string[] {
  return group.commands.flatMap((entry) => {
    const below = [...path, entry.name];
    return [below.join(" "), ...(isGroup(entry) ? wordsOf(entry, below) : [])];
  });
}

test("no argument has the name of an option: it would take the option's place", async () => {
  async function shared(group: Group): Promise<string[]> {
    const found = group.commands.map(async (entry) => {
      if (isGroup(entry)) return shared(entry);
      const command = await entry.load();
      return Object.keys(command.arguments).filter((key) => key in command.options);
    });
    return (await Promise.all(found)).flat();
  }
  expect(await shared(program)).toEqual([]);
});

test("no help names a file that the installed package lacks", async () => {
  const home = await createHome();
  for (const words of ["", "help options", ...wordsOf(program, [])]) {
    const { exit, stdout } = await home.courier(words === "help options" ? words : `${words} --help`);
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: expect.not.stringMatching(/\bdocs\/|\bexamples\/|\.md\b/),
    });
    expect(stdout).toContain("Global options:");
  }
});

describe("where to read on stands at the end, and can be typed", () => {
  test.each(["", "help options", ...wordsOf(program, [])])("courier %s", async (words) => {
    const home = await createHome();
    for (const width of screenWidths) {
      const line = words === "help options" ? words : `${words} --help`;
      const { stdout } = await home.courier(line, { terminal: width });
      const [, end = ""] = stdout.split("See also:\n");
      const named = [...end.matchAll(/(?<=^| )courier [a-zA-Z -]+?(?=,|\n| {2})/g)].map(([text]) => text);
      expect(named.length, stdout).toBeGreaterThan(0);
      for (const text of named) {
        const help = text.replace(/^courier /, "").replace("COMMAND ", "");
        const asked = await home.courier(/help/.test(help) ? help : `${help} --help`);
        expect({ text, exit: asked.exit }).toEqual({ text, exit: 0 });
      }
    }
  });
});

describe("every way to ask for it gives the same", () => {
  test.each([
    ["orders create --help", "orders create -h"],
    ["orders --help", "help orders"],
    ["--help", "help"],
  ])("courier %s = courier %s", async (one, other) => {
    const home = await createHome();
    expect(await home.courier(other)).toEqual(await home.courier(one));
  });
});
