/** courier orders import of sheets whose rows have the numbers of orders: each order counts for the row that it was made of. */

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  createImportHome,
  errorOf,
  type ImportHome,
  outcomes,
  type Report,
  row,
  sheet,
} from "../support/imports.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const minuteMs = 60_000;

/** A home whose sheet was shipped and written back; the lines of the written sheet. */
async function createShipped(...rows: readonly string[]) {
  const home = await createImportHome(sheet(...rows));
  const done = path.join(home.directory, "done.csv");
  const ran = await home.run(`--concurrency 1 --write-back ${done}`);
  expect(ran.exit, ran.stderr).toBe(0);
  const [head = "", ...lines] = (await readFile(done, "utf8")).trim().split("\n");
  home.clock.advance(15 * minuteMs);
  return {
    home,
    lines,
    put: (...shown: readonly string[]) => home.put([head, ...shown, ""].join("\n"), "day2.csv"),
    numbers: lines.map((line) => line.split(",")[10] ?? ""),
  };
}

const numbersOf = (report: readonly object[]) =>
  report.map((each) => (each as { tracking_number: string | null }).tracking_number);

/** Cells that a write-back filled. */
async function readFilled(file: string) {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.slice(1).map((line) => line.split(",").slice(10));
}

async function writeBack(home: ImportHome, file: string, words = "") {
  const done = path.join(home.directory, "filled.csv");
  const further = words.split(" ").filter((word) => word !== "");
  const ran = await home.courier(["orders", "write-back", file, "-o", done, "--json", ...further]);
  expect(ran.exit, ran.stderr).toBe(0);
  return { result: JSON.parse(ran.stdout) as Record<string, unknown>, rows: await readFilled(done) };
}

describe("rows without refs that have the numbers of their orders", () => {
  test("are shipped already in a file with one more row", async () => {
    const { home, lines, numbers, put } = await createShipped(row(""), row("", "王五"));
    const file = await put(...lines, `${row("", "赵六")},,,,,`);
    const ran = await home.importFile(file);
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([
      0,
      "shipped shipped created",
      3,
    ]);
    expect(numbersOf(ran.report).slice(0, 2)).toEqual(numbers);
    const again = await home.importFile(file);
    expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped shipped shipped", 3]);
  });

  test.each(["", "--skip-shipped"])(
    "keep their orders from an equal row without a number (%s)",
    async (flag) => {
      const { home, lines, numbers, put } = await createShipped(row(""), row("", "王五"));
      const file = await put(`${row("")},,,,,`, ...lines);
      const done = path.join(home.directory, "day2 done.csv");
      const ran = await home.importFile(file, flag);
      expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([
        3,
        "held shipped shipped",
        2,
      ]);
      expect(ran.report[0]?.error?.message).toMatch(/^equals order 1000001 /);
      const allowed = await home.courier([
        ...["orders", "import", file, "--yes", "--json", "--allow-duplicate", "row:1", "--write-back", done],
      ]);
      expect([allowed.exit, home.posts], allowed.stderr).toEqual([0, 3]);
      const shown = (await readFilled(done)).map(([number]) => number);
      expect(shown.slice(1)).toEqual(numbers);
      expect(new Set(shown).size).toBe(3);
      const again = await home.importFile(file, flag);
      expect([again.exit, outcomes(again.report), home.posts]).toEqual([0, "shipped shipped shipped", 3]);
    },
  );

  test.each(["", "--skip-shipped"])("tell a cancelled order in another file (%s)", async (flag) => {
    const { home, lines, put } = await createShipped(row(""), row("", "王五"), row("", "赵六"));
    const file = await put(...lines.slice(0, 2));
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const { exit, report, stderr } = await home.importFile(file, flag);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "cancelled shipped", 3]);
    const { result, rows } = await writeBack(home, file, "--refresh");
    expect(rows[0]?.slice(0, 3)).toEqual(["", expect.stringMatching(/^CO/), "cancelled"]);
    expect(result).toMatchObject({ orders: 2, tracking_numbers: 1, unknown: 0 });
  });

  test("have the new order after a cancelled one was sent again, and the sheet has the old number", async () => {
    const { home, lines, put } = await createShipped(row(""), row("", "王五"));
    const file = await put(lines[0] ?? "");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const sent = await home.importFile(file, "--allow-duplicate row:1");
    expect([outcomes(sent.report), home.posts]).toEqual(["created", 3]);
    const again = await home.importFile(file);
    expect([again.exit, outcomes(again.report), again.report[0]?.id]).toEqual([0, "shipped", 1000003]);
    const flagged = await home.importFile(file, "--allow-duplicate row:1");
    expect([outcomes(flagged.report), home.posts]).toEqual(["shipped", 3]);
  });

  test("are not sent twice more where a cancelled order was sent again from the first file", async () => {
    const { home, lines, put } = await createShipped(row(""), row("", "王五"));
    const file = await put(lines[0] ?? "");
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("created shipped");
    const { exit, report } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held", 3]);
    expect(report[0]?.error?.message).toMatch(/^equals order 1000003 /);
  });

  test("and equal ones keep their orders after a cancelled one was sent again", async () => {
    const { home, lines, put } = await createShipped(row(""), row(""));
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    await home.put(await readFile(await put(...lines), "utf8")); // the sheet with the old numbers
    expect(outcomes((await home.run("--allow-duplicate row:1")).report)).toBe("created shipped");
    const { exit, report } = await home.run();
    expect([exit, outcomes(report)]).toEqual([0, "shipped shipped"]);
    expect(report.map(({ id }) => id)).toEqual([1000003, 1000002]);
  });

  test("and get refs later are shipped already", async () => {
    const { home, lines, put } = await createShipped(row(""), row("", "王五"));
    const file = await put(...lines.map((line, index) => `T-${index}${line}`));
    const { exit, report, stderr } = await home.importFile(file);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([0, "shipped shipped", 2]);
  });
});

describe("one text in the place of all new tracking numbers", () => {
  async function createWaiting(...rows: readonly string[]) {
    const home = await createUnfaithfulHome({
      rewrite: (shown) => ({ ...shown, tracking_number: "待分配" }),
    });
    const file = path.join(home.directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    const importFile = async (words = "", state?: string) => {
      const env = state === undefined ? {} : { COURIER_STATE_DIR: path.join(home.directory, state) };
      const ran = await home.courier(`orders import ${file} --yes --json ${words}`, { env });
      return { ...ran, report: JSON.parse(ran.stdout) as Report[] };
    };
    const ran = await importFile("--in-place --concurrency 1");
    expect(ran.exit, ran.stderr).toBe(0);
    home.clock.advance(15 * minuteMs);
    return { home, file, importFile };
  }

  test("leaves the order number to tell whose order an edited row has", async () => {
    const { home, file, importFile } = await createWaiting(row(""), row("", "王五"));
    await writeFile(file, (await readFile(file, "utf8")).replace(/(王五.*?,茶叶,1\.50),1,/, "$1,9,"));
    const { exit, report } = await importFile();
    expect([exit, outcomes(report), home.service.orders.length]).toEqual([3, "shipped held", 2]);
    expect(report[1]?.error?.message).toMatch(
      /^\S+ is order 2, which was made from other values: empty these cells if this is a new order$/,
    );
    expect(report[1]?.error?.message).not.toContain("待分配");
  });

  test("holds no row on another machine: --skip-shipped counts each by its order number", async () => {
    const { home, importFile } = await createWaiting(row("A-1"), row("A-2", "王五"), row("A-3", "赵六"));
    const held = await importFile("", "another machine");
    expect([held.exit, outcomes(held.report)]).toEqual([3, "held held held"]);
    for (const { error } of held.report) expect(error?.message).not.toContain("is beside row");
    const ran = await importFile("--skip-shipped", "another machine");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "shipped shipped shipped"]);
    expect(home.service.orders).toHaveLength(3);
  });
});

test("numbers that a spreadsheet program has cut to the same text are no sign of another row's order", async () => {
  const { home, lines, numbers, put } = await createShipped(
    row("001"),
    row("002", "王五"),
    row("003", "赵六"),
  );
  const cut = lines.map((line) =>
    line.replace(/^00/, "").replace(/,CR\d+,CO\d+/, (_, at: number) => `,7.7346${at}E+14,2.02600E+17`),
  );
  const file = await put(...cut);
  const held = await home.importFile(file);
  expect([held.exit, outcomes(held.report)], held.stderr).toEqual([3, "held held held"]);
  expect(held.report.map(({ error }) => error?.message)).toEqual(
    [1, 2, 3].map(
      (id) => `equals order 100000${id}, which was sent with the ref 00${id}: did a program rewrite the ref?`,
    ),
  );
  const later = await home.courier(["orders", "write-back", file, "-o", `${file}.new`, "--json"]);
  expect(JSON.parse(later.stdout)).toMatchObject({ not_created: 0, unknown: 3 });
  const ran = await home.importFile(file, `--skip-shipped --write-back ${file}.done`);
  expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([0, "shipped shipped shipped", 3]);
  const written = (await readFile(`${file}.done`, "utf8")).split("\n").slice(1, 4);
  expect(written.map((line) => line.split(",")[10])).toEqual(numbers);
});

describe("a row that was copied with its number for another customer", () => {
  test.each(["", "--skip-shipped"])("is held, and the order's own row is named (%s)", async (flag) => {
    const { home, lines, numbers, put } = await createShipped(row("T-1"), row("T-2", "王五"));
    const copy = (lines[1] ?? "")
      .replace("T-2", "T-3")
      .replace("王五", "赵六")
      .replace("13900139000", "13700137000");
    const file = await put(copy, ...lines);
    const { exit, report, stderr } = await home.importFile(file, flag);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "held shipped shipped", 2]);
    const message = `${numbers[1]} is the order of row 3 (T-2): empty these cells if this is a new order`;
    expect(report[0]?.error?.message).toBe(message);
    expect(stderr).toContain(`row 1 (T-3): ${message}`);
    expect(stderr).not.toContain("--skip-shipped counts");
    const { rows } = await writeBack(home, file);
    expect(rows[0]?.[4]).toBe(message);
    const emptied = await put(`${copy.split(",").slice(0, 10)},,,,,`, ...lines);
    expect(outcomes((await home.importFile(emptied, flag)).report)).toBe("created shipped shipped");
  });

  test("without refs, alone in its file, is held with the order that has the number", async () => {
    const { home, lines, numbers, put } = await createShipped(row("", "王五"));
    const file = await put((lines[0] ?? "").replace("王五", "赵六"));
    const ran = await home.importFile(file, "--skip-shipped");
    const { exit, report } = ran;
    expect([exit, outcomes(report), home.posts]).toEqual([3, "held", 1]);
    expect(report[0]?.error?.message).toBe(
      `${numbers[0]} is order 1000001, which was made from other values: empty these cells if this is a new order`,
    );
    expect(errorOf(ran).hint).toBe("--allow-duplicate row:N ships row N as well");
  });

  test("on a machine that does not know the number, counts for one row only", async () => {
    const { home, lines, numbers, put } = await createShipped(row("T-1"));
    const file = await put(lines[0] ?? "", (lines[0] ?? "").replace("T-1", "T-2").replace("李四", "赵六"));
    const another = { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } };
    home.clock.advance(30 * 24 * 60 * minuteMs);
    const { exit, report, stderr } = await home.importFile(file, "--skip-shipped", another);
    expect([exit, outcomes(report), home.posts], stderr).toEqual([3, "shipped held", 1]);
    expect(report[1]?.error?.message).toBe(
      `${numbers[0]} is beside row 1 (T-1), too: empty these cells if this is a new order`,
    );
  });
});

test.each([
  ["which has its number", true],
  ["whose number was removed", false],
])("a new row is not reported as shipped by the order of a row that it equals, %s", async (_, hasNumber) => {
  const home = await createImportHome(sheet(row(""), row("")));
  expect((await home.run("--concurrency 1 --in-place")).exit).toBe(0);
  const [head, first = "", second = ""] = (await readFile(home.file, "utf8")).trim().split("\n");
  home.clock.advance(15 * minuteMs);
  const emptied = `${second.split(",").slice(0, 10)},,,,,`;
  await home.put([head, first.replace("李四", "赵六"), hasNumber ? second : emptied, emptied, ""].join("\n"));
  const ran = await home.run();
  expect([outcomes(ran.report), home.posts], ran.stderr).toEqual(["held shipped held", 2]);
  expect(ran.report.map(({ id }) => id)).toEqual([null, 1000002, null]);
  const allowed = await home.run("--allow-duplicate row:3");
  expect([outcomes(allowed.report), home.posts]).toEqual(["held shipped created", 3]);
  const again = await home.run();
  expect([outcomes(again.report), home.posts]).toEqual(["held shipped shipped", 3]);
});

test("of rows that were sorted without their numbers, each learns its order, and how to put it right", async () => {
  const home = await createImportHome(sheet(row(""), row("", "王五")));
  expect((await home.run("--concurrency 1 --in-place")).exit).toBe(0);
  const [head, first = "", second = ""] = (await readFile(home.file, "utf8")).trim().split("\n");
  const own = (line: string) => line.split(",").slice(0, 10).join(",");
  const filled = (line: string) => line.split(",").slice(10).join(",");
  await home.put([head, `${own(second)},${filled(first)}`, `${own(first)},${filled(second)}`, ""].join("\n"));
  const ran = await home.run("--in-place");
  expect([outcomes(ran.report), home.posts], ran.stderr).toEqual(["held held", 2]);
  expect(ran.report.map(({ error }) => error?.message)).toEqual(
    [1, 2].map((each) =>
      expect.stringContaining(
        ` is order 100000${each}, which was made from other values; order 100000${3 - each} was made from this row's values: ` +
          "if the rows were sorted without these cells, empty them in all rows",
      ),
    ),
  );
  await home.put([head, `${own(second)},,,,,`, `${own(first)},,,,,`, ""].join("\n"));
  const again = await home.run("--in-place");
  expect([outcomes(again.report), home.posts], again.stderr).toEqual(["shipped shipped", 2]);
  const written = (await readFile(home.file, "utf8")).trim().split("\n").slice(1);
  expect(written.map(filled)).toEqual([filled(second), filled(first)]);
});

describe("the sheet that is written back", () => {
  test("counts held rows as held, also those that keep a number", async () => {
    const { home, lines, put } = await createShipped(row("T-1"), row("T-2", "王五"));
    const copy = (lines[1] ?? "").replace("T-2", "T-3").replace("王五", "赵六");
    const file = await put(...lines, copy);
    const done = path.join(home.directory, "counted.csv");
    const { exit, stderr } = await home.importFile(file, `--write-back ${done}`);
    expect(exit, stderr).toBe(3);
    expect(stderr).toContain(
      `${done}: 2 orders with a tracking number, 1 held, 1 of them with the number that the sheet had\n`,
    );
    const another = { env: { COURIER_STATE_DIR: `${home.directory}/another machine` } };
    home.clock.advance(30 * 24 * 60 * minuteMs);
    const skipped = await home.importFile(done, `--skip-shipped --write-back ${done}2.csv`, another);
    expect(skipped.stderr).toContain(`: 2 orders with a tracking number, 1 held, 1 of them`);
  });

  test("has no number of another row beside a row that the shop cancelled", async () => {
    const shop =
      "Name,Financial Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping City,sender.name,sender.phone";
    const order = (name: string, status = "paid") => `${name},${status},Tea,1,Ann,Leeds,张三,13800138000`;
    const home = await createImportHome([shop, order("#1"), ""].join("\n"));
    const done = path.join(home.directory, "done.csv");
    expect((await home.run(`--write-back ${done}`)).exit).toBe(0);
    const [head = "", first = ""] = (await readFile(done, "utf8")).split("\n");
    const copy = first.replace("#1,paid", "#2,refunded");
    const own = copy.replace("#2", "#3").replace(/CR\d+,\w+/, "CR7,CO7");
    const file = await home.put([head, first, copy, own, ""].join("\n"), "copied.csv");
    const { rows } = await writeBack(home, file);
    const shown = rows.map((cells) => cells.slice(-2));
    const filled = (await readFile(path.join(home.directory, "filled.csv"), "utf8")).split("\n");
    const [number = ""] = /CR\d+/.exec(first) ?? [];
    expect(filled[1]).toBe(first);
    expect(filled[2]).toContain(`,,,,,not sent: refunded; ${number} is the order of row 1 (#1)`);
    expect(filled[3]).toContain("CR7,CO7,");
    expect(shown).toHaveLength(3);
  });
});
