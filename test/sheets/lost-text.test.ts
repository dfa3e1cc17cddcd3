/** Text that lost its Chinese to question marks is known; questions and other ordinary text are not taken for it. */

import { expect, test } from "vitest";
import { isLostText } from "../../src/sheets/lost-text.ts";

/** What Windows PowerShell 5.1 makes of a text that it pipes. */
const asPiped = (text: string) => text.replace(/[^\0-\x7f]/g, "?");

test.each([
  "张三",
  "北京市",
  "建国路88号",
  "科技园路1号 A座 502",
  "茶叶，绿茶",
  "上海市浦东新区世纪大道1号B栋",
  "ул. Ленина, 5",
  "👨‍👩‍👧",
])("%s", (text) => {
  expect(isLostText(asPiped(text))).toBe(true);
  expect(isLostText(text)).toBe(false);
});

test.each([
  "Leave at door?",
  "Really??",
  "What?! No?",
  "Gift?? Call first",
  "?",
  "A? B? C?",
  "5? 6?",
  "Unit 4??",
  "",
  "plain",
  "13800138000",
  "https://example.com/?a=1&b=?",
])("%j is not", (text) => {
  expect(isLostText(text)).toBe(false);
});
