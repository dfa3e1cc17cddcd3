/** Whose mirror an account's orders are in. */

import { type ActiveAccount, serviceOf } from "../config/accounts.ts";
import type { MirrorOwner } from "../mirror/mirror-path.ts";

export function mirrorOwnerOf(account: ActiveAccount): MirrorOwner {
  // The environment may give another customer's key each time.
  const key = account.kind === "remote" && account.key.place === "given" ? account.key.apiKey : "";
  return { account: account.name, service: serviceOf(account), key };
}
