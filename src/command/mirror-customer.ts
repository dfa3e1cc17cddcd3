/** Whose orders a mirror has: an account may be given the key of another customer, whose orders are others. */

import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Mirror } from "../mirror/mirror.ts";

const profileFact = "customer";
/** With the ledger that it is of: another one has other numbers for the same customers. */
const numberFact = "customer_number";

/** Undefined where it is not known whose orders the mirror has. */
export async function isMirrorOf(
  mirror: Mirror,
  customer: Customer,
  ledger: Ledger,
): Promise<boolean | undefined> {
  const profile = await mirror.fact(profileFact);
  // An earlier version kept a number there, without its ledger.
  if (customer.profileId !== undefined && profile?.startsWith("profile "))
    return profile === nameProfile(customer.profileId);
  const [number, of] = (await mirror.fact(numberFact))?.split(" of ") ?? [];
  return of === (await nameLedger(ledger)) ? number === String(customer.id) : undefined;
}

/** False for a mirror of another customer's orders. One that is not known to be any customer's becomes this one's. */
export async function claimMirror(mirror: Mirror, customer: Customer, ledger: Ledger): Promise<boolean> {
  const isOwn = (await isMirrorOf(mirror, customer, ledger)) ?? true;
  if (!isOwn) return false;
  const { id, profileId } = customer;
  await mirror.setFact(numberFact, `${id} of ${await nameLedger(ledger)}`);
  if (profileId !== undefined) await mirror.setFact(profileFact, nameProfile(profileId));
  return true;
}

const nameProfile = (id: string) => `profile ${id}`;

/** A copy of this machine's ledger on a server gives customers other numbers. */
async function nameLedger(ledger: Ledger): Promise<string> {
  return `${ledger.isShared ? "shared" : "local"} ${await ledger.identify()}`;
}
