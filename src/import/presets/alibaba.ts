/** 1688, one row an item; the columns of the order are merged cells. Header in a tool that writes the same layout. */

import type { Preset } from "./preset.ts";
import { sentByStatus, skipByStatus, skipByTrackingNumber } from "./status-words.ts";

export const alibaba: Preset = {
  name: "1688",
  title: "a 1688 export",
  keys: [["货品标题", "卖家会员名"]],
  fields: {
    ref: ["订单编号"],
    "receiver.name": ["收货人姓名"],
    "receiver.phone": ["联系手机", "联系电话"],
    "receiver.address": ["收货地址"],
    "item.name": [
      ["货品标题", "型号"],
      ["货品标题", "货号"],
    ],
    "item.quantity": ["数量"],
  },
  hasLines: true,
  sent: sentByStatus("订单状态"),
  skips: [
    ...skipByStatus("订单状态"),
    skipByTrackingNumber("运单号"),
    skipByTrackingNumber("物流公司运单号"),
  ],
};
