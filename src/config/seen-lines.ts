/** Owns the lines of the file of seen orders: one for each run, and what several of them say of the same order. */

import path from "node:path";
import type { Sighting } from "../model/sighting.ts";

/** Whose orders: the same account may be used with another service. */
export interface Holder {
  readonly account: string;
  readonly base_url: string;
}

/** What one run saw. */
export interface Line extends Holder {
  readonly orders: readonly Sighting[];
}

const remembered = 100;
const holdersRemembered = 20;
const longestText = 60;

/** The file in the state directory. */
export function seenOrdersPath(directory: string): string {
  return path.join(directory, "seen-orders.ndjson");
}

/** The orders of a holder in the text of the file: the last seen first, each once, with all that is known of it. */
export function findOrders(text: string, { account, base_url }: Holder): Sighting[] {
  // The same list, asked for again and again, is the same line.
  const newestFirst = [...new Set(text.split("\n").reverse())];
  const lines = newestFirst
    .flatMap(parseLine)
    .filter((line) => line.account === account && line.base_url === base_url);
  return merge(lines.flatMap(({ orders }) => orders)).slice(0, remembered);
}

/** A break before each line parts it from one that was torn. */
export function formatLine({ orders, ...holder }: Line): string {
  const kept = orders.map(({ created_at: _sorted, ...order }) => order);
  return `\n${JSON.stringify({ ...holder, orders: kept })}\n`;
}

export function parseLines(text: string): Line[] {
  return text.split("\n").flatMap(parseLine);
}

/** None for a line that was torn. */
function parseLine(text: string): Line[] {
  try {
    const parsed = JSON.parse(text);
    if (!Array.isArray(parsed?.orders)) return [];
    const orders = parsed.orders.filter((order: unknown) => typeof order === "object" && order !== null);
    return [{ ...(parsed as Line), orders }];
  } catch {
    return [];
  }
}

/** One line for each holder, those that were used last at the end. */
export function compact(lines: readonly Line[]): Line[] {
  const kept = new Map<string, Line>();
  for (const line of [...lines].reverse()) {
    const key = JSON.stringify([line.account, line.base_url]);
    const before = kept.get(key);
    kept.set(key, { ...line, orders: [...(before?.orders ?? []), ...line.orders] });
  }
  return [...kept.values()]
    .slice(0, holdersRemembered)
    .map((line) => ({ ...line, orders: merge(line.orders).slice(0, remembered) }))
    .reverse();
}

/** Sightings with the newest first become orders: what a later one leaves out, an earlier one tells. */
function merge(sightings: readonly Sighting[]): Sighting[] {
  const orders: Sighting[] = [];
  const byName = new Map<string, number>();
  for (const sighting of sightings) {
    const names = [sighting.id && `id ${sighting.id}`, sighting.tracking_number].filter(
      (name): name is string => typeof name === "string" && name !== "",
    );
    const known = names.map((name) => byName.get(name)).find((place) => place !== undefined);
    const place = known ?? orders.push({}) - 1;
    orders[place] = { ...withoutGaps(sighting), ...orders[place] };
    for (const name of names) byName.set(name, place);
  }
  return orders;
}

function withoutGaps(sighting: Sighting): Sighting {
  return Object.fromEntries(
    Object.entries(sighting).filter(([, value]) => typeof value === "string" && value !== ""),
  );
}

/** What is worth keeping of thousands that a run may see: the newest, whatever order they came in. */
export function newest(orders: readonly Sighting[]): Sighting[] {
  return merge(orders)
    .sort((a, b) => compare(b.created_at ?? "", a.created_at ?? ""))
    .slice(0, remembered)
    .map(shorten);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The service decides how long its texts are; the file stays small all the same. */
function shorten({ id = "", tracking_number = "", ...texts }: Sighting): Sighting {
  const short = Object.entries(texts).map(([name, text = ""]) => [
    name,
    text.length > longestText ? [...text].slice(0, longestText).join("") : text,
  ]);
  return {
    ...Object.fromEntries(short),
    ...(id.length > longestText ? {} : { id }),
    ...(tracking_number.length > longestText ? {} : { tracking_number }),
  };
}
