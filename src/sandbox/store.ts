/**
 * Owns the orders on disk. Each order is one file that never changes, `orders/1/000/1000001.json`, and
 * each thing that happens to it afterwards another beside it, `1000001.event-1.json`. Calls are synchronous
 * on purpose: one takes tens of microseconds, less than handing it to the thread pool would.
 */

import { randomUUID } from "node:crypto";
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { firstStoredId } from "./choices.ts";
import {
  formatEvent,
  formatOrder,
  type Order,
  type OrderContent,
  type OrderEvent,
  type OrderFacts,
  parseEvent,
  parseOrder,
} from "./order.ts";
import { publish, readIfThere, unless } from "./publish.ts";
import type { OrderSource } from "./source.ts";

export interface Store extends OrderSource {
  /** Notices that another process wiped the directory; to be called before each piece of work. */
  refresh(): void;
  /** Ids of all stored orders, ascending. */
  ids(): readonly number[];
  /** Writes a new order; two processes never get one id. */
  create(content: OrderContent): Order;
}

/** No directory holds more orders than this, so finding the next id takes the same time in any store. */
const shardSize = 1000;
/** Other processes may have created many orders meanwhile: after so many taken ids, look again. */
const takenInARow = 100;
/** What is remembered of orders already read stays below about 100 MB. */
const rememberedOrders = 500_000;

export function openStore(stateDir: string): Store {
  const ordersDir = join(stateDir, "orders");
  const draftDir = join(stateDir, "drafts");
  const facts = new Map<number, OrderFacts>();
  const events = new Map<number, OrderEvent[]>();
  const fullShards = new Map<string, readonly number[]>();
  const unreadable = new Set<number>();
  let nextId: number | undefined;
  let incarnation: string | undefined;

  function shardOf(id: number): string {
    const thousands = String(Math.floor(id / shardSize) % shardSize).padStart(3, "0");
    return join(ordersDir, String(Math.floor(id / shardSize ** 2)), thousands);
  }

  const orderPath = (id: number) => join(shardOf(id), `${id}.json`);
  const eventPath = (id: number, position: number) => join(shardOf(id), `${id}.event-${position + 1}.json`);

  /** The directories that hold orders, ascending: all of them, or the last one only. */
  function shards(range: "all" | "last"): string[] {
    const choose = (names: readonly string[]) => (range === "last" ? names.slice(-1) : names);
    const branches = choose(namesIn(ordersDir, /^\d+$/)).map((name) => join(ordersDir, name));
    return branches.flatMap((branch) => choose(namesIn(branch, /^\d{3}$/)).map((name) => join(branch, name)));
  }

  function idsIn(shard: string): readonly number[] {
    const known = fullShards.get(shard);
    if (known) return known;
    const ids = namesIn(shard, /^\d+\.json$/).map((name) => Number.parseInt(name, 10));
    if (ids.length === shardSize) fullShards.set(shard, ids);
    return ids;
  }

  function followingId(): number {
    const last = shards("last").flatMap(idsIn).at(-1);
    return last === undefined ? firstStoredId : last + 1;
  }

  function* pathsFromNextId(): Generator<string> {
    nextId ??= followingId();
    for (let taken = 1; ; taken++) {
      yield orderPath(nextId);
      nextId = taken % takenInARow === 0 ? Math.max(nextId + 1, followingId()) : nextId + 1;
    }
  }

  /** A file that was cut short by a failing machine counts as an order that was never created. */
  function readOrder(id: number): Order | undefined {
    const text = id < firstStoredId ? undefined : readIfThere(orderPath(id));
    if (text === undefined) return undefined;
    try {
      return { id, ...parseOrder(text) };
    } catch {
      unreadable.add(id);
      return undefined;
    }
  }

  return {
    refresh() {
      const found = statSync(ordersDir, { throwIfNoEntry: false });
      const current = found && `${found.ino} ${found.birthtimeMs}`;
      if (current === incarnation) return;
      incarnation = current;
      nextId = undefined;
      for (const memory of [facts, events, fullShards, unreadable]) memory.clear();
    },

    ids() {
      const ids = shards("all").flatMap(idsIn);
      return unreadable.size === 0 ? ids : ids.filter((id) => !unreadable.has(id));
    },

    create(content) {
      publish(draftDir, formatOrder(content), pathsFromNextId());
      const id = nextId ?? firstStoredId;
      nextId = id + 1;
      return { id, ...content };
    },

    order: readOrder,

    facts(id) {
      const known = facts.get(id);
      if (known) return known;
      const order = readOrder(id);
      if (!order) return undefined;
      if (facts.size >= rememberedOrders) facts.clear();
      const { createdMs, serviceType } = order;
      facts.set(id, { createdMs, serviceType });
      return order;
    },

    events(id) {
      const known = events.get(id) ?? [];
      for (;;) {
        const path = eventPath(id, known.length);
        // Most orders have no further event, and asking is cheaper than failing to read.
        if (!statSync(path, { throwIfNoEntry: false })) return known;
        known.push(parseEvent(readIfThere(path) ?? ""));
        events.set(id, known);
      }
    },

    append(id, event, position) {
      return publish(draftDir, formatEvent(event), [eventPath(id, position)]) !== undefined;
    },
  };
}

/** Takes all orders away in one step, then removes them; nothing there is fine. */
export function wipeStore(stateDir: string): void {
  const wiped = `wiped-${randomUUID()}`;
  unless("ENOENT", () => renameSync(join(stateDir, "orders"), join(stateDir, wiped)));
  for (const name of namesIn(stateDir, /^(wiped-.*|drafts)$/)) {
    rmSync(join(stateDir, name), { recursive: true, force: true });
  }
}

/** Names in a directory that match, in the order of the numbers that they begin with. */
function namesIn(directory: string, pattern: RegExp): string[] {
  const names = unless("ENOENT", () => readdirSync(directory)) ?? [];
  const matching = names.filter((name) => pattern.test(name));
  return matching.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}
