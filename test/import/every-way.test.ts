/**
 * The same order by every way in, one after the other: never twice, whatever becomes of the first answer. `npm test`
 * tries each way first and second, the long run every pair.
 */

import { describe, expect, test } from "vitest";
import { someOf } from "../support/effort.ts";
import { createImportHome, type ImportHome, lostForNow, outcomes, row, sheet } from "../support/imports.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import type { WireRule } from "../support/wire-faults.ts";

/** The order of `row("")`, as a file of one order. */
const order = JSON.stringify({
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
  item: { name: "茶叶", weight: 1.5, quantity: 1 },
});

type Way = "create" | "import" | "import with refs" | "stdin";
const ways: readonly Way[] = ["create", "import", "import with refs", "stdin"];

/** Sends the order by one way, with a second row in a file so that no two files are the same. */
async function send(home: ImportHome, way: Way, step: number, words = ""): Promise<string> {
  const flags = words.split(" ").filter((word) => word !== "");
  if (way === "create") {
    const ran = await home.courier(["orders", "create", "--file", "-", "--json", ...flags], { stdin: order });
    return `exit ${ran.exit}`;
  }
  const ref = way === "import with refs" ? `${step}-1` : "";
  const other = row(ref === "" ? "" : `${step}-2`, `名${step}`, `1370013700${step}`);
  const content = sheet(row(ref), other.replace("建国路88号", `古翠路${step}号`));
  const ran =
    way === "stdin"
      ? await home.importFile("-", words, { stdin: content })
      : await home.importFile(await home.put(content, `${step}.csv`), words);
  return `exit ${ran.exit}: ${outcomes(ran.report)}`;
}

const equals = async (home: ImportHome) => (await home.receivers()).filter((name) => name === "李四").length;

const pairs = ways.flatMap((first) => ways.map((second) => ({ first, second })));
/** Two refs tell two orders apart; a single order and a file without refs have none. */
const areApart = ({ first, second }: { first: Way; second: Way }) =>
  first === "import with refs" && second === "import with refs";

describe.each(someOf(pairs, 3))("$first, then $second", (pair) => {
  const { first, second } = pair;
  const sent = (way: Way) => (way === "create" ? "exit 0" : "exit 0: created created");
  const stopped = second === "create" ? "exit 2" : "exit 3: held created";

  test("at once: the second is stopped, unless two refs tell them apart", async () => {
    const home = await createImportHome("");
    expect(await send(home, first, 1)).toBe(sent(first));
    expect(await send(home, second, 2)).toBe(areApart(pair) ? sent(second) : stopped);
    expect(await equals(home)).toBe(areApart(pair) ? 2 : 1);
  });

  test("after 11 minutes: a file without refs is still compared, others ship", async () => {
    const home = await createImportHome("");
    expect(await send(home, first, 1)).toBe(sent(first));
    home.clock.advance(11 * 60_000);
    const isHeld = second === "import" || second === "stdin";
    expect(await send(home, second, 2)).toBe(isHeld ? stopped : sent(second));
    expect(await equals(home)).toBe(isHeld ? 1 : 2);
  });

  test("when it is meant: the second ships, and once", async () => {
    const home = await createImportHome("");
    expect(await send(home, first, 1)).toBe(sent(first));
    if (areApart(pair)) return;
    const words = second === "create" ? "--allow-duplicate" : "--allow-duplicate row:1";
    expect(await send(home, second, 2, words)).toBe(sent(second));
    expect(await equals(home)).toBe(2);
    if (second === "create") return; // a single order is a new one each time
    expect(await send(home, second, 2, words)).toBe("exit 0: shipped shipped");
    expect(await equals(home)).toBe(2);
  });

  test.each(["drop_after", "drop_before"] as const)(
    "when the first answer is lost (%s) and nothing can be looked up: no flag lets the second pass",
    async (kind) => {
      const home = await createImportHome("");
      home.sandbox.faults.set(lostForNow(kind));
      expect(await send(home, first, 1, first === "create" ? "" : "--concurrency 1")).toMatch(/^exit 6/);
      const [lost] = await home.operations();
      expect(lost?.state).toBe("unknown");
      const words = second === "create" ? "--allow-duplicate" : "--allow-duplicate row:1";
      home.sandbox.faults.set(lostForNow(kind, 0));
      for (const each of ["", words]) {
        const told = await send(home, second, 2, each);
        if (!areApart(pair)) expect(told).not.toMatch(/^exit 0/);
      }
      const made = (kind === "drop_after" ? 1 : 0) + (areApart(pair) ? 1 : 0);
      expect(await equals(home)).toBeGreaterThanOrEqual(kind === "drop_after" ? 1 : 0);
      if (!areApart(pair)) expect(await equals(home)).toBe(made);
    },
  );

  test("when the first answer is lost, and the order can be looked up: it is found, and not sent twice", async () => {
    const home = await createImportHome("");
    home.sandbox.faults.set(lostForNow("drop_after"));
    await send(home, first, 1, first === "create" ? "" : "--concurrency 1");
    home.sandbox.faults.clear();
    const told = await send(home, second, 2);
    if (areApart(pair)) return;
    expect(told).toBe(stopped);
    expect(await equals(home)).toBe(1);
    const [lost] = await home.operations();
    expect(lost?.state).toBe("found");
  });
});

test("equal rows of a file after a single order: none of them passes unseen, and a retry settles it", async () => {
  const home = await createImportHome(sheet(row(""), row(""), row("", "王五")));
  expect(await send(home, "create", 1)).toBe("exit 0");
  expect(outcomes((await home.run()).report)).toBe("held held created");
  const meant = await home.run("--allow-duplicate row:1,row:2");
  expect([meant.exit, outcomes(meant.report)]).toEqual([0, "created created shipped"]);
  expect(outcomes((await home.run("--allow-duplicate row:1,row:2")).report)).toBe("shipped shipped shipped");
  expect(await equals(home)).toBe(3);
});

test("at a terminal, a row with a ref is held for a day after an equal order without one", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  expect(await send(home, "create", 1)).toBe("exit 0");
  const atTerminal = async () => {
    const prompts = scriptedPrompts({ confirms: [true] });
    const { exit } = await home.courier(["orders", "import", home.file], { terminal: 120, prompts });
    return [exit, home.posts];
  };
  home.clock.advance(60 * 60_000);
  expect(await atTerminal()).toEqual([3, 1]);
  home.clock.advance(24 * 60 * 60_000);
  expect(await atTerminal()).toEqual([0, 2]);
});

const refuse: WireRule = {
  method: "POST",
  path: "/api/v1/orders",
  kind: "refuse",
  status: 400,
  code: "INVALID_PARAMETER",
  message: "no",
  times: 1,
};

test.each(someOf(pairs, 3))("after a refusal of $first, $second ships", async ({ first, second }) => {
  const home = await createImportHome("");
  home.sandbox.faults.set([refuse]);
  expect(await send(home, first, 1, first === "create" ? "" : "--concurrency 1")).not.toMatch(/^exit 0/);
  expect(await send(home, second, 2)).toBe(second === "create" ? "exit 0" : "exit 0: created created");
  expect(await equals(home)).toBe(1);
});
