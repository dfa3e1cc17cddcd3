/** What a list has shown of an order in doubt: its first possible matches, or none. */

import type { StillInDoubt } from "./reconcile-types.ts";

const mostShown = 5;

/** `1000001, 1000002 and 3 more` */
export function nameCandidates(ids: readonly string[]): string {
  const shown = ids.slice(0, mostShown).join(", ");
  return ids.length > mostShown ? `${shown} and ${ids.length - mostShown} more` : shown;
}

/** `no matching order is listed so far`, and why that proves nothing. */
export function describeNotListed({ lacks }: Extract<StillInDoubt, { readonly kind: "early" }>): string {
  const also = lacks === undefined ? "" : `, and the list lacks order ${lacks}, which the ledger knows`;
  return `no matching order is listed so far${also}`;
}
