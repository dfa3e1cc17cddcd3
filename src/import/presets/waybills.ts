/**
 * Batch sheets of couriers (SF large, medium and small, JD logistics) and sheets of warehouses, where both parties have
 * a whole address in one column. Names of columns in public code that writes and reads them. Shops use them, too.
 */

import type { Choice, Preset } from "./preset.ts";

const phoneWords = ["手机", "手机/电话", "手机号码", "电话", "联系电话", "联系方式", "座机"];

function partyOf(
  part: "sender" | "receiver",
  [person, side]: readonly [string, string],
  words: readonly string[],
) {
  const names = [`${person}人`, `${person}人姓名`, `${side}姓名`, `${side}联系人`];
  const phones = words.flatMap((word) => [`${person}人${word}`, `${person}${word}`, `${side}${word}`]);
  const details = [
    `${person}详细地址`,
    `${person}地址`,
    `${person}人地址`,
    `${person}人详细地址`,
    `${side}地址`,
    `${side}详细地址`,
  ];
  const fields: Record<string, Choice> = {
    [`${part}.name`]: names,
    [`${part}.phone`]: phones,
    [`${part}.province`]: [`${person}人省`, `${person}人省份`, `${side}省`, `${side}省份`],
    [`${part}.city`]: [`${person}人市`, `${person}人城市`, `${side}市`, `${side}城市`],
    [`${part}.district`]: [`${person}人区`, `${person}人区县`, `${side}区`, `${side}区县`],
    [`${part}.detail`]: details,
    [`${part}.address`]: details,
  };
  return fields;
}

const goods = [
  ...[
    "物品名称",
    "品名",
    "商品名称",
    "商品",
    "货品名称",
    "货物名称",
    "产品名称",
    "商品标题",
    "宝贝标题",
    "物品类型",
  ],
];

function fieldsOf(words: readonly string[]): Preset["fields"] {
  return {
    ref: ["用户订单号", "订单号", "订单编号"],
    ...partyOf("sender", ["寄件", "寄方"], words),
    ...partyOf("receiver", ["收件", "收方"], words),
    "item.name": ["托寄物内容", "托寄物", ...goods],
    "item.quantity": ["托寄物数量", "数量"],
    "item.weight": ["包裹重量/KG", "包裹重量", "重量(kg)", "重量"],
    "item.value": ["保价金额"],
  };
}

export const waybills: Preset = {
  name: "waybills",
  title: "a batch sheet of waybills",
  keys: [
    ["托寄物内容"],
    ["托寄物"],
    // Other sheets have these too: without a known column of goods, a person names it.
    ...["收件人电话", "收件人座机"].flatMap((phone) =>
      goods.map((each) => ["收件人姓名", "收件人手机", phone, each]),
    ),
  ],
  fields: fieldsOf([...phoneWords, "固话", "固定电话"]),
  formerFields: fieldsOf(phoneWords),
  isCopied: true,
};
