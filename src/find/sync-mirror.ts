/** Brings the mirror up to date with as few calls as the interface allows (4.3 and 4.4). */

import { ServiceFailure } from "../api/failure.ts";
import { allOrders, restOfOrders } from "../api/pages.ts";
import { type CourierService, type OrderFilter, toCount } from "../api/service.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { parseInstant, utcDate } from "../core/time.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { OrderSummary } from "../model/interface.ts";
import { stateNames } from "../model/states.ts";

export interface SyncTools {
  readonly service: CourierService;
  readonly mirror: Mirror;
  readonly now: () => number;
  /** Called with the number of calls that are ahead; may reject to stop. */
  readonly beforeCalls: (calls: number) => Promise<void>;
  readonly onProgress: (orders: number) => void;
}

export interface SyncCounts {
  readonly listed: number;
  /** Orders that were looked up one by one: they were in no list. */
  readonly looked_up: number;
  /** Orders that the service no longer shows. Their last answers are kept. */
  readonly not_shown: number;
}

const pageSize = 100;
const callsAtOnce = 8;
/** An order may be listed late, or stamped by another clock. */
const overlapDays = 2;

/** The service lists orders in these states no differently tomorrow. */
const settledStates: readonly string[] = ["completed", "cancelled"];

/** The first sync reads the whole list, later ones what is new and what may have changed. */
export async function syncMirror(tools: SyncTools): Promise<SyncCounts> {
  if ((await tools.mirror.facts()).syncedAtMs !== undefined) return syncChanges(tools);
  const begunPass = await tools.mirror.lastPass();
  const sync = createSync(tools, begunPass ?? (await tools.mirror.beginPass()));
  const atMs = tools.now();
  if (begunPass === undefined) {
    await sync.list({});
    return sync.end(atMs, undefined);
  }
  await sync.listRest(await tools.mirror.idsInPass(begunPass));
  const rest = await sync.end(atMs, undefined);
  const changes = await syncChanges(tools); // of what the sync before had read
  return { ...changes, listed: rest.listed + changes.listed };
}

async function syncChanges(tools: SyncTools): Promise<SyncCounts> {
  const { mirror, now } = tools;
  const before = await mirror.facts();
  const atMs = now();
  const sync = createSync(tools, await mirror.beginPass());
  await sync.list(
    before.syncedThrough === undefined ? {} : { dateFrom: moveDate(before.syncedThrough, -overlapDays) },
  );
  const states = [...(await mirror.countByState()).keys()].filter((state) => !isSettled(state));
  await sync.listStates(states);
  await sync.lookUpOthers(states);
  return sync.end(atMs, before.syncedThrough);
}

export function isSettled(state: string | undefined): boolean {
  return state !== undefined && settledStates.includes(state);
}

function createSync({ service, mirror, now, beforeCalls, onProgress }: SyncTools, pass: number) {
  let listed = 0;
  let lookedUp = 0;
  let notShown = 0;
  let newest: string | undefined;

  /** False where the service no longer shows the order: its last answers stay. */
  async function lookUp(id: string): Promise<boolean> {
    try {
      const order = await service.order(id);
      await mirror.record([{ id, kind: "detail", value: order }], now(), pass);
      return true;
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === "refused") return false;
      throw error;
    }
  }

  async function record(orders: readonly OrderSummary[]): Promise<void> {
    await mirror.record(
      orders.map((order) => ({ id: order.id.value, kind: "list", value: order })),
      now(),
      pass,
    );
    listed += orders.length;
    onProgress(listed);
    for (const { created_at } of orders) {
      if (created_at && parseInstant(created_at) !== undefined && created_at > (newest ?? ""))
        newest = created_at;
    }
  }

  /** False where an order does not match `status`: then the rest is not read. Throws ServiceFailure. */
  async function list(
    filter: OrderFilter,
    orders = allOrders(service, filter, { concurrency: callsAtOnce, beforeOthers: beforeCalls }),
  ): Promise<boolean> {
    let batch: OrderSummary[] = [];
    for await (const order of orders) {
      batch.push(order);
      const isOther = filter.status !== undefined && order.status !== filter.status;
      if (isOther || batch.length === pageSize) {
        await record(batch);
        batch = [];
      }
      if (isOther) return false;
    }
    await record(batch);
    return true;
  }

  async function hasListed(status: string): Promise<boolean> {
    try {
      return await list({ status });
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === "refused") return false;
      throw error;
    }
  }

  /** From the oldest order in these states. */
  async function listSince(date: string | undefined): Promise<void> {
    await list(date === undefined ? {} : { dateFrom: moveDate(date, -1) });
  }

  return {
    list,

    /** The orders of the whole list that a sync which did not end has not read. */
    async listRest(read: readonly string[]): Promise<void> {
      await list(
        {},
        restOfOrders(service, new Set(read), { concurrency: callsAtOnce, beforeOthers: beforeCalls }),
      );
    },

    /** Whether the service knows a state by its name is not shown (4.3): where it does not, by date. */
    async listStates(found: readonly (string | undefined)[]): Promise<void> {
      const unsettled = stateNames.filter((state) => !isSettled(state));
      const states = new Set([...unsettled, ...found.filter((state) => state !== undefined)]);
      for (const state of states) {
        if (await hasListed(state)) continue;
        return listSince(await mirror.oldest([...states, ...found]));
      }
    },

    /** Orders that have left their state, or were in no list. */
    async lookUpOthers(states: readonly (string | undefined)[]): Promise<void> {
      const since = await mirror.oldest(states);
      const left = await mirror.notInPass(pass, states);
      if (since !== undefined && (await mirror.countSince(since)) / pageSize + 1 < left.length)
        await listSince(since);
      for await (const wasShown of mapInOrder(await mirror.notInPass(pass, states), callsAtOnce, lookUp)) {
        lookedUp += 1;
        if (!wasShown) notShown += 1;
      }
    },

    async end(atMs: number, through: string | undefined): Promise<SyncCounts> {
      await mirror.noteSync({ atMs, through: throughDate(newest, atMs, service) ?? through });
      return { listed, looked_up: lookedUp, not_shown: notShown };
    },
  };
}

/** The day from which the next sync reads: an order is stamped by the service's clock, and never later than now. */
function throughDate(newest: string | undefined, atMs: number, service: CourierService): string | undefined {
  const newestMs = newest === undefined ? undefined : parseInstant(newest);
  if (newestMs === undefined) return undefined;
  return utcDate(Math.min(newestMs, atMs + (service.clockOffsetMs() ?? 0)));
}

function moveDate(instant: string, days: number): string {
  return utcDate(parseInstant(instant.length === 10 ? `${instant}T00:00:00Z` : instant) ?? 0, days);
}

/** Compares the mirror with the service's own counts (2.6), one call a state, and reads again what differs. */
export async function verifyMirror({ service, mirror, now, beforeCalls }: SyncTools): Promise<void> {
  const counts = await mirror.countByState();
  const states = new Set([...stateNames, ...[...counts.keys()].filter((state) => state !== undefined)]);
  for (const status of states) {
    const { pagination } = await service.listOrders({ status }, 1, 1);
    if (toCount(pagination.total_items) === (counts.get(status) ?? 0)) continue;
    const orders: OrderSummary[] = [];
    for await (const order of allOrders(
      service,
      { status },
      { concurrency: callsAtOnce, beforeOthers: beforeCalls },
    ))
      orders.push(order);
    await mirror.record(
      orders.map((order) => ({ id: order.id.value, kind: "list", value: order })),
      now(),
    );
  }
}
