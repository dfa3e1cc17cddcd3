/** The parties that the form of an order offers. */

import { ServiceFailure } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import type { KnownParty } from "../forms/party-form.ts";
import type { DraftOwner } from "../ledger/drafts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Operation } from "../ledger/operation.ts";

/** Whose parties are offered. */
const ordersOffered = 50;

/** Those of the address book, then those of the last orders. */
export async function knownParties(
  owner: DraftOwner,
  ledger: Ledger,
  context: Context,
): Promise<readonly KnownParty[]> {
  const { addresses } = await context.config.read();
  const saved = Object.entries(addresses).map(([alias, party]): KnownParty => ({ alias, party }));
  const seen = new Set(saved.map(({ party }) => JSON.stringify(party)));
  const recent: KnownParty[] = [];
  for (const { draft } of await findRecent(owner, ordersOffered, ledger, context)) {
    for (const party of [draft?.receiver, draft?.sender]) {
      if (!party || seen.has(JSON.stringify(party))) continue;
      seen.add(JSON.stringify(party));
      recent.push({ party });
    }
  }
  return [...saved, ...recent];
}

/** None where it cannot be found out whose key the account has: another customer's receivers are offered to none. */
async function findRecent(
  owner: DraftOwner,
  limit: number,
  ledger: Ledger,
  context: Context,
): Promise<readonly Operation[]> {
  try {
    const { id: customer } = await context.customer();
    return await ledger.recentCreates({ ...owner, customer }, limit);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return [];
  }
}

/** The default sender, else the sender of the last order, else the only address that is saved. */
export async function usualSender(
  owner: DraftOwner,
  ledger: Ledger,
  context: Context,
): Promise<KnownParty | undefined> {
  const config = await context.config.read();
  const saved = Object.entries(config.addresses).map(([alias, party]): KnownParty => ({ alias, party }));
  const chosen = saved.find(({ alias }) => alias === config.default_sender);
  if (chosen) return chosen;
  const [last] = await findRecent(owner, 1, ledger, context);
  const sender = last?.draft?.sender;
  if (!sender) return saved.length === 1 ? saved[0] : undefined;
  return saved.find(({ party }) => JSON.stringify(party) === JSON.stringify(sender)) ?? { party: sender };
}
