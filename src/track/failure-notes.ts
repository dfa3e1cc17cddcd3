/** Messages about failed polls of a watch without a board: each reason once, and the recovery. */

import type { WatchEvent } from "./watcher.ts";

export interface FailureNotes {
  note(event: WatchEvent): void;
  onMessage(listener: (text: string) => void): void;
}

/** Two hundred parcels that fail for one reason give one message. */
export function createFailureNotes(): FailureNotes {
  const reasons = new Map<string, string>();
  let report = (_text: string) => {};
  return {
    onMessage(listener) {
      report = listener;
    },
    note(event) {
      const trackingNumber = event.kind === "change" ? event.change.tracking_number : event.trackingNumber;
      if (event.kind === "trouble") {
        const isKnown = [...reasons.values()].includes(event.reason);
        reasons.set(trackingNumber, event.reason);
        if (!isKnown) report(`${trackingNumber}: ${event.reason}; the watch goes on`);
      } else if (reasons.delete(trackingNumber) && reasons.size === 0) {
        report("All parcels can be tracked again");
      }
    },
  };
}
