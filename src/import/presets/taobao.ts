/**
 * Taobao and Tmall: the order list of old (ExportOrderList….csv, one row an order), the sheet 发货报表 of new workbooks,
 * and the files of both that hold no receivers. Header and rows of 2017, and readers of the newer files, in public code.
 */

import type { Preset } from "./preset.ts";
import {
  sentByStatus,
  sentUnlessRefunded,
  skipByStatus,
  skipByTrackingNumber,
  skipRefunded,
} from "./status-words.ts";

const goods = ["宝贝标题", "商品标题", "标题"];

export const taobao: Preset = {
  name: "taobao",
  title: "a Taobao order list",
  keys: [["买家会员名", "宝贝种类"]],
  fields: {
    ref: ["订单编号"],
    "receiver.name": ["收货人姓名"],
    "receiver.phone": ["联系手机", "联系电话"],
    "receiver.address": ["收货地址"],
    "item.name": goods,
    "item.quantity": ["宝贝总数量"],
  },
  sent: sentByStatus("订单状态"),
  skips: [...skipByStatus("订单状态"), skipByTrackingNumber("物流单号")],
  mustBeBlank: {
    修改后的收货地址:
      "the address may have been changed: put the right one into 收货地址 and empty this cell",
  },
};

/** An order list of which a shop has kept few columns counts as one, too: it may say what is not to be sent. */
export const taobaoShipping: Preset = {
  ...taobao,
  name: "taobao-shipping",
  title: "a Taobao 发货报表",
  keys: [["订单编号", "收货人姓名", "联系手机", "收货地址"]],
  fields: {
    ...taobao.fields,
    "item.name": [...goods, "物品名称", "item.name"],
    "item.quantity": ["宝贝总数量", "购买数量", "数量"],
  },
  lacks: {
    columns: [...goods, "物品名称", "item.name", "item.description", "item.quantity"],
    fields: ["item.name", "item.description"],
    problem: "has no known column of goods",
    hint: 'add a column 商品标题 with the goods, from 订单报表 or 销售明细, or name yours with --map "COLUMN=item.name", and import it again',
  },
};

/** The order sheet and the item sheets: nothing in them says where a parcel goes. */
export const taobaoWithoutReceivers: Preset = {
  name: "taobao-items",
  title: "a Taobao list without receivers",
  keys: [
    ["支付单号", "商品标题"],
    ["标题", "外部系统编号"],
    ["主订单编号", "商品属性"],
  ],
  fields: { ref: ["订单编号", "主订单编号"] },
  sent: { ...sentByStatus("订单状态"), ...sentUnlessRefunded("退款状态") },
  skips: [...skipByStatus("订单状态"), ...skipRefunded("退款状态"), skipByTrackingNumber("物流单号")],
  lacks: {
    columns: ["收货人姓名"],
    fields: ["receiver.name", "receiver.text"],
    problem: "has no receivers",
    hint: "the receivers are in the sheet 发货报表 (--sheet 发货报表), or in the old ExportOrderList; import that one",
  },
};
