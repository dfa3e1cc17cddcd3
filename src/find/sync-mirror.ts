/** Brings the mirror up to date with as few calls as the interface allows (4.3 and 4.4). */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import { allOrders, restOfOrders } from "../api/pages.ts";
import { type CourierService, type OrderFilter, toCount } from "../api/service.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { isNoTime, parseInstant, utcDate } from "../core/time.ts";
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
  /** Called with an order that could not be looked up, where the others are. */
  readonly onFailure: (id: string, failure: ServiceFailure) => void;
}

export interface SyncCounts {
  readonly listed: number;
  /** Orders that were looked up one by one: they were in no list. */
  readonly looked_up: number;
}

interface LookUpTools extends Omit<SyncTools, "onProgress"> {
  readonly pass?: number;
  readonly passesRefusals?: boolean;
}

const pageSize = 100;
const callsAtOnce = 8;
/** Look-ups in a row that fail, after which no further one is made. */
const mostFailures = 10;
/** An order may be listed late, or stamped by another clock. */
const overlapDays = 2;

/** The service lists orders in these states no differently tomorrow. */
const settledStates: readonly string[] = ["completed", "cancelled"];

/** The first sync reads the whole list, later ones what is new and what may have changed. */
export async function syncMirror(tools: SyncTools): Promise<SyncCounts> {
  const { syncedAtMs } = await tools.mirror.facts();
  return syncedAtMs === undefined ? syncWhole(tools) : syncChanges(tools);
}

/**
 * What a sync that did not end has read is not read again, except what may have changed since. Where that takes no
 * fewer calls than the whole list, reads the whole list.
 */
async function syncWhole(tools: SyncTools): Promise<SyncCounts> {
  const { mirror, now } = tools;
  const atMs = now();
  const read = await mirror.idsInPasses();
  const { states, orders } = await activeOrders(mirror);
  const pass = await mirror.beginPass();
  const sync = createSync(tools, pass);
  const forChanges = Math.min(orders, unsettledStates.length + orders / pageSize) + 1;
  // One that ended early twice may do so each time at the same place.
  if (pass <= 2 && read.length / pageSize <= forChanges) {
    await sync.list({});
    await sync.lookUpOthers(states);
    return sync.end(atMs, undefined);
  }
  await sync.listRest(read);
  if ((await sync.countOthers(states)) > unsettledStates.length) await sync.listStates(states);
  await sync.lookUpOthers(states);
  return sync.end(atMs, undefined);
}

/** The states of the mirror's orders that may change, and how many orders are in them. */
async function activeOrders(mirror: Mirror) {
  const active = [...(await mirror.countByState())].filter(([state]) => !isSettled(state));
  return {
    states: active.map(([state]) => state),
    orders: active.reduce((sum, [, orders]) => sum + orders, 0),
  };
}

async function syncChanges(tools: SyncTools): Promise<SyncCounts> {
  const { mirror, now } = tools;
  const before = await mirror.facts();
  const atMs = now();
  const sync = createSync(tools, await mirror.beginPass());
  await sync.list(
    before.syncedThrough === undefined ? {} : { dateFrom: moveDate(before.syncedThrough, -overlapDays) },
  );
  const { states } = await activeOrders(mirror);
  await sync.listStates(states);
  await sync.lookUpOthers(states);
  return sync.end(atMs, before.syncedThrough);
}

/** The fact that an earlier reading of the list may lack orders between those that it has: it shifted. */
const shrunkFact = "list_shrank";

const unsettledStates = stateNames.filter((state) => !isSettled(state));

export function isSettled(state: string | undefined): boolean {
  return state !== undefined && settledStates.includes(state);
}

function createSync(tools: SyncTools, pass: number) {
  const { service, mirror, now, beforeCalls, onProgress } = tools;
  let listed = 0;
  let lookedUp = 0;
  let newest: string | undefined;
  const listOptions = { concurrency: callsAtOnce, beforeOthers: beforeCalls };
  const wholeOptions = { ...listOptions, onShrunk: () => mirror.setFact(shrunkFact, "") };

  async function record(orders: readonly OrderSummary[]): Promise<void> {
    await mirror.record(
      orders.map((order) => ({ id: order.id.value, kind: "list", value: order })),
      now(),
      pass,
    );
    listed += orders.length;
    onProgress(listed);
    for (const { created_at } of orders) {
      const isTime = created_at && !isNoTime(created_at) && parseInstant(created_at) !== undefined;
      if (isTime && created_at > (newest ?? "")) newest = created_at;
    }
  }

  /** False where an order does not match `status`: then the rest is not read. Throws ServiceFailure. */
  async function list(
    filter: OrderFilter,
    orders = allOrders(service, filter, filter.status === undefined ? wholeOptions : listOptions),
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

  /** False where the service refuses the state, or shows orders in others. */
  async function hasListed(filter: OrderFilter): Promise<boolean> {
    try {
      return await list(filter);
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  }

  /** From the oldest order in these states. */
  async function listSince(date: string | undefined): Promise<void> {
    await list(date === undefined ? {} : { dateFrom: moveDate(date, -1) });
  }

  async function listSettled(since: string): Promise<void> {
    for (const status of settledStates)
      if (!(await hasListed({ status, dateFrom: moveDate(since, -1) }))) return listSince(since);
  }

  return {
    list,
    hasListed,

    /** The orders of the whole list that a sync which did not end has not read. */
    async listRest(read: readonly string[]): Promise<void> {
      await list(
        {},
        restOfOrders(service, new Set(read), {
          ...wholeOptions,
          hasShrunk: (await mirror.fact(shrunkFact)) !== undefined,
        }),
      );
    },

    /** Whether the service knows a state by its name is not shown (4.3): where it does not, by date. */
    async listStates(found: readonly (string | undefined)[]): Promise<void> {
      const states = new Set([...unsettledStates, ...found.filter((state) => state !== undefined)]);
      for (const state of states) {
        if (await hasListed({ status: state })) continue;
        return listSince(await mirror.oldest([...states, ...found]));
      }
    },

    async countOthers(states: readonly (string | undefined)[]): Promise<number> {
      return (await mirror.notInPass(pass, states)).length;
    },

    /** Orders that have left their state, or were in no list: most of them are settled. */
    async lookUpOthers(states: readonly (string | undefined)[]): Promise<void> {
      const since = await mirror.oldest(states);
      const left = (await mirror.notInPass(pass, states)).length;
      if (since !== undefined && left > 1) {
        const byDate = (await mirror.countSince(since)) / pageSize + 1;
        const settled = left + (await mirror.countSince(since, settledStates));
        const byState = settled / pageSize + settledStates.length;
        if (byState < Math.min(byDate, left)) await listSettled(since);
        else if (byDate < left) await listSince(since);
      }
      const others = await mirror.notInPass(pass, states);
      lookedUp += await lookUpDetails(others, { ...tools, pass, passesRefusals: true });
    },

    async end(atMs: number, through: string | undefined): Promise<SyncCounts> {
      await mirror.noteSync({ atMs, through: throughDate(newest, atMs, service) ?? through });
      return { listed, looked_up: lookedUp };
    },
  };
}

/**
 * Looks orders up one by one, and gives the number of those that were. One that the service no longer shows is marked, and
 * its last answers stay. One that fails is passed over; another refusal is no failure where `passesRefusals`. Throws
 * ServiceFailure where the service fails for all.
 */
export async function lookUpDetails(
  ids: readonly string[],
  { service, mirror, now, beforeCalls, onFailure, pass, passesRefusals }: LookUpTools,
): Promise<number> {
  await beforeCalls(ids.length);
  let [count, failedInARow] = [0, 0];
  const fail = (id: string, error: ServiceFailure) => {
    const failure = error.with({ message: `order ${id}: ${error.message}` });
    failedInARow += 1;
    if (failedInARow >= mostFailures) throw failure;
    onFailure(id, failure);
  };
  const lookUp = async (id: string) => {
    try {
      const order = await service.order(id);
      await mirror.record([{ id, kind: "detail", value: order }], now(), pass);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.isOfOneRequest) throw error;
      if (!saysNoSuchOrder(error)) return isRefused(error) && passesRefusals ? undefined : fail(id, error);
      await mirror.noteNotShown(id, now(), pass);
    }
    failedInARow = 0;
    count += 1;
  };
  for await (const _ of mapInOrder(ids, callsAtOnce, lookUp));
  return count;
}

/** The day from which the next sync reads: an order is stamped by the service's clock, and never later than now. */
function throughDate(newest: string | undefined, atMs: number, service: CourierService): string | undefined {
  const newestMs = newest === undefined ? undefined : parseInstant(newest);
  if (newestMs === undefined) return undefined;
  return utcDate(Math.min(newestMs, atMs + (service.clockOffsetMs() ?? 0)));
}

function isRefused(error: unknown): boolean {
  return error instanceof ServiceFailure && error.kind === "refused";
}

function moveDate(instant: string, days: number): string {
  return utcDate(parseInstant(instant.length === 10 ? `${instant}T00:00:00Z` : instant) ?? 0, days);
}

async function countListed(service: CourierService, status: string): Promise<number | undefined | "refused"> {
  try {
    return toCount((await service.listOrders({ status }, 1, 1)).pagination.total_items);
  } catch (error) {
    if (isRefused(error)) return "refused";
    throw error;
  }
}

/** Compares the mirror with the service's own counts (2.6), one call a state, and reads again what differs. */
export async function verifyMirror(tools: SyncTools): Promise<void> {
  const { service, mirror } = tools;
  const counts = await mirror.countByState();
  const states = new Set([...stateNames, ...[...counts.keys()].filter((state) => state !== undefined)]);
  const pass = await mirror.beginPass();
  const sync = createSync(tools, pass);
  const lookUpUnlisted = async (unlisted: readonly (string | undefined)[]) => {
    const ids = await mirror.notInPass(pass, unlisted);
    await lookUpDetails(ids, { ...tools, pass, passesRefusals: true });
  };
  for (const status of states) {
    const total = await countListed(service, status);
    if (total === (counts.get(status) ?? 0)) continue;
    if (total === "refused" || !(await sync.hasListed({ status }))) {
      await sync.list({});
      return lookUpUnlisted([...states, undefined]);
    }
    await lookUpUnlisted([status]);
  }
}
