/** The ledger for commands that only read: they do not create one. */

import { stat } from "node:fs/promises";
import { systemCode } from "../core/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { ledgerPath } from "../ledger/ledger-file.ts";
import type { Context } from "./command.ts";

/** Undefined where there is no ledger. Throws `database`, exit 5, where it cannot be read. */
export async function findLedger({ ledger, machine }: Context): Promise<Ledger | undefined> {
  try {
    await stat(ledgerPath(machine.stateDirectory));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
  }
  return ledger();
}
