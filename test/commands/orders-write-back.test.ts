/** courier orders write-back: tracking numbers into a sheet that was imported before, without sending anything. */

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome } from "../support/courier.ts";
import { createImportHome, errorOf, type ImportHome, row, sheet } from "../support/imports.ts";
import { sheetOf } from "../support/workbooks.ts";

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
      not_created: 1,
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
  });
});
