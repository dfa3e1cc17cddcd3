/** Processes of this machine and of others, which share a ledger. */

import { findPlace, type ProcessIdentity } from "./process-identity.ts";

/** True where the process id of the owner means something to this process. */
export function isOfThisPlace({ place }: ProcessIdentity): boolean {
  return place === findPlace();
}

/** For messages: `pid 7`, and `pid 7 on HOST` for a process of another machine. */
export function nameProcess(owner: ProcessIdentity): string {
  return `pid ${owner.pid}${isOfThisPlace(owner) ? "" : ` on ${hostOf(owner)}`}`;
}

/** The name of the machine. */
export function hostOf({ place }: ProcessIdentity): string {
  return place.split(" ")[0] ?? place;
}
