/** A service that may do anything within the limits of docs/never-twice.md, on a clock moved by hand. */

import { ServiceFailure } from "../../src/api/failure.ts";
import type { Draft, DraftParty } from "../../src/model/draft.ts";
import type { OrderDetail, OrderSummary } from "../../src/model/interface.ts";
import { type JsonObject, jsonNumber } from "../../src/model/json.ts";
import type { HandClock } from "../support/hand-clock.ts";

/** What a service shows of an order. */
export interface Shown {
  readonly name: string;
  readonly phone: string;
  readonly address: string;
  readonly item: string;
  readonly description: string;
  readonly quantity: string;
}

export const rewritings: Readonly<Record<string, (shown: Shown) => Shown>> = {
  "nothing is rewritten": (shown) => shown,
  "name in other characters": (shown) => ({ ...shown, name: `${shown.name}样` }),
  "name hidden": (shown) => ({ ...shown, name: `${[...shown.name][0]}*` }),
  "phone hidden": (shown) => ({ ...shown, phone: shown.phone.replace(/(?<=^.{3}).{4}/, "****") }),
  "phone without its last digits": (shown) => ({ ...shown, phone: shown.phone.slice(0, 8) }),
  "address reordered": (shown) => ({ ...shown, address: [...shown.address].reverse().join("") }),
  "item cut": (shown) => ({ ...shown, item: shown.item.slice(0, 2) }),
  "description dropped": (shown) => ({ ...shown, description: "" }),
  "quantity changed": (shown) => ({ ...shown, quantity: "1000" }),
};

/** An order at the service. */
export interface StoredOrder {
  readonly id: string;
  readonly draft: Draft;
  /** The request that made it; undefined for one of another writer. */
  readonly request: number | undefined;
  readonly madeMs: number;
  readonly visibleMs: number;
  readonly skewMs: number;
}

export interface Manners {
  readonly rewrite: (shown: Shown) => Shown;
  readonly skewMs: number;
}

export interface Adversary {
  /** With those that are still to be made. */
  readonly all: readonly StoredOrder[];
  readonly orders: readonly StoredOrder[];
  /** Makes an order, now or later; it comes into view no sooner than any that was made before it. */
  make(draft: Draft, request: number | undefined, madeMs: number, lagMs: number): void;
  list(dateFrom: string | undefined): AsyncGenerator<OrderSummary>;
  detail(id: string): Promise<OrderDetail>;
  /** Details of these orders are refused while it is set. */
  refusesDetails: boolean;
  /** The list is refused while it is set. */
  refusesList: boolean;
  /** The list and the details are those of a copy without the orders that were made since, while it is set. */
  copiedMs: number | undefined;
}

export function createAdversary(clock: Pick<HandClock, "now">, { rewrite, skewMs }: Manners): Adversary {
  /** Those of the future as well. */
  const all: StoredOrder[] = [];
  /** Ids tell nothing: the service gives them in no order. */
  const idOf = (place: number) => String(1_000_000 + ((place * 7_919) % 99_991));
  const inView = () => {
    const nowMs = clock.now();
    let viewMs = 0;
    return [...all]
      .sort((a, b) => a.madeMs - b.madeMs)
      .filter((order) => {
        viewMs = Math.max(viewMs, order.visibleMs);
        return viewMs <= nowMs && order.madeMs < (service.copiedMs ?? Number.POSITIVE_INFINITY);
      });
  };
  const service: Adversary = {
    all,
    get orders() {
      return all.filter(({ madeMs }) => madeMs <= clock.now());
    },
    refusesDetails: false,
    refusesList: false,
    copiedMs: undefined,
    make(draft, request, madeMs, lagMs) {
      all.push({ id: idOf(all.length), draft, request, madeMs, visibleMs: madeMs + lagMs, skewMs });
    },
    async *list(dateFrom = "") {
      if (service.refusesList) throw new ServiceFailure("server_error", "no list now");
      for (const order of inView().reverse()) {
        if (stampOf(order).slice(0, 10) < dateFrom) continue;
        const shown = rewrite(show(order.draft));
        yield {
          id: jsonNumber(order.id),
          created_at: stampOf(order),
          item_name: shown.item,
          receiver: { name: shown.name },
          sender: { name: order.draft.sender?.name },
        } as OrderSummary;
      }
    },
    async detail(id) {
      const order = service.refusesDetails ? undefined : inView().find((each) => each.id === id);
      if (!order) throw new ServiceFailure("refused", `no order ${id}`);
      const shown = rewrite(show(order.draft));
      return {
        id: jsonNumber(id),
        created_at: stampOf(order),
        status: "pending",
        receiver: { name: shown.name, phone: shown.phone, address: shown.address },
        sender: { name: order.draft.sender?.name },
        item: { name: shown.item, description: shown.description, quantity: jsonNumber(shown.quantity) },
      } as unknown as OrderDetail;
    },
  };
  return service;
}

export function stampOf({ madeMs, skewMs }: StoredOrder): string {
  return new Date(madeMs + skewMs).toISOString();
}

function show({ receiver, item }: Draft): Shown {
  const { province = "", city = "", district = "", detail = "" } = (receiver ?? {}) as DraftParty;
  return {
    name: receiver?.name ?? "",
    phone: receiver?.phone ?? "",
    address: [province, city, district, detail].join(""),
    item: item?.name ?? "",
    description: item?.description ?? "",
    quantity: item?.quantity?.value ?? "1",
  };
}

/** From this content on, orders go to receivers of another writer. */
export const elsewhere = 1_000;

/** Orders of a shop: some have the same receiver, some the same item. */
export function draftOf(content: number): Draft {
  const receivers = [
    ["李四", "13900139000", "建国路88号"],
    ["王五", "13700137001", "人民路2号"],
    ["赵六", "13600136002", "中山路30号"],
    ["李雷", "13500135003", "解放路4号"],
    ["王芳", "13400134004", "和平路50号"],
  ];
  const isElsewhere = content >= elsewhere;
  const [name, phone, detail] = receivers[isElsewhere ? 3 + (content % 2) : content % 3] as string[];
  const item = ["手机壳", "蓝牙耳机"][Math.floor(content / 3) % 2];
  return {
    sender: { name: "张三" },
    receiver: { name, phone, city: "北京市", detail },
    item: { name: item, description: "new", quantity: jsonNumber(String(1 + (Math.floor(content / 6) % 9))) },
  } as JsonObject as Draft;
}
