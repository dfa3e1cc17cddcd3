/** courier orders export: every order, in the form and the file that were asked for, whole or not at all. */

import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerRaw, requestCount, showCallsLeft } from "../support/answers.ts";
import { createServedHome } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

async function homeWith(seedOrders = 3) {
  const home = await createServedHome({ seedOrders });
  const at = (name: string) => path.join(home.directory, name);
  return { ...home, at, text: (name: string) => readFile(at(name), "utf8") };
}

test.each([
  ["no data", 200, 70],
  ["HTTP 500", 500, 5],
])("an order whose details have %s is named, and no file is written", async (_what, status, exit) => {
  const home = await homeWith();
  answerRaw(home, "GET /api/v1/orders/2$", '{"success":true,"data":null}', { status });
  for (const words of ["orders export --details -o", "orders slips --status pending,paid,delivered -o"]) {
    const ran = await home.courier([...words.split(" "), home.at("a.html")]);
    expect([ran.exit, await readdir(home.directory)], ran.stderr).toEqual([
      exit,
      expect.not.arrayContaining(["a.html"]),
    ]);
    expect(ran.stderr).toMatch(/^error: order 2: /m);
  }
  const slips = await home.courier(["orders", "slips", "1", "2", "-o", home.at("b.html")]);
  expect(slips.stderr).toMatch(/^error: order 2: /m);
});

describe("the form", () => {
  test("is CSV without anything said", async () => {
    const home = await homeWith();
    const { exit, stdout } = await home.courier("orders export");
    const lines = stdout.trimEnd().split("\n");
    expect([exit, lines.length]).toEqual([0, 4]);
    expect(lines[0]).toMatch(/^id,order_no,/);
  });

  test.each([
    ["a.csv", /^id,order_no,/],
    ["a.json", /^\[\{"id":/],
    ["a.ndjson", /^\{"id":/],
    ["a.JSONL", /^\{"id":/],
    ["a.txt", /^id,order_no,/],
  ])("is that of the file's name where no flag is given: %s", async (name, start) => {
    const home = await homeWith();
    const ran = await home.courier(["orders", "export", "-o", home.at(name)]);
    expect(ran).toEqual({ exit: 0, stdout: "", stderr: `wrote 3 rows to ${home.at(name)}\n` });
    expect(await home.text(name)).toMatch(start);
  });

  test("a flag and a name that contradict each other are refused", async () => {
    const home = await homeWith();
    const { exit, stderr } = await home.courier(["orders", "export", "--json", "-o", home.at("a.csv")]);
    expect(exit).toBe(2);
    expect(stderr).toContain("contradict each other");
    expect(await readdir(home.directory)).not.toContain("a.csv");
    expect(requestCount(home, "GET")).toBe(0);
    expect((await home.courier(["orders", "export", "--json", "-o", home.at("a.txt")])).exit).toBe(0);
    const slips = await home.courier(["orders", "slips", "1", "--json", "-o", home.at("a.html")]);
    expect([slips.exit, slips.stderr]).toEqual([2, expect.stringContaining("contradict each other")]);
  });

  test("-o - is stdout", async () => {
    const home = await homeWith();
    const { exit, stdout, stderr } = await home.courier("orders export --ndjson -o -");
    expect([exit, stdout.trimEnd().split("\n").length, stderr]).toEqual([0, 3, ""]);
    expect(await readdir(home.directory)).not.toContain("-");
  });

  test("a mark is for CSV alone", async () => {
    const home = await homeWith();
    expect((await home.courier(["orders", "export", "--bom", "-o", home.at("a.csv")])).exit).toBe(0);
    expect((await readFile(home.at("a.csv"))).subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    for (const words of [["--json"], ["-o", home.at("a.json")]]) {
      const { exit, stderr } = await home.courier(["orders", "export", "--bom", ...words]);
      expect(exit).toBe(2);
      expect(stderr).toContain("--bom is for CSV, and not for json");
    }
  });
});

describe("the file", () => {
  test("is that of one run where two write it at once, and nobody's draft is theirs", async () => {
    const home = await homeWith(1_200);
    await writeFile(home.at("a.ndjson.part"), "important");
    const words = ["orders", "export", "-o", home.at("a.ndjson")];
    const ran = await Promise.all([home.courier(words), home.courier([...words, "--fields", "id"])]);
    expect(ran.map(({ exit }) => exit)).toEqual([0, 0]);
    const lines = (await home.text("a.ndjson")).trimEnd().split("\n");
    expect(lines).toHaveLength(1_200);
    const fields = lines.map((line) => Object.keys(JSON.parse(line)).length === 1);
    expect(new Set(fields).size).toBe(1);
    expect(await home.text("a.ndjson.part")).toBe("important");
  });

  test("is replaced once the new one is whole, and not before", async () => {
    const home = await homeWith(30);
    await writeFile(home.at("a.csv"), "old");
    home.sandbox.faults.set([{ kind: "status", status: 500, path: /orders/ }]);
    const failed = await home.courier(["orders", "export", "-o", home.at("a.csv")]);
    expect(failed.exit).toBe(5);
    expect(failed.stderr).not.toContain("wrote");
    expect(await home.text("a.csv")).toBe("old");
    expect((await readdir(home.directory)).filter((name) => name.includes(".part"))).toEqual([]);
    home.sandbox.faults.clear();
    expect((await home.courier(["orders", "export", "-o", home.at("a.csv")])).exit).toBe(0);
    expect((await home.text("a.csv")).trimEnd().split("\n")).toHaveLength(31);
  });

  test("a page that fails fails the command", async () => {
    const home = await homeWith(250);
    home.sandbox.faults.set([{ kind: "status", status: 500, path: /[?&]page=3(&|$)/ }]);
    const { exit } = await home.courier(["orders", "export", "-o", home.at("a.csv")]);
    expect(exit).toBe(5);
    expect(await readdir(home.directory)).not.toContain("a.csv");
  });

  test("what a link points to is replaced, and the link stays", async () => {
    const home = await homeWith();
    await writeFile(home.at("real.csv"), "old");
    await symlink(home.at("real.csv"), home.at("link.csv"));
    expect((await home.courier(["orders", "export", "-o", home.at("link.csv")])).exit).toBe(0);
    expect(await home.text("real.csv")).toMatch(/^id,/);
  });

  test("a device is written to, and never replaced", async () => {
    const home = await homeWith();
    expect((await home.courier("orders export -o /dev/null")).exit).toBe(0);
    expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  });

  test.each([
    ["nowhere/a.csv", "there is no such directory"],
    ["folder", "it is a directory"],
  ])("%s cannot be written, in plain words: exit 2", async (name, reason) => {
    const home = await homeWith();
    await mkdir(home.at("folder"));
    const { exit, stderr } = await home.courier(["orders", "export", "-o", home.at(name)]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`cannot write ${home.at(name)}: ${reason}`);
  });
});

describe("--details", () => {
  test("asks for each order, in order, and says first what that takes", async () => {
    const home = await homeWith(60);
    const { exit, stdout, stderr } = await home.courier("orders export --details --ndjson");
    expect(exit).toBe(0);
    const orders = stdout.trimEnd().split("\n");
    expect(orders.map((line) => JSON.parse(line).id)).toEqual(
      Array.from({ length: 60 }, (_, index) => 60 - index),
    );
    expect(JSON.parse(orders[0] ?? "").receiver).toHaveProperty("phone");
    expect(stderr).toMatch(/^This takes 60 calls; \d+ are left\.$/m);
    expect(requestCount(home, "GET")).toBe(62);
  });

  test("an order that the service refuses to show is named, and no file is written", async () => {
    const home = await homeWith(3);
    const body = JSON.stringify({ success: false, error: { code: "NOT_FOUND", message: "gone" } });
    home.sandbox.faults.set([{ path: "/api/v1/orders/2", kind: "status", status: 404, body }]);
    const { exit, stderr } = await home.courier(["orders", "export", "--details", "-o", home.at("a.csv")]);
    expect(exit).toBe(1);
    expect(stderr).toContain("error: order 2: the service refused: gone (NOT_FOUND)");
    expect(await readdir(home.directory)).not.toContain("a.csv");
  });

  test("a budget that is too small is a question; a no writes nothing", async () => {
    const home = await homeWith(60);
    showCallsLeft(home, 10);
    const prompts = scriptedPrompts({ confirms: [false] });
    const words = ["orders", "export", "--details", "-o", home.at("a.csv")];
    expect((await home.courier(words, { terminal: 80, prompts })).exit).toBe(2);
    expect(prompts.asked).toEqual(["This takes 60 calls, but only 10 are left. Continue?"]);
    expect((await home.courier(words)).exit).toBe(2);
    expect(await readdir(home.directory)).not.toContain("a.csv");
    expect((await home.courier([...words, "--yes"])).exit).toBe(0);
  });
});

test("elsewhere than at a terminal nothing is said but the result", async () => {
  const home = await homeWith();
  const { stderr } = await home.courier("orders export");
  expect(stderr).toBe("");
  const quiet = await home.courier(["orders", "export", "--quiet", "-o", home.at("a.csv")]);
  expect(quiet.stderr).toBe("");
});
