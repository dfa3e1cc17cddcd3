/** The tracking numbers of `courier track`: arguments, stdin, or the account's own orders. */

import type { Context } from "../command/command.ts";
import { flagOf, type OptionValues, parseParcelName, switchOption } from "../command/options.ts";
import { filterOptions } from "../command/order-filter.ts";
import { readNames, stdinName } from "../command/piped-names.ts";
import { usageError } from "../core/errors.ts";
import type { ParcelOrder } from "./parcel-orders.ts";

const group = "Your own orders, instead of tracking numbers";

export const numberOptions = {
  status: {
    ...filterOptions.status,
    summary: "the parcels of all orders in this state; several with commas",
    group,
  },
  allActive: switchOption("the parcels of all orders that are not delivered, completed or cancelled", {
    group,
  }),
  from: { ...filterOptions.from, group },
  to: { ...filterOptions.to, group },
  last: { ...filterOptions.last, group },
  utc: { ...filterOptions.utc, group },
} as const;

export type NumberInput = OptionValues<typeof numberOptions> & {
  readonly trackingNumbers: readonly string[];
};

export interface Numbers {
  readonly trackingNumbers: readonly string[];
  /** One number was given as an argument: the result is its tracking, not a list. */
  readonly isSingle: boolean;
  /** The message where there are none. */
  readonly empty: string;
  /** Orders that await payment and were left out. */
  readonly unpaid: number;
  /** What the list of the own orders shows of them, by tracking number. */
  readonly orders?: ReadonlyMap<string, ParcelOrder>;
}

/** Numbers were given, or a choice of orders. */
export function hasChoice({ trackingNumbers, ...choice }: NumberInput): boolean {
  const keys = Object.keys(numberOptions) as (keyof typeof numberOptions)[];
  return trackingNumbers.length > 0 || keys.some((key) => choice[key] !== undefined);
}

/**
 * `skipsUnpaid`: leaves out active orders that await payment. Throws a usage error where no numbers are given,
 * or both numbers and a choice of orders.
 */
export async function findNumbers(
  input: NumberInput,
  context: Context,
  skipsUnpaid = false,
): Promise<Numbers> {
  const { trackingNumbers: words, status, allActive } = input;
  const isOwn = status !== undefined || allActive === true;
  if (status !== undefined && allActive) throw usageError("--status and --all-active exclude each other");
  if (isOwn && words.length > 0)
    throw usageError(
      `tracking numbers and ${flagOf(status === undefined ? "allActive" : "status")} exclude each other`,
    );
  if (!isOwn && (input.from ?? input.to ?? input.last ?? input.utc) !== undefined)
    throw usageError(
      "--from, --to and --last choose among your own orders",
      "add --status STATE or --all-active",
    );
  if (isOwn) {
    const empty = allActive
      ? "No active orders to track"
      : `No orders to track with the state ${status?.join(" or ")}`;
    const { ownNumbers } = await import("./own-numbers.ts");
    return { ...(await ownNumbers(input, context, skipsUnpaid)), isSingle: false, empty };
  }
  const picked = words.length === 0 ? await pickParcel(context) : undefined;
  if (picked !== undefined) return { trackingNumbers: [picked], isSingle: true, empty: "", unpaid: 0 };
  if (words.length === 0)
    throw usageError(
      "no tracking number given",
      "name some, pipe them in with -, or use --status STATE or --all-active",
    );
  const empty = "No tracking numbers on stdin";
  const isPiped = words.includes(stdinName);
  const trackingNumbers = await readNames(words, parseParcelName, context);
  return { trackingNumbers, isSingle: words.length === 1 && !isPiped, empty, unpaid: 0 };
}

async function pickParcel(context: Context): Promise<string | undefined> {
  if (!(await context.prompts())) return undefined;
  const { pickOrder } = await import("../command/pick-order.ts");
  return (await pickOrder("Track which parcel?", "parcel", context))?.trackingNumber;
}
