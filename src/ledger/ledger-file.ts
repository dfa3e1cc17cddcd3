/** Where the ledger is. Apart from the ledger, so that commands which only ask whether there is one start faster. */

import path from "node:path";
import { hasDatabase } from "../sqlite/private-file.ts";

export function ledgerPath(stateDirectory: string): string {
  return path.join(stateDirectory, "ledger.db");
}

export function hasLedger(stateDirectory: string): boolean {
  return hasDatabase(ledgerPath(stateDirectory));
}
