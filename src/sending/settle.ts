/** Polls creates in doubt until they are settled, or a time limit is reached. */

import { allOrders } from "../api/pages.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import { createListProgress } from "../command/list-progress.ts";
import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OrderDetail } from "../model/interface.ts";
import { reconcile } from "./reconcile.ts";
import type { ReconcileTools, StillInDoubt } from "./reconcile-types.ts";

const pagesAtOnce = 4;
/** The sandbox of this machine lists an order at once. */
const sandboxSettleMs = 10_000;
export const firstPollMs = 2_000;
export const longestPollMs = 5_000;

export interface Waiting {
  /** The longest wait for proof. */
  readonly timeLimitMs: number;
  /** Also polls before anything can be proved: the order may be listed. */
  readonly polls?: boolean;
}

/** The dependencies to reconcile the current account; `service` replaces the context's own for reads. */
export async function createReconcileTools(
  {
    ledger,
    customer,
    run,
    settleMs,
    showsProgress = true,
  }: {
    readonly ledger: Ledger;
    readonly customer: number;
    readonly run?: number | undefined;
    readonly settleMs?: number | undefined;
    /** False where the terminal shows something else meanwhile. */
    readonly showsProgress?: boolean;
  },
  context: Context,
  service?: CourierService,
): Promise<ReconcileTools> {
  const reading = service ?? (await context.service());
  const isSandbox = (await context.account()).kind === "sandbox";
  return {
    ledger,
    customer,
    run,
    warn: context.messages.warn,
    nextCommand: context.nextCommand,
    settleMs: settleMs ?? context.settleMs ?? (isSandbox ? sandboxSettleMs : undefined),
    async *list(dateFrom, hooks) {
      const progress = showsProgress ? createListProgress(context) : undefined;
      const orders = allOrders(
        reading,
        { dateFrom },
        {
          concurrency: pagesAtOnce,
          isBounded: true,
          ...hooks,
          async beforeOthers(calls, total) {
            progress?.noteTotal(total);
            await hooks?.beforeOthers?.(calls, total);
          },
        },
      );
      try {
        yield* progress ? progress.count(orders) : orders;
      } finally {
        progress?.end();
      }
    },
    detail: (id) => reading.order(id),
    clockOffsetMs: () => reading.clockOffsetMs(),
    clock: context.clock,
    stop: context.signal,
  };
}

/** The results for creates in doubt. */
export interface Settled {
  /** Found orders by operation name. */
  readonly found: ReadonlyMap<string, OrderDetail>;
  readonly left: ReadonlyMap<string, StillInDoubt>;
}

/** Polls until the named creates are settled, or nothing more can be proved in time. Throws what `reconcile` throws. */
export async function settleInDoubt(
  names: readonly string[],
  tools: ReconcileTools,
  { timeLimitMs, polls = false }: Waiting,
): Promise<Settled> {
  const { clock, stop } = tools;
  const untilMs = clock.elapsed() + timeLimitMs;
  const found = new Map<string, OrderDetail>();
  const cached = { ...tools, detail: cacheDetails(tools.detail) };
  for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, 2 * pollMs)) {
    const results = await reconcile(cached);
    const left = new Map<string, StillInDoubt>();
    for (const name of names) {
      const result = results.get(name);
      if (result?.kind === "settled" && result.order) found.set(name, result.order);
      if (result && result.kind !== "settled") left.set(name, result);
    }
    if (left.size === 0) return { found, left };
    const waitMs = waitToPoll([...left.values()], clock, polls ? pollMs : undefined);
    if (clock.elapsed() + waitMs > untilMs) return { found, left };
    await clock.sleep(waitMs, stop);
  }
}

/** An order does not change within seconds. One that cannot be read is read again. */
function cacheDetails(detail: ReconcileTools["detail"]): ReconcileTools["detail"] {
  const known = new Map<string, OrderDetail>();
  return async (id) => {
    const order = known.get(id) ?? (await detail(id));
    known.set(id, order);
    return order;
  };
}

/**
 * How long until another poll may prove more for any of them; infinite where none will. `pollMs`: the poll interval
 * before that, because an order may be listed at any moment.
 */
export function waitToPoll(
  results: readonly StillInDoubt[],
  clock: Clock,
  pollMs: number = Number.POSITIVE_INFINITY,
): number {
  const nowMs = clock.now();
  const waits = results.map((result) => {
    if (result.kind === "early") return Math.min(Math.max(0, result.untilMs - nowMs), pollMs);
    return result.candidates.length > 0 ? pollMs : Number.POSITIVE_INFINITY;
  });
  return Math.min(...waits);
}
