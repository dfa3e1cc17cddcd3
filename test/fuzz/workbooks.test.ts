/** Workbooks with bytes changed, cut off or exchanged: each is read or refused, and never ends in a crash. */

import { expect, test } from "vitest";
import { openWorkbook } from "../../src/sheets/workbook.ts";
import { openZip } from "../../src/sheets/zip-parts.ts";
import { collect } from "../sheets/input-text.ts";
import { effort, fc } from "../support/effort.ts";
import { createImportHome, header, row } from "../support/imports.ts";
import { sheetOf, type TestRow, writeWorkbook } from "../support/workbooks.ts";

const titles = header.split(",");
const orders: TestRow[] = ["A-1", "A-2", "A-3"].map((ref) => ({
  cells: [...row(ref).split(","), { attributes: 's="1"', xml: "<f>A1</f><v>46053</v>" }],
}));
const parts = {
  sheets: [
    {
      name: "Orders",
      rows: [{ cells: titles }, ...orders, { cells: row("A-4").split(","), attributes: 'hidden="1"' }],
      before: '<sheetPr filterMode="1"/><cols><col min="3" max="4" hidden="1"/></cols>',
      after: '<mergeCells><mergeCell ref="B2:B4"/></mergeCells>',
    },
    { name: "Other", rows: [titles], attributes: 'state="hidden"' },
  ],
  formats: ["yyyy-mm-dd", "00000"],
};
const workbook = writeWorkbook(parts);

/** Places in a text, and what happens there. */
const changes = fc.array(
  fc.record({
    at: fc.nat(100_000),
    kind: fc.constantFrom("flip" as const, "cut" as const, "drop" as const, "copy" as const),
    by: fc.integer({ min: 1, max: 255 }),
  }),
  { minLength: 1, maxLength: 4 },
);

type Change = { readonly at: number; readonly kind: "flip" | "cut" | "drop" | "copy"; readonly by: number };

function damage(bytes: Buffer, list: readonly Change[]): Buffer {
  return list.reduce<Buffer>((current, { at, kind, by }) => {
    const place = at % Math.max(1, current.length);
    if (kind === "cut") return current.subarray(0, place);
    const [before, after] = [current.subarray(0, place), current.subarray(place)];
    if (kind === "drop") return Buffer.concat([before, after.subarray(by)]);
    if (kind === "copy") return Buffer.concat([before, after.subarray(0, by), after]);
    const flipped = Buffer.from(current);
    flipped[place] = (flipped[place] ?? 0) ^ by;
    return flipped;
  }, bytes);
}

async function survive(changed: fc.Arbitrary<Buffer>, runs: number): Promise<void> {
  const home = await createImportHome("");
  const words = "--check --json --skip-hidden".split(" ");
  await fc.assert(
    fc.asyncProperty(changed, async (bytes) => {
      const file = await home.put(bytes, "orders.xlsx");
      const { exit, stderr } = await home.courier(["orders", "import", file, ...words]);
      expect([0, 2], stderr).toContain(exit);
    }),
    { numRuns: runs },
  );
}

test("the workbook itself is read", async () => {
  const home = await createImportHome("");
  const file = await home.put(workbook, "orders.xlsx");
  const { exit, stdout } = await home.courier([
    "orders",
    "import",
    file,
    "--check",
    "--json",
    "--skip-hidden",
  ]);
  expect([exit, JSON.parse(stdout).rows]).toEqual([0, 3]);
});

test("changed bytes of the file", async () => {
  await survive(
    changes.map((list) => damage(workbook, list)),
    effort(80, 5_000),
  );
});

test("changed text of its parts, with the right checksums", async () => {
  const names = ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/styles.xml", "xl/sharedStrings.xml"];
  const sheet = "xl/worksheets/sheet1.xml";
  const originals = new Map<string, Buffer>();
  const zip = await openZip(workbook, "orders.xlsx");
  for (const name of [...names, sheet]) originals.set(name, Buffer.concat(await collect(zip.read(name))));
  const part = fc.constantFrom(...names, sheet, sheet, sheet);
  await survive(
    fc.tuple(part, changes).map(([name, list]) => {
      const original = originals.get(name) ?? Buffer.alloc(0);
      return writeWorkbook({ ...parts, parts: { [name]: damage(original, list) } });
    }),
    effort(80, 5_000),
  );
});

test("a long text that many cells share is read, up to as much text as a CSV file may have", async () => {
  const rows = effort(1_000, 10_000);
  const bytes = sheetOf(["title"], ...Array.from({ length: rows }, () => ["x".repeat(30_000)]));
  const { sheets, readTable } = await openWorkbook(bytes, "orders.xlsx");
  const [sheet] = sheets;
  const reading = sheet && readTable(sheet);
  if (rows * 30_000 <= 256 * 2 ** 20) expect((await reading)?.rowCount).toBe(rows);
  else await expect(reading).rejects.toThrow("the sheet Orders has more than 256 MB of text");
});
