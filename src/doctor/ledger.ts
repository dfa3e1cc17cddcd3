/** The doctor's check of the ledger: its file, its driver, and the file system that it is on. */

import type { Context } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import { findNetworkFileSystem, type NetworkFileSystem, type Statfs } from "../core/network-file-system.ts";
import { counted } from "../core/wording.ts";
import { hasLedger, type LedgerFacts, ledgerPath } from "../ledger/ledger.ts";
import { findDriver } from "../sqlite/database.ts";
import { type CheckResult, hideHome } from "./check-result.ts";

type LedgerContext = Pick<Context, "ledger" | "machine">;

/** Damage and files of another kind are failures; orders in doubt and shared file systems are warnings. */
export async function checkLedger(context: LedgerContext, statfs?: Statfs): Promise<CheckResult> {
  const { machine } = context;
  const { stateDirectory, platform } = machine;
  const shared = await findNetworkFileSystem(stateDirectory, platform, statfs);
  const name = hideHome(ledgerPath(stateDirectory), machine);
  try {
    if (!hasLedger(stateDirectory)) {
      const { name: driver } = await findDriver("ledger");
      return withSharing({ detail: `none yet; it is made with ${driver}` }, shared);
    }
    return describe(name, await (await context.ledger()).inspect(), shared);
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    const { message, hint, exit } = error;
    const advice = hint === undefined ? undefined : hideHome(hint, machine);
    return { check: "ledger", status: "fail", detail: hideHome(message, machine), advice, exit };
  }
}

function describe(name: string, facts: LedgerFacts, shared: NetworkFileSystem | undefined): CheckResult {
  const { driver, sqliteVersion, sizeBytes, inDoubt, integrity } = facts;
  if (integrity !== "ok") {
    const detail = `${name} is damaged: ${integrity}`;
    const advice = "restore it from a backup, or move it away with its -wal and -shm files";
    return { check: "ledger", status: "fail", detail, advice, exit: 5 };
  }
  const size = `${Math.ceil(sizeBytes / 1_000)} kB`;
  const doubt = `${counted(inDoubt, "operation")} in doubt`;
  const detail = `${name}, ${size}, SQLite ${sqliteVersion} (${driver}), ${doubt}`;
  return withSharing({ detail, advice: inDoubt > 0 ? "see courier log --unknown" : undefined }, shared);
}

function withSharing(
  { detail, advice }: { detail: string; advice?: string | undefined },
  shared: NetworkFileSystem | undefined,
): CheckResult {
  if (!shared) return { check: "ledger", status: advice === undefined ? "ok" : "warn", detail, advice };
  const where = `${shared.isCertain ? "on" : "may be on"} a network file system (${shared.name})`;
  const move = "SQLite needs a local disk: choose one with COURIER_STATE_DIR";
  return {
    check: "ledger",
    status: "warn",
    detail: `${detail}; ${where}`,
    advice: advice === undefined ? move : `${advice}; ${move}`,
  };
}
