/** Where the ledger is. Apart from the ledger, so that commands which only ask whether there is one start faster. */

import path from "node:path";
import { hasContent, hasFile } from "../sqlite/private-file.ts";

export function ledgerPath(stateDirectory: string): string {
  return path.join(stateDirectory, "ledger.db");
}

/** True where the ledger exists, may be behind a link to nothing, or has left its log: opening it then creates no file. */
export function hasLedger(stateDirectory: string): boolean {
  const path = ledgerPath(stateDirectory);
  return hasFile(path) || hasContent(`${path}-wal`);
}
