/** courier orders export -o FILE.xlsx: real numbers and dates, text that stays text, whole or not at all. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openWorkbook } from "../../src/sheets/workbook.ts";
import { openZip } from "../../src/sheets/zip-parts.ts";
import { createServedHome } from "../support/courier.ts";

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

async function homeWith(seedOrders = 3) {
  const home = await createServedHome({ seedOrders });
  const at = (name: string) => path.join(home.directory, name);
  const file = at("all.xlsx");
  const exported = (words = "") =>
    home.courier(["orders", "export", ...words.split(" ").filter(Boolean), "-o", file]);
  return { ...home, at, file, exported };
}

/** A home whose service lists one order, with these fields. The numbers are as JSON writes them. */
async function homeListing(fields: string) {
  const home = await homeWith(0);
  const body = `{"success":true,"data":[{"id":7,${fields}}],"pagination":{"current_page":1,"total_pages":1,"total_items":1,"per_page":100}}`;
  home.sandbox.faults.set([{ kind: "status", status: 200, body, path: /orders/ }]);
  return home;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a reader finds: courier's own reader of workbooks. */
async function readRows(file: string): Promise<Record<string, string>[]> {
  const workbook = await openWorkbook(await readFile(file), "all.xlsx");
  const [sheet] = workbook.sheets;
  if (!sheet) throw new Error("no sheet");
  const [header, ...rows] = await collect((await workbook.readTable(sheet)).read({ withHidden: true }));
  return rows.map(({ cells }) =>
    Object.fromEntries(cells.map((text, index) => [header?.cells[index] ?? "", text])),
  );
}

async function readPart(file: string, part: string): Promise<string> {
  const zip = await openZip(await readFile(file), "all.xlsx");
  return Buffer.concat(await collect(zip.read(part))).toString();
}

const readSheet = (file: string) => readPart(file, "xl/worksheets/sheet1.xml");

/** The XML of a cell, such as B2. */
async function readCell(file: string, place: string): Promise<string> {
  return new RegExp(`<c r="${place}"[^>]*>.*?</c>`, "s").exec(await readSheet(file))?.[0] ?? "";
}

test("has the rows of the CSV, below the same names", async () => {
  const home = await homeWith(230);
  const { exit, stdout, stderr } = await home.exported("--details");
  expect([exit, stdout]).toEqual([0, ""]);
  expect(stderr).toContain(`wrote 230 rows to ${home.file}; times are those of `);
  await home.courier(["orders", "export", "--details", "-o", home.at("all.csv")]);
  const [names = "", ...lines] = (await readFile(home.at("all.csv"), "utf8")).trimEnd().split("\n");
  const rows = await readRows(home.file);
  expect(rows.map(({ id }) => id)).toEqual(lines.map((line) => line.split(",")[0]));
  expect(Object.keys(rows[0] ?? {})).toEqual(names.split(","));
});

describe("a cell", () => {
  test.each([
    ["12.50", "12.50"],
    ["0", "0"],
    ["-3.1", "-3.1"],
    ["0.1", "0.1"],
    ["123456789012.345", "123456789012.345"],
  ])("holds the amount %s as a number with its digits", async (amount, written) => {
    const home = await homeListing(`"actual_fee":${amount}`);
    expect((await home.exported("--fields id,actual_fee")).exit).toBe(0);
    expect(await readCell(home.file, "B2")).toMatch(new RegExp(`^<c r="B2" s="\\d+"><v>${written}</v></c>$`));
    const [row] = await readRows(home.file);
    expect(Number(row?.actual_fee)).toBe(Number(amount));
  });

  test("shows as many decimals as the service sent", async () => {
    const home = await homeListing('"actual_fee":12.50');
    await home.exported("--fields actual_fee");
    const style = Number(/s="(\d+)"/.exec(await readCell(home.file, "A2"))?.[1]);
    const styles = await readPart(home.file, "xl/styles.xml");
    const formats = [...(/<cellXfs[\s\S]*<\/cellXfs>/.exec(styles)?.[0] ?? "").matchAll(/numFmtId="(\d+)"/g)];
    const id = formats[style]?.[1];
    expect(styles).toContain(`<numFmt numFmtId="${id}" formatCode="0.00"/>`);
  });

  test.each(["1234567890123456", "0.1234567890123456", "1e400", "1e2", "12345678901.12345"])(
    "holds %s, of which a spreadsheet would lose or change digits, as text",
    async (amount) => {
      const home = await homeListing(`"actual_fee":${amount}`);
      await home.exported("--fields id,actual_fee");
      expect(await readCell(home.file, "B2")).toContain(
        `t="inlineStr"><is><t xml:space="preserve">${amount}</t>`,
      );
      expect((await readRows(home.file))[0]?.actual_fee).toBe(amount);
    },
  );

  test.each([
    ["Asia/Shanghai", "2026-03-02T07:30:00"],
    ["UTC", "2026-03-01T23:30:00"],
    ["America/New_York", "2026-03-01T18:30:00"],
  ])("holds a time as that of the zone %s, which the message and the print name", async (zone, local) => {
    process.env.TZ = zone;
    const home = await homeListing('"created_at":"2026-03-01T23:30:00.000Z"');
    const { stderr } = await home.exported("--fields id,created_at");
    expect(stderr).toBe(`wrote 1 row to ${home.file}; times are those of ${zone}\n`);
    expect(await readCell(home.file, "B2")).toMatch(/^<c r="B2" s="\d+"><v>46\d{3}\.\d+<\/v><\/c>$/);
    expect((await readRows(home.file))[0]?.created_at).toBe(local);
    expect(await readSheet(home.file)).toContain(
      `<oddFooter>&amp;LTimes: ${zone}&amp;R&amp;P / &amp;N</oddFooter>`,
    );
  });

  test.each(["2026-03-01", "2026-03-01T23:30:00", "yesterday", "1850-01-01T00:00:00Z"])(
    "holds %s, which names no time that a sheet can hold, as text",
    async (time) => {
      const home = await homeListing(`"created_at":"${time}"`);
      await home.exported("--fields id,created_at");
      expect((await readRows(home.file))[0]?.created_at).toBe(time);
      expect(await readCell(home.file, "B2")).toContain("inlineStr");
    },
  );

  test("holds ids, phones and tracking numbers as text", async () => {
    const home = await homeListing('"tracking_number":"0012345","phone":13800138000');
    await home.exported("--fields id,tracking_number,=phone");
    expect(await readRows(home.file)).toEqual([
      { id: "7", tracking_number: "0012345", phone: "13800138000" },
    ]);
    for (const place of ["A2", "B2", "C2"]) expect(await readCell(home.file, place)).toContain("inlineStr");
  });

  test.each([
    "=1+1",
    "@SUM(A1)",
    "-2+3",
    "=cmd|' /C calc'!A0",
    "<b>&amp; \"x\" 'y' ]]>",
    "_x0041_ _x005F_",
    "a\u0000b\u001bc\u0008d\ufffe\uffff",
    "one\ntwo\tthree",
    "茶叶 🍵 𠮷",
  ])("holds %j as text, character by character", async (text) => {
    const home = await homeListing(
      `"item_name":${JSON.stringify(`x${text}x`)},"order_no":${JSON.stringify(text)}`,
    );
    expect((await home.exported("--fields id,item_name,order_no")).exit).toBe(0);
    const [row] = await readRows(home.file);
    expect(row?.item_name).toBe(`x${text}x`);
    expect(await readSheet(home.file)).not.toMatch(/<f>|<f /);
    expect(await readCell(home.file, "C2")).toContain('t="inlineStr"');
  });

  test("that is missing is empty", async () => {
    const home = await homeListing('"item_name":null');
    await home.exported("--fields id,item_name,created_at,actual_fee");
    expect(await readSheet(home.file)).toMatch(/<row r="2"><c r="A2"[^>]*>.*?<\/c><\/row>/);
  });

  test("of more characters than a sheet holds fails the export, and nothing is written", async () => {
    const home = await homeListing(`"item_name":"${"x".repeat(32_768)}"`);
    const { exit, stderr } = await home.exported();
    expect(exit).toBe(2);
    expect(stderr).toContain("row 2: item_name has more than 32,767 characters, the most that a cell holds");
    expect(stderr).toContain("hint: use -o all.csv");
    expect(await readdir(home.directory)).not.toContain("all.xlsx");
  });
});

test("numbers that are text are not marked as mistakes", async () => {
  const home = await homeListing('"order_no":"00123"');
  await home.exported("--fields id,order_no");
  expect(await readSheet(home.file)).toContain(
    '<ignoredErrors><ignoredError sqref="A1:B2" numberStoredAsText="1"/></ignoredErrors>',
  );
});

test("the header stays in view, and columns are as wide as their texts, within reason", async () => {
  const home = await homeListing(`"item_name":"${"茶".repeat(200)}","created_at":"2026-03-01T08:00:00Z"`);
  await home.exported("--fields id,item_name,created_at");
  const sheet = await readSheet(home.file);
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  const widths = [...sheet.matchAll(/<col min="\d+" max="\d+" width="([\d.]+)" customWidth="1"\/>/g)].map(
    ([, width]) => Number(width),
  );
  expect(widths).toEqual([8, 60, 20]);
});

describe("the file", () => {
  test("is whole, or the older one stays", async () => {
    const home = await homeWith(250);
    await writeFile(home.file, "old");
    home.sandbox.faults.set([{ kind: "status", status: 500, path: /[?&]page=3(&|$)/ }]);
    const { exit, stderr } = await home.exported();
    expect([exit, await readFile(home.file, "utf8")]).toEqual([5, "old"]);
    expect(stderr).not.toContain("wrote");
    expect((await readdir(home.directory)).filter((name) => name.includes(".part"))).toEqual([]);
    home.sandbox.faults.clear();
    expect((await home.exported()).exit).toBe(0);
    expect(await readRows(home.file)).toHaveLength(250);
  });

  test("without orders has the header alone", async () => {
    const home = await homeWith(0);
    const { exit, stderr } = await home.exported();
    expect([exit, stderr]).toEqual([0, `wrote 0 rows to ${home.file}\n`]);
    expect(await readSheet(home.file)).toContain(">order_no</t>");
    expect(await readRows(home.file)).toEqual([]);
  });

  test("never has the key, though the service repeats it", async () => {
    const home = await homeListing('"item_name":"test-key-0123456789"');
    expect((await home.exported()).exit).toBe(0);
    expect(await readSheet(home.file)).not.toContain("test-key-0123456789");
  });

  test.each(["--json", "--csv"])("and %s contradict each other", async (flag) => {
    const home = await homeWith(1);
    const { exit, stderr } = await home.exported(flag);
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain("contradict each other");
  });

  test("needs no byte order mark", async () => {
    const home = await homeWith(1);
    const { exit, stderr } = await home.exported("--bom");
    expect([exit, home.sandbox.requests]).toEqual([2, []]);
    expect(stderr).toContain("--bom is for CSV, and not for xlsx");
  });

  test("can be the data of packing slips, too", async () => {
    const home = await homeWith(2);
    expect((await home.courier(["orders", "slips", "2", "1", "-o", home.file])).exit).toBe(0);
    expect((await readRows(home.file)).map(({ id }) => id)).toEqual(["2", "1"]);
  });
});
