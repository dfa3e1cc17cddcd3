/** Words of Chinese platforms for orders that are not to be sent. */

import type { SkipRule } from "./preset.ts";

/** Of columns for the state of a refund, where 已关闭 and 已取消 speak of the refund: the order is to be sent. */
export function skipRefunded(...columns: readonly string[]): SkipRule[] {
  const is = /(?<!部分)退款成功|(?<!部分)已退款|退款完成|全额退款/;
  // 无退款申请 and 没有申请退款 say that there is none.
  const isInProgress = /退款(?:处理|申请)?中|售后处理中|待退款|(?<!无|没有|未)申请退款/;
  return columns.flatMap((column): SkipRule[] => [
    { column, reason: "refunded", is },
    { column, reason: "in refund", is: isInProgress },
  ]);
}

/** States in which an order is to be sent. */
const toSend =
  /(?:待|未|等待卖家|等待)(?:发货|出库)|买家已付款|已付款|已支付|付款成功|备货|配货|打单|待处理|处理中|已审核|部分退款|无退款|退款关闭/;

export function sentByStatus(...columns: readonly string[]): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(columns.map((column) => [column, toSend]));
}

/** Of columns for the state of a refund: there is none, or it was given up. */
const noRefund =
  /^(?:[-—–]+|(?:无|没有|未(?:申请|发起)).*|(?:售后|退款|买家|用户|申请)*已?(?:关闭|取消|撤销)(?:售后|退款|申请)*)$/;

export function sentUnlessRefunded(...columns: readonly string[]): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(columns.map((column) => [column, noRefund]));
}

/** Of columns for the state of an order. The states of Taobao and 1688 are those of their interfaces. */
export function skipByStatus(...columns: readonly string[]): SkipRule[] {
  return columns.flatMap((column): SkipRule[] => [
    ...skipRefunded(column),
    {
      column,
      reason: "cancelled",
      is: /交易(?:自动)?关闭|关闭交易|被淘宝关闭|交易终止|已关闭|已取消|(?:交易|订单)取消|^取消$|[(（]删除[)）]/,
    },
    { column, reason: "on hold", is: /锁定|暂停|禁止发货|[待未]成团|拼团中/ },
    {
      column,
      reason: "unpaid",
      is: /等待买家付款|待付款|待支付|未付款|尾款未付|付款确认中|没有创建支付宝交易/,
    },
    // The file does not say which goods have left.
    { column, reason: "partly fulfilled", is: /部分(?:已)?发货/ },
    {
      column,
      reason: "fulfilled",
      is: /已发货|已出库|等待买家确认|等待物流公司揽件|等待买家签收|(?:等待|待)(?:买家|确认)?收货|已签收|已收货|交易成功|(?:已|交易|订单)完成|^完成$/,
    },
  ]);
}

/** The file has the number of a parcel that is on its way; a dash is none. */
export function skipByTrackingNumber(column: string): SkipRule {
  return { column, reason: "fulfilled", is: /^(?!(?:暂?无|[-–—－/\s]*)$)/ };
}
