/** Western European text that was read as GB18030 is known by its words; Chinese text never is taken for it. */

import { expect, test } from "vitest";
import { createMojibakeCheck, findText } from "../../src/sheets/mojibake.ts";

const gb18030 = new TextDecoder("gb18030");
/** A text in Windows' Western European encoding, read as GB18030. */
const misread = (text: string) => gb18030.decode(Buffer.from(text, "latin1"));
const check = (text: string) =>
  createMojibakeCheck("a.csv")({ value: { name: text } }, [], { row: 3, line: 4 });

test.each([
  "Müller",
  "Jürgen Köhler",
  "Hauptstraße 5",
  "Zürich",
  "Özil",
  "Éric",
  "GRÖSSE",
  "Málaga",
  "João",
  "don\x92t",
])("%s is known", (text) => {
  expect(() => check(misread(text))).toThrow(
    "a.csv is neither UTF-8 nor, it seems, GB18030: row 3 would have",
  );
});

test.each(["Gewürz", "Hauptstraße 5", "für"])("%s in UTF-8 is known", (text) => {
  expect(() => check(gb18030.decode(Buffer.from(text)))).toThrow("neither UTF-8 nor");
});

test.each([
  "张三",
  "A座B室",
  "A区b栋301",
  "usb转typec数据线",
  "T恤XL",
  "B門",
  "A單元",
  "李玥",
  "朱镕基 Zhu",
  "iPhone手机case",
  "北京市朝阳区建国路88号SOHO现代城A座",
  "plain ASCII",
  "",
])("%s is not", (text) => {
  expect(() => check(text)).not.toThrow();
});

test("traditional Chinese in Big5 is known by characters that no text has", () => {
  const [zhang, three] = [Buffer.from("b169", "hex"), Buffer.from("a454", "hex")];
  expect(() => check(gb18030.decode(Buffer.concat([zhang, three])))).toThrow("neither UTF-8 nor");
  expect(() => check("\u{f0000}")).toThrow("neither UTF-8 nor");
});

test("the first text is found at any depth, with its path; a key is a text too", () => {
  const isLong = (text: string) => text.length > 3;
  expect(findText({ a: ["x", { b: "long" }] }, isLong)).toEqual({ path: "a.1.b", text: "long" });
  expect(findText({ a: { longer: "x" } }, isLong)).toEqual({ path: "a.longer", text: "longer" });
  expect(findText({ a: 1, b: null, c: true }, isLong)).toBeUndefined();
});
