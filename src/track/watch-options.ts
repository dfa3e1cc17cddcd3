/** The options of a watch. The rest of a watch is loaded when one begins. */

import { type OptionValues, switchOption, textOption } from "../command/options.ts";
import { filterOptions } from "../command/order-filter.ts";
import { durationOption } from "../command/value-options.ts";
import { usageError } from "../core/errors.ts";
import { stateChoices } from "../model/states.ts";

const group = "Following";
const secondMs = 1_000;
const dayMs = 86_400_000;

export const watchOptions = {
  watch: switchOption("keep polling, and report changes", { group }),
  includeUnpaid: switchOption("with --all-active: the parcels of orders that await payment, too", { group }),
  interval: durationOption(
    "time between two polls of a parcel (default: 60s, up to 10m while nothing changes)",
    { minMs: secondMs, maxMs: dayMs },
    { group },
  ),
  until: textOption(
    "STATE",
    "end when every parcel has reached this state or a later one; `change`: at the first change of any",
    { candidates: [...stateChoices, { value: "change", description: "the first change of any" }], group },
  ),
  for: durationOption(
    "stop after this time (exit code 7)",
    { minMs: secondMs, maxMs: 365 * dayMs },
    { group },
  ),
  exec: {
    placeholder: "COMMAND",
    summary:
      "run this in a shell for each change: JSON on its stdin, COURIER_* variables; Ctrl-C ends it and its children; none is started once the time of --for is up",
    parse: parseCommand,
    group,
  },
  bell: switchOption("ring the terminal's bell for each change", { group }),
  notify: switchOption("show a desktop notification for each change", { group }),
  on: {
    ...filterOptions.status,
    summary:
      "--exec, --bell and --notify only at a change to this state; several with commas; =STATE for one that courier " +
      "does not know",
    group,
  },
} as const;

function parseCommand(text: string, flag: string): string {
  if (text.trim() !== "") return text;
  throw usageError(
    `${flag} is given no command`,
    "give it the command to run; is a variable of the shell not set?",
  );
}

/** Throws a usage error for options of a watch that do not fit each other. */
export function checkWatchOptions(
  { exec, bell, notify, on, includeUnpaid }: WatchInput,
  allActive: boolean | undefined,
): void {
  if (on !== undefined && exec === undefined && !bell && !notify)
    throw usageError(
      "--on says at which changes to run a command, ring or notify, and none of them is asked for",
      "add --exec COMMAND, --bell or --notify",
    );
  if (includeUnpaid && !allActive)
    throw usageError("--include-unpaid adds orders to --all-active, which is not given");
}

export type WatchInput = OptionValues<Omit<typeof watchOptions, "watch">>;
