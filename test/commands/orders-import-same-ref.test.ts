/** courier orders import: an order that was sent already, whose ref comes again under another shop's name. */

import { describe, expect, test } from "vitest";
import { createImportHome, errorOf, lostForNow, outcomes, row, sheet } from "../support/imports.ts";

const two = sheet(row("SH-1"), row("SH-2", "王五"));

describe("a row whose order was sent with the same ref, and another --shop", () => {
  test.each([
    ["", "--shop amazon", "without --shop"],
    ["--shop amazon", "", "with --shop amazon"],
    ["--shop ebay", "--shop amazon", "with --shop ebay"],
  ])("is held, at any time: first “%s”, then “%s”", async (first, then, words) => {
    const home = await createImportHome(two);
    expect((await home.run(`--concurrency 1 ${first}`)).exit).toBe(0);
    home.clock.advance(30 * 86_400_000);
    const { exit, report, stderr } = await home.run(then);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "held held", 2]);
    expect(report[0]?.error).toMatchObject({
      code: "duplicate",
      message: `equals order 1000001 (operation 1.1, row 1), which was sent with this ref ${words}`,
    });
    expect(stderr).not.toContain("other refs");
    const check = await home.courier(`orders import ${home.file} --check ${then}`);
    expect(check.stdout.replace(/\s+/g, " ")).toContain(
      `2 rows are held and not sent: row 1 (SH-1): equals order 1000001 (operation 1.1, row 1), which was sent with this ref ${words}; row 2`,
    );
  });

  test("is held where that order is in doubt, and no flag sends it", async () => {
    const home = await createImportHome(sheet(row("SH-1")));
    home.sandbox.faults.set(lostForNow("drop_before"));
    expect((await home.run("--settle 1h")).exit).toBe(6);
    home.sandbox.faults.clear();
    const copy = await home.put(sheet(row("SH-1")), "copy.csv");
    const check = await home.courier(`orders import ${copy} --check --shop amazon`);
    expect(check.stdout.replace(/\s+/g, " ")).toContain(
      "1 row is held: row 1 (SH-1): equals operation 1.1 (row 1), which was sent with this ref without --shop and is in doubt; settle it with: courier orders resolve 1.1",
    );
    const again = await home.importFile(copy, "--shop amazon --settle 1h --allow-duplicate SH-1");
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([3, "held", 1]);
    expect(errorOf(again).hint).toContain("courier orders resolve");
  });

  test("is sent with --allow-duplicate, once, and shipped with --skip-shipped", async () => {
    const home = await createImportHome(two);
    expect((await home.run()).exit).toBe(0);
    const words = "--shop amazon --allow-duplicate SH-1";
    const first = await home.run(`${words} --skip-shipped`);
    expect([first.exit, outcomes(first.report), home.posts]).toEqual([0, "created shipped", 3]);
    const again = await home.run(words);
    expect([outcomes(again.report), home.posts]).toEqual(["shipped held", 3]);
  });

  test("is sent where the shop's order is another one, or the first one was cancelled", async () => {
    const home = await createImportHome(two);
    expect((await home.run("--concurrency 1")).exit).toBe(0);
    expect((await home.courier("orders cancel 1000002 --yes")).exit).toBe(0);
    await home.put(sheet(row("SH-1", "赵六"), row("SH-2", "王五")));
    const { exit, report } = await home.run("--shop amazon");
    expect([exit, outcomes(report)]).toEqual([0, "created created"]);
  });
});

test("a single order whose ref an import sent with --shop is held, and sent with --allow-duplicate", async () => {
  const home = await createImportHome(sheet(row("SH-1")));
  expect((await home.run("--shop amazon")).exit).toBe(0);
  const create = [
    ...[
      "orders",
      "create",
      "--ref",
      "SH-1",
      "--yes",
      "--sender-name",
      "张三",
      "--sender-phone",
      "13800138000",
    ],
    ...["--receiver-name", "李四", "--receiver-phone", "13900139000", "--receiver-city", "北京市"],
    ...[
      "--receiver-detail",
      "建国路88号",
      "--item-name",
      "茶叶",
      "--item-weight",
      "1.50",
      "--item-quantity",
      "1",
    ],
  ];
  const held = await home.courier(create);
  expect([held.exit, home.posts], held.stderr).toEqual([2, 1]);
  expect(held.stderr).toContain("the same order was sent");
  const allowed = await home.courier([...create, "--allow-duplicate"]);
  expect([allowed.exit, home.posts], allowed.stderr).toEqual([0, 2]);
});
