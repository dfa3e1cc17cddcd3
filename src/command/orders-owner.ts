/** Under whose name an account's orders are kept for the Tab key and for sheets. */

import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import type { OrdersOwner } from "../ledger/order-cache.ts";

export function ordersOwnerOf(account: ActiveAccount): OrdersOwner {
  const service = serviceOf(account);
  // The environment may give another customer's key each time.
  const isGiven = account.kind === "remote" && account.key.place === "given";
  return { account: account.name, service: isGiven ? `${service} ${tagOfKey(account.key.apiKey)}` : service };
}

/** Tells keys apart and does not give one away: 32 bits by FNV-1a. node:crypto would slow the Tab key. */
export function tagOfKey(key: string): string {
  let tag = 0x811c9dc5;
  for (const character of key) tag = Math.imul(tag ^ character.charCodeAt(0), 0x01000193);
  return (tag >>> 0).toString(36);
}
