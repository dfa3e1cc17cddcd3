/** Whose key a run has, for what a command says that there is none of: with another key, orders may have been sent. */

import { serviceOf } from "../config/accounts.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Context } from "./command.ts";
import { findLedger } from "./found-ledger.ts";

/**
 * The service is asked about a key that the ledger does not know, where it knows customers by their profiles. Undefined
 * where nothing was sent to the service. Throws ServiceFailure, `customer_changed` and `customer_unknown`, exit 5.
 */
export async function findCustomerOfKey(context: Context): Promise<Customer | undefined> {
  const known = await context.knownCustomer();
  if (known?.profileId !== undefined) return known;
  const ledger = await findLedger(context);
  const hasProfiles = await ledger?.hasProfiles(serviceOf(await context.account()));
  return hasProfiles ? context.customer() : known;
}
