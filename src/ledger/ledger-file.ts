/** Where the ledger is. Apart from the ledger, so that commands which only ask whether there is one start faster. */

import path from "node:path";
import { hasFile } from "../sqlite/private-file.ts";

export function ledgerPath(stateDirectory: string): string {
  return path.join(stateDirectory, "ledger.db");
}

/** True where the ledger exists, or may be behind a link to nothing: opening it then creates no file. */
export function hasLedger(stateDirectory: string): boolean {
  return hasFile(ledgerPath(stateDirectory));
}
