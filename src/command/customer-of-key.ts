/** Whose key a run has, for what a command says that there is none of: with another key, orders may have been sent. */

import { ServiceFailure } from "../api/failure.ts";
import { serviceOf } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Context } from "./command.ts";
import { findLedger } from "./found-ledger.ts";

/**
 * The service is asked about a key that the ledger does not know, where it knows customers by their profiles or has
 * orders of others. Undefined where nothing was sent to the service. Throws ServiceFailure, `customer_changed` and
 * `customer_unknown`, exit 5.
 */
export async function findCustomerOfKey(context: Context): Promise<Customer | undefined> {
  const known = await context.knownCustomer();
  const ledger = await findLedger(context);
  if (!ledger) return known;
  const service = serviceOf(await context.account());
  if (known?.profileId === undefined && (await ledger.hasProfiles(service))) return context.customer();
  if ((await ledger.latestOfUnnamed(service, known?.id)).length === 0) return known;
  if (!known) return context.customer();
  // What an earlier key has sent may be this customer's, too. Its own orders are known without the service.
  return context.customer().catch((error) => {
    if (!(error instanceof ServiceFailure) || context.signal.aborted) throw error;
    return known;
  });
}

/** The same for what may lack the orders of other keys: a warning says so. */
export async function findCustomerOfOwnOrders(context: Context): Promise<Customer | undefined> {
  try {
    return await findCustomerOfKey(context);
  } catch (error) {
    const known = await context.knownCustomer();
    if (!known || !(error instanceof CourierError) || error.code !== "customer_unknown") throw error;
    context.messages.warnAlways(
      `orders that were sent with another key are not known here: ${error.message}`,
    );
    return known;
  }
}
