/** Whether the city that a list shows is another one than was sent: then the order's details are read. */

import { expect, test } from "vitest";
import { isOtherCity } from "../../src/sending/possible-orders.ts";

const chengdu = { province: "四川省", city: "成都市", district: "武侯区", detail: "武汉路1号" };
const suzhou = { province: "江苏省", city: "苏州市", district: "昆山市", detail: "前进路1号" };
const beijing = { province: "北京市", city: "市辖区", district: "朝阳区", detail: "建国路1号" };
const yanbian = { province: "吉林省", city: "延边州", detail: "长白路1号" };

test.each([
  ["as it was sent", chengdu, "成都市"],
  ["without 市", chengdu, "成都"],
  ["with blanks", chengdu, " 成都 市"],
  ["with its province", chengdu, "四川省成都市"],
  ["with its province, without 市", chengdu, "四川 成都"],
  ["as its district", chengdu, "武侯区"],
  ["as its province", chengdu, "四川"],
  ["as a city of its own", suzhou, "昆山"],
  ["as a municipality", beijing, "北京市"],
  ["in its long form", yanbian, "延边朝鲜族自治州"],
  ["hidden in part", chengdu, "成*"],
  ["hidden", chengdu, "***"],
  ["not at all", chengdu, null],
  ["in an address without a city", { detail: "成都市武侯区人民南路1号" }, "成都市"],
  ["where nothing was sent", undefined, "成都市"],
])("shown %s, it may be the sent one", (_how, sent, shown) => {
  expect(isOtherCity(sent, shown)).toBe(false);
});

test.each([
  ["another one", chengdu, "武汉市"],
  ["another one without 市", chengdu, "武汉"],
  ["hidden in part, and begins otherwise", chengdu, "广*"],
  ["in other letters", chengdu, "Chengdu"],
  ["another one than an address without a city has", { detail: "成都市武侯区人民南路1号" }, "武汉市"],
])("shown as %s, the details are read", (_how, sent, shown) => {
  expect(isOtherCity(sent, shown)).toBe(true);
});
