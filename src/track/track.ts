/** `courier track`: looks parcels up once, or watches them. */

import { defineCommand, document, rows } from "../command/command.ts";
import { flagOf, parseParcelName, switchOption } from "../command/options.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import { trackingView } from "../terminal/tracking-view.ts";
import { trackedColumns, trackedView, trackSeveral } from "./lookup.ts";
import { nameParcels } from "./named-parcels.ts";
import { findNumbers, hasChoice, numberOptions } from "./numbers.ts";
import { checkWatchOptions, watchOptions } from "./watch-options.ts";

export const trackParcels = defineCommand({
  description:
    "One parcel is shown with all its movements, several as a table in the order given. With --json, one\n" +
    "tracking number gives an object, anything else an array. A number that the service refuses\n" +
    "or fails for is reported in its place; the others are still answered.\n" +
    "--watch goes on until every parcel is delivered, completed or cancelled: as a board at a terminal, where\n" +
    "? lists the keys and q ends it, as one line a change in a pipe. If a check fails, the last known state stays,\n" +
    "and the watch goes on; a key that is refused ends it with exit code 4. Nothing is asked more often than\n" +
    "every minute, and every ten minutes where nothing moves, unless --interval says so.\n" +
    "Of several track --changes at once, one prints a change. A run whose output fails leaves its changes to the next\n" +
    "run, which may print some again.",
  arguments: {
    trackingNumbers: {
      summary: "tracking numbers, or order numbers, ids or ref:REF; - reads them from stdin",
      parse: parseParcelName,
      isList: true as const,
      isOptional: true,
      values: "parcel",
    },
  },
  options: {
    records: switchOption("below the table of several parcels, each with all its movements"),
    changes: switchOption(
      "only what is new since the last `track --changes`, and nothing where nothing is; without tracking numbers, of all orders known here that are not settled",
    ),
    ...numberOptions,
    ...watchOptions,
  },
  confirms: true,
  examples: [
    { line: "track CR1000001234", note: "one parcel" },
    { line: "track CR1000001234 CR1000005678 --ndjson", note: "several, one JSON object a line" },
    {
      line: "track --changes",
      note: "for cron: what is new since the last time, of all orders on their way",
    },
    { line: "track --all-active --watch", note: "a board of everything that is on its way" },
    {
      line: "track CR1000001234 --watch --until delivered --for 8h && echo it is here",
      note: "wait for a state; exit code 7 when the time is up",
    },
    {
      line: "track --status in_transit --watch --ndjson | jq --unbuffered -r .current",
      note: "one JSON object a change, as it is seen",
    },
  ],
  exits: [3, 6, 7],
  seeAlso: ["orders list", "orders show"],
  async run({ records, watch, changes, ...input }, context) {
    const stray = Object.keys(watchOptions).find((key) => key in input && input[key as keyof typeof input]);
    if (!watch && stray !== undefined) throw usageError(`${flagOf(stray)} needs --watch`, "add --watch");
    if (watch) checkWatchOptions(input, input.allActive);
    if (watch && records) throw usageError("--records and --watch exclude each other");
    const other = watch ? "--watch" : records ? "--records" : undefined;
    if (changes && other !== undefined) throw usageError(`--changes and ${other} exclude each other`);
    if (changes) {
      const { reportChanges } = await import("./changes.ts");
      const names = hasChoice(input) ? (await findNumbers(input, context)).trackingNumbers : undefined;
      return reportChanges(names, context);
    }
    const skipsUnpaid = watch === true && !input.includeUnpaid;
    const { trackingNumbers, isSingle, empty, unpaid, orders } = await findNumbers(
      input,
      context,
      skipsUnpaid,
    );
    if (unpaid > 0)
      context.messages.note(
        `${counted(unpaid, "order")} not watched, awaiting payment; to watch all: add --include-unpaid`,
      );
    if (watch && trackingNumbers.length > 0) {
      const { watchParcels } = await import("./watch.ts");
      return watchParcels([...new Set(trackingNumbers)], orders, input, context);
    }
    // `&&` in a shell would go on as if it had happened.
    if (watch && input.until !== undefined && trackingNumbers.length === 0)
      throw new CourierError("not_reached", 7, "there is no parcel to watch");
    const [only] = trackingNumbers;
    if (isSingle && only !== undefined) {
      const service = await context.service();
      const tracking = await nameParcels(service, context).track(only);
      return { ...document(tracking, trackingView), columns: trackedColumns };
    }
    return rows(
      trackSeveral(trackingNumbers, context),
      trackedColumns,
      empty,
      records ? trackedView : undefined,
    );
  },
});
