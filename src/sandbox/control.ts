/** What can be done to a sandbox without its server: deleting all orders, moving a stored parcel on. */

import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../model/json.ts";
import { createOrdersRepository } from "./orders-repository.ts";
import { generateSeeds } from "./seeds.ts";
import { hasStoredOrders, openStoredOrders, type StoredOrdersOptions } from "./stored-orders.ts";
import { type Advance, advance } from "./transitions.ts";

/**
 * Deletes all orders and chooses another profile id; a server that runs finds itself empty. Only calls
 * `onDeleted` where there is no sandbox. Throws `database` for a file that cannot be used; it stays as it is.
 */
export async function resetSandbox(
  options: StoredOrdersOptions,
  onDeleted?: () => Promise<void>,
): Promise<void> {
  if (!hasStoredOrders(options.stateDir)) return onDeleted?.();
  const stored = await openStoredOrders(options);
  try {
    await stored.reset(onDeleted);
  } finally {
    stored.close();
  }
}

export interface AdvanceOptions extends Advance, StoredOrdersOptions {
  readonly clock: Clock;
}

/**
 * Moves a parcel on and answers its tracking data (2.5). Throws CourierError: "refused" for an unknown
 * number or a state that is not ahead, "usage" for a word that is no state, `database` as above.
 */
export async function advanceParcel(options: AdvanceOptions): Promise<JsonObject> {
  const { clock, trackingNumber, to } = options;
  const stored = await openStoredOrders(options);
  try {
    const orders = createOrdersRepository(stored, generateSeeds(0, clock.now()));
    return await advance(orders, clock, { trackingNumber, to });
  } finally {
    stored.close();
  }
}
