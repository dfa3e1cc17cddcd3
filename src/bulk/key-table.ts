/** Owns a table from keys to numbers that stays small for hundreds of thousands of rows. */

import { createHash } from "node:crypto";

/**
 * Keeps 64 bits of each key's hash and one number: 16 bytes a key where a Map of texts takes over 100.
 * Two of a million keys share their 64 bits with a chance of 1 in 30 million.
 */
export interface KeyTable {
  readonly size: number;
  get(key: string): number | undefined;
  set(key: string, value: number): void;
  has(key: string): boolean;
}

const firstCapacity = 1024;

export function createKeyTable(): KeyTable {
  let capacity = firstCapacity;
  let hashes = new BigUint64Array(capacity);
  let values = new Float64Array(capacity);
  let size = 0;

  /** The slot that holds the hash, or the free one where it belongs. */
  function slotOf(hash: bigint, table: BigUint64Array): number {
    let slot = Number(hash & BigInt(table.length - 1));
    while (table[slot] !== 0n && table[slot] !== hash) slot = (slot + 1) & (table.length - 1);
    return slot;
  }

  function grow(): void {
    const [oldHashes, oldValues] = [hashes, values];
    capacity *= 2;
    hashes = new BigUint64Array(capacity);
    values = new Float64Array(capacity);
    for (const [index, hash] of oldHashes.entries()) {
      if (hash === 0n) continue;
      const slot = slotOf(hash, hashes);
      hashes[slot] = hash;
      values[slot] = oldValues[index] ?? 0;
    }
  }

  function find(key: string): number | undefined {
    const slot = slotOf(hashKey(key), hashes);
    return hashes[slot] === 0n ? undefined : values[slot];
  }

  return {
    get size() {
      return size;
    },
    get: find,
    has: (key) => find(key) !== undefined,
    set(key, value) {
      if (size * 2 >= capacity) grow();
      const hash = hashKey(key);
      const slot = slotOf(hash, hashes);
      if (hashes[slot] === 0n) size += 1;
      hashes[slot] = hash;
      values[slot] = value;
    },
  };
}

/** 0 marks a free slot, so no key may have it. */
function hashKey(key: string): bigint {
  const hash = createHash("sha256").update(key).digest().readBigUInt64LE(0);
  return hash === 0n ? 1n : hash;
}
