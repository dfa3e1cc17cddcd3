/** Forgets what this machine keeps of an account's orders for searching and the Tab key. */

import { sandboxAccount } from "../config/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { hasLedger } from "../ledger/ledger-file.ts";
import { deleteOrderCache } from "../ledger/order-cache-writer.ts";
import { deleteMirrors } from "../mirror/mirror-files.ts";

/** Throws `database`, exit 5, and the system's errors. */
export async function forgetOrders(
  account: string,
  service: string | undefined,
  stateDirectory: string,
  localLedger: () => Promise<Ledger>,
): Promise<void> {
  deleteMirrors(stateDirectory, account);
  // Before the ledger is opened, which may fail: it writes the cache again.
  deleteOrderCache(stateDirectory);
  if (hasLedger(stateDirectory)) await (await localLedger()).forgetOrders(account, service);
}

export async function forgetSandboxOrders(
  forget: (account: string) => Promise<void>,
  warn: (text: string) => void,
): Promise<void> {
  await forget(sandboxAccount).catch((error) =>
    warn(
      `the orders that completion offers for ${sandboxAccount} could not be forgotten: ` +
        `${error instanceof Error ? error.message : error}`,
    ),
  );
}
