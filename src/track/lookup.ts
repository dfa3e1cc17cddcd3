/** One lookup of parcels: where each is, and how it got there (specification, 2.5 and 4.6). */

import { ServiceFailure } from "../api/failure.ts";
import { checkApiQuota } from "../command/api-quota.ts";
import type { Context, Items } from "../command/command.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError } from "../core/errors.ts";
import type { Tracking } from "../model/interface.ts";
import type { JsonObject } from "../model/json.ts";
import { type Block, type Column, instant, line, show, state, styled } from "../terminal/blocks.ts";
import { errorDocument } from "../terminal/messages.ts";
import { trackingView } from "../terminal/tracking-view.ts";
import { isOfName, nameParcels } from "./named-parcels.ts";

const callsAtOnce = 4;

/** A parcel's tracking as the service sent it, or why there is none. */
export type Tracked =
  | Tracking
  | (JsonObject & { readonly tracking_number: string; readonly error: JsonObject });

/** Failures in a row after which the service counts as down. */
const mostFailures = 4;

/**
 * Looks up the parcels in the given order. A refused one, or one that the service fails for, is reported in its place,
 * and the stream ends with exit code 3, or that of the failure. A failure that is not of one parcel ends it at once.
 */
export async function* trackSeveral(names: readonly string[], context: Context): Items<Tracked> {
  const service = await context.service();
  await checkApiQuota(names.length, service, context);
  const parcels = nameParcels(service, context);
  const refusals: string[] = [];
  const failures: ServiceFailure[] = [];
  let inARow = 0;
  const ask = async (name: string): Promise<Tracked> => {
    try {
      const tracking = await parcels.track(name);
      inARow = 0;
      return tracking;
    } catch (error) {
      if (!(error instanceof CourierError) || isOfAll(error)) throw error;
      const message = `${name}: ${error.message}`;
      if (!(error instanceof ServiceFailure) || error.kind === "refused") refusals.push(message);
      else {
        failures.push(error.with({ message }));
        inARow += 1;
        if (error.kind === "no_response" || inARow >= mostFailures) throw failures[0];
      }
      return { tracking_number: parcels.numberOf(name), ...(errorDocument(error) as { error: JsonObject }) };
    }
  };
  yield* mapInOrder(names, callsAtOnce, ask);
  const [failure] = failures;
  if (failure)
    return failure.with({
      message: `${failures.length} of ${names.length} tracking numbers got no answer; ${failure.message}`,
    });
  if (refusals.length === 0) return undefined;
  return new CourierError(
    "some_refused",
    3,
    `${refusals.length} of ${names.length} tracking numbers were refused`,
    { hint: refusals.length === 1 ? refusals[0] : `the first was ${refusals[0]}` },
  );
}

/** A failure of the connection, the key or the rate is not one of a parcel. */
function isOfAll(error: CourierError): boolean {
  if (!(error instanceof ServiceFailure)) return !isOfName(error);
  const { kind } = error;
  return (
    kind !== "refused" && kind !== "server_error" && kind !== "invalid_response" && kind !== "no_response"
  );
}

export function isRefusal(tracked: Tracked): tracked is Extract<Tracked, { error: JsonObject }> {
  return "error" in tracked && !("status" in tracked);
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
];

export function trackedView(tracked: Tracked): readonly Block[] {
  if (!isRefusal(tracked)) return trackingView(tracked);
  return [line(styled("strong", tracked.tracking_number), "  ", styled("bad", tracked.error.message))];
}
