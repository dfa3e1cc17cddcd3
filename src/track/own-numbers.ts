/** The tracking numbers of the account's own orders, chosen by state and day. */

import { checkApiQuota } from "../command/api-quota.ts";
import type { Context } from "../command/command.ts";
import { createListProgress } from "../command/list-progress.ts";
import { matchingOrders } from "../command/matching-orders.ts";
import type { OptionValues } from "../command/options.ts";
import { checkFilter, createOwnFilter, type filterOptions } from "../command/order-filter.ts";
import { byCount, counted } from "../core/wording.ts";
import { isFinal, unpaidState } from "../model/states.ts";
import type { ParcelOrder } from "./parcel-orders.ts";

const pagesAtOnce = 8;

type Choice = OptionValues<typeof filterOptions> & { readonly allActive?: boolean | undefined };

interface OwnNumbers {
  readonly trackingNumbers: readonly string[];
  /** Orders that await payment and were left out. */
  readonly unpaid: number;
  /** What the list shows of them, by tracking number. */
  readonly orders: ReadonlyMap<string, ParcelOrder>;
}

/** The newest order first. A state that courier does not know counts as active. */
export async function ownNumbers(input: Choice, context: Context, skipsUnpaid: boolean): Promise<OwnNumbers> {
  const query = checkFilter(input, context.clock);
  const own = createOwnFilter(query, context.clock);
  const service = await context.service();
  const found = new Map<string, ParcelOrder>();
  let unpaid = 0;
  let unnumbered = 0;
  const progress = createListProgress(context);
  const orders = matchingOrders(service, query, {
    own,
    concurrency: pagesAtOnce,
    isBounded: "uncounted",
    async beforeOthers(calls, total) {
      progress.noteTotal(total);
      await checkApiQuota(calls, service, context);
    },
    pass: progress.count,
  });
  try {
    for await (const { tracking_number, status, receiver, item_name } of own.counted(orders)) {
      if (input.allActive && isFinal(status)) continue;
      if (input.allActive && skipsUnpaid && status === unpaidState) {
        unpaid += 1;
        continue;
      }
      if (tracking_number)
        found.set(tracking_number, { to: receiver?.name ?? undefined, item: item_name ?? undefined });
      else unnumbered += 1;
    }
  } finally {
    progress.end();
  }
  own.warn(context.messages);
  if (unnumbered > 0)
    context.messages.warn(
      `${counted(unnumbered, "order")} ${byCount(unnumbered, "has", "have")} no tracking number yet and cannot be tracked`,
    );
  return { trackingNumbers: [...found.keys()], unpaid, orders: found };
}
