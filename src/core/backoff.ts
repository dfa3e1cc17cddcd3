/** Exponential backoff with full jitter. */

export interface BackoffLimits {
  /** The longest wait after the first failure; it doubles with each further one. */
  readonly baseMs: number;
  readonly longestMs: number;
}

/** Milliseconds to wait after so many failures in a row, from 1. `random` is in [0, 1). */
export function backoffMs(failures: number, { baseMs, longestMs }: BackoffLimits, random: number): number {
  return random * Math.min(longestMs, baseMs * 2 ** (failures - 1));
}
