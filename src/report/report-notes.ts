/** What each report says beside its result: how old the mirror is, and what was left out. */

import { describeNotShown, describeUnsynced } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import { zoneName } from "../core/days.ts";
import { formatLocal, formatRelative } from "../core/time.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Mirror, MirrorFacts } from "../mirror/mirror.ts";
import { type Grouping, isPeriod } from "./groups.ts";
import type { OrderRange } from "./range.ts";

export interface MirrorAge {
  readonly orders: number;
  /** As ISO 8601; null before the first sync. */
  readonly syncedAt: string | null;
  readonly note: string;
  /** The same for a page that is kept: with the time itself. */
  readonly pageNote: string;
}

export async function mirrorAge(mirror: Mirror, { clock, nextCommand }: Context): Promise<MirrorAge> {
  const facts: MirrorFacts = await mirror.facts();
  const { orders, notShown, syncedAtMs } = facts;
  if (syncedAtMs !== undefined) {
    const source = `from ${counted(orders, "order")} of the mirror${describeNotShown(notShown)}, synced`;
    return {
      orders,
      syncedAt: new Date(syncedAtMs).toISOString(),
      note: `${source} ${formatRelative(syncedAtMs, clock.now())}`,
      pageNote: `${source} ${formatLocal(syncedAtMs)}`,
    };
  }
  const note = describeUnsynced(orders, { nextCommand });
  return { orders, syncedAt: null, note, pageNote: note };
}

/** `12 orders have no fee`, where there are any. */
export function lacking(count: number, what: string): string[] {
  return count === 0 ? [] : [`${counted(count, "order")} ${byCount(count, "has", "have")} ${what}`];
}

/** Whose days the report means, where it means days. */
export function zoneNote(by: Grouping, { from, to, zone }: OrderRange, nowMs: number): string[] {
  const hasDays = isPeriod(by) || from !== undefined || to !== undefined;
  return hasDays ? [`days of ${zoneName(zone, nowMs)}`] : [];
}

/** Shows how far the figures of an older mirror are made. */
export function figuresMeter(context: Context) {
  const meter = context.meter();
  return {
    onProgress: (orders: number) => meter.update(() => `${counted(orders, "order")} of the mirror read`),
    end: () => meter.end(),
  };
}
