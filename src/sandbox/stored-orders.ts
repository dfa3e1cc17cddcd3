/** The stored orders: one SQLite file, `sandbox.db`, shared by any number of processes. */

import { join } from "node:path";
import { type Database, openDatabase } from "../sqlite/database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { hasDatabase } from "../sqlite/private-file.ts";
import type { WaitOptions } from "../sqlite/wait.ts";
import { createWriteQueue } from "../sqlite/write-queue.ts";
import { firstStoredId, profileIds } from "./defaults.ts";
import { createFactsCache } from "./facts-cache.ts";
import {
  type Decision,
  formatParts,
  type KnownOrder,
  type Order,
  type OrderContent,
  type OrderEvent,
  parseParts,
  type ServiceType,
} from "./order.ts";
import type { OrderSource } from "./source.ts";

export interface StoredOrders {
  /** Commits a new order. Creates that arrive together are one transaction. */
  create(content: OrderContent): Promise<Order>;
  /** Applies a decision; of several at once each sees the ones before it. False for an unknown order. */
  change(id: number, decide: Decision): Promise<boolean>;
  /** Runs `work` on one snapshot of all orders. */
  read<T>(work: (orders: OrderSource) => T): Promise<T>;
  /** 2.1: the account's id, made with the file and anew by each reset. */
  profileId(): Promise<number>;
  /** Deletes all orders, from the disk too unless it is read meanwhile, and chooses another profile id. */
  reset(onDeleted?: () => Promise<void>): Promise<void>;
  close(): void;
}

export interface StoredOrdersOptions {
  /** Made on first need, for its owner alone. */
  readonly stateDir: string;
  /** From 0 up to but excluding 1; chooses the profile's id. Without it: Math.random. */
  readonly random?: (() => number) | undefined;
  /** How to wait for other processes that use the file. */
  readonly wait?: WaitOptions | undefined;
}

/** Ids have no gaps: a new order has the one after the largest, and only a reset deletes orders, all of them. */
const migrations = [
  `CREATE TABLE sandbox (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    profile_id INTEGER NOT NULL,
    resets INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    created_ms INTEGER NOT NULL,
    service_type TEXT NOT NULL,
    parts TEXT NOT NULL
  ) STRICT;
  CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    order_id INTEGER NOT NULL,
    state TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX events_by_order ON events (order_id);`,
];

/** Throws `database` (exit 5) for a file that cannot be used; it stays as it is. */
export async function openStoredOrders({
  stateDir,
  random = Math.random,
  wait,
}: StoredOrdersOptions): Promise<StoredOrders> {
  const database = await openDatabase({
    path: storedOrdersPath(stateDir),
    title: "sandbox",
    applicationId: 0x43525342,
    migrations,
    durability: "normal",
    wait,
    damagedHint: "delete it, with its -wal and -shm files; the sandbox then begins anew",
  });
  try {
    if (!(await database.read(() => readSandbox(database)))) {
      await database.transaction(() =>
        database
          .sql("INSERT OR IGNORE INTO sandbox (only, profile_id, resets) VALUES (1, ?, 0)")
          .run(chooseProfileId(random)),
      );
    }
  } catch (error) {
    database.close();
    throw error;
  }
  const write = createWriteQueue(database);
  const cache = createFactsCache(database);

  function find(id: number): KnownOrder | undefined {
    const row = database.sql("SELECT created_ms, service_type, parts FROM orders WHERE id = ?").get(id);
    return row && { order: toOrder(id, row), events: readEvents(id) };
  }

  function readEvents(id: number): OrderEvent[] {
    const rows = database.sql("SELECT state, at_ms FROM events WHERE order_id = ? ORDER BY number").all(id);
    return rows.map(({ state, at_ms }) => ({ to: String(state), atMs: Number(at_ms) }));
  }

  function insert(content: OrderContent): Order {
    const id = lastId(database) + 1;
    database
      .sql("INSERT INTO orders (id, created_ms, service_type, parts) VALUES (?, ?, ?, ?)")
      .run(id, content.createdMs, content.serviceType, formatParts(content));
    return { id, ...content };
  }

  return {
    create: (content) => write(() => insert(content)),

    change: (id, decide) =>
      database.transaction(() => {
        const known = find(id);
        if (!known) return false;
        const { to, atMs } = decide(known.order, known.events);
        database.sql("INSERT INTO events (order_id, state, at_ms) VALUES (?, ?, ?)").run(id, to, atMs);
        return true;
      }),

    read: (work) =>
      database.read(() => {
        let isFresh = false;
        const facts = () => {
          if (!isFresh) cache.refresh();
          isFresh = true;
          return cache;
        };
        return work({
          firstId: firstStoredId,
          count: lastId(database) + 1 - firstStoredId,
          find,
          facts: (id) => facts().facts(id),
          events: (id) => facts().events(id),
        });
      }),

    profileId: () => database.read(() => Number(readSandbox(database)?.profile_id)),

    async reset(onDeleted) {
      await database.transaction(() => {
        const before = Number(readSandbox(database)?.profile_id);
        database.sql("DELETE FROM orders").run();
        database.sql("DELETE FROM events").run();
        database
          .sql("UPDATE sandbox SET resets = resets + 1, profile_id = ?")
          .run(chooseProfileId(random, before));
      });
      await onDeleted?.();
      await database.compact().catch(() => undefined); // the orders are gone, and were for tests alone
    },

    close: () => database.close(),
  };
}

/** Whether there is a file; a sandbox that was never used has none. */
export function hasStoredOrders(stateDir: string): boolean {
  return hasDatabase(storedOrdersPath(stateDir));
}

/** The directory of the sandbox below the state directory of its user. */
export function sandboxDirectory(state: string): string {
  return join(state, "sandbox");
}

/** The file of a sandbox. */
export function storedOrdersPath(stateDir: string): string {
  return join(stateDir, "sandbox.db");
}

function readSandbox(database: Database): SqlRow | undefined {
  return database.sql("SELECT profile_id FROM sandbox").get();
}

function lastId(database: Database): number {
  return Number(database.sql("SELECT max(id) AS id FROM orders").get()?.id ?? firstStoredId - 1);
}

function toOrder(id: number, { created_ms, service_type, parts }: SqlRow): Order {
  const serviceType = service_type as ServiceType;
  return { id, createdMs: Number(created_ms), serviceType, ...parseParts(String(parts)) };
}

/** Never the one before, whatever the random source gives. */
function chooseProfileId(random: () => number, before?: number): number {
  const { lowest, count } = profileIds;
  const chosen = lowest + Math.floor(random() * count);
  return chosen === before ? lowest + ((chosen - lowest + 1) % count) : chosen;
}
