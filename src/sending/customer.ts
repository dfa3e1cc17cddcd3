/** Identifies the customer of an account: by its key if it is known, else by the profile. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { type ActiveAccount, serviceOf, unnamedAccount } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface CustomerSearch {
  readonly ledger: Ledger;
  readonly service: CourierService;
  readonly account: ActiveAccount;
  readonly apiKey: string;
  /** Reads the profile even if the key is known, and makes sure of its customer. */
  readonly isFresh: boolean;
  readonly note: (text: string) => void;
}

/**
 * The customer of this run's account. Throws ServiceFailure where the key is refused or the service cannot be
 * reached, and `customer_changed`, exit 5. Where the profile has no id, the key identifies the customer.
 */
export async function identifyCustomer(search: CustomerSearch): Promise<Customer> {
  const { ledger, account, isFresh } = search;
  const service = serviceOf(account);
  // The embedded sandbox creates a key for each run, and a profile id at each reset.
  const key = account.kind === "sandbox" ? undefined : search.apiKey;
  const known = key === undefined ? undefined : await ledger.findCustomer(service, key);
  if (known && !isFresh) return known;
  const profileId = await askProfileId(search);
  if (known?.profileId !== undefined && profileId !== undefined && profileId !== known.profileId)
    throw customerChanged(known.profileId, profileId, search);
  return ledger.learnCustomer({ service, key, profileId, account: account.name });
}

/** Another customer has other orders: one that is in doubt, or an equal one, would not be known any more. */
function customerChanged(before: string, now: string, { account }: CustomerSearch): CourierError {
  const words =
    account.name === unnamedAccount
      ? ` --base-url ${shellQuote(serviceOf(account))}`
      : ` --account ${shellQuote(account.name)}`;
  return new CourierError(
    "customer_changed",
    5,
    `the service says that this key belongs to customer ${now}, and until now it was customer ${before}; nothing was sent`,
    {
      hint: `run the same command again later; if the key does belong to another customer now, log in with it again: courier login${words}`,
    },
  );
}

/** Undefined where the service answers without an id. */
async function askProfileId({ service, isFresh, note }: CustomerSearch): Promise<string | undefined> {
  const noteReason = (reason: string) => {
    if (!isFresh) note(`${reason}; orders are compared only with those of this key`);
    return undefined;
  };
  try {
    const { id } = await service.profile();
    return id ? id.value : noteReason("the service's profile has no id");
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind !== "refused" && error.kind !== "invalid_response") throw error;
    return noteReason(`the service does not show the profile (${error.message})`);
  }
}
