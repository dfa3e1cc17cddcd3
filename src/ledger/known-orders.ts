/** The cache of orders from the service's answers, for completion. */

import type { KnownOrder } from "../model/known-order.ts";
import { toStoredNumber, toStoredText } from "../model/stored-text.ts";
import type { Database } from "../sqlite/database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { storedNumberOf, textOf } from "./operation.ts";
import { mostCached, mostOwners, type OrdersOwner, type OwnedOrders } from "./order-cache.ts";

export interface KnownOrders {
  /** Stores orders; fields that an answer did not show keep their values. The last in the list is the newest. */
  rememberOrders(owner: OrdersOwner, orders: readonly KnownOrder[], nowMs: number): Promise<void>;
  /** The orders that were seen last, newest first. */
  recentOrders(owner: OrdersOwner, limit: number): Promise<readonly KnownOrder[]>;
  /** The states that answers showed, by order id, with the time of the answer. */
  seenStates(owner: OrdersOwner): Promise<ReadonlyMap<string, SeenState>>;
  /** Deletes all orders of an account, at any service or at one. */
  forgetOrders(account: string, service?: string): Promise<void>;
}

export interface SeenState {
  readonly status: string | undefined;
  readonly trackingNumber: string | undefined;
  readonly seenAtMs: number;
}

/** More do not help completion. */
const mostKept = 1_000;

/** Writes the completion cache. Called inside the transaction, so that there is one writer; must not throw. */
export type Publish = (owners: readonly OwnedOrders[]) => void;

export function createKnownOrders(database: Database, write: Write, publish: Publish): KnownOrders {
  const sql = database.sql;
  const newestFirst = "ORDER BY seen_at DESC, created_at DESC, number DESC";

  /** The order's row, by its numbers as they are stored. A parcel that was tracked before its order was seen becomes that order. */
  function findRow(
    { account, service }: OrdersOwner,
    { id, trackingNumber }: Pick<KnownOrder, "id" | "trackingNumber">,
  ): number | undefined {
    const own = "FROM known_orders WHERE account = ? AND service = ? AND";
    const byId =
      id === undefined ? undefined : sql(`SELECT number ${own} id = ?`).get(account, service, id)?.number;
    if (trackingNumber === undefined) return byId as number | undefined;
    const condition = id === undefined ? "" : "AND id IS NULL";
    const parcel = sql(
      `SELECT number ${own} tracking_number = ? ${condition} ORDER BY id IS NULL, seen_at DESC LIMIT 1`,
    ).get(account, service, trackingNumber)?.number;
    if (byId !== undefined && parcel !== undefined)
      sql("DELETE FROM known_orders WHERE number = ?").run(parcel);
    return (byId ?? parcel) as number | undefined;
  }

  function remember(owner: OrdersOwner, order: KnownOrder, seenAtMs: number): void {
    const { id, item, receiver, createdAt, keyTag } = order;
    const status = order.status && toStoredText(order.status);
    const trackingNumber = order.trackingNumber && toStoredNumber(order.trackingNumber);
    const values = [id, trackingNumber, status, item, receiver, createdAt, keyTag].map(
      (value) => value ?? null,
    );
    const known = findRow(owner, { id, trackingNumber });
    if (known === undefined)
      sql(
        `INSERT INTO known_orders (account, service, id, tracking_number, status, item, receiver, created_at, key_tag, seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(owner.account, owner.service, ...values, seenAtMs);
    else
      sql(
        `UPDATE known_orders SET id = coalesce(?, id), tracking_number = coalesce(?, tracking_number),
           status = coalesce(?, status), item = coalesce(?, item), receiver = coalesce(?, receiver),
           created_at = coalesce(?, created_at), key_tag = coalesce(?, key_tag), seen_at = ? WHERE number = ?`,
      ).run(...values, seenAtMs, known);
  }

  function listRecent({ account, service }: OrdersOwner, limit: number): KnownOrder[] {
    return sql(`SELECT * FROM known_orders WHERE account = ? AND service = ? ${newestFirst} LIMIT ?`)
      .all(account, service, limit)
      .map(read);
  }

  function publishAll(): void {
    const owners = sql(
      `SELECT account, service FROM known_orders GROUP BY account, service ORDER BY max(seen_at) DESC LIMIT ?`,
    ).all(mostOwners);
    publish(
      owners.map((row) => {
        const owner = { account: String(row.account), service: String(row.service) };
        return { ...owner, orders: listRecent(owner, mostCached) };
      }),
    );
  }

  return {
    rememberOrders: (owner, orders, nowMs) =>
      write(() => {
        const { account, service } = owner;
        const last = sql("SELECT max(seen_at) AS ms FROM known_orders WHERE account = ? AND service = ?").get(
          account,
          service,
        )?.ms;
        // If the clock was set back, an order that is seen now must still be the newest.
        const seenAtMs = Math.max(nowMs, Number(last ?? 0) + 1);
        for (const order of orders) remember(owner, order, seenAtMs);
        sql(
          `DELETE FROM known_orders WHERE number IN (SELECT number FROM known_orders
             WHERE account = ? AND service = ? ${newestFirst} LIMIT -1 OFFSET ?)`,
        ).run(account, service, mostKept);
        publishAll();
      }),

    recentOrders: async (owner, limit) => listRecent(owner, limit),

    async seenStates({ account, service }) {
      const rows = sql(
        "SELECT id, status, tracking_number, seen_at FROM known_orders WHERE account = ? AND service = ? AND id IS NOT NULL",
      ).all(account, service);
      return new Map(
        rows.map((row) => [
          String(row.id),
          {
            status: textOf(row.status),
            trackingNumber: storedNumberOf(row.tracking_number),
            seenAtMs: Number(row.seen_at),
          },
        ]),
      );
    },

    forgetOrders: (account, service) =>
      write(() => {
        sql("DELETE FROM known_orders WHERE account = ?1 AND service = coalesce(?2, service)").run(
          account,
          service ?? null,
        );
        publishAll();
      }),
  };
}

/** Leaves unknown fields out. */
function read(row: SqlRow): KnownOrder {
  const order: KnownOrder = {
    id: textOf(row.id),
    trackingNumber: storedNumberOf(row.tracking_number),
    status: textOf(row.status),
    item: textOf(row.item),
    receiver: textOf(row.receiver),
    createdAt: textOf(row.created_at),
    keyTag: textOf(row.key_tag),
  };
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined));
}
