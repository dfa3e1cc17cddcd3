/** A service in memory for imports: its orders, what becomes of each request by a script, and the look-up. */

import { setImmediate as turn } from "node:timers/promises";
import type { ImportTools, SendResult } from "../../src/import/import-types.ts";
import type { ImportRow } from "../../src/import/rows.ts";
import type { Draft, DraftParty } from "../../src/model/draft.ts";
import type { OrderDetail, OrderSummary } from "../../src/model/interface.ts";
import { jsonNumber } from "../../src/model/json.ts";
import type { ReconcileTools } from "../../src/sending/reconcile-types.ts";
import type { HandClock } from "../support/hand-clock.ts";

export const fates = [
  "created",
  "refused",
  "lost before",
  "lost after",
  "rate_limited",
  "limited for a while",
  "unreachable",
] as const;

export interface Fate {
  readonly kind: (typeof fates)[number];
  /** Turns of the event loop until the service acts, and until its answer arrives. */
  readonly turns: readonly [number, number];
}

export interface StoredOrder {
  readonly id: string;
  readonly row: Pick<ImportRow, "draft" | "content">;
  readonly createdMs: number;
}

export interface ServiceInMemory {
  readonly orders: StoredOrder[];
  readonly send: ImportTools["send"];
  readonly lookup: Pick<ReconcileTools, "list" | "detail" | "clockOffsetMs" | "nextCommand">;
  /** Resolves when every request that has left was acted upon. */
  settled(): Promise<void>;
  /** The most requests that were under way at once. */
  readonly busiest: number;
}

const plain: Fate = { kind: "created", turns: [0, 0] };

/** Requests meet the fates of the script in turn; after it, each is created. */
export function createServiceInMemory(clock: HandClock, script: readonly Fate[] = []): ServiceInMemory {
  const orders: StoredOrder[] = [];
  const left = [...script];
  let underWay = 0;
  let busiest = 0;

  async function act(row: ImportRow, { kind, turns: [before, after] }: Fate): Promise<SendResult> {
    for (let turns = 0; turns < before; turns++) await turn();
    clock.advance(1);
    const cause = new Error(kind);
    const isProcessed = kind === "created" || kind === "lost after";
    const id = String(1_000_001 + orders.length);
    const createdMs = clock.now();
    if (isProcessed) orders.push({ id, row, createdMs });
    for (let turns = 0; turns < after; turns++) await turn();
    switch (kind) {
      case "created":
        return {
          kind,
          order: {
            id,
            order_no: `CO${id}`,
            tracking_number: `CR${id}`,
            estimated_fee: "12.00",
            created_at: new Date(createdMs).toISOString(),
          },
          orderState: "pending",
          stampAheadMs: 0,
        };
      case "refused":
        return {
          kind,
          isCertain: true,
          rejection: { code: "INVALID_PARAMETER", message: "no" },
        };
      case "lost before":
      case "lost after":
        return { kind: "unknown", cause, loss: "broken" };
      case "unreachable":
        return { kind: "unsent", cause };
      case "rate_limited":
        return { kind: "rate_limited", cause };
      case "limited for a while":
        return { kind: "rate_limited", cause, retryAfterMs: 3_000 };
    }
  }

  return {
    orders,
    async send(row) {
      underWay += 1;
      busiest = Math.max(busiest, underWay);
      return act(row, left.shift() ?? plain).finally(() => {
        underWay -= 1;
      });
    },
    lookup: {
      async *list() {
        for (const order of [...orders].reverse()) {
          await turn();
          yield summaryOf(order);
        }
      },
      async detail(id) {
        await turn();
        const order = orders.find((each) => each.id === id);
        if (!order) throw new Error(`nobody has the order ${id}`);
        return detailOf(order);
      },
      clockOffsetMs: () => 0,
      nextCommand: (words) => words,
    },
    async settled() {
      while (underWay > 0) await turn();
    },
    get busiest() {
      return busiest;
    },
  };
}

function summaryOf({ id, row: { draft }, createdMs }: StoredOrder): OrderSummary {
  return {
    id: jsonNumber(id),
    created_at: new Date(createdMs).toISOString(),
    item_name: draft.item?.name,
    sender: { name: draft.sender?.name, city: draft.sender?.city },
    receiver: { name: draft.receiver?.name, city: draft.receiver?.city },
  } as OrderSummary;
}

function detailOf({ id, row: { draft }, createdMs }: StoredOrder): OrderDetail {
  return {
    id: jsonNumber(id),
    order_no: `CO${id}`,
    tracking_number: `CR${id}`,
    estimated_fee: jsonNumber("12.00"),
    created_at: new Date(createdMs).toISOString(),
    service_type: draft.service_type ?? "standard",
    sender: addressed(draft.sender),
    receiver: addressed(draft.receiver),
    item: draft.item,
  } as OrderDetail;
}

function addressed(party: DraftParty | undefined): Draft["sender"] {
  const { name, phone, province = "", city = "", district = "", detail = "" } = party ?? {};
  return { name, phone, address: [province, city, district, detail].join("") } as Draft["sender"];
}
