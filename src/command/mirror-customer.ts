/** Whose orders a mirror has: an account may be given the key of another customer, whose orders are others. */

import type { Customer } from "../ledger/customers.ts";
import type { Mirror } from "../mirror/mirror.ts";

const customerFact = "customer";

/** Undefined where it is not known whose orders the mirror has. */
export async function isMirrorOf(mirror: Mirror, customer: Customer): Promise<boolean | undefined> {
  const known = await mirror.fact(customerFact);
  return known === undefined ? undefined : namesOf(customer).includes(known);
}

/** False for a mirror of another customer's orders. One that is not known to be any customer's becomes this one's. */
export async function claimMirror(mirror: Mirror, customer: Customer): Promise<boolean> {
  const isOwn = (await isMirrorOf(mirror, customer)) ?? true;
  if (isOwn) await mirror.setFact(customerFact, namesOf(customer)[0]);
  return isOwn;
}

/** The first one where there is one: another ledger has other numbers for the same customers. */
function namesOf({ id, profileId }: Customer): readonly [string, ...string[]] {
  const number = String(id);
  return profileId === undefined ? [number] : [`profile ${profileId}`, number];
}
