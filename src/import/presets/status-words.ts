/** Words of Chinese platforms for orders that are not to be sent. */

import type { SkipRule } from "./preset.ts";

/** Applied to each of these columns that the file has. */
export function skipByStatus(...columns: readonly string[]): SkipRule[] {
  return columns.flatMap((column): SkipRule[] => [
    { column, reason: "refunded", is: /退款成功|已退款|退款完成|全额退款/ },
    { column, reason: "cancelled", is: /交易关闭|被淘宝关闭|已关闭|已取消|交易取消/ },
    { column, reason: "unpaid", is: /等待买家付款|待付款|待支付|未付款|未支付/ },
    {
      column,
      reason: "fulfilled",
      is: /(?<!部分)已发货|等待买家确认|已签收|已收货|交易成功|已完成|交易完成/,
    },
  ]);
}

/** The file has the number of a parcel that is on its way. */
export function skipByTrackingNumber(column: string): SkipRule {
  return { column, reason: "fulfilled", is: /./ };
}
