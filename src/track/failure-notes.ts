/** Messages about failed polls of a watch without a board: each reason once, and the recovery. */

import { formatWait } from "../core/time.ts";
import { longestPauseMs } from "./schedule.ts";
import type { WatchEvent } from "./watcher.ts";

export interface FailureNotes {
  note(event: WatchEvent): void;
  onMessage(listener: (text: string) => void): void;
}

/** Two hundred parcels that fail for one reason give one message. */
export function createFailureNotes(): FailureNotes {
  const reasons = new Map<string, string>();
  /** A parcel may fail in several ways in turn. */
  let told = new Set<string>();
  let report = (_text: string) => {};
  return {
    onMessage(listener) {
      report = listener;
    },
    note(event) {
      const { name } = event;
      if (event.kind === "trouble") {
        const { reason, retryAfterMs } = event;
        const isKnown = told.has(reason);
        reasons.set(name, reason);
        told.add(reason);
        const pause =
          retryAfterMs === undefined ? "" : ` in ${formatWait(Math.min(retryAfterMs, longestPauseMs))}`;
        if (!isKnown) report(`${name}: ${reason}; the watch goes on${pause}`);
      } else if (reasons.delete(name)) {
        told = new Set(reasons.values());
        if (reasons.size === 0) report("All parcels can be tracked again");
      }
    },
  };
}
