/** The creates of an account that are in doubt, as far as the ledger knows: nothing is asked. */

import type { Context } from "../command/command.ts";
import { serviceOf } from "../config/accounts.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Operation, Run } from "../ledger/operation.ts";
import { checkRun } from "./owners.ts";

/** The oldest first. */
export async function findCreatesInDoubt(context: Context): Promise<readonly Operation[]> {
  const ledger = await context.ledger();
  const customers = await findCustomers(ledger, context);
  const open = (await Promise.all(customers.map(({ id }) => ledger.openOperations(id)))).flat();
  return open
    .filter(({ operation, owner }) => isInDoubt(operation, owner, context))
    .map(({ operation }) => operation);
}

/** So is what a run was sending that has ended, or of which nothing tells whether it has. */
export function isInDoubt(
  { kind, state }: Operation,
  owner: Run | undefined,
  { processes }: Pick<Context, "processes">,
): boolean {
  if (kind !== "create") return false;
  return state === "unknown" || (state === "sending" && !!owner && checkRun(owner, processes) !== "alive");
}

/**
 * The customer of the account, without starting a sandbox, and without the key ring or a key command, which might
 * prompt the user: in these cases, all customers of the account; of the sandbox, which a reset empties, the last one.
 */
export async function findCustomers(ledger: Ledger, context: Context): Promise<readonly Customer[]> {
  const account = await context.account();
  if (account.kind === "remote" && "apiKey" in account.key) {
    const known = await context.knownCustomer();
    return known ? [known] : [];
  }
  const service = serviceOf(account);
  const all = await ledger.customersOnlyOf(account.name, []);
  const customers = all.filter((each) => each.service === service).toSorted((a, b) => b.id - a.id);
  return account.kind === "remote" ? customers : customers.slice(0, 1);
}
