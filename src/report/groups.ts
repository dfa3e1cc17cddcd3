/** The groups of a report: one for each day, week or month, or for each text of a field. */

import type { Zone } from "../core/days.ts";
import type { FigureChunk, FigureName } from "../mirror/figures.ts";
import { type Period, type PeriodSpan, periodAt } from "./periods.ts";

/** What `--by` takes, and the column's title. `city`: the receiver's. */
export const groupings = {
  day: { title: "DAY", missing: "created_at" },
  week: { title: "WEEK", missing: "created_at" },
  month: { title: "MONTH", missing: "created_at" },
  state: { title: "STATE", missing: "status" },
  service: { title: "SERVICE", missing: "service_type" },
  city: { title: "RECEIVER'S CITY", missing: "receiver.city" },
  sender: { title: "SENDER", missing: "sender.name" },
  route: { title: "ROUTE", missing: "sender.city or receiver.city" },
} as const;
export type Grouping = keyof typeof groupings;

const textColumns: Readonly<Record<string, FigureName>> = {
  state: "state",
  service: "service",
  city: "toCity",
  sender: "sender",
};

export interface Group<T> {
  /** Null: the orders that lack the field. */
  readonly key: string | null;
  readonly tally: T;
}

export interface Groups<T> {
  /** Gives the tally of the group of each of the chunk's orders. */
  tallies(chunk: FigureChunk): (row: number) => T;
  /** Periods in their order and without gaps, those without the field last; texts as they were met. */
  list(): readonly Group<T>[];
}

/** More periods than this are listed with gaps. */
const mostPeriods = 1_000;

export function isPeriod(by: Grouping): by is Period {
  return by === "day" || by === "week" || by === "month";
}

/** Days, weeks and months are those of `zone`. */
export function createGroups<T>(
  by: Grouping,
  zone: Zone,
  texts: readonly string[],
  begin: () => T,
): Groups<T> {
  return isPeriod(by) ? createPeriods(by, zone, begin) : createTexts(by, texts, begin);
}

function createPeriods<T>(period: Period, zone: Zone, begin: () => T): Groups<T> {
  const tallies = new Map<number, { readonly span: PeriodSpan; readonly tally: T }>();
  let undated: T | undefined;
  // Orders come about in the order of their times: the next is mostly of the same period.
  let current: { readonly span: PeriodSpan; readonly tally: T } | undefined;
  return {
    tallies({ column }) {
      const created = column("created");
      return (row) => {
        const createdMs = created[row] ?? Number.NaN;
        if (Number.isNaN(createdMs)) {
          undated ??= begin();
          return undated;
        }
        if (!current || createdMs < current.span.startMs || createdMs >= current.span.endMs) {
          const span = periodAt(createdMs, period, zone);
          current = tallies.get(span.startMs) ?? { span, tally: begin() };
          tallies.set(span.startMs, current);
        }
        return current.tally;
      };
    },
    list() {
      const found = [...tallies.values()].sort((a, b) => a.span.startMs - b.span.startMs);
      const last = found.at(-1);
      const groups: Group<T>[] = [];
      for (const { span, tally } of found) {
        groups.push({ key: span.key, tally });
        // Only where the whole list has room for its gaps.
        for (
          let next = periodAt(span.endMs, period, zone);
          hasRoom(found) && isGap(next);
          next = periodAt(next.endMs, period, zone)
        )
          groups.push({ key: next.key, tally: begin() });
      }
      return [...groups, ...(undated === undefined ? [] : [{ key: null, tally: undated }])];

      function isGap({ startMs }: PeriodSpan): boolean {
        return last !== undefined && startMs < last.span.startMs && !tallies.has(startMs);
      }
    },
  };
}

function hasRoom(found: readonly { readonly span: PeriodSpan }[]): boolean {
  const [first, last] = [found[0]?.span, found.at(-1)?.span];
  if (!first || !last) return false;
  return (last.endMs - first.startMs) / (first.endMs - first.startMs) <= mostPeriods;
}

function createTexts<T>(by: Grouping, texts: readonly string[], begin: () => T): Groups<T> {
  const tallies = new Map<number, T>();
  const column = textColumns[by];
  const numbersOf = (chunk: FigureChunk): ((row: number) => number) => {
    if (column !== undefined) {
      const numbers = chunk.column(column);
      return (row) => numbers[row] ?? 0;
    }
    const [from, to] = [chunk.column("fromCity"), chunk.column("toCity")];
    const isKnown = (row: number) => from[row] !== 0 && to[row] !== 0;
    return (row) => (isKnown(row) ? (from[row] ?? 0) * texts.length + (to[row] ?? 0) : 0);
  };
  const keyOf = (number: number): string | null => {
    if (number === 0) return null;
    if (column !== undefined) return texts[number] ?? null;
    return `${texts[Math.floor(number / texts.length)]} → ${texts[number % texts.length]}`;
  };
  return {
    tallies(chunk) {
      const numberAt = numbersOf(chunk);
      return (row) => {
        const number = numberAt(row);
        const known = tallies.get(number);
        if (known !== undefined) return known;
        const tally = begin();
        tallies.set(number, tally);
        return tally;
      };
    },
    list: () => [...tallies].map(([number, tally]) => ({ key: keyOf(number), tally })),
  };
}
