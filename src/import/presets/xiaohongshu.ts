/** Xiaohongshu's export of parcels (千帆), one row an SKU. Names of columns in public code that reads it. */

import type { Preset } from "./preset.ts";
import { sentByStatus, sentUnlessRefunded, skipByStatus, skipRefunded } from "./status-words.ts";

export const xiaohongshu: Preset = {
  name: "xiaohongshu",
  title: "a Xiaohongshu export",
  keys: [
    ["小红书编码", "订单号"],
    ["包裹备注信息", "订单号"],
  ],
  fields: {
    ref: ["订单号"],
    "receiver.name": ["收件人姓名"],
    "receiver.phone": ["收件人电话"],
    "receiver.province": ["省"],
    "receiver.city": ["市"],
    "receiver.district": ["区"],
    "receiver.detail": ["收件人地址"],
    "receiver.address": ["收件人地址"],
    "item.name": ["SKU名称"],
    "item.quantity": ["SKU件数"],
  },
  hasLines: true,
  // Both states are those of a row's SKU: the others of the order may still be to be sent.
  sent: { ...sentByStatus("订单状态"), ...sentUnlessRefunded("售后状态") },
  skips: [...skipByStatus("订单状态"), ...skipRefunded("售后状态")].map((rule) => ({
    ...rule,
    ofLine: true,
  })),
};
