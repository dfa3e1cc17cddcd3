/** Processes of this machine and of others, which share a ledger. */

import { findPlace, type ProcessIdentity, readProcess } from "./process-identity.ts";

/** True where the process id of the owner means something to this process. */
export function isOfThisPlace({ place }: ProcessIdentity): boolean {
  return place === findPlace();
}

/** For messages: `pid 7`, `pid 7, stopped` after Ctrl-Z, and `pid 7 on HOST` for a process of another machine. */
export function nameProcess(owner: ProcessIdentity): string {
  if (!isOfThisPlace(owner)) return `pid ${owner.pid} on ${hostOf(owner)}`;
  return `pid ${owner.pid}${readProcess(owner.pid)?.state === "T" ? ", stopped" : ""}`;
}

/** The name of the machine. */
export function hostOf({ place }: Pick<ProcessIdentity, "place">): string {
  return place.split(" ")[0] ?? place;
}

/** The name of this machine, which stays the same when it is started anew. */
export function thisHost(): string {
  return hostOf({ place: findPlace() });
}
