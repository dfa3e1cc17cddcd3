/** How far the reading of a long list of orders has come, for a command whose result waits for it. */

import { counted } from "../core/wording.ts";
import type { OrderSummary } from "../model/interface.ts";
import type { Meter } from "../terminal/progress.ts";
import type { Context } from "./command.ts";

/** A page at most: a list that ends with it is read too soon to show anything. */
const firstShown = 100;

export interface ListProgress {
  /** Notes how many orders the service counts, where it says so. */
  noteTotal(orders: number | undefined): void;
  /** The same orders, counted as they are read. */
  count(orders: AsyncGenerator<OrderSummary, void>): AsyncGenerator<OrderSummary, void>;
  end(): void;
}

export function createListProgress(context: Pick<Context, "meter">): ListProgress {
  let meter: Meter | undefined;
  let total: number | undefined;
  let seen = 0;
  return {
    noteTotal(orders) {
      total = orders;
    },
    async *count(orders) {
      for await (const order of orders) {
        seen += 1;
        if (seen > firstShown) {
          meter ??= context.meter();
          meter.update(() => {
            const orders =
              total === undefined ? counted(seen, "order") : `${seen} of ${counted(total, "order")}`;
            return `${orders} read`;
          });
        }
        yield order;
      }
    },
    end: () => meter?.end(),
  };
}
