/**
 * Weidian, one row an item beside rows that sum up an order; names of old and new files. Names of columns and what the
 * rows look like in public code that reads them.
 */

import type { Preset } from "./preset.ts";
import {
  sentByStatus,
  sentUnlessRefunded,
  skipByStatus,
  skipByTrackingNumber,
  skipRefunded,
} from "./status-words.ts";

export const weidian: Preset = {
  name: "weidian",
  title: "a Weidian export",
  keys: [
    ["下单模板信息", "订单编号"],
    ["商品型号", "收货/提货详细地址"],
  ],
  fields: {
    ref: ["订单编号"],
    "receiver.name": ["收件人姓名", "收件人/提货人姓名", "收货人/提货人姓名"],
    "receiver.phone": ["收件人手机", "收件人/提货人手机号", "收货人/提货人手机号"],
    "receiver.province": ["省"],
    "receiver.city": ["市"],
    "receiver.district": ["区"],
    "receiver.detail": ["收货详细地址", "收货/提货详细地址"],
    "item.name": [["商品名称", "商品型号"]],
    "item.quantity": ["购买数量", "商品件数"],
  },
  hasLines: true,
  blankInSummary: ["商品id", "SKU ID"],
  shiftsMunicipalities: true,
  sent: { ...sentByStatus("订单状态", "发货状态"), ...sentUnlessRefunded("退款状态") },
  skips: [
    { column: "是否自提", reason: "pick-up", is: /^是/ },
    { column: "是否已成团", reason: "on hold", is: /^否/ },
    ...skipByStatus("订单状态"),
    ...[...skipRefunded("退款状态"), ...skipByStatus("发货状态"), skipByTrackingNumber("物流单号")].map(
      (rule) => ({
        ...rule,
        ofLine: true as const,
      }),
    ),
  ],
};
