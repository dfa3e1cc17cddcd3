/** JD's order list, one row an item with the columns of the order repeated. Header in public code that reads it. */

import type { Preset } from "./preset.ts";
import { sentByStatus, skipByStatus } from "./status-words.ts";

export const jd: Preset = {
  name: "jd",
  title: "a JD order list",
  keys: [["京东价", "客户姓名"]],
  fields: {
    ref: ["订单号"],
    "receiver.name": ["客户姓名"],
    "receiver.phone": ["联系电话"],
    "receiver.address": ["客户地址"],
    "item.name": ["商品名称"],
    "item.quantity": ["订购数量"],
  },
  hasLines: true,
  sent: sentByStatus("订单状态"),
  skips: skipByStatus("订单状态"),
};
