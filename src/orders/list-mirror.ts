/** The orders of the mirror as `orders list` shows them. */

import { describeUnsynced, hasAccountMirror, openAccountMirror } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import type { OrderQuery, OwnFilter } from "../command/order-filter.ts";
import { usageError } from "../core/errors.ts";
import { formatRelative } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import type { MirroredOrder } from "../mirror/mirrored-order.ts";
import type { OrderSummary } from "../model/interface.ts";
import { isJsonObject } from "../model/json.ts";

export interface MirrorListing {
  /** Newest first, as far as their times are known. */
  readonly orders: AsyncGenerator<OrderSummary, void>;
  /** Of orders whose phones and addresses may be another order's. */
  warn(): Promise<void>;
  describeAge(): Promise<string>;
}

/** Throws a usage error where the account has no mirror, and `database`, exit 5. */
export async function listMirror(
  { statuses }: OrderQuery,
  own: OwnFilter,
  context: Context,
): Promise<MirrorListing> {
  const { clock } = context;
  const sync = context.nextCommand("sync");
  if (!(await hasAccountMirror(context))) {
    const { name } = await context.account();
    throw usageError(
      `--offline reads the mirror, and this machine has none of the account ${name}`,
      `to make one: ${sync}`,
    );
  }
  const mirror = await openAccountMirror(context);
  const { createNameCheck } = await import("../sending/sent-names.ts");
  const names = createNameCheck(mirror, context);
  const search = {
    text: "",
    statuses: statuses.length === 0 ? undefined : statuses,
    isInTime: own.hasDay,
    isShownOnly: true,
  };
  return {
    orders: toSummaries(names.check(mirror.search(search))),
    warn: () => names.warn(context.messages),
    async describeAge() {
      const { orders, notShown, syncedAtMs } = await mirror.facts();
      if (syncedAtMs === undefined) return describeUnsynced(orders, context);
      const age = formatRelative(syncedAtMs, clock.now());
      const source = `from the mirror of ${counted(orders - notShown, "order")}, synced ${age}`;
      const leftOut =
        notShown === 0
          ? ""
          : `; left out ${counted(notShown, "order")} that the service no longer shows, which courier find has`;
      return `${source}${leftOut}; ${sync} brings it up to date`;
    },
  };
}

/** An order that was in no list yet has its item's name in what was sent. */
async function* toSummaries(orders: AsyncGenerator<MirroredOrder, void>): AsyncGenerator<OrderSummary, void> {
  for await (const { fields, seenAtMs } of orders) {
    const { id, order_no, tracking_number, status, item, ...others } = fields;
    const item_name = fields.item_name ?? (isJsonObject(item) ? item.name : undefined);
    const seen_at = new Date(seenAtMs).toISOString();
    yield { id, order_no, tracking_number, status, ...others, item_name, item, seen_at } as OrderSummary;
  }
}
