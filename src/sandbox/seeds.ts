/**
 * Generated orders: any number of them, each a pure function of its number, so that a long history takes no
 * space on disk. What happens to them afterwards is remembered for as long as the server runs.
 */

import { usageError } from "../core/errors.ts";
import { jsonNumber } from "../model/json.ts";
import { firstStoredId } from "./defaults.ts";
import type {
  Decision,
  Item,
  KnownOrder,
  Order,
  OrderEvent,
  OrderFacts,
  Party,
  ServiceType,
} from "./order.ts";
import { mix } from "./random.ts";
import { cities, givenNames, goods, surnames } from "./seed-words.ts";
import type { OrderSource } from "./source.ts";

export interface Seeds extends OrderSource {
  /** Applies a decision. False for an unknown order. */
  change(id: number, decide: Decision): boolean;
}

const historyMs = 180 * 24 * 3600 * 1000;
const cancelledOneIn = 11;
const serviceMix: readonly ServiceType[] = ["standard", "standard", "standard", "express", "same_day"];

/** `anchorMs` is the time of the newest order; the oldest was created half a year before. */
export function generateSeeds(count: number, anchorMs: number): Seeds {
  if (!Number.isInteger(count) || count < 0 || count >= firstStoredId) {
    throw usageError(`the number of generated orders must be between 0 and ${firstStoredId - 1}: ${count}`);
  }
  const later = new Map<number, OrderEvent[]>();

  function facts(id: number): OrderFacts | undefined {
    if (!Number.isInteger(id) || id < 1 || id > count) return undefined;
    // The fourth power crowds them towards the present, so that a few hundred are in all states.
    const square = ((count - id) / count) ** 2;
    return {
      createdMs: anchorMs - Math.floor(historyMs * square * square),
      serviceType: pick(serviceMix, id, 1),
    };
  }

  /** Some were cancelled five minutes after they were created, long before they would be picked up. */
  function events(id: number): readonly OrderEvent[] {
    const own = later.get(id);
    if (own) return own;
    const known = facts(id);
    const atMs = (known?.createdMs ?? 0) + 120_000;
    const isCancelled = known && mix(id, 2) % cancelledOneIn === 0 && atMs <= anchorMs;
    return isCancelled ? [{ to: "cancelled", atMs }] : [];
  }

  function find(id: number): KnownOrder | undefined {
    const known = facts(id);
    if (!known) return undefined;
    const parts = { sender: party(id, 10), receiver: party(id, 20), item: item(id) };
    return { order: { id, ...known, ...parts } satisfies Order, events: events(id) };
  }

  return {
    firstId: 1,
    count,
    find,
    facts,
    events,
    change(id, decide) {
      const known = facts(id);
      if (!known) return false;
      const before = events(id);
      later.set(id, [...before, decide(known, before)]);
      return true;
    },
  };
}

function party(id: number, salt: number): Party {
  const [province, city, district, street] = pick(cities, id, salt);
  return {
    name: pick(surnames, id, salt + 1) + pick(givenNames, id, salt + 2),
    phone: `1${pick(["38", "39", "50", "86"], id, salt + 3)}${String(mix(id, salt + 4) % 10 ** 8).padStart(8, "0")}`,
    province,
    city,
    district,
    detail: `${street}${1 + (mix(id, salt + 5) % 300)}号`,
  };
}

function item(id: number): Item {
  const [name, description] = pick(goods, id, 30);
  const grams = 50 + (mix(id, 31) % 9950);
  return {
    name,
    description,
    weight: jsonNumber(
      `${Math.floor(grams / 1000)}.${String(grams % 1000)
        .padStart(3, "0")
        .slice(0, 2)}`,
    ),
    value: jsonNumber(`${10 + (mix(id, 32) % 990)}.00`),
    quantity: jsonNumber(String(1 + (mix(id, 33) % 5))),
  };
}

function pick<T>(choices: readonly [T, ...T[]] | readonly T[], id: number, salt: number): T {
  return choices[mix(id, salt) % choices.length] as T;
}
