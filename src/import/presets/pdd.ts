/**
 * Pinduoduo: the sheet for couriers, which has receivers, and the merchant's order list, which has none today. Names of
 * columns in public code that reads them.
 */

import type { Preset } from "./preset.ts";
import {
  sentByStatus,
  sentUnlessRefunded,
  skipByStatus,
  skipByTrackingNumber,
  skipRefunded,
} from "./status-words.ts";

const sent = { ...sentByStatus("订单状态"), ...sentUnlessRefunded("售后状态") };
const skips = [...skipByStatus("订单状态"), ...skipRefunded("售后状态"), skipByTrackingNumber("快递单号")];

export const pddCourier: Preset = {
  name: "pdd",
  title: "a Pinduoduo sheet for couriers",
  keys: [["承诺发货时间", "商品编号", "收货人", "手机", "街道"]],
  fields: {
    ref: ["订单编号"],
    "receiver.name": ["收货人"],
    "receiver.phone": ["手机"],
    "receiver.province": ["省"],
    "receiver.city": ["市"],
    "receiver.district": ["区"],
    "receiver.detail": [["街道", "详细地址"]],
    "item.name": [["商品名称", "商品规格"]],
    "item.quantity": ["商品数量"],
  },
  sent,
  skips,
};

export const pddOrders: Preset = {
  name: "pdd-orders",
  title: "a Pinduoduo order list",
  keys: [["商品数量(件)", "商家实收金额(元)", "订单号"]],
  fields: { ref: ["订单号"] },
  sent,
  skips,
  lacks: {
    columns: [],
    fields: ["receiver.name", "receiver.text"],
    problem: "has no receivers: Pinduoduo leaves name, phone and street out of it",
    hint: "import the sheet for couriers, or add the columns receiver.name, receiver.phone and receiver.detail and use --platform none",
  },
};
