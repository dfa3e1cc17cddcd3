/** courier orders import of rows without refs, after the default sender was edited or replaced: their orders are known. */

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, lostForNow, outcomes } from "../support/imports.ts";

const header = "receiver.name,receiver.phone,receiver.city,receiver.detail,item.name";
const li = "李四,13900139000,北京市,建国路88号,茶叶";
const wang = "王五,13900139001,北京市,建国路89号,茶叶";
const sheetOf = (...rows: readonly string[]) => [header, ...rows, ""].join("\n");
const add = (name: string) => `addresses add ${name} --name 张三 --phone 13800138000 --city 深圳市 --default`;
const edit = "addresses edit shop --phone 13800138001";

async function homeWith(...rows: readonly string[]) {
  const home = await createImportHome(sheetOf(...rows));
  await home.courier(add("shop"));
  return home;
}

describe("a row without a ref or a sender", () => {
  test.each([
    ["edited", [edit]],
    [
      "replaced",
      ["addresses add other --name 赵六 --phone 13800138002 --city 广州市", "addresses use other"],
    ],
    ["edited twice", [edit, "addresses edit shop --city 广州市"]],
  ])("is shipped, however often the default sender was %s", async (_what, changes) => {
    const home = await homeWith(li, wang);
    expect(outcomes((await home.run()).report)).toBe("created created");
    for (const change of changes) {
      expect((await home.courier(change)).exit).toBe(0);
      const again = await home.run();
      expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped", 2]);
    }
    const check = await home.courier(["orders", "import", home.file, "--check", "--json"]);
    expect(JSON.parse(check.stdout)).toMatchObject({ to_send: 0, shipped: 2 });
  });

  test("is sent where a longer file has it for the first time; equal rows stay one order each", async () => {
    const home = await homeWith(li, li);
    await home.run();
    await home.courier(edit);
    await home.put(sheetOf(li, wang, li, li));
    const longer = await home.run();
    expect(outcomes(longer.report), longer.stderr).toBe("shipped created shipped created");
    expect(outcomes((await home.run()).report)).toBe("shipped shipped shipped shipped");
    expect(home.posts).toBe(4);
  });

  test("is sent after a stop, with the sender of now, and the others are not", async () => {
    const home = await homeWith(li, wang);
    home.sandbox.faults.add({
      ...{ method: "POST", kind: "refuse", status: 401, code: "UNAUTHORIZED", message: "no" },
      after: 1,
    } as never);
    await home.run("--concurrency 1");
    await home.courier(edit);
    home.sandbox.faults.clear();
    expect(outcomes((await home.run()).report)).toBe("shipped created");
    expect(await home.receivers()).toEqual(["李四", "王五"]);
  });

  test("is sent again where it was refused, as an edited row", async () => {
    const home = await homeWith(li, wang.replace("13900139001", "12"));
    expect(outcomes((await home.run()).report)).toBe("created refused");
    await home.courier(edit);
    const posts = home.posts;
    expect(outcomes((await home.run()).report)).toBe("shipped refused");
    expect(home.posts).toBe(posts + 1);
  });

  test("waits while its order is in doubt", async () => {
    const home = await homeWith(li, wang);
    home.sandbox.faults.set(lostForNow("drop_after"));
    const first = await home.run("--concurrency 1");
    expect(first.exit, first.stderr).toBe(6);
    await home.courier(edit);
    home.sandbox.faults.clear();
    const again = await home.run();
    expect(outcomes(again.report), again.stderr).toBe("found created");
    expect(await home.receivers()).toEqual(["李四", "王五"]);
  });

  test("that was cancelled is not sent again unasked", async () => {
    const home = await homeWith(li);
    const { report } = await home.run();
    await home.courier(["orders", "cancel", String(report[0]?.id), "--yes"]);
    await home.courier(edit);
    expect(outcomes((await home.run()).report)).toBe("cancelled");
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("created");
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("shipped");
  });

  test("keeps its number in the sheet, among equal rows, too", async () => {
    const home = await homeWith(li, li, li, wang);
    await home.run("--in-place");
    const sheet = await readFile(home.file, "utf8");
    await home.courier(edit);
    const again = await home.run("--in-place");
    expect([outcomes(again.report), home.posts], again.stderr).toEqual([
      "shipped shipped shipped shipped",
      4,
    ]);
    expect(await readFile(home.file, "utf8")).toBe(sheet);
  });

  test("is known to a later write-back", async () => {
    const home = await homeWith(li, wang);
    await home.run();
    await home.courier(edit);
    const done = path.join(home.directory, "done.csv");
    const ran = await home.courier(["orders", "write-back", home.file, "-o", done, "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ orders: 2, tracking_numbers: 2, unknown: 0 });
  });

  test("of another file is another order: two senders may ship the same goods to one receiver", async () => {
    const home = await homeWith(li);
    await home.run();
    await home.courier(edit);
    const other = await home.put(sheetOf(li, wang), "other.csv");
    expect(outcomes((await home.importFile(other)).report)).toBe("created created");
  });
});
