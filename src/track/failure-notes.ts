/** What is said of looks that fail while nobody sees a board: each reason once, and when it is over. */

import type { WatchEvent } from "./watcher.ts";

export interface Grievances {
  hear(event: WatchEvent): void;
  listen(listener: (text: string) => void): void;
}

/** Two hundred parcels that fail for one reason are one complaint. */
export function createGrievances(): Grievances {
  const reasons = new Map<string, string>();
  let tell = (_text: string) => {};
  return {
    listen(listener) {
      tell = listener;
    },
    hear(event) {
      const trackingNumber = event.kind === "change" ? event.change.tracking_number : event.trackingNumber;
      if (event.kind === "trouble") {
        const isKnown = [...reasons.values()].includes(event.reason);
        reasons.set(trackingNumber, event.reason);
        if (!isKnown) tell(`${trackingNumber}: ${event.reason}; the watch goes on`);
      } else if (reasons.delete(trackingNumber) && reasons.size === 0) {
        tell("All parcels can be tracked again");
      }
    },
  };
}
