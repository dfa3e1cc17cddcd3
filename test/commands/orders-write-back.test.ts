/** courier orders write-back: tracking numbers into a sheet that was imported before, without sending anything. */

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerData, answerRaw } from "../support/answers.ts";
import { createHome } from "../support/courier.ts";
import {
  createImportHome,
  errorOf,
  header,
  type ImportHome,
  lostForNow,
  outcomes,
  row,
  sheet,
} from "../support/imports.ts";
import { sheetOf, writeWorkbook } from "../support/workbooks.ts";

/** Writes a sheet back as JSON, and reads it. */
async function writeBack(home: ImportHome, words = "", from = home.file, name = "done.csv") {
  const done = path.join(home.directory, name);
  const further = words.split(" ").filter((word) => word !== "");
  const ran = await home.courier(["orders", "write-back", from, "-o", done, "--json", ...further]);
  const text = await readFile(done, "utf8").catch(() => "");
  const result = ran.exit === 0 ? (JSON.parse(ran.stdout) as Record<string, unknown>) : {};
  return { ...ran, result, done, text, rows: text.split("\n").map((line) => line.split(",").slice(10)) };
}

describe("a sheet that was imported", () => {
  test("gets the numbers later, without a request; rows that are not known are left as they are", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12")));
    const { report } = await home.run();
    await home.put(sheet(row("A-1"), row("A-2", "王五", "12"), row("B-1", "赵六")));
    const before = home.sandbox.requests.length;
    const { exit, stderr, result, rows, done } = await writeBack(home);
    expect(exit, stderr).toBe(0);
    expect(home.sandbox.requests).toHaveLength(before);
    expect(result).toEqual({
      file: done,
      kept: null,
      orders: 1,
      tracking_numbers: 1,
      changed: 0,
      not_created: 1,
      in_doubt: 0,
      unknown: 1,
      states_from: "2026-03-01T08:00:00.000Z",
    });
    const { tracking_number } = report[0] as unknown as { tracking_number: string };
    expect(rows[1]?.[0]).toBe(tracking_number);
    expect(rows[2]?.[4]).toContain("refused");
    expect(rows[3]).toEqual(["", "", "", "", ""]);
  });

  test("without refs is known by the content of its rows, under another name", async () => {
    const home = await createImportHome(sheet(row(""), row(""), row("", "王五")));
    await home.run();
    const other = await home.put(sheet(row("", "王五"), row(""), row("")), "other.csv");
    const { exit, stderr, result, rows } = await writeBack(home, "", other);
    expect(exit, stderr).toBe(0);
    expect(result).toMatchObject({ orders: 3, unknown: 0 });
    expect(new Set(rows.slice(1, 4).map(([number]) => number)).size).toBe(3);
  });

  describe("with equal rows without refs that have numbers of an earlier write-back", () => {
    const numbers = (rows: readonly (readonly string[])[]) => rows.slice(1, 4).map(([number]) => number);
    async function createHomeOfThree() {
      const home = await createImportHome(sheet(row(""), row(""), row("")));
      expect((await home.run("--concurrency 1")).exit).toBe(0);
      const { text, rows } = await writeBack(home);
      const [head = "", one = "", two = "", three = ""] = text.split("\n");
      const put = (...lines: string[]) => home.put([head, ...lines, ""].join("\n"));
      return { home, lines: [one, two, three] as const, written: numbers(rows), put };
    }

    test("keeps the number of each row after the sheet was sorted, and so does an import", async () => {
      const { home, lines, written, put } = await createHomeOfThree();
      const [one, two, three] = lines;
      await put(three, one, two);
      const sorted = [written[2], written[0], written[1]];
      const ran = await writeBack(home, "", home.file, "again.csv");
      expect([ran.exit, numbers(ran.rows)], ran.stderr).toEqual([0, sorted]);
      const { exit, report } = await home.run("--in-place --concurrency 1");
      expect([exit, outcomes(report), home.posts]).toEqual([0, "shipped shipped shipped", 3]);
      expect(report.map((each) => (each as unknown as { tracking_number: string }).tracking_number)).toEqual(
        sorted,
      );
      const rows = (await readFile(home.file, "utf8")).split("\n").map((line) => line.split(",").slice(10));
      expect(numbers(rows)).toEqual(sorted);
    });

    test("gives rows without a number the other orders, by their place", async () => {
      const { home, lines, written, put } = await createHomeOfThree();
      const [first, second] = [row(""), row("")].map((line) => `${line},,,,,`) as [string, string];
      // The order number alone names the order, too.
      await put(first, second, lines[0].replace(`,${written[0]},`, ",,"));
      const ran = await writeBack(home, "", home.file, "again.csv");
      expect([ran.exit, numbers(ran.rows)], ran.stderr).toEqual([0, [written[1], written[2], written[0]]]);
      const { report } = await home.run("--concurrency 1");
      expect(report.map((each) => (each as unknown as { tracking_number: string }).tracking_number)).toEqual([
        written[1],
        written[2],
        written[0],
      ]);
      expect(home.posts).toBe(3);
    });

    test("holds a copy of a row, whose number is that of the first one", async () => {
      const { home, lines, put } = await createHomeOfThree();
      await put(lines[1], lines[0], lines[1], lines[2]);
      const { exit, report } = await home.run("--concurrency 1");
      expect([exit, outcomes(report), home.posts]).toEqual([3, "shipped shipped held shipped", 3]);
    });
  });

  test("has the states that were seen last, and those of now with --refresh", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2")));
    const { report } = await home.run();
    await home.courier(`orders cancel ${report[1]?.id} --yes`);
    home.clock.advance(24 * 3_600_000);
    const seen = await writeBack(home);
    expect(seen.rows[1]?.[2]).toBe("pending");
    expect(seen.rows[2]?.slice(0, 3)).toEqual(["", expect.stringMatching(/^CO/), "cancelled"]);
    expect(seen.rows[2]?.[4]).toBe(`order ${report[1]?.id} was cancelled`);
    expect(seen.result.states_from).toMatch(/^2026-03-01T08:00:00/);
    const refreshed = await writeBack(home, "--refresh");
    expect(refreshed.exit, refreshed.stderr).toBe(0);
    expect(refreshed.rows[1]?.[2]).not.toBe("pending");
    expect(refreshed.result.states_from).toBe("2026-03-02T08:00:00.000Z");
  });

  test.each(["\u0000", "\ud800", "\u0007"])(
    "does not take a state with %j at its end for another one",
    async (end) => {
      const home = await createImportHome(sheet(row("A-1")));
      await home.run();
      const shown = { id: 1000001, receiver: { name: "李四" }, status: `cancelled${end}` };
      answerData(home, "GET /api/v1/orders/1000001", JSON.stringify(shown));
      const { exit, stderr, rows } = await writeBack(home, "--refresh");
      expect(exit, stderr).toBe(0);
      expect(rows[1]?.slice(0, 3)).toEqual([
        expect.stringMatching(/^CR/),
        expect.stringMatching(/^CO/),
        `cancelled${JSON.stringify(end).slice(1, -1)}`,
      ]);
    },
  );

  test.each([
    ["a gateway's page", 403, "<html>blocked</html>"],
    ["a gateway's page for a service that is away", 404, "<html>no backend</html>"],
    ["maintenance", 200, '{"success":false,"error":{"code":"MAINTENANCE","message":"back soon"}}'],
  ])("is as it was where --refresh gets %s (HTTP %i) for an order", async (_what, status, body) => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    answerRaw(home, "GET /api/v1/orders/1000001", body, { status });
    const { exit, stderr, text } = await writeBack(home, "--refresh");
    expect([exit, text], stderr).toEqual([1, ""]);
    expect(errorOf({ stderr }).message).toContain(
      "order 1000001 could not be read, and the sheet is as it was: ",
    );
  });

  test("has what is known of an order that the service does not show any more", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const body = '{"success":false,"error":{"code":"NO_SUCH_ORDER","message":"no such order"}}';
    answerRaw(home, "GET /api/v1/orders/1000001", body, { status: 404 });
    const { exit, stderr, rows } = await writeBack(home, "--refresh");
    expect([exit, rows[1]?.[2]], stderr).toEqual([0, "pending"]);
    expect(stderr).toContain(
      "warning: the service does not show 1 order: what this machine knows of it is used",
    );
  });

  test.each([
    ["no number", undefined],
    ["the number of another row's order", 1],
  ])("has the numbers of its creates where --refresh gets %s", async (_, from) => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    const { report } = await home.run("--concurrency 1");
    const numbers = report.map((each) =>
      String((each as unknown as Record<string, unknown>).tracking_number),
    );
    for (const [index, id] of [1000001, 1000002].entries()) {
      const shown = { tracking_number: from === undefined ? "" : numbers[from], order_no: "" };
      const name = ["李四", "王五"][index];
      answerData(home, `GET /api/v1/orders/${id}`, JSON.stringify({ id, ...shown, receiver: { name } }));
    }
    const { exit, stderr, rows } = await writeBack(home, "--refresh");
    expect([exit, rows.slice(1, 3).map(([number]) => number)], stderr).toEqual([0, numbers]);
    const said = rows.slice(1, 3).map((cells) => cells[4]);
    expect(said).toEqual([
      from === undefined ? "" : `the service shows the number of another row's order: ${numbers[1]}`,
      "",
    ]);
  });

  test("keeps what another machine wrote into rows that are not known here", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const first = await writeBack(home);
    const line = `${row("B-1")},CR777,CO777,paid,1,`;
    const both = await home.put(`${first.text}${line}\n`, "both.csv");
    const { exit, stderr, text } = await writeBack(home, "", both, "again.csv");
    expect(exit, stderr).toBe(0);
    expect(text).toBe(`${first.text}${line}\n`);
  });

  test("keeps numbers that the service gave later, and that only the sheet has", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    for (const id of [1000001, 1000002])
      answerRaw(home, "POST /api/v1/orders", JSON.stringify({ success: true, data: { id } }), {
        status: 201,
        times: 1,
        processed: true,
      });
    expect((await home.run("--in-place --concurrency 1")).exit).toBe(0);
    const elsewhere = { env: { COURIER_STATE_DIR: path.join(home.directory, "another machine") } };
    await home.run("--skip-shipped --in-place", elsewhere);
    const named = await home.courier(
      ["orders", "write-back", home.file, "--in-place", "--refresh"],
      elsewhere,
    );
    expect(named.exit, named.stderr).toBe(0);
    const text = await readFile(home.file, "utf8");
    expect(text).toMatch(/A-1.*,CR[^,]+,CO[^,]+,pending/);
    const counts = await home.courier(["orders", "write-back", home.file, "--in-place", "--json"]);
    expect(JSON.parse(counts.stdout)).toMatchObject({ orders: 2, tracking_numbers: 2 });
    expect(await readFile(home.file, "utf8")).toBe(text);
    expect((await home.run("--in-place")).stderr).toContain("2 orders with a tracking number");
    expect(await readFile(home.file, "utf8")).toBe(text);
  });

  test("has no number of the order before, where that of the new one is not known yet", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run("--in-place");
    const text = await readFile(home.file, "utf8");
    const [number = ""] = /CR\w+/.exec(text) ?? [];
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    answerRaw(home, "POST /api/v1/orders", JSON.stringify({ success: true, data: { id: 1000002 } }), {
      status: 201,
      times: 1,
      processed: true,
    });
    const again = await home.run("--allow-duplicate row:1 --in-place");
    expect(again.report, again.stderr).toMatchObject([
      { outcome: "created", id: 1000002, tracking_number: null },
    ]);
    expect(number).not.toBe("");
    expect(await readFile(home.file, "utf8")).not.toContain(number);
  });

  test("keeps the numbers of another machine beside rows that have no order here", async () => {
    const columns = `${header},Courier tracking number,Courier order number,Courier state,Courier estimated fee,Courier error`;
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const rows = [
      [row(""), "CR701,CO701,pending,1,"], // held: equals A-1
      [row("B-2", "王五", "12"), "CR702,CO702,pending,2,"], // refused
      [row("B-3", "赵六").replace(/,1$/, ",some"), "CR703,CO703,pending,3,"], // wrong
    ];
    const text = [columns, ...rows.map((cells) => cells.join(",")), ""].join("\n");
    const own = (written: string) => written.split("\n").map((line) => line.split(",").slice(10));
    const other = await home.put(text, "other.csv");
    const { exit, stderr } = await home.importFile(other, "--in-place --skip-wrong --allow-duplicate B-2");
    expect(exit, stderr).toBe(3);
    const [, held = [], refused = [], wrong = []] = own(await readFile(other, "utf8"));
    for (const [index, cells] of [held, refused, wrong].entries())
      expect(cells.slice(0, 4).join()).toBe(rows[index]?.[1]?.slice(0, -1));
    expect([held[4], refused[4], wrong[4]]).toEqual([
      expect.stringContaining("equals order"),
      expect.stringContaining("refused"),
      expect.stringContaining("item.quantity"),
    ]);
  });

  test("has no number of another receiver where a later day uses its refs again", async () => {
    const home = await createImportHome(sheet(row("1"), row("2"), row("3")));
    const { report } = await home.run();
    const numbers = report.map((each) => (each as unknown as { tracking_number: string }).tracking_number);
    const goods = row("3").replace("茶叶", "杯子");
    const day = await home.put(
      sheet(row("1", "王五", "13700137000"), row("2", "赵六", "13600136000"), goods),
      "day2.csv",
    );
    const imported = await home.importFile(day, `--write-back ${path.join(home.directory, "shipped.csv")}`);
    expect([imported.exit, outcomes(imported.report)]).toEqual([3, "changed changed changed"]);
    expect(errorOf(imported).hint).toContain("if another shop or day uses the same numbers: --shop NAME");
    const shipped = await readFile(path.join(home.directory, "shipped.csv"), "utf8");
    const [, first, second, third] = shipped.split("\n").map((line) => line.split(",").slice(10));
    for (const cells of [first, second]) {
      expect(cells?.slice(0, 4)).toEqual(["", "", "", ""]);
      expect(cells?.[4]).toContain("was made from other values");
    }
    expect(third?.[0]).toBe(numbers[2]);
    const later = (await writeBack(home, "", day)).result;
    expect(later).toMatchObject({ orders: 3, tracking_numbers: 1, changed: 3, not_created: 0, unknown: 0 });
    // The sheet of the first day as a template: its numbers are not those of the new receivers.
    const filled = shipped
      .replace(/(13700137000.*?,1),,/, `$1,${numbers[0]},`)
      .replace(/(13600136000.*?,1),,/, "$1,CR999,");
    const template = await home.put(filled, "template.csv");
    const again = await writeBack(home, "", template, "again.csv");
    expect(again.exit, again.stderr).toBe(0);
    expect([again.rows[1]?.[0], again.rows[2]?.[0], again.rows[3]?.[0]]).toEqual(["", "CR999", numbers[2]]);
    const form = await writeBack(home, "--form shopify --carrier Other", day, "form.csv");
    expect(form.text).toBe("Order Number,Tracking Number,Tracking Company,Tracking URL\n");
    expect(form.stderr).toContain("3 changed orders left out of");
  });

  test("has the numbers of rows that were shipped from their corrected file of rejects", async () => {
    const wrong = (ref: string, name = "李四") => row(ref, name).replace(/,1$/, ",some");
    const home = await createImportHome(sheet(row("A-1"), wrong("A-2"), wrong("A-3")));
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--skip-wrong --in-place --rejects ${rejects}`);
    await home.put((await readFile(rejects, "utf8")).replaceAll(",some", ",1"), "rejects.csv");
    const fixed = await home.importFile(rejects);
    expect([fixed.exit, outcomes(fixed.report)], fixed.stderr).toEqual([0, "created created"]);
    const { exit, stderr, rows, result } = await writeBack(home);
    expect(exit, stderr).toBe(0);
    expect(result).toMatchObject({ orders: 3, tracking_numbers: 3, not_created: 0 });
    for (const cells of rows.slice(1, 4))
      expect([cells[0], cells[4]]).toEqual([expect.stringMatching(/^CR/), ""]);
    expect((await home.courier("orders cancel ref:A-1 ref:A-2 --yes")).exit).toBe(0);
    const cancelled = await writeBack(home);
    for (const cells of cancelled.rows.slice(1, 3))
      expect(cells.slice(0, 1).concat(cells.slice(2))).toEqual([
        "",
        "cancelled",
        "",
        expect.stringMatching(/^order 100000\d was cancelled$/),
      ]);
    // The same ref, and another person.
    const other = await home.put(
      sheet(wrong("A-2", "王五").replace("13900139000", "13700137000")),
      "other.csv",
    );
    const foreign = await writeBack(home, "", other, "foreign.csv");
    expect(foreign.rows[1]).toEqual(["", "", "", "", expect.stringContaining("item.quantity")]);
    expect(foreign.result).toMatchObject({ orders: 0, not_created: 0, unknown: 1 });
  });

  test("names what else was corrected in the file of rejects beside the number", async () => {
    const wrong = row("A-1").replace(/,1$/, ",some");
    const home = await createImportHome(sheet(wrong));
    const rejects = path.join(home.directory, "rejects.csv");
    await home.run(`--skip-wrong --rejects ${rejects}`);
    const corrected = await home.put(sheet(row("A-1").replace("茶叶", "杯子")), "rejects.csv");
    const { report } = await home.importFile(corrected);
    const [{ tracking_number }] = report as unknown as [{ tracking_number: string }];
    const { rows, result } = await writeBack(home);
    expect([rows[1]?.[0], rows[1]?.[4]]).toEqual([
      tracking_number,
      "order 1000001 was made from other values: item.name",
    ]);
    expect(result).toMatchObject({ orders: 1, changed: 1 });
  });

  test("has no number of the row that kept the ref of two", async () => {
    const goods = (ref: string, name: string) => row(ref).replace("茶叶", name);
    const home = await createImportHome(sheet(row("B-1", "王五"), goods("A-1", "书"), goods("A-1", "笔")));
    const rejects = path.join(home.directory, "rejects.csv");
    expect((await home.run(`--skip-wrong --rejects ${rejects}`)).stderr).toContain("1 created, 2 wrong");
    const corrected = await home.put(sheet(goods("A-1a", "书"), goods("A-1", "笔")), "rejects.csv");
    expect((await home.importFile(corrected)).exit).toBe(0);
    const { rows, result } = await writeBack(home);
    expect(rows.slice(2, 4)).toEqual([
      ["", "", "", "", "row 3 has the same ref"],
      ["", "", "", "", "ref: same ref as row 2"],
    ]);
    expect(result).toMatchObject({ orders: 1, not_created: 0, unknown: 2 });
  });

  test("counts orders in doubt, which may have been created", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    const { exit, stderr } = await home.run("--in-place");
    expect(exit, stderr).toBe(6);
    expect(stderr).toContain(`${home.file}: 0 orders with a tracking number, 1 in doubt;`);
    const { result } = await writeBack(home);
    expect(result).toMatchObject({ orders: 0, not_created: 0, in_doubt: 1 });
    const table = await home.courier(["orders", "write-back", home.file, "--in-place"]);
    expect(table.stdout).toMatch(/^Not created +0\nIn doubt +1$/m);
  });

  test("is the one that --sheet names, also where others are visible", async () => {
    const home = await createImportHome("");
    const cells = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => line.split(","));
    const [today, yesterday] = [sheet(row("B-1", "王五")), sheet(row("A-1"))].map(cells);
    const file = await home.put(
      writeWorkbook({
        sheets: [
          { name: "今日", rows: today ?? [] },
          { name: "昨日", rows: yesterday ?? [] },
        ],
      }),
      "days.xlsx",
    );
    expect((await home.importFile(file, "--sheet 昨日")).exit).toBe(0);
    for (const name of ["昨日", "2"]) {
      const words = ["orders", "write-back", file, "--sheet", name, "-o", `${file}.new.xlsx`, "--json"];
      const ran = await home.courier(words);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject({ orders: 1, tracking_numbers: 1, unknown: 0 });
    }
    const missing = await home.courier(["orders", "write-back", file, "--sheet", "nope", "--in-place"]);
    expect(missing.exit, missing.stdout).toBe(2);
  });

  test("is itself written with --in-place, and shows the counts", async () => {
    const home = await createImportHome(
      sheetOf(
        ...sheet(row("A-1"))
          .trim()
          .split("\n")
          .map((line) => line.split(",")),
      ),
    );
    await home.run();
    const { exit, stderr, stdout } = await home.courier(["orders", "write-back", home.file, "--in-place"]);
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/^Old sheet +.*\.bak$/m);
    expect(stdout).toMatch(/^Tracking numbers +1$/m);
    expect((await stat(`${home.file}.bak`)).isFile()).toBe(true);
    expect((await home.run()).report).toMatchObject([{ ref: "A-1", outcome: "shipped" }]);
  });
});

test("without the sender of the import no row is called wrong: a warning names the flag", async () => {
  const home = await createImportHome(
    "receiver.name,receiver.detail,item.name\n李四,建国路88号,茶叶\n王五,建国路89号,some\n",
  );
  await home.courier("addresses add shop --name 张三");
  expect((await home.run("--sender @shop")).exit).toBe(0);
  const done = path.join(home.directory, "done.csv");
  const words = `orders write-back ${home.file} -o ${done} --json`;
  const bare = await home.courier(words);
  expect([bare.exit, JSON.parse(bare.stdout)], bare.stderr).toMatchObject([0, { orders: 0, unknown: 2 }]);
  expect(bare.stderr).toContain(
    "warning: 2 rows have no sender, so it is not known which orders they are: give --sender as at the import\n",
  );
  expect((await readFile(done, "utf8")).split("\n")[1]).toBe("李四,建国路88号,茶叶,,,,,");
  const whole = await home.courier(`${words} --sender @shop`);
  expect([whole.exit, JSON.parse(whole.stdout)], whole.stderr).toMatchObject([0, { orders: 2, unknown: 0 }]);
});

describe("it is refused", () => {
  test("without a place to write to, and over the input of an import", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await home.run();
    const nowhere = await home.courier(["orders", "write-back", home.file, "--json"]);
    expect([nowhere.exit, errorOf(nowhere).hint]).toEqual([2, expect.stringContaining("--in-place")]);
    const other = await home.put(sheet(row("A-1")), "copy.csv");
    const over = await writeBack(home, "", other, "orders.csv");
    expect([over.exit, errorOf(over).message]).toEqual([
      2,
      expect.stringContaining("is the input of an import (run 1)"),
    ]);
    expect(await readFile(home.file, "utf8")).toBe(sheet(row("A-1")));
  });

  test("where this machine has sent nothing with the account", async () => {
    const home = await createHome({
      COURIER_API_KEY: "test-key-0123456789",
      COURIER_BASE_URL: "https://x.test",
    });
    const { exit, stderr } = await home.courier("orders write-back - -o x.csv --json", {
      stdin: sheet(row("A-1")),
    });
    expect([exit, errorOf({ stderr }).message]).toEqual([
      2,
      "this machine has sent no orders with the account (environment)",
    ]);
    expect(errorOf({ stderr }).hint).toContain("orders import SHEET --write-back NEW");
    const shipped = await home.courier("orders write-back - -o x.csv --json", {
      stdin: `${header},Courier tracking number\n${row("A-1")},CR777\n`,
    });
    expect([shipped.exit, errorOf(shipped).hint]).toEqual([
      2,
      expect.stringMatching(/its rows may be shipped; write it back on the machine/),
    ]);
  });
});

describe("--form writes the file that people upload to their shop", () => {
  const sender = ",张三,13800138000";
  const shopify = [
    "Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping City,sender.name,sender.phone",
    `#1001,paid,,Tea,1,Ann,Leeds${sender}`,
    "#1001,,,Cup,2,,,,",
    `#1002,paid,,Pot,1,Bob,Leeds${sender}`,
    `#1003,refunded,,Pot,1,Bob,Leeds${sender}`,
    "",
  ].join("\n");
  const woocommerce = [
    "order_id,order_number,status,billing_first_name,shipping_full_name,shipping_city,item_name,item_quantity,sender.name,sender.phone",
    `77,A-77,processing,Ann,Ann,Leeds,Tea,1${sender}`,
    "",
  ].join("\n");

  test("shopify: a row an order, without cancelled ones", async () => {
    const home = await createImportHome(shopify);
    const { report } = await home.run();
    await home.courier(`orders cancel ${report[1]?.id} --yes`);
    const { exit, stderr, text, result } = await writeBack(home, "--form shopify --carrier Other");
    expect(exit, stderr).toBe(0);
    expect(text).toMatch(
      /^Order Number,Tracking Number,Tracking Company,Tracking URL\n#1001,CR\d+,Other,\n$/,
    );
    expect(result).toMatchObject({ orders: 2, tracking_numbers: 1 });
  });

  test("woocommerce: by the column order_id, with the day in the form that is said", async () => {
    const home = await createImportHome(woocommerce);
    await home.run();
    const { exit, stderr, text } = await writeBack(home, "--form woocommerce --carrier sf-express");
    expect(exit, stderr).toBe(0);
    expect(text).toMatch(
      /^order_id,tracking_provider,tracking_number,date_shipped,status_shipped\n77,sf-express,CR\d+,01-03-2026,1\n$/,
    );
    expect(stderr).toContain("choose the date format DD-MM-YYYY");
  });

  test("and says what it needs, and which shops it knows", async () => {
    const home = await createImportHome(shopify);
    await home.run();
    const messages: string[] = [];
    for (const words of ["--form shopify", "--carrier X", "--form taobao --carrier X", "--form shopfy"]) {
      const ran = await writeBack(home, words);
      expect(ran.exit).toBe(2);
      messages.push(`${errorOf(ran).message}; ${errorOf(ran).hint}`);
    }
    expect(messages).toEqual([
      "--form shopify has a column with the courier's name; add --carrier with the name that the shop lists for this courier",
      "--carrier is for --form, which is not given; leave it out, or add --form NAME",
      "--form: courier does not know the upload form of “taobao”; known: shopify, woocommerce; without --form, the sheet itself gets the tracking numbers",
      "--form: courier does not know the upload form of “shopfy”; did you mean shopify?",
    ]);
    const ran = await writeBack(home, "--form shopify --carrier X", undefined, "form.json");
    expect(ran).toMatchObject({ exit: 2, text: "" });
    expect(errorOf(ran).message).toContain("the rows of --form shopify are written as CSV");
  });
});

describe("a row whose order was cancelled", () => {
  const numbersOf = (report: readonly unknown[]) =>
    report.map((each) => (each as { tracking_number: string }).tracking_number);

  test.each(["", "A-1"])("and that was shipped again has the new order (ref “%s”)", async (ref) => {
    const home = await createImportHome(sheet(row(ref)));
    await home.run();
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const cancelled = await writeBack(home);
    expect(cancelled.rows[1]?.slice(0, 4)).toEqual(["", expect.stringMatching(/^CO/), "cancelled", ""]);
    const { report } = await home.run("--allow-duplicate row:1");
    const { rows } = await writeBack(home);
    expect([rows[1]?.[0], rows[1]?.[2], rows[1]?.[4]]).toEqual([...numbersOf(report), "pending", ""]);
  });

  test.each(["", "A-1"])("after it was shipped once more has the new order (ref “%s”)", async (ref) => {
    const home = await createImportHome(sheet(row(ref)));
    await home.run();
    const { report } = await home.run("--allow-duplicate row:1");
    expect(report[0]?.id).toBe(1000002);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const { rows } = await writeBack(home);
    expect([rows[1]?.[0], rows[1]?.[2], rows[1]?.[4]]).toEqual([...numbersOf(report), "pending", ""]);
  });

  test.each(["", "A-1"])(
    "has the order before, where the newer one was cancelled elsewhere (ref “%s”)",
    async (ref) => {
      const home = await createImportHome(sheet(row(ref)));
      const first = await home.run();
      await home.run("--allow-duplicate row:1");
      const elsewhere = { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } };
      expect((await home.courier("orders cancel 1000002 --yes", elsewhere)).exit).toBe(0);
      const { exit, rows, stderr } = await writeBack(home, "--refresh");
      expect(exit, stderr).toBe(0);
      expect([rows[1]?.[0], rows[1]?.[2]]).toEqual([...numbersOf(first.report), "pending"]);
    },
  );

  test("has no number of it where the ref is another receiver's now", async () => {
    const home = await createImportHome(sheet(row("1")));
    await home.run();
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const day = await home.put(sheet(row("1", "王五", "13700137000")), "day2.csv");
    const { rows } = await writeBack(home, "", day);
    expect(rows[1]?.slice(0, 4)).toEqual(["", "", "", ""]);
    expect(rows[1]?.[4]).toContain("order 1000001 was cancelled");
  });

  test("keeps its own state where its ref was used again for another receiver", async () => {
    const home = await createImportHome(sheet(row("1")));
    const { report } = await home.run();
    const before = numbersOf(report);
    const day = await home.put(sheet(row("1", "王五", "13700137000")), "day2.csv");
    const later = await home.importFile(day, "--allow-duplicate 1");
    expect(later.report[0]?.id).toBe(1000002);
    expect((await writeBack(home)).rows[1]?.slice(0, 1)).toEqual(before);
    expect((await writeBack(home, "", day)).rows[1]?.slice(0, 1)).toEqual(numbersOf(later.report));
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const { rows } = await writeBack(home);
    expect(rows[1]?.slice(0, 3)).toEqual(["", expect.stringMatching(/^CO/), "cancelled"]);
    expect(rows[1]?.[4]).toBe("order 1000001 was cancelled");
  });
});
