/** The view of a parcel's tracking: its state, its way so far, its movements (specification, 2.5). */

import { type Tracking, trackingSchema } from "../model/interface.ts";
import { fieldNames } from "../model/schema.ts";
import { wayStates } from "../model/states.ts";
import { type Block, blank, fields, instant, line, otherFields, show, state, styled } from "./blocks.ts";

/** Header, progress through the known states, movements with the most recent first (as the service sends them). */
export function trackingView(tracking: Tracking): readonly Block[] {
  const isOnWay = typeof tracking.status === "string" && wayStates.includes(tracking.status);
  const records = tracking.records ?? [];
  return [
    line(styled("strong", tracking.tracking_number), "  ", state(tracking.status)),
    ...(isOnWay ? [{ kind: "steps", steps: wayStates, current: tracking.status ?? "" } as const] : []),
    fields(
      ["Location", show(tracking.current_location)],
      ["Estimated delivery", instant(tracking.estimated_delivery)],
    ),
    ...otherFields(tracking, fieldNames(trackingSchema)),
    blank,
    records.length === 0
      ? line("No movements recorded yet")
      : {
          kind: "timeline",
          entries: records.map(({ occurred_at, location, description }) => ({
            at: occurred_at,
            place: show(location),
            text: show(description),
          })),
        },
  ];
}
