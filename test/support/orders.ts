/** The orders that tests create: one ordinary draft, and the way to put it into a home's service. */

import type { Home, RunOptions } from "./courier.ts";

export const plainDraft = {
  sender: {
    name: "张三",
    phone: "13800138000",
    province: "广东省",
    city: "深圳市",
    district: "南山区",
    detail: "科技园路1号 A座 502",
  },
  receiver: {
    name: "李四",
    phone: "13900139000",
    province: "北京市",
    city: "北京市",
    district: "朝阳区",
    detail: "建国路88号",
  },
  item: { name: "手机", description: "全新,未拆封", weight: 0.5, value: 2999, quantity: 1 },
  service_type: "express",
};

export interface CreatedOrder {
  readonly id: number;
  readonly tracking_number: string;
  readonly order_no: string;
}

/** Creates an order through the command line and gives back what it printed. */
export async function createOrder(
  home: Pick<Home, "courier">,
  draft: object = plainDraft,
  words = "orders create --file - --json --allow-duplicate",
  options: RunOptions = {},
): Promise<CreatedOrder> {
  const { exit, stdout, stderr } = await home.courier(words, { stdin: JSON.stringify(draft), ...options });
  if (exit !== 0) throw new Error(`the order was not created: ${stderr}`);
  return JSON.parse(stdout) as CreatedOrder;
}
