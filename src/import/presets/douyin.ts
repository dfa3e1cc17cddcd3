/**
 * Douyin shops (抖店), one row a 子订单编号; the merchant chooses the columns at the export. Names of columns and what
 * their cells hold in public code that reads it.
 */

import type { Preset } from "./preset.ts";
import { sentByStatus, sentUnlessRefunded, skipByStatus, skipRefunded } from "./status-words.ts";

export const douyin: Preset = {
  name: "douyin",
  title: "a Douyin export",
  keys: [["主订单编号", "选购商品"]],
  fields: {
    ref: ["主订单编号"],
    "receiver.name": ["收件人"],
    "receiver.phone": ["收件人手机号"],
    "receiver.province": ["省"],
    "receiver.city": ["市"],
    "receiver.district": ["区"],
    "receiver.detail": [["街道", "详细地址"]],
    "receiver.address": ["收件地址", "详细地址"],
    "item.name": [["选购商品", "商品规格"]],
    "item.quantity": ["商品数量"],
  },
  hasLines: true,
  empty: ["-", "--"],
  // The status of a row is the one of its 子订单编号: the other goods of the order are still to be sent.
  sent: { ...sentByStatus("订单状态"), ...sentUnlessRefunded("售后状态") },
  skips: [...skipByStatus("订单状态"), ...skipRefunded("售后状态")].map((rule) => ({
    ...rule,
    ofLine: true,
  })),
};
