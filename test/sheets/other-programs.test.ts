/** Workbooks as openpyxl and LibreOffice write them (test/sheets/files/make.py). */

import path from "node:path";
import { describe, expect, test } from "vitest";
import { createImportHome, errorOf } from "../support/imports.ts";

const fileOf = (name: string) => path.join(import.meta.dirname, "files", name);

const shown = [
  [2, "1001", "李四", "13900139000", "建国路88号", "1.5"],
  [3, "A-2", "王五", "13900139001", "two\nlines & <b>", "0.1"],
  [4, "00007", "赵六", "13900139002", "2026-01-31T10:30:00", "0.3"],
  [6, "A-5", "周八", "13900139004", "merged", "2"],
  [7, "A-6", "周八", "13900139005", "merged", "2"],
];

describe("an .xlsx of LibreOffice", () => {
  test("gives what its sheet shows: formats, merged cells, a formula's value, no hidden row", async () => {
    const home = await createImportHome("");
    const { exit, stderr } = await home.importFile(fileOf("libreoffice.xlsx"), "--skip-hidden");
    expect(exit, stderr).toBe(0);
    const rows = (await home.operations()).map(({ row, ref, draft }) => [
      row,
      ref,
      draft?.receiver?.name,
      draft?.receiver?.phone,
      draft?.receiver?.detail,
      String(draft?.item?.weight),
    ]);
    expect(rows).toEqual([...shown, [8, "A-7", "吴九", "13900139006", "formula", "1"]]);
    expect((await home.operations()).at(-1)?.draft?.item?.name).toBe("茶盘");
    expect(stderr).toContain("1 cell is a formula; its last saved value is used");
    expect(stderr).toContain('not read: the hidden sheet “old”; --sheet "old" reads it');
    expect(stderr).toContain("hidden columns are read like the others: receiver.city");
  });

  test("asks about the row that a filter hides", async () => {
    const home = await createImportHome("");
    const ran = await home.importFile(fileOf("libreoffice.xlsx"));
    expect(errorOf(ran).message).toMatch(/: 1 of 7 rows is hidden by a filter$/);
  });
});

describe("an .xlsx of openpyxl", () => {
  test("has formulas that were never calculated: the cell is named", async () => {
    const home = await createImportHome("");
    const ran = await home.importFile(fileOf("openpyxl.xlsx"), "--skip-hidden");
    expect([ran.exit, home.posts]).toEqual([2, 0]);
    expect(JSON.parse(ran.stderr.trimEnd().split("\n").at(-1) ?? "").error.details).toMatchObject([
      { row: 8, cell: "H8", message: expect.stringContaining("is a formula without a saved value") },
    ]);
  });

  test("is read where no such column is used", async () => {
    const home = await createImportHome("");
    const words = ["--skip-hidden", "--yes", "--map", "item.name=", "--map", "receiver.city=item.name"];
    const ran = await home.courier(["orders", "import", fileOf("openpyxl.xlsx"), ...words]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await home.receivers()).toHaveLength(6);
  });
});

test.each([
  ["libreoffice.xls", "an old Excel workbook (.xls)"],
  ["libreoffice.ods", "an OpenDocument file such as .ods"],
])("%s is named for what it is", async (name, what) => {
  const home = await createImportHome("");
  expect(errorOf(await home.importFile(fileOf(name)))).toMatchObject({
    exit: 2,
    message: `${fileOf(name)} is ${what}, which courier does not read`,
    hint: "open it in the spreadsheet program, save it as .xlsx or “CSV UTF-8”, and import that file",
  });
});
