/** A hash map from text to numbers that needs little memory for hundreds of thousands of rows. */

import { hash } from "node:crypto";

/**
 * Keeps 64 bits of each key's hash and one number: 16 bytes a key where a Map of texts takes over 100.
 * Two of a million keys share their 64 bits with a chance of 1 in 30 million.
 */
export interface CompactHashMap {
  readonly size: number;
  get(key: string): number | undefined;
  set(key: string, value: number): void;
  /** Sets a value and returns the one before. */
  replace(key: string, value: number): number | undefined;
  has(key: string): boolean;
}

const firstCapacity = 1024;
/** A fuller table makes searches slow; an emptier one needs twice the memory for 200,000 keys. */
const mostLoad = 0.8;

export function createCompactHashMap(): CompactHashMap {
  let capacity = firstCapacity;
  // Two halves of 32 bits: reading a value of 64 bits would create an object.
  let hashes = new Uint32Array(2 * capacity);
  let values = new Float64Array(capacity);
  let size = 0;

  /** The slot that holds the hash, or the free one where it belongs. */
  function slotOf(low: number, high: number): number {
    let slot = low & (capacity - 1);
    for (;;) {
      const [storedLow, storedHigh] = [hashes[2 * slot], hashes[2 * slot + 1]];
      if ((storedLow === 0 && storedHigh === 0) || (storedLow === low && storedHigh === high)) return slot;
      slot = (slot + 1) & (capacity - 1);
    }
  }

  function isFree(slot: number): boolean {
    return hashes[2 * slot] === 0 && hashes[2 * slot + 1] === 0;
  }

  function put(slot: number, low: number, high: number, value: number): void {
    hashes[2 * slot] = low;
    hashes[2 * slot + 1] = high;
    values[slot] = value;
  }

  function grow(): void {
    const [oldHashes, oldValues] = [hashes, values];
    capacity *= 2;
    hashes = new Uint32Array(2 * capacity);
    values = new Float64Array(capacity);
    for (let old = 0; old < oldValues.length; old++) {
      const [low = 0, high = 0] = [oldHashes[2 * old], oldHashes[2 * old + 1]];
      if (low !== 0 || high !== 0) put(slotOf(low, high), low, high, oldValues[old] ?? 0);
    }
  }

  function find(key: string): number | undefined {
    const { low, high } = hashKey(key);
    const slot = slotOf(low, high);
    return isFree(slot) ? undefined : values[slot];
  }

  function replace(key: string, value: number): number | undefined {
    if (size >= capacity * mostLoad) grow();
    const { low, high } = hashKey(key);
    const slot = slotOf(low, high);
    const before = isFree(slot) ? undefined : values[slot];
    if (before === undefined) size += 1;
    put(slot, low, high, value);
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

/** 0 marks a free slot, so no key has the hash 0. */
function hashKey(key: string): { readonly low: number; readonly high: number } {
  const bits = hash("sha256", key, "buffer");
  const [low, high] = [bits.readUInt32LE(0), bits.readUInt32LE(4)];
  return low === 0 && high === 0 ? { low: 1, high: 0 } : { low, high };
}
