/** What a failed create says about whether the order was made, as a pure function. */

import type { ServiceFailure } from "../api/failure.ts";

/**
 * `not_made`: certainly no order. `refused`: the service says no, but not in the one way that the specification
 * defines, so that it is checked once. `in_doubt`: an order may have been made.
 */
export type Evidence = "not_made" | "refused" | "in_doubt";

/** Gateways and servers send these although a request may have got through. */
const doubtfulStatuses: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/**
 * Certain are only: no connection, or a request that was not written whole; HTTP 429 and 401; and INVALID_PARAMETER
 * in the envelope under any status (section 7). Other codes are not specified: nothing is learned from them.
 */
export function evidenceOf(failure: ServiceFailure): Evidence {
  const { kind, status, serviceCode } = failure;
  if (kind === "unreachable" || serviceCode === "INVALID_PARAMETER") return "not_made";
  if (status === 429 || status === 401) return "not_made";
  if (failure.mayHaveHappened) return "in_doubt";
  // A page without the service's envelope comes from something before the service.
  if (serviceCode === undefined) return "not_made";
  return doubtfulStatuses.has(status ?? 0) ? "in_doubt" : "refused";
}
