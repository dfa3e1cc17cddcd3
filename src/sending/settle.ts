/** Looks for what became of creates in doubt, again and again until it is known or somebody has waited long enough. */

import { allOrders } from "../api/pages.ts";
import type { CourierService } from "../api/service.ts";
import type { Context } from "../command/command.ts";
import type { Clock } from "../core/clock.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { OrderDetail } from "../model/interface.ts";
import { reconcile } from "./reconcile.ts";
import type { ReconcileTools, StillInDoubt } from "./reconcile-types.ts";

const pagesAtOnce = 4;
/** The sandbox of this machine lists an order as soon as it is made. */
const sandboxSettleMs = 10_000;
export const firstPollMs = 2_000;
export const longestPollMs = 5_000;

export interface Waiting {
  /** How long to wait for what can be known later. */
  readonly patienceMs: number;
  /** Looks also before anything can be proved: the order may turn up. */
  readonly polls?: boolean;
}

/** The tools to reconcile the account in use; `service` where other than the context's own is to read. */
export async function createReconcileTools(
  {
    ledger,
    customer,
    run,
    settleMs,
    settlesUnwanted = false,
  }: {
    readonly ledger: Ledger;
    readonly customer: number;
    readonly run?: number | undefined;
    readonly settleMs?: number | undefined;
    readonly settlesUnwanted?: boolean;
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
    settlesUnwanted,
    settleMs: settleMs ?? context.settleMs ?? (isSandbox ? sandboxSettleMs : undefined),
    list: (dateFrom, beforeOthers) =>
      allOrders(reading, { dateFrom }, { concurrency: pagesAtOnce, beforeOthers }),
    detail: (id) => reading.order(id),
    clockOffsetMs: () => reading.clockOffsetMs(),
    clock: context.clock,
    stop: context.signal,
  };
}

/** What became of creates in doubt. */
export interface Settled {
  /** Orders that were found. */
  readonly found: ReadonlyMap<string, OrderDetail>;
  readonly left: ReadonlyMap<string, StillInDoubt>;
}

/** Reconciles until the named creates are settled, or nothing more can be known in time. Throws what `reconcile` throws. */
export async function settleInDoubt(
  names: readonly string[],
  tools: ReconcileTools,
  { patienceMs, polls = false }: Waiting,
): Promise<Settled> {
  const { clock, stop } = tools;
  const untilMs = clock.elapsed() + patienceMs;
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
    const waitMs = waitToLook([...left.values()], clock, polls ? pollMs : undefined);
    if (clock.elapsed() + waitMs > untilMs) return { found, left };
    await clock.sleep(waitMs, stop);
  }
}

/** What an order shows does not change within seconds; one that cannot be read is asked for again. */
function cacheDetails(detail: ReconcileTools["detail"]): ReconcileTools["detail"] {
  const known = new Map<string, OrderDetail>();
  return async (id) => {
    const order = known.get(id) ?? (await detail(id));
    known.set(id, order);
    return order;
  };
}

/**
 * How long until a further look may say more of any of them; infinite where none will. `pollMs`: look that often
 * before, since an order may turn up at any moment.
 */
export function waitToLook(
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
