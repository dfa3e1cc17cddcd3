/** Options that all reports have. */

import { type Option, quote, textOption, type Valued } from "../command/options.ts";
import { filterOptions } from "../command/order-filter.ts";
import { usageError } from "../core/errors.ts";
import { type Grouping, groupings } from "./groups.ts";

export const pageOption = {
  html: textOption("FILE", "also write it as an HTML page with charts, which needs nothing from the net"),
} as const satisfies Record<string, Option<unknown>>;

export const rangeOptions = filterOptions;

/** `--by`, with the groupings that a report has. Throws a usage error for another. */
export function byOption(choices: readonly Grouping[], summary: string): Valued<Grouping> {
  return {
    placeholder: "GROUP",
    summary: `${summary}: ${choices.join(", ")} (default ${choices[0]})`,
    candidates: choices.map((value) => ({ value })),
    parse(text, flag) {
      const choice = choices.find((each) => each === text);
      if (choice !== undefined) return choice;
      throw usageError(`${flag} takes one of ${choices.join(", ")}, not ${quote(text)}`);
    },
  };
}

export const groupingWords =
  "Days, weeks and months are those of this machine's time zone, or of UTC with --utc beside --from, --to or --last;\n" +
  "a week is one of ISO 8601, from Monday to Sunday.\n" +
  "city is the receiver's, sender the sender's name.";

export function titleOf(by: Grouping): string {
  return groupings[by].title;
}
