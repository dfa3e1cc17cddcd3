/** Finds out whose account it is: by the key where it is known, else by asking the service for the profile. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { type ActiveAccount, sandboxAccount } from "../config/accounts.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";

export interface CustomerSearch {
  readonly ledger: Ledger;
  readonly service: CourierService;
  readonly account: ActiveAccount;
  readonly apiKey: string;
  /** Asks the service even where the key is known: a key may have changed hands. */
  readonly isFresh: boolean;
  readonly note: (text: string) => void;
}

/** The service's address under which the ledger keeps its customers. */
export function serviceOf(account: ActiveAccount): string {
  return account.kind === "sandbox" ? sandboxAccount : account.baseUrl;
}

/**
 * The customer of this run's account. Throws ServiceFailure where the key is refused or the service cannot be
 * reached; where it tells no profile id, the key stands for the customer.
 */
export async function identifyCustomer(search: CustomerSearch): Promise<Customer> {
  const { ledger, account, isFresh } = search;
  const service = serviceOf(account);
  // The embedded sandbox makes a key for each run, and a profile id at each reset.
  const key = account.kind === "sandbox" ? undefined : search.apiKey;
  const known = key === undefined ? undefined : await ledger.findCustomer(service, key);
  if (known && !isFresh) return known;
  const profileId = await askProfileId(search);
  return ledger.learnCustomer({ service, key, profileId, account: account.name });
}

/** Undefined where the service answers but tells no id. */
async function askProfileId({ service, isFresh, note }: CustomerSearch): Promise<string | undefined> {
  const tell = (reason: string) => {
    if (!isFresh) note(`${reason}; orders are compared with those of this key only`);
    return undefined;
  };
  try {
    const { id } = await service.profile();
    return id ? id.value : tell("the service's profile has no id");
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind !== "refused" && error.kind !== "invalid_response") throw error;
    return tell(`the service does not show the profile (${error.message})`);
  }
}
