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
      const { name } = event;
      if (event.kind === "trouble") {
        const isKnown = [...reasons.values()].includes(event.reason);
        reasons.set(name, event.reason);
        if (!isKnown) report(`${name}: ${event.reason}; the watch goes on`);
      } else if (reasons.delete(name) && reasons.size === 0) {
        report("All parcels can be tracked again");
      }
    },
  };
}
