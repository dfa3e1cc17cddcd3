/** Owns a table from keys to numbers that stays small for hundreds of thousands of rows. */

import { hash } from "node:crypto";

/**
 * Keeps 64 bits of each key's hash and one number: 16 bytes a key where a Map of texts takes over 100.
 * Two of a million keys share their 64 bits with a chance of 1 in 30 million.
 */
export interface KeyTable {
  readonly size: number;
  get(key: string): number | undefined;
  set(key: string, value: number): void;
  /** The same, and gives back what was there. */
  replace(key: string, value: number): number | undefined;
  has(key: string): boolean;
}

const firstCapacity = 1024;

export function createKeyTable(): KeyTable {
  let capacity = firstCapacity;
  let hashes = new BigUint64Array(capacity);
  let values = new Float64Array(capacity);
  let size = 0;

  /** The slot that holds the hash, or the free one where it belongs. */
  function slotOf(bits: bigint, table: BigUint64Array): number {
    let slot = Number(bits & BigInt(table.length - 1));
    while (table[slot] !== 0n && table[slot] !== bits) slot = (slot + 1) & (table.length - 1);
    return slot;
  }

  function grow(): void {
    const [oldHashes, oldValues] = [hashes, values];
    capacity *= 2;
    hashes = new BigUint64Array(capacity);
    values = new Float64Array(capacity);
    for (const [index, bits] of oldHashes.entries()) {
      if (bits === 0n) continue;
      const slot = slotOf(bits, hashes);
      hashes[slot] = bits;
      values[slot] = oldValues[index] ?? 0;
    }
  }

  function find(key: string): number | undefined {
    const slot = slotOf(hashKey(key), hashes);
    return hashes[slot] === 0n ? undefined : values[slot];
  }

  function replace(key: string, value: number): number | undefined {
    if (size * 2 >= capacity) grow();
    const bits = hashKey(key);
    const slot = slotOf(bits, hashes);
    const isNew = hashes[slot] === 0n;
    const before = isNew ? undefined : values[slot];
    if (isNew) size += 1;
    hashes[slot] = bits;
    values[slot] = value;
    return before;
  }

  return {
    get size() {
      return size;
    },
    get: find,
    has: (key) => find(key) !== undefined,
    set: replace,
    replace,
  };
}

/** 0 marks a free slot, so no key may have it. */
function hashKey(key: string): bigint {
  const bits = hash("sha256", key, "buffer").readBigUInt64LE(0);
  return bits === 0n ? 1n : bits;
}
