/** courier orders import --write-back: the sheet that was imported, with tracking numbers, states and errors. */

import { execFileSync } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { ledgerPath } from "../../src/ledger/ledger-file.ts";
import { createEncoder } from "../../src/sheets/encode-text.ts";
import { loadDriver } from "../../src/sqlite/driver.ts";
import { answerData, onePage } from "../support/answers.ts";
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
import { until } from "../support/process.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";
import { canMount, mountTwice } from "../support/small-disk.ts";
import { sheetOf } from "../support/workbooks.ts";

const titles = [
  "Courier tracking number",
  "Courier order number",
  "Courier state",
  "Courier estimated fee",
  "Courier error",
];
const chineseTitles = ["快递运单号", "快递订单编号", "快递订单状态", "快递预估运费", "快递下单错误"];

/** Imports the home's file and reads what was written back. */
async function importAndRead(home: ImportHome, words = "", name = "done.csv") {
  const done = path.join(home.directory, name);
  const ran = await home.run(`--write-back ${done} ${words}`);
  return { ...ran, done, bytes: await readFile(done).catch(() => undefined) };
}

/** Lines of a written CSV file as cells without quotes; cells of tests hold no delimiter. */
function cellsOf(text: string, delimiter = ","): string[][] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== "")
    .map((line) => line.split(delimiter).map((cell) => cell.replace(/^"|"$/g, "")));
}

test("what the encoding of a sheet does not have is written as its code, which is said once", async () => {
  const home = await createImportHome(
    Buffer.from("sender.name,receiver.name,item.name\nM\u00fcller,A,Tee\nM\u00fcller,B,Tee\n", "latin1"),
  );
  const data = {
    id: 1000001,
    order_no: "CO1",
    tracking_number: "CR運1",
    status: "已收",
    estimated_fee: 12.5,
  };
  home.sandbox.faults.add({ method: "POST", kind: "wrong_shape", processed: true, data, times: 1 });
  home.sandbox.faults.add({
    method: "POST",
    kind: "refuse",
    status: 400,
    code: "INVALID_PARAMETER",
    message: "不行",
    times: 1,
  });
  const { exit, stderr, bytes, done } = await importAndRead(home, "--encoding windows-1252 --concurrency 1");
  expect(exit, stderr).toBe(3);
  const text = bytes?.toString("latin1") ?? "";
  expect(text).toContain(",CR\\u904b1,");
  expect(text).toContain("refused: \\u4e0d\\u884c (");
  expect(text).not.toContain("?");
  expect(stderr.split("does not write")).toHaveLength(2);
  expect(stderr).toContain(
    `warning: ${done}: characters that courier does not write in WINDOWS-1252, such as “運”, are written as \\u904b; save the sheet as “CSV UTF-8” to have them as they are\n`,
  );
});

test.each(["\u0000", "\ud800", "\u0007"])(
  "a state with %j at its end is no other one in the sheet",
  async (character) => {
    const home = await createImportHome(sheet(row("A-1")));
    const data = { id: 1000001, order_no: "O1", tracking_number: "CR1", status: `cancelled${character}` };
    home.sandbox.faults.add({
      ...{ method: "POST", kind: "wrong_shape", processed: true, times: 1 },
      data: { ...data, estimated_fee: 12.5 },
    });
    const { exit, stderr, bytes } = await importAndRead(home);
    expect(exit, stderr).toBe(0);
    const cells = cellsOf(String(bytes))[1] ?? [];
    expect(cells).toContain("CR1");
    expect(cells).not.toContain("cancelled");
  },
);

describe.each([
  ["NUL", "\u0000", "\\u0000"],
  ["half a character", "\ud800", "\\ud800"],
  ["a control character", "\u0007", "\\u0007"],
])("numbers with %s", (_what, character, shown) => {
  const [order_no, tracking_number] = [`CO1000001${character}`, `CR1000001${character}`];
  const written = [`CR1000001${shown}`, `CO1000001${shown}`];

  async function homeWithNumbers(text = sheet(row("A-1"))) {
    const home = await createImportHome(text);
    const data = { id: 1000001, order_no, tracking_number, status: "pending", estimated_fee: 12.5 };
    home.sandbox.faults.add({ method: "POST", kind: "wrong_shape", processed: true, data, times: 1 });
    const showsOrder = () => {
      const listed = { ...data, receiver: { name: "李四" }, item_name: "茶叶" };
      answerData(home, "GET /api/v1/orders", JSON.stringify([listed]), onePage);
    };
    return { ...home, showsOrder };
  }

  test("are whole in JSON, and escaped in the sheet, also when it is imported again", async () => {
    const home = await homeWithNumbers();
    const { exit, stderr, report, bytes, done } = await importAndRead(home);
    expect(exit, stderr).toBe(0);
    expect(report[0]).toMatchObject({ outcome: "created", order_no, tracking_number });
    expect(cellsOf(String(bytes))[1]?.slice(-5, -3)).toEqual(written);
    home.showsOrder();
    const again = await home.importFile(done, "--in-place");
    expect(again.report[0]).toMatchObject({ outcome: "shipped", order_no, tracking_number });
    expect(cellsOf(await readFile(done, "utf8"))[1]?.slice(-5, -3)).toEqual(written);
  });

  test("are escaped on the screen", async () => {
    const home = await homeWithNumbers();
    const { stdout } = await home.courier(`orders import ${home.file} --yes`);
    for (const number of written) expect(stdout).toContain(` ${number} `);
  });

  test("name the order of an edited row without a ref", async () => {
    const home = await homeWithNumbers(sheet(row("")));
    const { done, bytes } = await importAndRead(home);
    await writeFile(done, String(bytes).replace("李四", "赵六"));
    const { report } = await home.importFile(done);
    const [number] = written;
    expect(report[0]?.error?.message).toContain(
      `${number} is order 1000001, which was made from other values`,
    );
  });
});

describe("the columns", () => {
  test("hold what became of each row: the order, or the reason why there is none", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12"), row("A-3", "赵六")));
    const { exit, stderr, report, bytes, done } = await importAndRead(home);
    expect(exit, stderr).toBe(3);
    expect(stderr).toContain(`${done}: 2 orders with a tracking number, 1 not created, with the reason\n`);
    const [head, first, second, third] = cellsOf(String(bytes));
    expect(head?.slice(-5)).toEqual(titles);
    const made = report as unknown as { tracking_number: string; order_no: string; estimated_fee: number }[];
    const { tracking_number, order_no, estimated_fee } = made[0] ?? { tracking_number: "" };
    expect(tracking_number).toMatch(/^CR/);
    expect(first?.slice(-5)).toEqual([tracking_number, order_no, "pending", expect.anything(), ""]);
    expect(Number(first?.at(-2))).toBe(estimated_fee);
    expect(second?.slice(-5)).toEqual(["", "", "", "", report[1]?.error?.message]);
    expect(third?.slice(-5, -4)).toEqual([made[2]?.tracking_number]);
  });

  test("keep every byte that was there, and the permissions", async () => {
    const text = `${header}\r\n${row('"A-1"')}\r\n\r\n${row("'A-2", '"李\n四"')}`;
    const home = await createImportHome(`\ufeff${text}`);
    await chmod(home.file, 0o640);
    const { exit, stderr, bytes, done } = await importAndRead(home);
    expect(exit, stderr).toBe(0);
    const [head, first, blank, ...second] = String(bytes).split("\r\n");
    expect(head).toBe(`\ufeff${header},${titles.join(",")}`);
    expect(first).toMatch(new RegExp(`^${row('"A-1"')},CR\\d+,\\w+,pending,[\\d.]+,$`));
    expect(blank).toBe("");
    expect(second.join()).toMatch(/^'A-2,张三,13800138000,"李\n四",.*,1,CR\d+,\w+,pending,[\d.]+,$/);
    expect((await stat(done)).mode & 0o777).toBe(0o640);
  });

  test("are Chinese where the header is, in the encoding of the file, on every line of an order", async () => {
    const head = "订单编号,收货人姓名,联系手机,收货地址,货品标题,卖家会员名,数量,sender.name";
    const goods = "300,李四,13900139000,广东省 深圳市 南山区 科技园1号楼,茶,demo,1,张三\n,,,,杯,demo,2,\n";
    const gbk = Buffer.from(
      "b6a9b5a5b1e0bac5,cad5bbf5c8cbd0d5c3fb,c1aacfb5cad6bbfa,cad5bbf5b5d8d6b7,bbf5c6b7b1eacce2,c2f4bcd2bbe1d4b1c3fb,cafdc1bf"
        .split(",")
        .flatMap((hex) => [...Buffer.from(hex, "hex"), 0x2c]),
    );
    expect(new TextDecoder("gb18030").decode(gbk)).toBe(head.slice(0, -"sender.name".length));
    const rest = "sender.name\r\n300,Li Si,13900139000,Guangdong,tea,demo,1,Shop\r\n,,,,cup,demo,2,\r\n";
    const home = await createImportHome(Buffer.concat([gbk, Buffer.from(rest)]));
    const { exit, stderr, bytes } = await importAndRead(home, "--map 收货地址=receiver.detail");
    expect(exit, stderr).toBe(0);
    const [written = [], first = [], second = []] = cellsOf(new TextDecoder("gb18030").decode(bytes));
    expect(written.slice(-5)).toEqual(chineseTitles);
    expect(first.at(-5)).toMatch(/^CR/);
    expect(second.slice(-5)).toEqual(first.slice(-5));
    expect(bytes?.subarray(0, gbk.length)).toEqual(gbk);
    expect(goods).toContain("茶"); // the same in UTF-8 is below
    const again = await createImportHome(`${head}\n${goods}`);
    const utf8 = await importAndRead(again);
    expect(utf8.exit, utf8.stderr).toBe(0);
    expect(cellsOf(String(utf8.bytes))[0]?.slice(-5)).toEqual(chineseTitles);
  });

  test("of an earlier write-back are filled, not doubled, and no import reads them", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "12")));
    const { done, bytes } = await importAndRead(home);
    await home.put(String(bytes).replace(",12,", ",13900139001,"), "fixed.csv");
    const again = await home.importFile(
      path.join(home.directory, "fixed.csv"),
      `--write-back ${path.join(home.directory, "second.csv")}`,
    );
    expect([again.exit, outcomes(again.report)], again.stderr).toEqual([0, "shipped created"]);
    expect(again.stderr).not.toContain("unused");
    const before = cellsOf(await readFile(done, "utf8"));
    const after = cellsOf(await readFile(path.join(home.directory, "second.csv"), "utf8"));
    expect(after[0]).toEqual(before[0]);
    expect(after[1]).toEqual(before[1]);
    expect(after[2]?.slice(-5)).toEqual([
      expect.stringMatching(/^CR/),
      expect.anything(),
      "pending",
      expect.anything(),
      "",
    ]);
  });

  test("leave a note below the table as it is, and the written file is read again", async () => {
    const note = ",,,,,,,,,,,packed by Wang";
    const home = await createImportHome(
      `${[header, row("A-1"), row("A-2", "王五")].map((line) => `${line},,`).join("\n")}\n${note}\n`,
    );
    const first = await importAndRead(home);
    expect([first.exit, outcomes(first.report)], first.stderr).toEqual([0, "created created"]);
    expect(String(first.bytes)).toMatch(new RegExp(`\n${note}\n$`));
    const again = await home.importFile(first.done);
    expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([0, "shipped shipped", 2]);
  });

  test("of a sheet without refs give the same orders: the written file ships nothing twice", async () => {
    const bare = sheet(row(""), row(""), row("", "王五"));
    const home = await createImportHome(bare);
    const { done, exit } = await importAndRead(home);
    const again = await home.importFile(done);
    expect([exit, again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([
      0,
      0,
      "shipped shipped shipped",
      3,
    ]);
  });
});

describe("the columns of a Big5 sheet, which has no simplified characters", () => {
  const traditional = "收件人,收件人電話,收件人地址,商品,數量,sender.name";
  const lines = ["王小明,0912345678,信義路1號,書,1,Shop", "林大,0912345679,信義路2號,書,1,Shop"];
  const words =
    "--encoding big5 --map 收件人電話=receiver.phone --map 收件人地址=receiver.detail --map 數量=item.quantity";
  const big5 = (...texts: readonly string[]) => createEncoder("big5")(`${texts.join("\r\n")}\r\n`);
  /** What earlier versions wrote. */
  const escaped = [
    "快\\u9012\\u8fd0\\u5355\\u53f7",
    "快\\u9012\\u8ba2\\u5355\\u7f16\\u53f7",
    "快\\u9012\\u8ba2\\u5355\\u72b6\\u6001",
    "快\\u9012\\u9884估\\u8fd0\\u8d39",
    "快\\u9012下\\u5355\\u9519\\u8bef",
  ].join();

  test("have English titles, are filled again, and hold a row that was edited after it was shipped", async () => {
    const home = await createImportHome(big5(traditional, ...lines));
    const first = await home.run(`--in-place ${words}`);
    expect([first.exit, outcomes(first.report)], first.stderr).toEqual([0, "created created"]);
    expect(first.stderr).not.toContain("does not have");
    const written = new TextDecoder("big5").decode(await readFile(home.file));
    expect(written.split("\r\n")[0]).toBe(`${traditional},${titles.join()}`);
    await home.put(createEncoder("big5")(written.replace("信義路1號", "信義路1號5樓")));
    const second = await home.run(`--in-place ${words}`);
    expect([second.exit, outcomes(second.report), home.posts], second.stderr).toEqual([3, "held shipped", 2]);
    const [head = []] = cellsOf(new TextDecoder("big5").decode(await readFile(home.file)));
    expect(head.join()).toBe(`${traditional},${titles.join()}`);
  });

  test("are known by the titles that earlier versions wrote in codes", async () => {
    const home = await createImportHome(
      big5(`${traditional},${escaped}`, `${lines[0]},CR1,CO1,pending,1,`, `${lines[1]},,,,,`),
    );
    const ran = await home.run(`--in-place ${words}`);
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "held created", 1]);
    const [head, first, second] = cellsOf(new TextDecoder("big5").decode(await readFile(home.file)));
    expect(head?.join()).toBe(`${traditional},${escaped}`);
    expect(first?.at(-5)).toBe("CR1");
    expect(second?.at(-5)).toMatch(/^CR/);
  });
});

describe("rows that the reader leaves out", () => {
  const shopify =
    "Name,Financial Status,Fulfillment Status,Lineitem name,Lineitem quantity,Shipping Name,Shipping Phone,Shipping City,Shipping Address1,sender.name,sender.phone";
  const order = (name: string, status = "") =>
    `${name},paid,${status},Tea,1,Ann,13900139000,Leeds,1 High St,张三,13800138000`;

  test("get the reason; an order that was shipped from here and is fulfilled since is filled", async () => {
    const home = await createImportHome([shopify, order("#1"), order("#2", "fulfilled"), ""].join("\n"));
    const first = await importAndRead(home);
    expect(first.exit, first.stderr).toBe(0);
    const shipped = cellsOf(String(first.bytes))[1]?.slice(-5);
    expect(cellsOf(String(first.bytes))[2]?.slice(-5)).toEqual([
      ...["", "", "", ""],
      "not sent: fulfilled already",
    ]);
    await home.put(
      [shopify, order("#1", "fulfilled"), order("#3"), ""].join("\n").replace("13900139000", "139****9000"),
    );
    const second = await importAndRead(home, "", "next.csv");
    expect([second.exit, outcomes(second.report)], second.stderr).toEqual([0, "created"]);
    expect(cellsOf(String(second.bytes))[1]?.slice(-5)).toEqual(shipped);
    const read = await home.importFile(second.done);
    expect([read.exit, outcomes(read.report)], read.stderr).toEqual([0, "shipped"]);
  });
});

describe("a row whose own order was cancelled here, and that another order holds", () => {
  const elsewhere = (home: ImportHome) => ({ COURIER_STATE_DIR: `${home.directory}/another machine` });

  /** The office cancels an order, and another machine of the shop sends it again. */
  async function sentAgainHome() {
    const plain = sheet(row("U-1"), row("U-2", "王五", "13700137001"));
    const home = await createImportHome(plain);
    expect((await home.run("--in-place --concurrency 1")).exit).toBe(0);
    const { order_no, tracking_number } = JSON.parse(
      (await home.courier("orders show ref:U-1 --json")).stdout,
    );
    expect((await home.courier("orders cancel ref:U-1 --yes")).exit).toBe(0);
    const other = await home.put(plain, "other.csv");
    expect(outcomes((await home.importFile(other, "", { env: elsewhere(home) })).report)).toBe(
      "created held",
    );
    return { home, plain, order_no, tracking_number };
  }

  test("has its state in the sheet, and no tracking number", async () => {
    const { home, order_no, tracking_number } = await sentAgainHome();
    const ran = await home.run("--in-place");
    expect(outcomes(ran.report), ran.stderr).toBe("held shipped");
    const text = await readFile(home.file, "utf8");
    expect(text).toMatch(new RegExp(`^U-1,.*,,${order_no},cancelled,,"equals order 1000003`, "m"));
    expect(text).not.toContain(tracking_number);
    expect(ran.stderr).not.toContain("with the number that the sheet had");
  });

  test.each(["", " --refresh"])("is known to write-back%s", async (flag) => {
    const { home, plain, order_no } = await sentAgainHome();
    expect(outcomes((await home.run()).report)).toBe("held shipped");
    const written = await home.courier(`orders write-back ${home.file} -o ${home.file}.new${flag}`);
    expect(written.exit, written.stderr).toBe(0);
    expect(written.stdout).toMatch(/^Not known here +0$/m);
    const off = new RegExp(`^U-1,.*,,${order_no},cancelled,,order 1000001 was cancelled$`, "m");
    expect(await readFile(`${home.file}.new`, "utf8")).toMatch(off);
    await home.put(plain);
    await home.courier(`orders write-back ${home.file} -o ${home.file}.plain${flag}`);
    expect(await readFile(`${home.file}.plain`, "utf8")).toMatch(off);
  });

  test("of two equal rows keeps none of its numbers", async () => {
    const home = await createImportHome(sheet(row(""), row("")));
    expect((await home.run("--in-place --concurrency 1")).exit).toBe(0);
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    const text = `${await readFile(home.file, "utf8")}${row("", "王五", "13700137001")},,,,,\n`;
    const next = await home.put(text, "next.csv");
    const ran = await home.importFile(next, "--in-place");
    expect(
      ran.report.map(({ outcome }) => outcome),
      ran.stderr,
    ).not.toContain("unknown");
    const lines = (await readFile(next, "utf8")).split("\n").slice(1, 3);
    expect(lines.map((line) => line.split(",").slice(10, 13))).toEqual([
      ["", expect.stringMatching(/^CO/), "cancelled"],
      [expect.stringMatching(/^CR/), expect.stringMatching(/^CO/), "pending"],
    ]);
  });
});

describe("a line that is left out of an order that is sent", () => {
  const head =
    "Name,Financial Status,Lineitem name,Lineitem quantity,Lineitem fulfillment status,Shipping Name,Shipping Phone,Shipping City,Shipping Address1,sender.name,sender.phone";
  const order = (name: string, item: string, status: string) =>
    `${name},paid,${item},1,${status},Ann,13900139000,Leeds,1 High St,张三,13800138000`;
  const line = (name: string, item: string, status: string) => `${name},,${item},1,${status},,,,,,`;
  const lastCells = (text: string | Buffer | undefined) =>
    cellsOf(String(text)).map((cells) => cells.slice(-5));

  test("gets the reason, and not the number of the parcel that it is not in", async () => {
    const sent = [head, order("#1", "Spoon", "fulfilled"), line("#1", "Mug", "pending"), ""].join("\n");
    const home = await createImportHome(sent);
    const first = await importAndRead(home);
    expect([first.exit, outcomes(first.report)], first.stderr).toEqual([0, "created"]);
    const [, spoon, mug] = lastCells(first.bytes);
    expect(spoon).toEqual(["", "", "", "", "not sent: fulfilled already"]);
    expect(mug?.[0]).toMatch(/^CR\d+$/);
    // What an earlier version wrote beside it goes.
    await home.put(String(first.bytes).replace(",,,,not sent: fulfilled already", `${mug?.join(",")}`));
    const again = await importAndRead(home, "", "again.csv");
    expect(lastCells(again.bytes)[1]).toEqual([
      ...["", "", "", ""],
      `not sent: fulfilled already; ${mug?.[0]} is the order of row 2 (#1)`,
    ]);
    expect(lastCells(again.bytes)[2]).toEqual(mug);
    // The next day's file calls both fulfilled.
    await home.put(sent.replace("pending", "fulfilled"));
    const next = await importAndRead(home, "", "next.csv");
    expect(lastCells(next.bytes).slice(1, 3)).toEqual([spoon, mug]);
    // The parcel has other goods than the file knows now.
    await home.put(sent.replace("pending", "fulfilled").replaceAll("Mug", "Cup"));
    const other = await importAndRead(home, "", "other.csv");
    const text = `order 1000001 was made from other values: Lineitem name, Lineitem quantity`;
    expect(String(other.bytes)).toContain(`,${mug?.slice(0, 4).join(",")},"${text}"`);
  });

  test("keeps the number where it was sent, and was left out since", async () => {
    const sent = [head, order("#1", "Spoon", "pending"), line("#1", "Mug", "pending"), ""].join("\n");
    const home = await createImportHome(sent);
    const first = await importAndRead(home);
    const number = lastCells(first.bytes)[1]?.[0];
    await home.put(sent.replace("Spoon,1,pending", "Spoon,1,fulfilled"));
    const again = await importAndRead(home, "", "again.csv");
    expect(outcomes(again.report), again.stderr).toBe("changed");
    expect(String(again.bytes).split(`,${number},`)).toHaveLength(3);
  });
});

describe("a row with too many or too few cells", () => {
  const tooLong = `${row("A-1")},`;
  const tooShort = row("A-2").replace(/,[^,]*$/, "");

  test.each(["--write-back", "--in-place"])(
    "is as wrong in the written sheet as before (%s)",
    async (flag) => {
      const home = await createImportHome(sheet(tooLong, tooShort, row("A-3")));
      const written = flag === "--in-place" ? home.file : path.join(home.directory, "done.csv");
      const ran = await home.run(`--skip-wrong ${flag} ${flag === "--in-place" ? "" : written}`);
      expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([3, "wrong wrong created"]);
      expect(ran.stderr).toContain(
        `${written}: 1 order with a tracking number, 2 with too few or too many cells left as they are`,
      );
      const lines = (await readFile(written, "utf8")).split("\n");
      expect(lines.slice(1, 3)).toEqual([tooLong, tooShort]);
      const again = await home.importFile(written, `--skip-wrong --write-back ${written}.next`);
      expect([again.exit, outcomes(again.report), home.posts], again.stderr).toEqual([
        3,
        "wrong wrong shipped",
        1,
      ]);
      expect(again.report.map(({ error }) => error?.message)).toEqual([
        expect.stringMatching(/^the row has (\d+) cells, but the header/),
        expect.stringMatching(/^the row has (\d+) cells, but the header/),
        undefined,
      ]);
      expect(await readFile(`${written}.next`, "utf8")).toBe(lines.join("\n"));
      await writeFile(written, lines.join("\n").replace(tooLong, row("A-1")).replace(tooShort, row("A-2")));
      const mended = await home.importFile(written);
      expect([mended.exit, outcomes(mended.report)], mended.stderr).toEqual([0, "created created shipped"]);
    },
  );

  test.each([
    ["without refs", row("")],
    ["with refs", row("A-1")],
  ])("does not get what belongs beside an equal row below it (%s)", async (_what, right) => {
    // As a spreadsheet saves it: the cells that are too many are empty.
    const home = await createImportHome(sheet(`${right},,`, right));
    const first = await home.run("--skip-wrong --in-place");
    expect(outcomes(first.report), first.stderr).toBe("wrong created");
    const lines = (await readFile(home.file, "utf8")).split("\n");
    expect(lines[1]).toBe(`${right},,`);
    expect(lines[2]).toMatch(new RegExp(`^${right},CR`));
    const again = await home.run("--skip-wrong --in-place");
    expect([outcomes(again.report), home.posts], again.stderr).toEqual(["wrong shipped", 1]);
  });

  test("is wrong in the file of a platform, too, where its cells may have moved", async () => {
    const waybills = "订单号,收件人姓名,收件人手机,收件人地址,托寄物,备注,备注2,寄件人姓名,寄件人手机";
    const home = await createImportHome(
      [
        `${waybills}`,
        "W1,李四,13900139001,北京市朝阳区建国路1号,书,,,张三,13800138000",
        "W2,王五,13900139002,北京市朝阳区建国路2号,3单元501,书,,,张三,",
        "",
      ].join("\n"),
    );
    const ran = await home.run("--skip-wrong");
    expect([ran.exit, outcomes(ran.report), home.posts], ran.stderr).toEqual([3, "created wrong", 1]);
  });
});

test("a row in doubt and a row that is held say so, and how to go on", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  home.sandbox.faults.set(lostForNow("drop_after"));
  const lost = await importAndRead(home);
  expect(lost.exit, lost.stderr).toBe(6);
  expect(cellsOf(String(lost.bytes))[1]?.slice(-5)).toEqual([
    ...["", "", "", ""],
    "in doubt; settle it with: courier orders resolve 1.1",
  ]);
  const ledger = (await loadDriver()).open(ledgerPath(home.stateDir));
  const setState = (state: string) => ledger.exec(`UPDATE operations SET state = '${state}'`);
  setState("sending"); // as while another import sends it
  const beside = path.join(home.directory, "beside.csv");
  expect((await home.courier(["orders", "write-back", home.file, "-o", beside])).exit).toBe(0);
  expect(cellsOf(await readFile(beside, "utf8"))[1]?.at(-1)).toBe(
    "being sent by run 1; if that has ended: courier orders resolve 1.1",
  );
  setState("unknown");
  ledger.close();
  home.sandbox.faults.clear();
  const found = await importAndRead(home, "--settle 10s");
  expect(found.exit, found.stderr).toBe(0);
  expect(cellsOf(String(found.bytes))[1]?.at(-5)).toMatch(/^CR/);
  const other = await home.put(sheet(row("")), "other.csv");
  const held = await home.importFile(other, `--write-back ${found.done}`);
  expect(held.exit, held.stderr).toBe(3);
  expect(cellsOf(await readFile(found.done, "utf8"))[1]?.at(-1)).toMatch(
    /^equals order \d+ \(operation 1.1\)$/,
  );
});

describe("a row that was refused, and whose equal order another command made since", () => {
  const order = ["orders", "create", "--file", "-", "--yes", "--json"];
  const draft = JSON.stringify({
    sender: { name: "张三", phone: "13800138000" },
    receiver: { name: "李四", phone: "13900139000", city: "北京市", detail: "建国路88号" },
    item: { name: "茶叶", weight: 1.5, quantity: 1 },
  });

  async function refusedAndMade() {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五")));
    const refuse = { kind: "refuse", status: 402, code: "BALANCE", message: "no money" } as const;
    home.sandbox.faults.set([{ method: "POST", ...refuse }]);
    expect(outcomes((await home.run("--settle 0s")).report)).toBe("refused refused");
    home.sandbox.faults.clear();
    const made = await home.courier(order, { stdin: draft });
    expect(made.exit, made.stderr).toBe(0);
    const { tracking_number } = JSON.parse(made.stdout) as { tracking_number: string };
    return { home, tracking_number, refuse };
  }

  test("has the order's number where the report says shipped", async () => {
    const { home, tracking_number } = await refusedAndMade();
    const { exit, report, stderr, bytes } = await importAndRead(home, "--skip-shipped --retry-refused");
    expect([exit, outcomes(report)], stderr).toEqual([0, "shipped created"]);
    expect(cellsOf(String(bytes))[1]?.slice(-5)).toEqual([
      tracking_number,
      expect.stringMatching(/./),
      "pending",
      expect.anything(),
      "",
    ]);
    expect(stderr).toContain("2 orders with a tracking number\n");
  });

  test("says what holds it where the report says held", async () => {
    const { home } = await refusedAndMade();
    const { exit, report, stderr, bytes } = await importAndRead(home, "--retry-refused");
    expect([exit, outcomes(report)], stderr).toEqual([3, "held created"]);
    expect(cellsOf(String(bytes))[1]?.slice(-5)).toEqual(["", "", "", "", report[0]?.error?.message]);
    expect(stderr).toContain("1 order with a tracking number, 1 held\n");
  });

  test.each(["", "--skip-shipped", "--retry-refused"])(
    "has the refusal where the report has it (%s)",
    async (words) => {
      const { home, refuse } = await refusedAndMade();
      home.sandbox.faults.set([{ method: "POST", ...refuse }]);
      const { report, stderr, bytes } = await importAndRead(home, `${words} --settle 0s`);
      expect(report[1]?.outcome, stderr).toBe("refused");
      for (const [index, { error }] of report.entries())
        expect(cellsOf(String(bytes))[index + 1]?.at(-1)).toBe(error?.message);
    },
  );
});

test("a text of the service that a spreadsheet would run is written as text, on one line", async () => {
  const home = await createImportHome(sheet(row("A-1")));
  const texts = { order_no: '=HYPERLINK("x","y")', tracking_number: "@SUM(A1)\r\n", status: "-1\u0007" };
  const data = { id: 1000001, ...texts, estimated_fee: 12.5 };
  home.sandbox.faults.add({ method: "POST", kind: "wrong_shape", processed: true, data });
  const { exit, stderr, bytes } = await importAndRead(home);
  expect(exit, stderr).toBe(0);
  expect(String(bytes)).toContain(`,'@SUM(A1),"'=HYPERLINK(""x"",""y"")",'-1\\u0007,12.5,\n`);
});

describe("the file", () => {
  test("that is the input, or its rejects, is refused before anything is sent", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    await symlink(home.file, path.join(home.directory, "link.csv"));
    for (const name of ["orders.csv", "link.csv"]) {
      const { exit, stderr } = await home.run(`--write-back ${path.join(home.directory, name)}`);
      expect(exit).toBe(2);
      expect(errorOf({ stderr }).message).toContain("is the same file as the input");
    }
    const other = path.join(home.directory, "other.csv");
    // Where a file system does not tell cases apart, the second one would take the place of the first.
    for (const name of ["other.csv", "Other.csv"]) {
      const output = path.join(home.directory, name);
      const both = await home.run(`--write-back ${output} --rejects ${other}`);
      const message = `--write-back ${output} is the same file as --rejects`;
      expect([both.exit, errorOf(both).message]).toEqual([2, message]);
    }
    const excluding = await home.run(`--write-back ${other} --in-place`);
    expect([excluding.exit, home.posts]).toEqual([2, 0]);
  });

  test.skipIf(!canMount())(
    "that its rejects are by another path of its directory is refused before it is made (needs root)",
    async () => {
      const home = await createImportHome(sheet(row("A-1")));
      const second = await mountTwice(home.directory);
      const output = path.join(home.directory, "new.csv");
      const both = await home.run(`--write-back ${output} --rejects ${path.join(second, "New.csv")}`);
      const message = `--write-back ${output} is the same file as --rejects`;
      expect([both.exit, home.posts, errorOf(both).message]).toEqual([2, 0, message]);
    },
  );

  test.each([251, 300])(
    "of a name of %i letters, as that of its rejects, is refused in plain words",
    async (count) => {
      const home = await createImportHome(sheet(row("A-1")));
      const [output, rejects] = ["w", "r"].map((letter) => `${letter.repeat(count)}.csv`);
      const ran = await home.run(
        `--write-back ${path.join(home.directory, output ?? "")} --rejects ${path.join(home.directory, rejects ?? "")}`,
      );
      expect([ran.exit, home.posts, errorOf(ran).message]).toEqual([
        2,
        0,
        expect.stringContaining("too long"),
      ]);
    },
  );

  test("must have a name of the sheet's form, in a directory that is there", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const workbook = await home.run(`--write-back ${path.join(home.directory, "done.xlsx")}`);
    expect(errorOf(workbook).hint).toContain("done.csv");
    const nowhere = await home.run(`--write-back ${path.join(home.directory, "none", "done.csv")}`);
    expect(errorOf(nowhere).message).toContain("there is no such directory");
    await home.put('{"ref":"1"}', "orders.ndjson");
    const json = await home.importFile(
      path.join(home.directory, "orders.ndjson"),
      `--write-back ${path.join(home.directory, "done.csv")}`,
    );
    expect([workbook.exit, nowhere.exit, json.exit, home.posts]).toEqual([2, 2, 2, 0]);
  });

  test.each([
    ["the input", (home: ImportHome) => home.file],
    ["the ledger", (home: ImportHome) => ledgerPath(home.stateDir)],
    ["a pipe", () => undefined],
  ])("leaves %s alone that the name of the new sheet leads to during the import", async (_what, leadsTo) => {
    const before = sheet(row("A-1"));
    const home = await createImportHome(before);
    const done = path.join(home.directory, "done.csv");
    const { sleep } = home.clock;
    home.sandbox.faults.add({ kind: "rate_limit", retryAfter: "1", method: "POST", times: 1 });
    let inode = 0;
    home.clock.sleep = async (...given) => {
      home.clock.sleep = sleep;
      const target = leadsTo(home);
      if (target === undefined) execFileSync("mkfifo", [done]);
      else {
        inode = (await stat(target)).ino;
        await symlink(target, done);
      }
      await sleep(...given);
    };
    const { exit, stderr } = await home.run(`--write-back ${done}`);
    expect(exit, stderr).toBe(0);
    expect(await readFile(home.file, "utf8")).toBe(before);
    expect((await lstat(done)).isFile()).toBe(true);
    expect(await readFile(done, "utf8")).toMatch(/,CR\d+,/);
    const target = leadsTo(home);
    if (target !== undefined) expect((await stat(target)).ino).toBe(inode);
  });

  test.each(["before", "during"])("with --in-place, a link %s the import is no old sheet", async (at) => {
    const before = sheet(row("A-1"));
    const home = await createImportHome(before);
    const moved = path.join(home.directory, "moved.csv");
    const { sleep } = home.clock;
    if (at === "before") await symlink(home.file, `${home.file}.bak`);
    else {
      home.sandbox.faults.add({ kind: "latency", ms: 1, method: "POST" });
      home.clock.sleep = async (...given) => {
        home.clock.sleep = sleep;
        await rename(home.file, moved);
        await symlink(moved, home.file);
        await sleep(...given);
      };
    }
    const { exit, stderr } = await home.run("--in-place");
    expect(exit, stderr).toBe(0);
    const [, kept = ""] = /the old sheet is (.*)\n/.exec(stderr) ?? [];
    expect((await lstat(kept)).isFile()).toBe(true);
    expect(await readFile(kept, "utf8")).toBe(before);
    expect(await readFile(home.file, "utf8")).toMatch(/,CR\d+,/);
  });

  test("is the sheet itself with --in-place, and the old one is kept", async () => {
    const before = sheet(row("A-1"));
    const home = await createImportHome(before);
    const { exit, stderr } = await home.run("--in-place");
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain(`the old sheet is ${home.file}.bak\n`);
    expect(await readFile(`${home.file}.bak`, "utf8")).toBe(before);
    expect(await readFile(home.file, "utf8")).toMatch(/^.*,Courier error\n.*,CR\d+,/);
    const again = await home.run();
    expect(outcomes(again.report)).toBe("shipped");
    await writeFile(`${home.file}.bak`, "mine");
    await home.put(before);
    await home.run("--in-place");
    expect(await readFile(`${home.file}.bak`, "utf8")).toBe("mine");
    expect(await readFile(`${home.file}.bak2`, "utf8")).toBe(before);
  });

  test.each([
    ["csv", (text: string) => text],
    [
      "xlsx",
      (text: string) =>
        sheetOf(
          ...text
            .trim()
            .split("\n")
            .map((line) => line.split(",")),
        ),
    ],
  ])("again and again leaves one old sheet for each time that changed it (%s)", async (form, write) => {
    const home = await createImportHome("");
    const file = await home.put(write(sheet(row("A-1"), row("A-2", "王五"))), `shop.${form}`);
    const kept = async () =>
      (await readdir(home.directory))
        .filter((name) => name.startsWith("shop.") && name.includes(".bak"))
        .sort();
    expect((await home.importFile(file, "--in-place")).exit).toBe(0);
    const written = await readFile(file);
    for (const words of [["import"], ["import"], ["write-back"]]) {
      const ran = await home.courier([
        "orders",
        ...words,
        file,
        "--in-place",
        ...(words[0] === "import" ? ["--yes"] : []),
      ]);
      expect(ran.exit, ran.stderr).toBe(0);
      expect(ran.stderr + ran.stdout).not.toContain(".bak");
      expect(await kept()).toEqual([`shop.${form}.bak`]);
      expect((await readFile(file)).equals(written)).toBe(true);
    }
    expect((await home.courier("orders cancel 1000001 --yes")).exit).toBe(0);
    await home.courier(["orders", "write-back", file, "--in-place"]);
    expect(await kept()).toEqual([`shop.${form}.bak`, `shop.${form}.bak2`]);
    expect((await readFile(`${file}.bak2`)).equals(written)).toBe(true);
  });

  test("of stdin is written, but not in place", async () => {
    const home = await createImportHome("");
    const done = path.join(home.directory, "done.csv");
    const stdin = sheet(row("A-1"));
    const inPlace = await home.importFile("-", "--in-place", { stdin });
    expect(inPlace.exit).toBe(2);
    const { exit, stderr } = await home.importFile("-", `--write-back ${done}`, { stdin });
    expect(exit, stderr).toBe(0);
    expect(cellsOf(await readFile(done, "utf8"))[1]?.at(-5)).toMatch(/^CR/);
  });

  test("of an interrupted import has what was created until then; the rest says that it was not sent", async () => {
    const home = await createImportHome(
      sheet(...Array.from({ length: 12 }, (_, index) => row(`A-${index}`))),
    );
    const interruption = new AbortController();
    const done = path.join(home.directory, "done.csv");
    home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 20 });
    const running = home.run(`--concurrency 1 --write-back ${done}`, { signal: interruption.signal });
    await until("the third order is made", () => home.posts >= 3);
    expect((await readdir(home.directory)).filter((name) => name.includes("done"))).toEqual([]);
    interruption.abort(interrupted(130));
    const { exit, stderr } = await running;
    expect(exit, stderr).toBe(130);
    const rows = cellsOf(await readFile(done, "utf8")).slice(1);
    const made = rows.filter((cells) => /^CR/.test(cells.at(-5) ?? ""));
    expect(made).toHaveLength(home.posts);
    for (const cells of rows.slice(made.length))
      expect(cells.slice(-5)).toEqual(["", "", "", "", "not sent"]);
    const again = await home.run(`--write-back ${done}`);
    expect([again.exit, home.posts], again.stderr).toEqual([0, 12]);
    expect(await readFile(done, "utf8")).not.toContain("not sent");
  });

  test("that fails where rows were refused: the error names the refusals, too", async () => {
    const home = await createImportHome(
      sheet(row("A-0"), row("A-1", "李四", "12"), row("A-2", "王五", "12")),
    );
    const done = path.join(home.directory, "done.csv");
    home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 20 });
    const running = home.run(`--concurrency 1 --write-back ${done}`);
    await until("the first order is made", () => home.posts >= 1);
    await mkdir(path.join(done, "in the way"), { recursive: true });
    const ran = await running;
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([5, "created refused refused"]);
    const { message, hint } = errorOf(ran);
    expect(message).toMatch(/^the sheet was not written back: .*; 2 of 3 rows were refused$/);
    expect(hint).not.toContain("the orders are made");
    expect(hint).toContain("write the sheet: courier orders write-back");
    expect(hint).toContain("fix these rows and run the same command again");
    expect(ran.stderr.match(/was not written back/g)).toHaveLength(1);
  });

  test("says that the sheet is gone where it was deleted meanwhile, and the hint works once it is back", async () => {
    const text = sheet(row("A-0"));
    const home = await createImportHome(text);
    home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 20 });
    const running = home.run("--in-place --shop day-1");
    await until("the order is sent", () => home.posts >= 1);
    await rm(home.file);
    const ran = await running;
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([5, "created"]);
    const { message, hint } = errorOf(ran);
    expect(message).toBe(`the sheet was not written back: ${home.file} was deleted or moved meanwhile`);
    const again = ["orders", "write-back", home.file, "--in-place", "--shop", "day-1"];
    expect(hint).toContain(`once the sheet is back under its name, write it: courier ${again.join(" ")}`);
    await home.put(text);
    expect(await home.courier(again)).toMatchObject({ exit: 0 });
    expect(await readFile(home.file, "utf8")).toMatch(/,CR\d+,/);
  });

  test("that failed is written with the flags of the hint, which say how the sheet is read", async () => {
    const text = "收件人,联系,收件地址,商品,数量\n李四,13900139000,建国路88号,茶叶,1\n";
    const home = await createImportHome(text);
    await home.courier("addresses add shop --name 张三 --phone 13800138000");
    const flags = [
      ...["--map", "联系=receiver.phone", "--map", "收件地址=receiver.detail"],
      ...["--sender", "@shop", "--encoding", "utf-8", "--platform", "none", "--include-fulfilled"],
      ...["--shop", "花 店"],
    ];
    home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 20 });
    const running = home.courier(["orders", "import", home.file, "--yes", "--json", "--in-place", ...flags]);
    await until("the order is sent", () => home.posts >= 1);
    await home.put(`${text}\n`);
    const ran = await running;
    expect(ran.exit, ran.stderr).toBe(5);
    expect(errorOf(ran).hint).toContain(
      `once that is fixed, write the sheet: courier orders write-back ${home.file} --in-place ` +
        '--map "联系=receiver.phone" --map "收件地址=receiver.detail" --sender @shop --encoding utf-8 ' +
        '--platform none --include-fulfilled --shop "花 店"',
    );
    const later = await home.courier(["orders", "write-back", home.file, "--in-place", "--json", ...flags]);
    expect(JSON.parse(later.stdout), later.stderr).toMatchObject({ orders: 1, unknown: 0 });
    expect(await readFile(home.file, "utf8")).toMatch(/,CR\d+,/);
  });

  test("into the sheet itself leaves it the permissions that it got meanwhile", async () => {
    const home = await createImportHome(sheet(row("A-0")));
    await chmod(home.file, 0o600);
    home.sandbox.faults.add({ method: "POST", path: "/api/v1/orders", kind: "latency", ms: 20 });
    const running = home.run("--in-place");
    await until("the order is sent", () => home.posts >= 1);
    await chmod(home.file, 0o666);
    const ran = await running;
    expect(ran.exit, ran.stderr).toBe(0);
    expect(await readFile(home.file, "utf8")).toMatch(/,CR\d+,/);
    expect((await stat(home.file)).mode & 0o777).toBe(0o666);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "into the sheet of another user leaves it that user's (needs root)",
    async () => {
      const home = await createImportHome(sheet(row("A-0")));
      await chmod(home.file, 0o640);
      await chown(home.file, 12_345, 23_456);
      const ran = await home.run("--in-place");
      expect(ran.exit, ran.stderr).toBe(0);
      expect(await readFile(home.file, "utf8")).toMatch(/,CR\d+,/);
      const { uid, gid, mode } = await stat(home.file);
      expect([uid, gid, mode & 0o777]).toEqual([12_345, 23_456, 0o640]);
    },
  );

  test("leaves nothing behind where nothing is sent", async () => {
    const home = await createImportHome(sheet(row("A-1")));
    const declined = await home.courier([
      ...["orders", "import", home.file, "--json", "--no-input"],
      ...["--write-back", path.join(home.directory, "done.csv")],
    ]);
    expect(declined.exit).toBe(2);
    expect((await readdir(home.directory)).filter((name) => name.includes("done"))).toEqual([]);
  });
});

test("a wrong row that is left out has its mistakes in the sheet", async () => {
  const home = await createImportHome(sheet(row("A-1"), row("A-2").replace(/,1$/, ",some")));
  const { exit, stderr, bytes } = await importAndRead(home, "--skip-wrong");
  expect(exit, stderr).toBe(3);
  const [, good, wrong] = cellsOf(String(bytes));
  expect(good?.at(-5)).toMatch(/^CR/);
  expect(wrong?.at(-1)).toMatch(/^item.quantity: /);
});

test.each([
  ["LibreOffice", ".~lock.orders.csv#"],
  ["Excel", "~$orders.csv"],
])("a sheet that is open in %s is warned of before it is written in place", async (program, lock) => {
  const home = await createImportHome(sheet(row("A-1")));
  await writeFile(path.join(home.directory, lock), "");
  const { exit, stderr } = await home.run("--in-place");
  expect(exit, stderr).toBe(0);
  expect(stderr).toContain(
    `warning: ${home.file} is open in ${program}, and its next save drops what is written into the sheet: close it there without saving`,
  );
  const prompts = scriptedPrompts({ confirms: [false] });
  const asked = await home.courier(["orders", "import", home.file, "--in-place"], { terminal: 100, prompts });
  expect([asked.exit, home.posts]).toEqual([130, 1]);
});

describe("the sheet says what the report says", () => {
  const refuseKey = { method: "POST", path: "/api/v1/orders", kind: "status", status: 401 } as const;

  async function importToSheet(home: ImportHome, words: string) {
    const file = path.join(home.directory, "done.csv");
    const ran = await home.run(`${words} --write-back ${file}`);
    const lines = (await readFile(file, "utf8")).split("\n");
    return { ...ran, lineOf: (ref: string) => lines.find((each) => each.startsWith(`${ref},`)) ?? "" };
  }

  test("of an order that the run found for a row which a flag names", async () => {
    const home = await createImportHome(sheet(row("A-1"), row("A-2", "王五", "13700137001")));
    home.sandbox.faults.set(lostForNow("drop_after"));
    expect(outcomes((await home.run("--concurrency 1")).report)).toBe("unknown");
    // The list cannot be read in the first step, and can be later.
    home.sandbox.faults.set([
      { kind: "status", status: 403, method: "GET", path: "/api/v1/orders", times: 1 },
    ]);
    const ran = await importToSheet(home, "--allow-duplicate A-1");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([0, "found created"]);
    expect(ran.lineOf("A-1")).toMatch(/,CR\d+,/);
    expect(ran.lineOf("A-1")).not.toContain("not sent");
  });

  test("of a row which a flag names, and that was not reached: its order stands", async () => {
    const home = await createImportHome(sheet(row("A-2")));
    expect((await home.run()).exit).toBe(0);
    await home.put(sheet(row("A-1", "王五", "13700137001"), row("A-2")));
    home.sandbox.faults.set([refuseKey]);
    const ran = await importToSheet(home, "--allow-duplicate A-2 --concurrency 1");
    expect(ran.exit, ran.stderr).toBe(4);
    expect(ran.lineOf("A-2")).toMatch(/,CR\d+,/);
    expect(ran.lineOf("A-2")).not.toContain("not sent");
  });

  test("of one order that equals two rows, also where they are 500 apart", async () => {
    const between = Array.from({ length: 510 }, (_, index) =>
      row(`F-${index}`, `Name ${index}`, `13${100_000_000 + index}`).replace("建国路88号", `路${index}号`),
    );
    const home = await createImportHome(sheet(row("A-1"), ...between, row("A-2")));
    const bare = await home.put(sheet(row("")), "bare.csv");
    expect((await home.importFile(bare)).exit).toBe(0);
    home.sandbox.faults.set([refuseKey]);
    const ran = await importToSheet(home, "--skip-shipped --concurrency 1");
    expect([ran.exit, outcomes(ran.report)], ran.stderr).toEqual([4, "shipped"]); // A-1
    expect(ran.lineOf("A-1")).toMatch(/,CR\d+,/);
    expect(ran.lineOf("A-2")).not.toMatch(/,CR\d+,/);
  });

  test("of a row that counts as shipped by an order elsewhere, and was not reached", async () => {
    const first = row("A-0", "孙七", "13600136001").replace("建国路88号", "科技园路9号");
    const home = await createImportHome(sheet(first, row("A-1")));
    const elsewhere = await home.put(sheet(row("X-1")), "elsewhere.csv");
    const env = { COURIER_STATE_DIR: `${home.directory}/another machine` };
    expect((await home.importFile(elsewhere, "", { env })).exit).toBe(0);
    home.sandbox.faults.set([refuseKey]); // the import stops before A-1
    const ran = await importToSheet(home, "--skip-shipped --concurrency 1");
    expect(ran.report).toMatchObject([{ ref: "A-1", outcome: "shipped", id: 1000001 }]);
    expect(ran.lineOf("A-1")).toMatch(/,CR\d+,/);
    expect(ran.lineOf("A-1")).not.toContain("not sent");
  });
});
