/** Exports of shops, written back as CSV and as workbooks: the first day, and the longer export of the next day. */

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createEncoder } from "../../src/sheets/encode-text.ts";
import { quoteFormulaTexts } from "../../src/sheets/formula-texts.ts";
import { readSheet, type SheetRow } from "../../src/sheets/sheet.ts";
import { inspectSource, readText } from "../../src/sheets/source.ts";
import { openWorkbook } from "../../src/sheets/workbook.ts";
import { collect, contentOf } from "../sheets/input-text.ts";
import { createImportHome, type ImportHome, outcomes } from "../support/imports.ts";
import { sheetOf } from "../support/workbooks.ts";

const fixtures = path.join(import.meta.dirname, "presets");
const forms = ["csv", "xlsx"] as const;
type Form = (typeof forms)[number];

async function createShopHome(): Promise<ImportHome> {
  const home = await createImportHome("");
  const words = ["--name", "张三", "--phone", "13800138000", "--city", "深圳市", "--default"];
  const ran = await home.courier(["addresses", "add", "shop", ...words]);
  expect(ran.exit, ran.stderr).toBe(0);
  return home;
}

async function readCsv(bytes: Uint8Array): Promise<SheetRow[]> {
  const content = contentOf(bytes);
  const facts = await inspectSource(content, "x.csv");
  return collect(readSheet(quoteFormulaTexts(readText(content, "x.csv", facts)), facts, "x.csv"));
}

/** The same rows in the form that is asked for. */
async function inForm(bytes: Buffer, form: Form): Promise<Buffer> {
  if (form === "csv") return bytes;
  return sheetOf(...(await readCsv(bytes)).map(({ cells }) => cells));
}

/** The first cell and the tracking number of each row of a written sheet that has the columns. */
async function numbersOf(file: string, form: Form): Promise<(readonly [string, string])[]> {
  const bytes = await readFile(file);
  const workbook = form === "xlsx" ? await openWorkbook(bytes, file) : undefined;
  const [sheet] = workbook?.sheets ?? [];
  const table = sheet && (await workbook?.readTable(sheet));
  const rows = table ? await collect(table.read({ withHidden: true })) : await readCsv(bytes);
  const at = rows.findIndex(({ cells }) => cells.some((cell) => isNumber(cell)));
  const column = rows[at]?.cells.findIndex((cell) => isNumber(cell)) ?? -1;
  return rows.slice(at + 1).map(({ cells }) => [cells[0] ?? "", cells[column] ?? ""]);
}

const isNumber = (title: string) => title === "Courier tracking number" || title === "快递运单号";

async function importBack(home: ImportHome, bytes: Buffer, name: string, form: Form) {
  const done = path.join(home.directory, `${name}-done.${form}`);
  const file = await home.put(bytes, `${name}.${form}`);
  return { ...(await home.importFile(file, `--write-back ${done}`)), done };
}

interface Shop {
  readonly fixture: string;
  /** The export of the next day: the first order is marked as sent, and there is one more. */
  readonly nextDay: (text: string) => string;
  readonly encoding: "utf-8" | "gb18030";
  /** Rows with a tracking number on the next day, by their first cells. */
  readonly shipped: readonly string[];
  readonly others: readonly string[];
}

const shops: readonly Shop[] = [
  {
    fixture: "shopify.csv",
    encoding: "utf-8",
    nextDay(text) {
      const next = text.replace("unfulfilled", "fulfilled").replace("+8613900139000", "+86139****9000");
      const lines = text.slice(text.indexOf("#1007,buyer")).replaceAll("#1007", "#1008");
      return next + lines;
    },
    // Lines that are left out of their orders are not in the parcels.
    shipped: ["#1001", "#1001", "#1007", "#1008"],
    others: ["#1001", "#1002", "#1003", "#1004", "#1005", "#1006", "#1007", "#1008"],
  },
  {
    fixture: "taobao.csv",
    encoding: "gb18030",
    nextDay(text) {
      const [, first = ""] = text.split(/\r?\n/);
      const next = text.replace("买家已付款，等待卖家发货", "卖家已发货，等待买家确认");
      return `${next.trimEnd()}\r\n${first.replace("1234567890123456789", "1234567890124456799")}\r\n`;
    },
    shipped: ["789", "790", "791", "799"],
    others: ["792", "793", "794"],
  },
];

describe.each(shops)("$fixture", ({ fixture, nextDay, encoding, shipped, others }) => {
  test.each(forms)(
    "as .%s: the next day only the new order is created, and all rows are filled",
    async (form) => {
      const home = await createShopHome();
      const text = new TextDecoder(encoding).decode(await readFile(path.join(fixtures, fixture)));
      const write = (each: string) => inForm(createEncoder(encoding)(each), form);
      const first = await importBack(home, await write(text), "first", form);
      expect(first.exit, first.stderr).toBe(0);
      const made = home.posts;
      const before = await numbersOf(first.done, form);

      const second = await importBack(home, await write(nextDay(text)), "second", form);
      expect(second.exit, second.stderr).toBe(0);
      expect(home.posts).toBe(made + 1);
      expect(
        outcomes(second.report)
          .split(" ")
          .filter((outcome) => outcome === "created"),
      ).toHaveLength(1);
      const after = await numbersOf(second.done, form);
      const name = (cell: string) =>
        fixture.startsWith("taobao") ? cell.replace(/\D/g, "").slice(-3) : cell;
      const named = (isFilled: boolean) =>
        after.filter(([, number]) => (number !== "") === isFilled).map(([cell]) => name(cell));
      expect(named(true)).toEqual(shipped);
      expect(named(false)).toEqual(others);
      for (const [cell, number] of before.filter(([, each]) => each !== ""))
        expect(after).toContainEqual([cell, number]);

      const third = await home.importFile(second.done);
      expect([third.exit, home.posts], third.stderr).toEqual([0, made + 1]);
    },
  );
});

const importable = readdirSync(fixtures).filter(
  (name) => !["etsy-orders.csv", "pdd-orders.csv", "taobao-orders.csv"].includes(name),
);

test.each(importable)("%s is written with all that was there, and is known again", async (name) => {
  const home = await createShopHome();
  const bytes = await readFile(path.join(fixtures, name));
  const done = path.join(home.directory, "done.csv");
  const file = await home.put(bytes, name);
  const { exit, stderr, report } = await home.importFile(file, `--write-back ${done}`);
  expect(exit, stderr).toBe(0);
  const written = await readFile(done);
  let at = 0;
  for (const byte of bytes) {
    at = written.indexOf(byte, at) + 1;
    expect(at).toBeGreaterThan(0);
  }
  const numbers = (await numbersOf(done, "csv")).filter(([, number]) => number !== "");
  const lines = report.reduce((sum, row) => sum + ((row as { rows?: number[] }).rows?.length ?? 1), 0);
  const leftOut =
    { "douyin.csv": 1, "shopify.csv": 2, "woocommerce-refunds.csv": 1, "woocommerce-words.csv": 1 }[name] ??
    0;
  expect(numbers).toHaveLength(lines - leftOut);
  const again = await home.importFile(done);
  expect([again.exit, home.posts], again.stderr).toEqual([0, report.length]);
});
