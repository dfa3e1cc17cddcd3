/** Youzan: the file of goods (one row an item) and the file of orders. Headers in public code that reads them. */

import type { Choice, Preset } from "./preset.ts";
import {
  sentByStatus,
  sentUnlessRefunded,
  skipByStatus,
  skipByTrackingNumber,
  skipRefunded,
} from "./status-words.ts";

const receiver: Readonly<Record<string, Choice>> = {
  ref: ["订单号"],
  "receiver.name": ["收货人/提货人"],
  "receiver.phone": ["收货人手机号/提货人手机号"],
  "receiver.province": ["收货人省份"],
  "receiver.city": ["收货人城市"],
  "receiver.district": ["收货人地区"],
  "receiver.detail": ["详细收货地址/提货地址", "收货地址/提货地址"],
};
const isPickUp = /自提/;

export const youzanGoods: Preset = {
  name: "youzan",
  title: "a Youzan list of goods",
  keys: [["收货人/提货人", "商品发货状态"]],
  fields: { ...receiver, "item.name": [["商品名称", "商品规格"]], "item.quantity": ["商品数量"] },
  hasLines: true,
  repeatsPlace: true,
  empty: ["-", "--"],
  sent: { ...sentByStatus("商品发货状态", "订单商品状态"), ...sentUnlessRefunded("商品退款状态") },
  skips: [
    { column: "订单配送方式", reason: "pick-up", is: isPickUp },
    { column: "商品发货方式", reason: "pick-up", is: isPickUp },
    ...[
      ...skipRefunded("商品退款状态"),
      ...skipByStatus("商品发货状态", "订单商品状态"),
      skipByTrackingNumber("商品发货物流单号"),
    ].map((rule) => ({ ...rule, ofLine: true as const })),
  ],
};

export const youzanOrders: Preset = {
  name: "youzan-orders",
  title: "a Youzan list of orders",
  keys: [["收货人/提货人", "全部商品名称"]],
  fields: { ...receiver, "item.name": ["全部商品名称"] },
  repeatsPlace: true,
  empty: ["-", "--"],
  sent: { ...sentByStatus("订单状态"), ...sentUnlessRefunded("订单退款状态") },
  skips: [
    { column: "订单配送方式", reason: "pick-up", is: isPickUp },
    ...skipRefunded("订单退款状态"),
    ...skipByStatus("订单状态"),
  ],
};
