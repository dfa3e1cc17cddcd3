/** Rows of an import: who they are wherever they stand, and every problem by row, column and value. */

import { describe, expect, test } from "vitest";
import type { ImportRow } from "../../src/import/rows.ts";
import { stringifyJson } from "../../src/model/json.ts";
import { problemsOf, readGood } from "../sheets/input-text.ts";
import { fc } from "../support/effort.ts";

const header =
  "ref,sender.name,receiver.name,receiver.phone,item.name,item.weight,item.quantity,service_type";
const line = (ref: string, name: string, quantity = "1") =>
  `${ref},张三,${name},13900139000,手机,0.50,${quantity},express`;
const sheet = (...lines: string[]) => [header, ...lines, ""].join("\n");

const keyOf = ({ ref, content, occurrence }: ImportRow) => ref ?? `${content} ${occurrence}`;

describe("identity", () => {
  test("is the ref where there is one", async () => {
    const rows = await readGood(sheet(line("A-1", "李四"), line("A-2", "李四")));
    expect(rows.map(({ ref, occurrence }) => [ref, occurrence])).toEqual([
      ["A-1", 1],
      ["A-2", 1],
    ]);
    expect(rows[0]?.content).toBe(rows[1]?.content);
  });

  test("is the ref without blanks around it in JSON, too; one that was recorded with them is known", async () => {
    const [row] = await readGood(
      JSON.stringify([
        { ref: " A-1 ", receiver: { name: "李四" }, sender: { name: "张三" }, item: { name: "书" } },
      ]),
    );
    expect(row?.ref).toBe("A-1");
    expect(row?.former?.[0]).toEqual({ reading: 3, ref: " A-1 ", content: row?.content });
  });

  test("is none for the mark of the end of a file that old programs write", async () => {
    const rows = await readGood(`${sheet(line("A-1", "李四"))}\u001a`);
    expect(rows.map(({ ref }) => ref)).toEqual(["A-1"]);
  });

  test("is else the content, and which of the equal ones it is", async () => {
    const rows = await readGood(sheet(line("", "李四"), line("", "王五"), line("", "李四")));
    const [first, other, second] = rows;
    expect(second?.content).toBe(first?.content);
    expect(other?.content).not.toBe(first?.content);
    expect(rows.map(({ occurrence }) => occurrence)).toEqual([1, 1, 2]);
  });

  test("does not depend on where rows stand, nor on others beside them", async () => {
    const row = fc.record({ ref: fc.boolean(), name: fc.constantFrom("李四", "王五", "赵六") });
    const rows = fc.array(row, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, rows, fc.infiniteStream(fc.nat()), async (given, added, order) => {
        const lines = [...given, ...added].map(({ ref, name }, index) => line(ref ? `R-${index}` : "", name));
        const shuffled = lines.map((text) => ({ text, at: order.next().value })).sort((a, b) => a.at - b.at);
        const before = (await readGood(sheet(...lines.slice(0, given.length)))).map(keyOf);
        const all = (await readGood(sheet(...lines))).map(keyOf);
        const after = (await readGood(sheet(...shuffled.map(({ text }) => text)))).map(keyOf);
        expect(new Set(all).size).toBe(lines.length);
        expect(all.slice(0, given.length)).toEqual(before);
        expect([...after].sort()).toEqual([...all].sort());
      }),
      { numRuns: 40 },
    );
  });

  test("is the same for the same order in CSV and JSON, whatever the order of its keys", async () => {
    const [csv] = await readGood(sheet(line("", "李四")));
    const value = {
      service_type: "express",
      item: { quantity: 1, weight: "W", name: "手机" },
      receiver: { phone: "13900139000", name: "李四" },
      sender: { name: "张三" },
    };
    const text = JSON.stringify(value).replace('"W"', "0.50");
    const [array] = await readGood(`[${text}]`);
    const [ndjson] = await readGood(`${text}\n`);
    expect([array?.content, ndjson?.content]).toEqual([csv?.content, csv?.content]);
  });

  test("a sender from the address book is part of the content", async () => {
    const text = "receiver.name,item.name\nA,B\n";
    const [one] = await readGood(text, { sender: { name: "Shop" } });
    const [two] = await readGood(text, { sender: { name: "Other shop" } });
    expect(one?.draft.sender).toEqual({ name: "Shop" });
    expect(one?.content).not.toBe(two?.content);
    expect([one?.defaults, two?.defaults]).toEqual([["sender"], ["sender"]]);
    const [own] = await readGood(sheet(line("", "李四")), { sender: { name: "Shop" } });
    expect(own?.draft.sender).toEqual({ name: "张三" });
    expect(own?.defaults).toEqual([]);
  });
});

describe("what is read", () => {
  test("texts stay texts and numbers keep their digits", async () => {
    const [row] = await readGood(`${header}\n007,张三,李四,013900139000,5e3,12345678901234567.10,1,\n`);
    expect(row?.ref).toBe("007");
    expect(stringifyJson(row?.draft ?? null)).toBe(
      '{"sender":{"name":"张三"},"receiver":{"name":"李四","phone":"013900139000"},"item":{"name":"5e3","weight":12345678901234567.10,"quantity":1}}',
    );
  });

  test("an error column of a file of rejects is nothing", async () => {
    const [row] = await readGood(`${header},error\n${line("A-1", "李四")},bad phone\n`);
    const [json] = await readGood('[{"ref":"A-1","error":"x","sender":{},"receiver":{},"item":{}}]');
    expect([row?.ref, json?.ref]).toEqual(["A-1", "A-1"]);
  });
});

describe("problems", () => {
  test("all of all rows are told, by row, line, column and value", async () => {
    const content = `${header.replace("receiver.phone", "收件人电话")}\n${[
      ",张三,李四,1.38E+10,手机,heavy,1.5,",
      line("A-1", "李四"),
      '"A\n1",,李四,,,,,',
      "A-1,张三,李四,,手机,1,0x1,",
      "1.2E+5,张三,李四,,手机,,,",
    ].join("\n")}\n`;
    const found = (await problemsOf(content)).map(({ row, line: number, column, value }) => [
      row,
      number,
      column,
      value,
    ]);
    expect(found).toEqual([
      [1, 2, "收件人电话", "1.38E+10"],
      [1, 2, "item.weight", "heavy"],
      [1, 2, "item.quantity", "1.5"],
      [3, 5, "ref", "A\n1"],
      [3, 5, "sender", ""],
      [3, 5, "item", ""],
      [4, 6, "item.quantity", "0x1"],
      [4, 6, "ref", "A-1"],
      [5, 7, "ref", "1.2E+5"],
    ]);
  });

  test.each(["1.38E+10", "1E+5", "-2.5e-3"])("%s is what a spreadsheet makes of a phone", async (value) => {
    const [problem] = await problemsOf(`sender.name,receiver.phone,item.name\nA,${value},B\n`);
    expect(problem).toMatchObject({ row: 1, column: "receiver.phone", value });
    expect(problem?.message).toContain("changed by a spreadsheet");
  });

  test.each([
    ['{"sender":"A","receiver":{},"item":{}}', "sender"],
    ['{"sender":{},"receiver":{},"item":{"weight":"1"}}', "item.weight"],
    ['{"sender":{},"receiver":{"phone":138},"item":{}}', "receiver.phone"],
    ['{"sender":{},"receiver":{},"item":{},"servicetype":"express"}', "servicetype"],
    ['{"ref":7,"sender":{},"receiver":{},"item":{}}', "ref"],
    ["[]", ""],
    ["7", ""],
  ])("JSON %s is wrong at “%s”", async (value, column) => {
    const [problem] = await problemsOf(`[${value}]`);
    expect(problem).toMatchObject({ row: 1, line: 1, column });
  });
});

describe("characters that are not seen", () => {
  const inCsv = (name: string, phone: string) =>
    `sender.name,receiver.name,receiver.phone,item.name\n张三,"${name}","${phone}",Tea\n`;
  const lost = "has only question marks: the text was lost before courier read it; save files as UTF-8";
  const garbled =
    "was read in another encoding than it was saved in, before courier read it; save its source as UTF-8";
  /** What a program makes of a text in UTF-8 that it takes for Windows-1252. */
  const misread = (text: string) => new TextDecoder("windows-1252").decode(Buffer.from(text));
  const inJson = (name: string, phone: string) =>
    JSON.stringify([{ sender: { name: "张三" }, receiver: { name, phone }, item: { name: "Tea" } }]);

  test.each([
    ["13800138000\u0000", "holds a NUL character (U+0000)"],
    ["138\u200b00138000", "holds an invisible character (U+200B)"],
    ["\ufeff13800138000", "holds an invisible character (U+FEFF)"],
    ["\u202d13800138000\u202c", "holds an invisible character (U+202D)"],
    ["13800138000\n", "holds a line break (U+000A)"],
    ["13800138000\u2028", "holds a line break (U+2028)"],
    ["138\t00138000", "holds a tab (U+0009)"],
    ["138\u001b00138000", "holds a control character (U+001B)"],
    ["138\ufffd0138000", "holds the mark of a lost character (U+FFFD): courier reads UTF-8"],
    ["13800138000.0", "ends in .0, as a spreadsheet writes a number"],
    ["+8613800138000.00", "ends in .00, as a spreadsheet writes a number"],
    ["13800138000.5", "ends in .5, as a spreadsheet writes a number"],
  ])("in the phone %j are named by row and column, in CSV and JSON", async (phone, message) => {
    const problem = { row: 1, column: "receiver.phone", value: phone, message };
    expect(await problemsOf(inCsv("Li", phone))).toMatchObject([{ ...problem, line: expect.any(Number) }]);
    expect(await problemsOf(inJson("Li", phone))).toMatchObject([problem]);
  });

  test.each(["138.0013.8000", "+86.13800138000", "0755.26650000", "021-62330000"])(
    "the phone %s is one",
    async (phone) => {
      expect(await problemsOf(inCsv("Li", phone))).toEqual([]);
    },
  );

  test.each([
    ["a\u0000b", "holds a NUL character (U+0000)"],
    ["a\u001b[31mb", "holds a control character (U+001B)"],
    ["a\u009bb", "holds a control character (U+009B)"],
    ["李\u200b四", "holds an invisible character (U+200B)"],
    ["李四\u2060", "holds an invisible character (U+2060)"],
    ["李\u200d四", "holds an invisible character (U+200D)"],
    ["李四\u202e", "holds an invisible character (U+202E)"],
    ["����·88��", "holds the mark of a lost character (U+FFFD): courier reads UTF-8"],
    ["李\ufffd", "holds the mark of a lost character (U+FFFD): courier reads UTF-8"],
    ["\u200b\u200b", "has only invisible characters"],
    ["\u200d", "has only invisible characters"],
    ["\u3164", "has only invisible characters"],
    ["??", lost],
    ["?", lost],
    ["? ??", lost],
    ["\ufffd\ufffd", lost],
    [misread("张伟"), garbled],
    [misread("阿依古丽"), garbled],
    [misread("北京市海淀区中关村大街1号"), garbled],
    [misread("北京市 海淀区"), garbled],
    [misread("张伟").replaceAll("\u00a0", " "), garbled],
    ["锟斤拷锟斤拷", garbled],
  ])("in the name %j are named, too", async (name, message) => {
    const problem = { row: 1, column: "receiver.name", value: name, message };
    expect(await problemsOf(inCsv(name, "1"))).toMatchObject([problem]);
    expect(await problemsOf(inJson(name, "1"))).toMatchObject([problem]);
  });

  test.each([
    "Café “Été”…",
    "Åsa Öberg",
    "François-Xavier Lefèvre",
    "Müßig & Söhne",
    "« Prêt-à-porter » – 5 €",
    "Đặng Thị Ánh",
  ])("the name %j is as it was written", async (name) => {
    expect(await problemsOf(inCsv(name.replaceAll('"', '""'), "1"))).toEqual([]);
    expect(await problemsOf(inJson(name, "1"))).toEqual([]);
  });

  test.each(["#N/A", " #REF! ", "#value!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!", "#SPILL!", "#CALC!"])(
    "the error %j of a spreadsheet is named in a name and in a ref",
    async (text) => {
      const message = `holds the error ${text.trim()} of a spreadsheet`;
      const problem = { row: 1, column: "receiver.name", message };
      expect(await problemsOf(inCsv(text, "1"))).toMatchObject([{ ...problem, value: text.trim() }]);
      expect(await problemsOf(inJson(text, "1"))).toMatchObject([{ ...problem, value: text }]);
      const withRef = `ref,sender.name,receiver.name,item.name\n${text},A,B,C\n`;
      expect(await problemsOf(withRef)).toMatchObject([{ column: "ref", message }]);
    },
  );

  test("number signs, as a column that is too narrow shows them, are named", async () => {
    const message = "is #####, which a spreadsheet shows in a column that is too narrow";
    expect(await problemsOf(inCsv("#####", "1"))).toMatchObject([{ column: "receiver.name", message }]);
    expect(await problemsOf(inJson("#####", "1"))).toMatchObject([{ column: "receiver.name", message }]);
  });

  test("the error of a spreadsheet in a number is named as one", async () => {
    const csv = "sender.name,receiver.name,item.name,item.weight\nA,B,C,#DIV/0!\n";
    expect(await problemsOf(csv)).toMatchObject([
      { column: "item.weight", message: "holds the error #DIV/0! of a spreadsheet" },
    ]);
  });

  test.each(["#5", "# 5", "Flat #N/A Court", "N/A", "#", "##", "C#"])(
    "%j is a text like any other",
    async (text) => {
      expect(await problemsOf(inCsv(text, "1"))).toEqual([]);
    },
  );

  test("half a character in JSON is named", async () => {
    expect(await problemsOf(inJson("a\ud83d", "1"))).toMatchObject([
      { column: "receiver.name", message: "holds half a character (U+D83D)" },
    ]);
  });

  test("in a ref and a service level are named", async () => {
    const csv = "ref,sender.name,receiver.name,item.name,service_type\nA\u0000,A,B,C,x\u0000\n";
    expect((await problemsOf(csv)).map(({ column }) => column)).toEqual(["ref", "service_type"]);
    const json = JSON.stringify([
      { ref: "A\u0000", sender: {}, receiver: {}, item: {}, service_type: "x\u0000" },
    ]);
    expect((await problemsOf(json)).map(({ column }) => column)).toEqual(["ref", "service_type"]);
  });

  test.each([
    "👨‍👩‍👧 Family",
    "می‌خواهم",
    "क्‍ष",
    "line\nbreak\tand tab",
    "❤️",
    "\u200fעברית",
    "soft\u00adhyphen",
    "🏴\u{e0067}\u{e0062}\u{e007f}",
    "葛\u{e0100}城",
    "Why?",
    "茶 ??",
  ])("that scripts and emoji need are taken in names: %j", async (name) => {
    for (const text of [inCsv(name, "138 0013-8000"), inJson(name, "(0755) 8601.3388 ext.5")])
      expect((await readGood(text))[0]?.draft.receiver?.name).toBe(name);
  });
});
