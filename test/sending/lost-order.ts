/** A draft whose answer was lost, the orders that a service may have instead, and the search among them. */

import type { Draft } from "../../src/model/draft.ts";
import type { OrderDetail } from "../../src/model/interface.ts";
import { type JsonObject, jsonNumber, parseJson } from "../../src/model/json.ts";
import { findLostOrder, type OrderLookup, type SearchResult } from "../../src/sending/reconcile.ts";

export const sentAtMs = Date.UTC(2026, 2, 1, 8);
export const draft = parseJson(
  `{"sender":{"name":"张三","phone":"13800138000","province":"广东省","city":"深圳市","district":"南山区","detail":"科技园路1号"},
    "receiver":{"name":"Li Si","phone":"+86 139-0013-9000","province":"北京市","city":"北京市","district":"朝阳区","detail":"建国路88号"},
    "item":{"name":"手机","description":"new, sealed","weight":0.50,"value":2999,"quantity":1}}`,
) as Draft;

export type Party = { name?: string; phone?: string; address?: string };
type Changes = Partial<{
  createdMs: number;
  created_at: string;
  sender: Party | null;
  receiver: Party | null;
  item: JsonObject;
  service_type: string;
}>;

/** What the service would answer for the draft, with some fields changed. */
export function orderFor(id: number, changes: Changes = {}): OrderDetail {
  const { createdMs = sentAtMs + 120, ...rest } = changes;
  return {
    id: jsonNumber(String(id)),
    status: "pending",
    service_type: "standard",
    created_at: new Date(createdMs).toISOString(),
    sender: { name: "张三", phone: "13800138000", address: "广东省深圳市南山区科技园路1号" },
    receiver: { name: "Li Si", phone: "+86 139-0013-9000", address: "北京市北京市朝阳区建国路88号" },
    item: draft.item ?? {},
    ...rest,
  } as OrderDetail;
}

export interface Lookup extends OrderLookup {
  readonly ranges: string[];
  readonly details: string[];
}

/** A service with these orders, whose list shows names but no city where there is none to show. */
export function createLookup(orders: readonly OrderDetail[], offsetMs: number | undefined = 0): Lookup {
  const ranges: string[] = [];
  const details: string[] = [];
  return {
    ranges,
    details,
    async *list(dateFrom, dateTo) {
      ranges.push(`${dateFrom} ${dateTo}`);
      for (const { id, created_at, sender, receiver, item } of orders) {
        const date = created_at?.slice(0, 10) ?? dateFrom;
        if (date < dateFrom || date > dateTo) continue;
        const summary = { id, created_at, item_name: item?.name };
        yield { ...summary, sender: { name: sender?.name }, receiver: { name: receiver?.name } } as never;
      }
    },
    async detail(id) {
      details.push(id);
      const found = orders.find((order) => order.id.value === id);
      if (!found) throw new Error(`no order ${id}`);
      return found;
    },
    findClaimed: async () => new Set(),
    clockOffsetMs: () => offsetMs,
  };
}

export async function search(
  orders: readonly OrderDetail[],
  offsetMs?: number,
  sent = draft,
): Promise<string> {
  return tell(await findLostOrder(sent, sentAtMs, createLookup(orders, offsetMs)));
}

export function tell(result: SearchResult): string {
  if (result.kind === "found") return `found ${result.order.id.value}`;
  if (result.kind === "absent") return "absent";
  return `unclear ${result.candidates.map(({ id }) => id.value).join(" ")}`;
}
