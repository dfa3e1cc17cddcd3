/** One lookup of parcels: where each is, and how it got there (specification, 2.5 and 4.6). */

import { checkApiQuota } from "../command/api-quota.ts";
import type { Context, Items } from "../command/command.ts";
import { lookUpSeveral } from "../command/several.ts";
import type { Tracking } from "../model/interface.ts";
import type { JsonObject } from "../model/json.ts";
import {
  type Block,
  type Column,
  instant,
  line,
  type Span,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";
import { trackingView } from "../terminal/tracking-view.ts";
import { nameParcels } from "./named-parcels.ts";

/** A parcel's tracking as the service sent it, or why there is none. */
export type Tracked = Tracking | Refusal;

/** The service's own answers may have a field `error`, too. */
const failedLookup = Symbol("failed lookup");

type Refusal = JsonObject & {
  readonly tracking_number: string;
  readonly error: JsonObject;
  readonly [failedLookup]: true;
};

/** Looks up the parcels in the given order, as `lookUpSeveral` does. */
export async function* trackSeveral(names: readonly string[], context: Context): Items<Tracked> {
  const service = await context.service();
  await checkApiQuota(names.length, service, context);
  const parcels = nameParcels(service, context);
  return yield* lookUpSeveral<Tracked>(names, {
    look: parcels.track,
    failed: (name, error) => ({ tracking_number: parcels.numberOf(name), error, [failedLookup]: true }),
    noun: "tracking numbers",
  });
}

export function isRefusal(tracked: Tracked): tracked is Refusal {
  return failedLookup in tracked;
}

export const trackedColumns: readonly Column<Tracked>[] = [
  {
    path: "tracking_number",
    title: "TRACKING",
    cell: ({ tracking_number }) => styled("strong", tracking_number),
  },
  {
    path: "status",
    title: "STATE",
    cell: (tracked) => (isRefusal(tracked) ? styled("bad", tracked.error.code) : state(tracked.status)),
  },
  {
    path: "current_location",
    title: "PLACE",
    cell: (tracked) =>
      isRefusal(tracked) ? styled("bad", tracked.error.message) : show(tracked.current_location),
    flexible: true,
  },
  {
    path: "records",
    title: "LAST MOVEMENT",
    cell: (tracked) => (isRefusal(tracked) ? "-" : instant(tracked.records?.[0]?.occurred_at)),
    spare: 2,
  },
  {
    path: "estimated_delivery",
    title: "ESTIMATED DELIVERY",
    cell: (tracked) => (isRefusal(tracked) ? "-" : instant(tracked.estimated_delivery)),
    spare: 1,
  },
  { path: "error.code", title: "CODE", cell: errorCell("code"), isRemark: true },
  { path: "error.message", title: "ERROR", cell: errorCell("message"), isRemark: true },
];

function errorCell(key: "code" | "message"): (tracked: Tracked) => Span {
  return (tracked) => (isRefusal(tracked) ? styled("bad", tracked.error[key]) : "");
}

export function trackedView(tracked: Tracked): readonly Block[] {
  if (!isRefusal(tracked)) return trackingView(tracked);
  return [line(styled("strong", tracked.tracking_number), "  ", styled("bad", tracked.error.message))];
}
