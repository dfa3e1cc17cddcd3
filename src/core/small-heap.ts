/** Keeps V8's heap small in runs over many rows, which would otherwise let it grow to several times what they need. */

import { setFlagsFromString } from "node:v8";

/** A run over fewer rows is over before its heap has grown. */
export const manyRows = 2_000;

/** The young generation doubles while much survives in it, and V8 chooses how far the old one grows. */
const usual = ["--semi-space-growth-factor=2", "--heap-growing-percent=0"];
const small = ["--semi-space-growth-factor=1", "--heap-growing-percent=60"];

/**
 * From now on the young generation stays as it is, and the old one grows by little between two collections, which then
 * take a third more of the processor's time. Other limits of V8 are read when Node.js starts. The function that it
 * gives back ends this: code that is kept for the next run counts only with the usual flags.
 */
export function keepHeapSmall(): () => Promise<void> {
  for (const flag of small) setFlagsFromString(flag);
  return async () => {
    for (const flag of usual) setFlagsFromString(flag);
  };
}
