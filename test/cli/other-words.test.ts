/** Words that people try: other words for a command, spelling, and what the service does not offer. */

import { describe, expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { type Group, isGroup } from "../../src/command/command.ts";
import { createHome, createServedHome } from "../support/courier.ts";

/** The hint for a wrong word; nothing is sent. */
async function hintOf(words: string): Promise<string> {
  const home = await createServedHome();
  const { exit, stdout, stderr } = await home.courier(words);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  expect(home.sandbox.requests).toEqual([]);
  const [first, hint] = stderr.split("\n");
  expect(first).toMatch(/^error: unknown command '/);
  return hint ?? "";
}

describe("another word for a command leads to it", () => {
  test.each([
    ["orders rm 5", "to cancel an order: courier orders cancel ID"],
    ["orders delete 5", "to cancel an order: courier orders cancel ID"],
    ["orders get 5 --quiet", "to show an order: courier orders show ID"],
    ["orders describe 5", "to show an order: courier orders show ID"],
    ["--account sandbox orders ls", "to list orders: courier orders list"],
    ["orders new", "to create an order: courier orders create"],
    ["orders rm --help", "to cancel an order: courier orders cancel ID"],
    ["whoami", "to see who is logged in: courier profile"],
    ["switch shop", "to switch to another account: courier accounts use NAME"],
    ["accounts rm shop", "to forget an account: courier accounts remove NAME"],
    ["addresses rm shop", "to forget an address: courier addresses remove NAME"],
    ["report late", "did you mean courier late?"],
    ["cancle 5", "to cancel an order: courier orders cancel ID"],
    ["delet 5", "to cancel an order: courier orders cancel ID"],
    ["whomi", "to see who is logged in: courier profile"],
    ["helpp", "did you mean courier help?"],
    ["order list", "did you mean courier orders list?"],
    ["help option", "did you mean courier help options?"],
    ["xyzzy", "courier --help shows what there is"],
  ])("courier %s", async (words, hint) => {
    expect(await hintOf(words)).toBe(`hint: ${hint}`);
  });

  test("each of these commands exists", async () => {
    const home = await createHome();
    const tried = {
      "": "rm get ls new whoami",
      orders: "rm get ls new find sync",
      accounts: "ls switch rm new",
    };
    for (const [noun, words] of Object.entries(tried)) {
      for (const word of words.split(" ")) {
        const { stderr } = await home.courier(`${noun} ${word}`);
        const [, line = ""] = /courier ([a-z -]+[a-z])/.exec(stderr.split("\n")[1] ?? "") ?? [];
        expect(await home.courier(`${line.replace(/ --?\w+$/, "")} --help`), line).toMatchObject({ exit: 0 });
      }
    }
  });
});

describe("what the service does not offer gets one sentence", () => {
  test.each([
    ["orders pay 5", "the service's published interface has no call to pay an order, so courier cannot"],
    [
      "orders refund 5",
      "the service's published interface has no call for a refund, so courier cannot ask for one",
    ],
    [
      "orders label 5",
      "the service's published interface has no waybills; courier orders slips writes the shop's own packing slips",
    ],
    ["quote", /no call for prices/],
    ["orders edit 5", /cannot change an order/],
  ])("courier %s", async (words, sentence) => {
    const hint = await hintOf(words);
    if (typeof sentence === "string") expect(hint).toBe(`hint: ${sentence}`);
    else expect(hint).toMatch(sentence);
  });
});

describe("a guess by spelling", () => {
  test.each([
    ["ordres list", "did you mean courier orders list?"],
    ["order cancel 1", "did you mean courier orders?"],
    ["orders lsit", "did you mean courier orders list?"],
    ["trakc CR1", "did you mean courier track?"],
    ["orders xyz", "courier orders --help shows what there is"],
    ["orders shoo", "did you mean courier orders show?"],
  ])("courier %s", async (words, hint) => {
    expect(await hintOf(words)).toBe(`hint: ${hint}`);
  });

  test("never leads to a command that changes something", async () => {
    const changing = findChanging(program, []);
    expect(changing).toContainEqual(["orders", "cancel"]);
    const home = await createHome();
    for (const [noun = "", verb = ""] of changing) {
      const last = verb === "" ? noun : verb;
      const misspelt = [last.slice(0, -1), `${last}x`, `${last.slice(0, -2)}${last.at(-1)}${last.at(-2)}`];
      for (const word of misspelt) {
        const { exit, stderr } = await home.courier(verb === "" ? [word] : [noun, word]);
        expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.not.stringMatching(`${last}\\?`) });
      }
    }
  });
});

function findChanging(group: Group, path: readonly string[]): string[][] {
  return group.commands.flatMap((entry) => {
    if (isGroup(entry)) return findChanging(entry, [...path, entry.name]);
    return entry.changes ? [[...path, entry.name]] : [];
  });
}

describe("words for flags", () => {
  test.each(["version", "-v"])("courier %s prints the version", async (word) => {
    const home = await createHome();
    const asked = await home.courier("--version");
    expect(await home.courier(word)).toEqual(asked);
    expect(await home.courier(word, { fromStart: true })).toEqual(asked);
  });

  test.each([
    ["orders help", "orders --help"],
    ["orders help create", "orders create --help"],
    ["help orders create", "orders create --help"],
  ])("courier %s = courier %s", async (words, flags) => {
    const home = await createHome();
    const asked = await home.courier(flags);
    expect(asked.exit).toBe(0);
    expect(await home.courier(words)).toEqual(asked);
  });

  test("-L and -a choose how much is listed, -y confirms", async () => {
    const home = await createServedHome({ seedOrders: 30 });
    const count = async (words: string) => JSON.parse((await home.courier(`${words} --json`)).stdout).length;
    expect(await count("orders list -L 3")).toBe(3);
    expect(await count("orders list -a")).toBe(30);
    await home.courier("sync");
    expect(await count("late -L 3")).toBe(3);
    expect(await count("late -a")).toBe(7);
    const [{ id }] = JSON.parse((await home.courier("orders list --status pending -L 1 --json")).stdout);
    expect((await home.courier(`orders cancel ${id} -y`)).exit).toBe(0);
  });
});
