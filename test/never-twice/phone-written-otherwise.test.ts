/** A phone that is written with blanks, dashes or a country's code is the same phone: the order is the same order. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openLedgerFile } from "../../src/ledger/ledger.ts";
import type { Json } from "../../src/model/json.ts";
import { contentOf, formerContentOf } from "../../src/model/same-order.ts";
import { createImportHome, errorOf, type ImportHome, outcomes, row, sheet } from "../support/imports.ts";

const spellings = [
  "139 0013 9000",
  "139-0013-9000",
  "+86 13900139000",
  "0086-139-0013-9000",
  "8613900139000",
  "(+86)139 0013 9000",
];

const draftWith = (phone: string) => ({
  sender: { name: "张三", phone: "13800138000" },
  receiver: { name: "李四", phone },
  item: { name: "茶叶" },
});

describe("a row without a ref", () => {
  test.each(spellings)("whose phone is written %s now is shipped by its order", async (phone) => {
    const home = await createImportHome(sheet(row("", "李四", "13900139000")));
    expect(outcomes((await home.run()).report)).toBe("created");
    await home.put(sheet(row("", "李四", phone)));
    const again = await home.run();
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
  });

  test("in another file is held", async () => {
    const home = await createImportHome(sheet(row("", "李四", "139-0013-9000")));
    expect(outcomes((await home.run()).report)).toBe("created");
    const rows = [row("", "李四", "+86 139 0013 9000"), row("", "王五")];
    const again = await home.importFile(await home.put(sheet(...rows), "other.csv"));
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["held created", 2]);
  });

  test.each(["139 0013 9000", "13900139000"])(
    "that an earlier version recorded as it was written is known as %s",
    async (phone) => {
      const home = await createImportHome(sheet(row("", "李四", phone)));
      expect(outcomes((await home.run()).report)).toBe("created");
      await recordAsBefore(home);
      const again = await home.run();
      expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped", 1]);
      const copy = await home.put(sheet(row("", "李四", phone), row("", "王五")), "copy.csv");
      const copied = await home.importFile(copy);
      expect([outcomes(copied.report), home.posts], copied.stderr).toEqual(["held created", 2]);
    },
  );
});

test("rows of an earlier version that only write their phones otherwise keep their orders", async () => {
  const home = await createImportHome(
    sheet(row("", "李四", "139 0013 9000"), row("", "李四", "13900139000")),
  );
  expect(outcomes((await home.run("--concurrency 1")).report)).toBe("created created");
  await recordAsBefore(home);
  const again = await home.run();
  expect(
    again.report.map(({ outcome, id }) => [outcome, id]),
    again.stderr,
  ).toEqual([
    ["shipped", 1000001],
    ["shipped", 1000002],
  ]);
  expect(home.posts).toBe(2);
});

test("a row with a ref whose phone is written otherwise is shipped, not changed", async () => {
  const home = await createImportHome(sheet(row("A-1", "李四", "13900139000")));
  expect(outcomes((await home.run()).report)).toBe("created");
  await home.put(sheet(row("A-1", "李四", "+86 139-0013-9000")));
  expect(outcomes((await home.run()).report)).toBe("shipped");
});

describe("a single order", () => {
  const create = (home: ImportHome, phone: string) =>
    home.courier("orders create --file - --json", { stdin: JSON.stringify(draftWith(phone)) });

  test.each(spellings)("with the phone %s is the one that was just sent", async (phone) => {
    const home = await createImportHome("");
    expect((await create(home, "13900139000")).exit).toBe(0);
    const again = await create(home, phone);
    expect([again.exit, errorOf(again).code, home.posts]).toEqual([2, "duplicate", 1]);
    expect(errorOf(again).message).toMatch(/^the same order was sent /);
  });

  test("that an earlier version recorded as it was written is known", async () => {
    const home = await createImportHome("");
    expect((await create(home, "139 0013 9000")).exit).toBe(0);
    await recordAsBefore(home);
    const again = await create(home, "139 0013 9000");
    expect([again.exit, errorOf(again).code, home.posts]).toEqual([2, "duplicate", 1]);
    expect(errorOf(again).message).toMatch(/^the same order was sent /);
  });

  test("with another phone is another order", async () => {
    const home = await createImportHome("");
    expect((await create(home, "13900139000")).exit).toBe(0);
    expect((await create(home, "+49 139 0013 9000")).exit).toBe(0);
  });
});

test("numbers with other digits are never the same; what stands between the digits makes no difference", () => {
  const digits = fc.stringMatching(/^[1-9]\d{6,10}$/);
  const gap = fc.constantFrom("", " ", "-", "  ", " - ", "(", ")", "‑");
  const isSame = (one: string, other: string) => contentOf(draftWith(one)) === contentOf(draftWith(other));
  fc.assert(
    fc.property(digits, digits, fc.array(gap, { minLength: 12, maxLength: 12 }), (one, other, gaps) => {
      const written = [...one].map((digit, place) => `${digit}${gaps[place]}`).join("");
      expect(isSame(one, written)).toBe(true);
      expect(isSame(one, other)).toBe(one === other);
    }),
  );
});

/** The ledger as a version wrote it that took phones as they are. */
async function recordAsBefore(home: ImportHome): Promise<void> {
  const updates = (await home.operations()).flatMap(({ run, number, draft }) => {
    const former = formerContentOf(draft as unknown as Json);
    return former === undefined
      ? []
      : `UPDATE operations SET content = '${former}' WHERE run = ${run} AND number = ${number}`;
  });
  const ledger = await openLedgerFile(home.stateDir);
  try {
    await ledger.transaction(() => ledger.exec(updates.join(";")));
  } finally {
    ledger.close();
  }
}
