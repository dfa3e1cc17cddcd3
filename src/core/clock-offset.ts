/** How far this machine's clock is from the service's, as its `Date` header tells: the bound, and the words. */

import { formatSpan } from "./time.ts";

/** A header has whole seconds, and its answer took a while. */
export const largestOffsetMs = 60_000;

/** `3 d ahead of the service's`. `offsetMs`: the service's clock minus this machine's. */
export function describeOffset(offsetMs: number): string {
  return `${formatSpan(Math.abs(offsetMs))} ${offsetMs > 0 ? "behind" : "ahead of"} the service's`;
}
