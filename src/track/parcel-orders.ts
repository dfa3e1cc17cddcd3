/** What the mirror knows of the orders of watched parcels, for the board. */

import { mirrorOwner, openAccountMirror } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import { ordersNamed } from "../command/order-name.ts";
import { hasMirror } from "../mirror/mirror-files.ts";
import { textAt } from "../mirror/mirrored-order.ts";

export interface ParcelOrder {
  readonly to: string | undefined;
  readonly item: string | undefined;
}

/** By name and by tracking number. None without a mirror, or where it cannot be read: a watch does not need it. */
export async function readParcelOrders(
  names: readonly string[],
  context: Context,
): Promise<ReadonlyMap<string, ParcelOrder>> {
  const found = new Map<string, ParcelOrder>();
  try {
    if (!hasMirror(context.machine.stateDirectory, await mirrorOwner(context))) return found;
    const mirror = await openAccountMirror(context);
    for (const name of names) {
      for await (const { fields } of ordersNamed(name, mirror)) {
        const item = textAt(fields.item, "name") ?? textAt(fields, "item_name");
        const known = { to: textAt(fields.receiver, "name"), item };
        for (const key of [name, textAt(fields, "tracking_number")])
          if (key !== undefined) found.set(key, known);
      }
    }
  } catch {
    return found;
  }
  return found;
}
