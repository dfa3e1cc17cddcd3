/** A seeded random generator: equal seeds give equal numbers on every machine. */

/** Scrambles two integers into one of 32 bits (the finaliser of MurmurHash3). */
export function mix(number: number, salt: number): number {
  let hash = Math.imul(number ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A function that answers numbers from 0 up to but excluding 1, the same ones for the same seed. */
export function createRandom(seed: number): () => number {
  let drawn = 0;
  return () => mix(++drawn, seed) / 2 ** 32;
}
