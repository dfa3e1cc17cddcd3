/** How long parcels took from created to delivered, from the figures of the mirror. */

import type { FigureChunk } from "../mirror/figures.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { createGroups, type Grouping, isPeriod } from "./groups.ts";
import { type OrderRange, stateFilter } from "./range.ts";

export interface Times {
  readonly delivered: number;
  /** The least duration that at least half, or nine of ten, of the parcels did not exceed. */
  readonly p50Ms: number | undefined;
  readonly p90Ms: number | undefined;
}

export interface TimeReport {
  readonly orders: number;
  readonly all: Times;
  readonly groups: readonly (Times & { readonly key: string | null })[];
  readonly undated: number;
  readonly withoutTracking: number;
  /** Orders that are delivered by their own state, and those of them that have no tracking. */
  readonly deliveredOrders: number;
  readonly deliveredWithoutTracking: number;
  readonly notDelivered: number;
  readonly withoutDeliveryTime: number;
}

/**
 * The newest movement of a parcel that tracking shows as delivered is its delivery. A completed one may have moved
 * after that, so its time is not known.
 */
export async function countTimes(
  mirror: Mirror,
  by: Grouping,
  range: OrderRange,
  onProgress?: (orders: number) => void,
): Promise<TimeReport> {
  const all: number[] = [];
  const counts = {
    orders: 0,
    undated: 0,
    withoutTracking: 0,
    deliveredOrders: 0,
    deliveredWithoutTracking: 0,
    notDelivered: 0,
    withoutDeliveryTime: 0,
  };
  let groups = createGroups<number[]>(by, range.zone, [], () => []);
  const begin = (texts: readonly string[]) => {
    groups = createGroups<number[]>(by, range.zone, texts, () => []);
    const isInState = stateFilter(range, texts);
    const [cancelled, delivered, completed] = ["cancelled", "delivered", "completed"].map((state) =>
      texts.indexOf(state),
    );
    return (chunk: FigureChunk) => {
      const tallyOf = groups.tallies(chunk);
      const [created, moved] = [chunk.column("created"), chunk.column("moved")];
      const [state, tracking] = [chunk.column("state"), chunk.column("tracking")];
      for (let row = 0; row < chunk.count; row++) {
        const stateNumber = state[row] ?? 0;
        if (isInState ? !isInState(stateNumber) : stateNumber === cancelled) continue;
        const createdMs = created[row] ?? Number.NaN;
        const durationMs = (moved[row] ?? Number.NaN) - createdMs;
        if (Number.isNaN(createdMs)) counts.undated += 1;
        if (!range.hasInstant(createdMs)) continue;
        counts.orders += 1;
        if (stateNumber === delivered) {
          counts.deliveredOrders += 1;
          if (tracking[row] === 0) counts.deliveredWithoutTracking += 1;
        }
        if (tracking[row] === 0) counts.withoutTracking += 1;
        else if (tracking[row] !== delivered && tracking[row] !== completed) counts.notDelivered += 1;
        else if (tracking[row] === completed || !(durationMs >= 0)) counts.withoutDeliveryTime += 1;
        else {
          all.push(durationMs);
          tallyOf(row).push(durationMs);
        }
      }
    };
  };
  await mirror.readFigures(begin, onProgress);
  const rows = groups.list().map(({ key, tally }) => ({ key, ...summarise(tally) }));
  return { ...counts, all: summarise(all), groups: isPeriod(by) ? rows : rows.sort(byParcels) };
}

function summarise(durationsMs: readonly number[]): Times {
  const sorted = Float64Array.from(durationsMs).sort();
  const at = (tenths: number) => sorted[Math.ceil((tenths * sorted.length) / 10) - 1];
  return { delivered: sorted.length, p50Ms: at(5), p90Ms: at(9) };
}

type Row = TimeReport["groups"][number];

/** The most parcels first, those without the field last. */
function byParcels(a: Row, b: Row): number {
  if ((a.key === null) !== (b.key === null)) return a.key === null ? 1 : -1;
  return b.delivered - a.delivered || ((a.key ?? "") < (b.key ?? "") ? -1 : 1);
}
