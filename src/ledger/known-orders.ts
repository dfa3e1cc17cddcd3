/** Orders that passed by in the service's answers, newest first: what the Tab key offers. */

import type { Database } from "../sqlite/database.ts";
import type { Write } from "../sqlite/write-queue.ts";
import { textOf } from "./operation.ts";

/** An order as far as an answer showed it; what it did not show is undefined. */
export interface KnownOrder {
  readonly id: string;
  readonly trackingNumber?: string | undefined;
  readonly status?: string | undefined;
  readonly item?: string | undefined;
  readonly receiver?: string | undefined;
  readonly createdAt?: string | undefined;
}

export interface OrdersOwner {
  readonly account: string;
  readonly service: string;
}

export interface KnownOrders {
  /** Remembers orders; what an answer did not show stays as it was known. The last in the list is the newest. */
  rememberOrders(owner: OrdersOwner, orders: readonly KnownOrder[], nowMs: number): Promise<void>;
  /** The orders that were seen last. */
  recentOrders(owner: OrdersOwner, limit: number): Promise<readonly KnownOrder[]>;
  /** Forgets all orders of an account, whatever service they are at. */
  forgetOrders(account: string): Promise<void>;
}

/** More is no help at the Tab key. */
const mostKept = 1_000;

export function createKnownOrders(database: Database, write: Write): KnownOrders {
  const sql = database.sql;
  return {
    rememberOrders: ({ account, service }, orders, nowMs) =>
      write(() => {
        const insert = sql(
          `INSERT INTO known_orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (account, service, id) DO UPDATE SET
             tracking_number = coalesce(excluded.tracking_number, tracking_number),
             status = coalesce(excluded.status, status), item = coalesce(excluded.item, item),
             receiver = coalesce(excluded.receiver, receiver),
             created_at = coalesce(excluded.created_at, created_at), seen_at = excluded.seen_at`,
        );
        for (const { id, trackingNumber, status, item, receiver, createdAt } of orders)
          insert.run(
            account,
            service,
            id,
            trackingNumber ?? null,
            status ?? null,
            item ?? null,
            receiver ?? null,
            createdAt ?? null,
            nowMs,
          );
        sql(
          `DELETE FROM known_orders WHERE account = ?1 AND service = ?2 AND seen_at <
             (SELECT seen_at FROM known_orders WHERE account = ?1 AND service = ?2
              ORDER BY seen_at DESC LIMIT 1 OFFSET ?3)`,
        ).run(account, service, mostKept);
      }),

    async recentOrders({ account, service }, limit) {
      const rows = sql(
        `SELECT * FROM known_orders WHERE account = ? AND service = ?
         ORDER BY seen_at DESC, created_at DESC, id DESC LIMIT ?`,
      ).all(account, service, limit);
      return rows.map((row) => ({
        id: String(row.id),
        trackingNumber: textOf(row.tracking_number),
        status: textOf(row.status),
        item: textOf(row.item),
        receiver: textOf(row.receiver),
        createdAt: textOf(row.created_at),
      }));
    },

    forgetOrders: (account) =>
      write(() => {
        sql("DELETE FROM known_orders WHERE account = ?").run(account);
      }),
  };
}
