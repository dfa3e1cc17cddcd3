/** Input files as they come out of spreadsheets: encodings, marks, line breaks, and what they are. */

import { describe, expect, test } from "vitest";
import { quoteFormulaTexts } from "../../src/sheets/formula-texts.ts";
import { readSheet } from "../../src/sheets/sheet.ts";
import { type Encoding, inspectSource, readText } from "../../src/sheets/source.ts";
import { decodeSheet } from "../../src/sheets/text-encoding.ts";
import { fc } from "../support/effort.ts";
import { otherFiles } from "../support/other-files.ts";
import { collect, contentOf, problemsOf, read, readGood } from "./input-text.ts";

const header = "sender.name,receiver.name,item.name";
/** Columns that a write-back adds. */
const written = "Courier tracking number,Courier order number";
const text = `${header}\r\n张三,李四,"茶\r\n叶"\r\n`;
/** 张三, 李四 and 茶叶 as Chinese Excel saves them. */
const gb18030 = Buffer.concat([
  Buffer.from(`${header}\r\n`),
  Buffer.from([
    0xd5, 0xc5, 0xc8, 0xfd, 0x2c, 0xc0, 0xee, 0xcb, 0xc4, 0x2c, 0x22, 0xb2, 0xe8, 0x0d, 0x0a, 0xd2, 0xb6,
  ]),
  Buffer.from('"\r\n'),
]);
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

const encoded: readonly (readonly [string, Encoding, Buffer])[] = [
  ["UTF-8", "utf-8", Buffer.from(text)],
  ["UTF-8 with a mark", "utf-8", Buffer.from(`\ufeff${text}`)],
  ["GB18030", "gb18030", gb18030],
  ["UTF-16LE", "utf-16le", Buffer.from(`\ufeff${text}`, "utf16le")],
  ["UTF-16BE", "utf-16be", swapped(Buffer.from(`\ufeff${text}`, "utf16le"))],
  ["UTF-16LE without a mark", "utf-16le", Buffer.from(text, "utf16le")],
  ["UTF-16BE without a mark", "utf-16be", swapped(Buffer.from(text, "utf16le"))],
];

async function decode(content: Uint8Array) {
  const read = contentOf(content);
  const facts = await inspectSource(read, "orders.csv");
  return { facts, text: (await collect(readText(read, "orders.csv", facts))).join("") };
}

describe.each(encoded)("%s", (_name, encoding, bytes) => {
  test("is known, and read without its mark", async () => {
    expect(await decode(bytes)).toMatchObject({ facts: { encoding, form: "csv" }, text });
  });

  test("gives the same rows", async () => {
    const [row] = await readGood(bytes);
    expect(row?.draft).toEqual({
      sender: { name: "张三" },
      receiver: { name: "李四" },
      item: { name: "茶\r\n叶" },
    });
  });
});

test("a character that lies across two chunks of the file is whole", async () => {
  for (const [, encoding, mark] of [
    ["", "utf-8", ""],
    ["", "utf-16le", "\ufeff"],
  ] as const) {
    for (const shift of [0, 1, 2, 3]) {
      const long = `${mark}${"x".repeat(shift)}${"张😀".repeat(30_000)}`;
      const bytes = Buffer.from(long, encoding === "utf-8" ? "utf8" : "utf16le");
      expect((await decode(bytes)).text === long.replace("\ufeff", ""), `${encoding} ${shift}`).toBe(true);
    }
  }
});

test.each(encoded)(
  "a file in %s that was cut off in a character is told as such",
  async (_name, _encoding, bytes) => {
    const end = bytes.lastIndexOf(0xb6) > 0 ? bytes.lastIndexOf(0xb6) : bytes.length - 1;
    await expect(decode(bytes.subarray(0, end))).rejects.toThrow("ends in the middle of a character");
  },
);

test("what is neither UTF-8 nor GB18030 is refused, not guessed", async () => {
  const latin = Buffer.from(`${header}\nJos\xe9 M,Li,Tea\n`, "latin1");
  await expect(read(latin)).rejects.toThrow("neither UTF-8 nor GB18030");
  await expect(read(Buffer.from([0xff, 0xfe, 0x41]))).rejects.toMatchObject({ exit: 2 });
});

test("what the user says it is written in is believed, unless a mark says otherwise", async () => {
  const latin = Buffer.from(`${header}\nJos\xe9 M,M\xfcller,Tee\n`, "latin1");
  const [row] = await readGood(latin, { named: "windows-1252" });
  expect(row?.draft).toMatchObject({ sender: { name: "José M" }, receiver: { name: "Müller" } });
  const [euro] = await readGood(Buffer.from([...Buffer.from(`${header}\nA,B,`), 0x80, 0x0a]), {
    named: "windows-1252",
  });
  expect(euro?.draft.item).toEqual({ name: "€" });
  const [marked] = await readGood(`\ufeff${text}`, { named: "windows-1252" });
  expect(marked?.draft.sender).toEqual({ name: "张三" });
  await expect(read(latin, { named: "utf-8" })).rejects.toThrow(
    "orders.csv cannot be read as text: it is not UTF-8",
  );
});

test("any text in UTF-8 is read as it is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (given) => {
      fc.pre(given.trim() !== "" && !given.startsWith("\ufeff"));
      expect((await decode(Buffer.from(given))).text).toBe(given);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["[", "json"],
  ["\ufeff\n  [1]", "json"],
  ['{"a":1}', "ndjson"],
  ["ref,a", "csv"],
])("%j is %s", async (content, form) => {
  expect((await decode(Buffer.from(content))).facts.form).toBe(form);
});

test("equal bytes have equal fingerprints", async () => {
  const [one, two, other] = await Promise.all(["a", "a", "b"].map((each) => decode(Buffer.from(each))));
  expect(one?.facts.fingerprint).toBe(two?.facts.fingerprint);
  expect(one?.facts.fingerprint).not.toBe(other?.facts.fingerprint);
});

test.each([
  ["", "orders.csv is empty"],
  ["\r\n  \n", "orders.csv is empty"],
])("%j is refused", async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

describe("a sheet", () => {
  test("quoted cells may hold commas, quotes and line breaks", async () => {
    const [row] = await readGood(`${header}\r\n"Li, Si","say ""hi""","a\r\nb"\r\n`);
    expect(row?.draft).toMatchObject({
      sender: { name: "Li, Si" },
      receiver: { name: 'say "hi"' },
      item: { name: "a\r\nb" },
    });
  });

  test("lines may end each in its own way, and are counted as an editor counts them", async () => {
    const rows = await readGood(`${header}\r\nA,B,c\nA,B,"d\r\ne"\r\nA,B,f\n`);
    expect(rows.map(({ line, draft }) => [line, draft.item?.name])).toEqual([
      [2, "c"],
      [4, "d\r\ne"],
      [5, "f"],
    ]);
  });

  test("cells that were defused for spreadsheets are what they were", async () => {
    const [row] = await readGood(`${header}\n'=1+1,'+86 138,''=x\n`);
    expect(row?.draft).toMatchObject({
      sender: { name: "=1+1" },
      receiver: { name: "+86 138" },
      item: { name: "'=x" },
    });
  });

  test("blank lines are skipped, and lines are counted as an editor does", async () => {
    const rows = await read(`${header}\n\na,b,c\n\n"a\nb",b,c\n`);
    expect(rows.map((row) => ("ok" in row ? row.ok.line : 0))).toEqual([3, 6]);
  });

  test.each([
    ["a cell too many", "a,b,c,d", "the row has 4 cells, but the header 3"],
    ["a cell too few", "a,b", "the row has 2 cells, but the header 3"],
    ["one cell", "a", "the row has 1 cell, but the header 3"],
  ])("%s is told like every other mistake, and those after it too", async (_what, line, message) => {
    const problems = await problemsOf(`${header}\na,b,c\n${line}\n${line}\n`);
    expect(problems).toMatchObject([
      { row: 2, line: 3, value: line, message: expect.stringContaining(message) },
      { row: 3, line: 4 },
    ]);
  });

  test.each([
    [
      "that does not end",
      `${header}\n"a,b,c\n`,
      "orders.csv, line 2: a quote opens a cell and is never closed",
    ],
    [
      "on whose line a record of several lines goes on",
      `${header}\r\n\r\n"a\r\nb","c\r\nd,e\r\n1,2,3\r\n`,
      "orders.csv, line 4: a quote opens a cell and is never closed",
    ],
    [
      "that ends too early",
      `${header}\na,b,c\n"a"x,b,c\n`,
      "line 3: the quotes around a cell are not closed",
    ],
    ["in the middle of a cell", `${header}\na,b"b",c\n`, "line 2: a quote is in the middle of a cell"],
    [
      "that takes the next rows into its cell",
      `note,${header}\n,a,b,"c\r\n,d,e,f\r\n,g,h,i"\n`,
      "orders.csv, line 2: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that ends in another column of a later row",
      [...header.split(","), 'a\n\tb\t"c\td\ne"\tf\tg\th\n'].join("\t"),
      "orders.csv, line 2: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that joins rows below one with a cell too many",
      `note,${header}\n,a,b,c,\n,a,b,"c\n,d,e,f"\n`,
      "orders.csv, line 3: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that joins rows that were appended to a sheet that was written back",
      `note,${header},${written}\n,a,b,c,CR1,7\n,a,b,"c\n,d,e,f"\n`,
      "orders.csv, line 3: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that joins such a row to one with all cells",
      `note,${header},${written}\n,a,b,"c\n,d,e,f",CR1,7\n`,
      "orders.csv, line 2: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that joins a row to the header",
      `${header},"note\na,b,c,d"\na,b,c,d\n`,
      "orders.csv, line 1: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "that joins rows of two columns, of which the latter has a phone",
      `receiver.text,item.name\n张三 13900139001 建国路1号,"12寸盘\n李四 13900139002 建国路2号,茶盘 7"\n`,
      "orders.csv, line 2: a quote opens a cell here, and the next row may be in it",
    ],
    [
      "around an address of two lines that looks like two rows",
      `ref,receiver.name,item.name,receiver.address\n1,A,c,"John Smith\n12 High St, Flat 2, Leeds, LS1 4AP"\n`,
      "orders.csv, line 2: a quote opens a cell here, and the next row may be in it",
    ],
  ])("a quote %s is refused, and where, in plain words", async (_what, content, message) => {
    const reading = read(content);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toMatchObject({ exit: 2 });
  });

  test.each([
    ["without commas", "a\nb"],
    ["with some commas", "a, b\nc, d, e\nf"],
    ["the last with as many as are left of written cells", "a\nb, c"],
    ["of which each has as many commas as a row", "a, b, c, d\ne, f, g, h"],
  ])("a cell may have several lines, %s", async (_what, goods) => {
    const [row, ...others] = await readGood(`ref,${header}\n1,A,B,"${goods}"\n2,A,B,c\n`);
    expect(row?.draft.item?.name).toBe(goods);
    expect(others).toHaveLength(1);
    const back = `ref,${header},${written}\n1,A,B,"${goods}",CR1,7\n2,A,B,c\n`;
    expect((await readGood(back))[0]?.draft.item?.name).toBe(goods);
  });

  test("a cell of a sheet of two columns may have several lines, with a phone that is not in the last", async () => {
    const text = "John Smith\n13800138000\n12 High St, Leeds";
    expect(await read(`item.name,receiver.text\ntea,"${text}"\ntea,"${text}"\n`)).toHaveLength(2);
  });

  test.each([
    ["semicolons", ";"],
    ["tabs", "\t"],
  ])("cells may be parted by %s", async (_what, delimiter) => {
    const names = ["sender.name", "receiver.name", "item.name"].join(delimiter);
    const [row] = await readGood(`${names}\r\n"Li${delimiter}Si"${delimiter}Wang${delimiter}Tea, green\r\n`);
    expect(row?.draft).toMatchObject({ sender: { name: `Li${delimiter}Si` }, item: { name: "Tea, green" } });
  });

  test.each([
    ["sep=;", ";"],
    ['"SEP=;"', ";"],
    ["sep=\t", "\t"],
    ["\ufeffsep=,", ","],
  ])("a first line %j for Excel says what parts them, and is no header", async (line, delimiter) => {
    const names = ["sender.name", "receiver.name", "item.name"].join(delimiter);
    const rows = await readGood(`${line}\r\n${names}\r\na${delimiter}b${delimiter}"1,2;3"\r\n`);
    expect(rows).toMatchObject([{ row: 1, line: 3, draft: { item: { name: "1,2;3" } } }]);
  });

  test("commas in a quoted header part nothing", async () => {
    const [row] = await readGood('sender.name;receiver.name;item.name;"a,b,c,d"\na;b;c;d\n');
    expect(row?.draft.item).toEqual({ name: "c" });
  });

  test.each([
    [";", "李四,13900139000,广东省深圳市南山区科技路1号"],
    [",", "李四;13900139000;广东省深圳市南山区科技路1号"],
    ["\t", "李四,13900139000,广东省深圳市南山区科技路1号"],
  ])("marks in the texts of two columns that %j parts are no delimiter", async (delimiter, party) => {
    const line = [party, "Tea"].join(delimiter);
    const rows = await readGood(`receiver.text${delimiter}item.name\n${line}\n${line}\n`, {
      sender: { name: "Li" },
    });
    expect(rows.map(({ draft }) => draft.item?.name)).toEqual(["Tea", "Tea"]);
  });

  test("rows of empty cells alone are no rows", async () => {
    expect(await readGood(`${header}\na,b,c\n,,\n , ,\n`)).toHaveLength(1);
  });

  test("a file with a header alone has no rows", async () => {
    expect(await problemsOf(`${header}\n`)).toEqual([]);
    expect(await read(`${header}\n`)).toEqual([]);
  });
});

test.each([
  ["an .xlsx", [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00]],
  ["an .xls", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]],
])("%s is known by its content, whatever its name, and what to do is said", async (_what, bytes) => {
  await expect(read(Buffer.from(bytes))).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining("orders.csv is a workbook"),
    hint: expect.stringContaining("CSV UTF-8"),
  });
});

describe("a row of more than 1,000,000 characters is refused with its line, and not held", () => {
  const limit = "more than 1,000,000 characters, the most that courier reads";
  const rows = `${header}\r\nA,B,"c\r\nd"\r\n`;
  const long = 8_000_000;

  test.each([
    ["a header of one word", "w".repeat(long), "orders.csv, line 1:"],
    ["a header of two words", `${"w".repeat(600_000)},${"w".repeat(600_000)}\n`, "orders.csv, line 1:"],
    ["a long cell", `${rows}A,B,${"x".repeat(long)}\n`, "orders.csv, line 4:"],
    ["cells without a text", `${rows}${",".repeat(long)}\n`, "orders.csv, line 4:"],
    ["a cell of many lines", `${rows}A,B,"${"x\n".repeat(600_000)}"\n`, "orders.csv, line 4:"],
    ["a quote that is not closed", `${rows}A,B,"c\n${"A,B,c\n".repeat(200_000)}`, "orders.csv, line 4:"],
    ["an object", `{}\n{"ref":"${"x".repeat(long)}"}`, "orders.csv, line 2:"],
    ["an object in an array", `[\n{"ref":"${"x".repeat(long)}"}]`, "orders.csv, line 2:"],
  ])("%s", async (_what, content, line) => {
    const reading = read(content);
    await expect(reading).rejects.toThrow(line);
    await expect(reading).rejects.toMatchObject({ exit: 2, message: expect.stringContaining(limit) });
  });

  test("no more of it is read than that", async () => {
    let given = 0;
    async function* endless() {
      yield rows;
      for (; given < 1_000; given++) yield "x".repeat(65_536);
    }
    const reading = collect(readSheet(quoteFormulaTexts(endless()), { delimiter: "," }, "orders.csv"));
    await expect(reading).rejects.toMatchObject({ exit: 2, message: expect.stringContaining(limit) });
    expect(given).toBeLessThan(20);
  });

  test("many rows are no long row, however their lines end", async () => {
    for (const end of ["\n", "\r\n", "\r"])
      expect(
        await read([header, ...Array(60).fill(`Li,Wang,${"x".repeat(20_000)}`), ""].join(end)),
      ).toHaveLength(60);
  });
});

test.each(["\n", "\r\n", "\r"])(
  "a formula text anywhere in a large file is read, its lines ended by %j",
  async (end) => {
    const rows = Array.from({ length: 1_100 }, (_, index) => `="0${index}",Li,Wang,${"x".repeat(1_000)}`);
    const found = await readGood([`ref,${header}`, ...rows, ""].join(end));
    expect(found.map(({ ref }) => ref)).toEqual(rows.map((_, index) => `0${index}`));
  },
);

test("a file that begins with many blank lines is read", async () => {
  expect(await readGood(`${"\n".repeat(5_000)}${header}\nA,B,c\n`)).toHaveLength(1);
});

test("Chinese column names in UTF-16 without a mark are read", async () => {
  const chinese = "寄件人姓名,收件人姓名,收件人电话,商品名称\r\n张三,李四,13900139000,茶叶\r\n";
  const [row] = await readGood(Buffer.from(chinese, "utf16le"));
  expect(row?.draft.receiver).toEqual({ name: "李四", phone: "13900139000" });
});

test.each([
  ["LE", (bytes: Buffer) => bytes],
  ["BE", swapped],
])(
  "UTF-16%s without a mark is known where a Chinese character has a zero byte, as 一 does",
  async (_order, write) => {
    const chinese =
      "收件人姓名,收件人电话,收件人地址,商品名称\r\n李一一,13900139000,北京市朝阳区开国路一号,一次性茶杯\r\n";
    const [row] = await readGood(write(Buffer.from(chinese, "utf16le")), { sender: { name: "张三" } });
    expect(row?.draft).toMatchObject({ receiver: { name: "李一一" }, item: { name: "一次性茶杯" } });
  },
);

test.each(otherFiles)("%s is told as what it is", async (what, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({ exit: 2, message: expect.stringContaining(what) });
});

test.each([
  ["<html><table><tr><td>a</td></tr></table></html>", "a web page that holds a table"],
  ["<table border=1><tr><th>订单号</th></tr></table>", "a web page that holds a table"],
  ["<style>td{}</style><div><table>", "a web page that holds a table"],
  ["\ufeff\n<!DOCTYPE html>", "a web page or XML"],
  ['<?xml version="1.0"?><Workbook/>', "a web page or XML"],
  [
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">',
    "an XML spreadsheet of Excel 2003",
  ],
])("what shops export as .xls and is none is told as what it is: %j", async (content, what) => {
  await expect(read(content)).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining(`orders.csv is ${what},`),
    hint: expect.stringContaining("save it as .xlsx or “CSV UTF-8”"),
  });
});

describe("UTF-8 with a character that a program cut", () => {
  const cut = Buffer.from("…").subarray(0, 2);
  const rows = (goods: string) =>
    Buffer.concat([
      Buffer.from(`${header}\nGroße Müller,Jürgen Köhler,Käse\nÉcole Orléans,André Léger,${goods}`),
      cut,
      Buffer.from("\n"),
    ]);

  test.each([
    ["without other signs", rows("A very long name of goods")],
    ["beside signs that are none in GB18030", rows("Thé de l’Église")],
    [
      "with few others",
      Buffer.concat([Buffer.from(`${header}\nShop,李四,\nShop,Li,Tea `), cut, Buffer.from("\n")]),
    ],
    [
      "with one other",
      Buffer.concat([Buffer.from(`${header}\nShop,Li,\nShop,Jürgen,Tea `), cut, Buffer.from("\n")]),
    ],
  ])("is refused with its line, not read as GB18030: %s", async (_name, bytes) => {
    await expect(inspectSource(contentOf(bytes), "orders.csv")).rejects.toMatchObject({
      message: "orders.csv is UTF-8 with a broken character in line 3",
      hint: "correct that line, and save the file as UTF-8; where it is GB18030, add --encoding gb18030",
    });
    expect(() => decodeSheet(bytes, "people.csv")).toThrow(
      "people.csv is UTF-8 with a broken character in line 3",
    );
    const facts = await inspectSource(contentOf(bytes), "orders.csv", "gb18030");
    expect(facts.encoding).toBe("gb18030");
  });

  test("a text in GB18030 is none, also where some of its characters look like UTF-8", async () => {
    const bytes = Buffer.concat([gb18030, Buffer.from([0xc1, 0xaa, 0xcd, 0xa8, 0x2c, 0xcd, 0xa8, 0x0a])]);
    expect((await decode(bytes)).facts.encoding).toBe("gb18030");
  });
});
