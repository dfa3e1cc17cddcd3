/** The ledger for commands that only read: they do not create one. */

import { stat } from "node:fs/promises";
import { systemCode } from "../core/errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { hasLedger as hasLocalLedger, ledgerPath } from "../ledger/ledger-file.ts";
import type { Context } from "./command.ts";

/** True where there is a ledger: opening it makes none. */
export async function hasLedger({ sharesLedger, machine }: LedgerContext): Promise<boolean> {
  return hasLocalLedger(machine.stateDirectory) || (await sharesLedger());
}

type LedgerContext = Pick<Context, "sharesLedger" | "machine">;

/** Undefined where there is no ledger. Throws `database`, exit 5, where it cannot be read. */
export async function findLedger(
  context: LedgerContext & Pick<Context, "ledger">,
): Promise<Ledger | undefined> {
  try {
    await stat(ledgerPath(context.machine.stateDirectory));
  } catch (error) {
    if (systemCode(error) === "ENOENT" && !(await hasLedger(context))) return undefined;
  }
  return context.ledger();
}
