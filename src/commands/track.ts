/** Owns `courier track`: where a parcel is and how it got there (specification, 2.5 and 4.6). */

import { ServiceFailure } from "../api/failure.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError } from "../core/errors.ts";
import { type Tracking, trackingSchema } from "../model/interface.ts";
import type { JsonObject } from "../model/json.ts";
import { fieldNames } from "../model/schema.ts";
import { wayStates } from "../model/states.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";
import { errorDocument } from "../terminal/messages.ts";
import { type Context, defineCommand, document, events, type Items } from "./command.ts";
import { parseTrackingNumber } from "./options.ts";

const callsAtOnce = 4;

export const trackParcels = defineCommand({
  description:
    "Prints one parcel, or several in the order given. With --json, one tracking number gives an object,\n" +
    "several give an array. A number that the service refuses is reported in its place; the others follow.",
  arguments: {
    trackingNumbers: { summary: "tracking numbers", parse: parseTrackingNumber, isList: true as const },
  },
  options: {},
  examples: [
    { line: "track CR1000001234", note: "one parcel" },
    { line: "track CR1000001234 CR1000005678 --ndjson", note: "several, one JSON object a line" },
  ],
  async run({ trackingNumbers }, context) {
    const [only] = trackingNumbers;
    if (only !== undefined && trackingNumbers.length === 1) {
      const service = await context.service();
      return document(await service.tracking(only), trackingView);
    }
    return events(trackSeveral(trackingNumbers, context), trackedView);
  },
});

/** A parcel's tracking as the service sent it, or what it said instead. */
type Tracked = Tracking | (JsonObject & { readonly tracking_number: string; readonly error: JsonObject });

async function* trackSeveral(trackingNumbers: readonly string[], context: Context): Items<Tracked> {
  const service = await context.service();
  let refusals = 0;
  const ask = async (trackingNumber: string): Promise<Tracked> => {
    try {
      return await service.tracking(trackingNumber);
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.kind !== "refused") throw error;
      refusals += 1;
      return { tracking_number: trackingNumber, ...(errorDocument(error) as { error: JsonObject }) };
    }
  };
  yield* mapInOrder(trackingNumbers, callsAtOnce, ask);
  if (refusals === 0) return undefined;
  return new CourierError(
    "some_refused",
    3,
    `${refusals} of ${trackingNumbers.length} tracking numbers were refused`,
  );
}

function isRefusal(tracked: Tracked): tracked is Extract<Tracked, { error: JsonObject }> {
  return "error" in tracked && !("status" in tracked);
}

function trackedView(tracked: Tracked): readonly Block[] {
  if (!isRefusal(tracked)) return [...trackingView(tracked), blank];
  const message = tracked.error.message;
  return [line(styled("strong", tracked.tracking_number), "  ", styled("bad", message)), blank];
}

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
