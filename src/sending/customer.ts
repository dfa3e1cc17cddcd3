/** Identifies the customer of an account: by its key if it is known, else by the profile. */

import { ServiceFailure } from "../api/failure.ts";
import type { CourierService } from "../api/service.ts";
import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderDetail } from "../model/interface.ts";

export interface CustomerSearch {
  readonly ledger: Ledger;
  readonly service: CourierService;
  readonly account: ActiveAccount;
  readonly apiKey: string;
  /** Reads the profile even if the key is known, and makes sure of its customer. */
  readonly isFresh: boolean;
  /** It makes no order: where profiles are known and the service shows none now, the key stands for a customer. */
  readonly makesNoOrder: boolean;
  /** Customers that this run knows to be others. */
  readonly others: Set<number>;
  readonly note: (text: string) => void;
  readonly nextCommand: (words: string) => string;
}

/**
 * The customer of this run's account. Throws ServiceFailure where the key is refused or the service cannot be
 * reached, `customer_changed` and `customer_unknown`, exit 5. A service that has never shown a profile with an id may have
 * none: then the key identifies the customer.
 */
export async function identifyCustomer(search: CustomerSearch): Promise<Customer> {
  const { ledger, account, isFresh, makesNoOrder } = search;
  const service = serviceOf(account);
  // The embedded sandbox creates a key for each run, and a profile id at each reset.
  const key = account.kind === "sandbox" ? undefined : search.apiKey;
  const known = key === undefined ? undefined : await ledger.findCustomer(service, key);
  const isNamed = known?.profileId !== undefined;
  const mustAsk = isFresh || !known || (!isNamed && (await ledger.hasProfiles(service)));
  const asked = mustAsk ? await askProfileId(search) : undefined;
  if (asked && "id" in asked) {
    if (isNamed && asked.id !== known.profileId) throw customerChanged(known.profileId, asked.id, search);
  } else if (asked && !isNamed) {
    // Where profiles are known, the next order asks again, whatever the key stands for until then.
    const isUnknown = (await ledger.hasProfiles(service)) ? !makesNoOrder : asked.mayHaveId && !known;
    if (isUnknown) throw customerUnknown(asked.reason);
  }
  const same = key === undefined ? [] : await findSame(search, known?.id);
  if (known && !asked && same.length === 0) return known;
  const isAlone = asked && "reason" in asked && !isNamed && same.length === 0;
  if (isAlone && !isFresh && !makesNoOrder)
    search.note(`${asked.reason}; orders are compared only with those of this key`);
  const profileId = asked && "id" in asked ? asked.id : known?.profileId;
  return ledger.learnCustomer({ service, key, profileId, account: account.name, same });
}

/**
 * Other customers without a profile's id whose orders the service shows to this key: all keys of a customer see the same
 * orders. An answer that is no word of the service leaves it open.
 */
async function findSame(search: CustomerSearch, own: number | undefined): Promise<readonly number[]> {
  const { ledger, account, makesNoOrder, others } = search;
  const latest = await ledger.latestOfUnnamed(serviceOf(account), own);
  const same: number[] = [];
  for (const customer of new Set(latest.map((each) => each.customer))) {
    if (others.has(customer)) continue;
    const creates = latest.filter((each) => each.customer === customer);
    const { isShown, unread } = await readSome(creates, search);
    if (isShown) same.push(customer);
    else if (unread === undefined) others.add(customer);
    else if (!makesNoOrder) throw customerUnknown(unread);
  }
  return same;
}

/**
 * Whether the service shows any of these orders of one customer to this key; or why that is not known. An order that is not
 * shown may be gone: some services drop those that were cancelled.
 */
async function readSome(
  creates: readonly Operation[],
  search: CustomerSearch,
): Promise<{ readonly isShown: boolean; readonly unread?: string }> {
  const doubt = creates.find(({ order }) => !order);
  /** The key has another order of the same id. */
  let isOther = false;
  for (const operation of creates) {
    if (!operation.order) continue;
    const { id } = operation.order;
    const shown = await readOrder(id, search);
    if (shown instanceof ServiceFailure) {
      const isOpen = shown.kind !== "refused" || shown.serviceCode === undefined;
      if (isOpen)
        return {
          isShown: false,
          unread: `order ${id} of an earlier key could not be read: ${shown.message}`,
        };
      continue;
    }
    if (await isSameOrder(operation, shown, search.ledger)) return { isShown: true };
    isOther = true;
  }
  if (!doubt || isOther) return { isShown: false };
  const name = nameOperation(doubt);
  const resolve = search.nextCommand(`orders resolve ${name} --not-created`);
  return {
    isShown: false,
    unread: `${name} of an earlier key is in doubt; settle it with that key, or record that it made no order: ${resolve}`,
  };
}

/** By its numbers: an answer may have named another order of the customer, and the website may have changed it since. */
async function isSameOrder(operation: Operation, shown: OrderDetail, ledger: Ledger): Promise<boolean> {
  const { order, draft } = operation;
  const numbers = [
    [order?.order_no, shown.order_no],
    [order?.tracking_number, shown.tracking_number],
  ].filter((pair) => pair.every((number) => number != null));
  if (numbers.some(([sent, now]) => sent === now)) return true;
  if (numbers.length > 0 && (!draft || operation.state === "found")) return false;
  const { describeOther } = await import("./another-order.ts");
  return (await describeOther(operation, shown, ledger)) === undefined;
}

async function readOrder(id: string, { service }: CustomerSearch): Promise<OrderDetail | ServiceFailure> {
  try {
    return await service.order(id);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind !== "refused" && error.kind !== "invalid_response") throw error;
    return error;
  }
}

/** As a customer of its own, a key would not know what was sent with another key of the same customer. */
function customerUnknown(reason: string): CourierError {
  return new CourierError(
    "customer_unknown",
    5,
    `it is not known which customer this key belongs to: ${reason}; nothing was sent`,
    {
      hint: "run the same command again later: what was sent with another key of the same customer could be sent twice now",
    },
  );
}

/** Another customer has other orders: one that is in doubt, or an equal one, would not be known any more. */
function customerChanged(before: string, now: string, { account }: CustomerSearch): CourierError {
  // A key of the environment is none of a stored account, which may be for another service.
  const words =
    account.kind === "remote" && account.key.place === "given"
      ? `NAME --base-url ${shellQuote(serviceOf(account))}`
      : shellQuote(account.name);
  return new CourierError(
    "customer_changed",
    5,
    `the service says that this key belongs to customer ${now}, and until now it was customer ${before}; nothing was sent`,
    {
      hint: `run the same command again later; if the key does belong to another customer now, log in with it again: courier login --account ${words}`,
    },
  );
}

type AskedProfile =
  | { readonly id: string }
  /** `mayHaveId`: the answer is no word of the service about it, such as a web page of a proxy. */
  | { readonly reason: string; readonly mayHaveId: boolean };

async function askProfileId({ service }: CustomerSearch): Promise<AskedProfile> {
  try {
    const { id } = await service.profile();
    return id ? { id: id.value } : { reason: "the service's profile has no id", mayHaveId: true };
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    if (error.kind !== "refused" && error.kind !== "invalid_response") throw error;
    const reason = `the service does not show the profile (${error.message})`;
    // A refusal without a code of the service is that of a proxy.
    return { reason, mayHaveId: error.kind === "invalid_response" || error.serviceCode === undefined };
  }
}
