/** The doctor's check of the ledger: its file, its driver, and the file system that it is on. */

import type { Context } from "../command/command.ts";
import { hideHome } from "../command/runtime-info.ts";
import { CourierError } from "../core/errors.ts";
import { counted, newLedgerWarning } from "../core/wording.ts";
import type { LedgerFacts } from "../ledger/ledger.ts";
import { hasLedger, ledgerPath } from "../ledger/ledger-file.ts";
import { showAddress } from "../postgres/shown-address.ts";
import { findDriver } from "../sqlite/database.ts";
import { restore } from "../sqlite/database-errors.ts";
import type { CheckResult } from "./check-result.ts";
import { readFileSystem, type Statfs } from "./file-system.ts";

type LedgerContext = Pick<Context, "ledger" | "sharesLedger" | "machine">;

/** Damage and files of another kind are failures; orders in doubt and shared file systems are warnings. */
export async function checkLedger(context: LedgerContext, statfs?: Statfs): Promise<CheckResult> {
  const { machine } = context;
  const { stateDirectory, platform } = machine;
  if (await context.sharesLedger()) return checkSharedLedger(context);
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

/** Reachable, of this version, writable; what its settings void is a warning. */
async function checkSharedLedger({ ledger }: LedgerContext): Promise<CheckResult> {
  try {
    const opened = await ledger();
    const facts = await opened.inspect();
    await opened.checkPlace();
    const { detail, advice, ...rest } = describe(showAddress(facts.path).place, facts, undefined);
    const { weaknesses } = facts;
    if (weaknesses.length === 0) return { detail, advice, ...rest };
    return {
      ...rest,
      status: "warn",
      detail,
      advice: `never twice is not certain: ${weaknesses.join("; ")}`,
    };
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    const { message, hint, exit } = error;
    return { check: "ledger", status: "fail", detail: message, advice: hint, exit };
  }
}

function describe(name: string, facts: LedgerFacts, shared: NetworkFileSystem | undefined): CheckResult {
  const { engine, latencyMs, sizeBytes, inDoubt, integrity } = facts;
  if (integrity !== "ok") {
    const detail = `${name} is damaged: ${integrity}`;
    const advice = `${restore(facts.path)}; ${newLedgerWarning}`;
    return { check: "ledger", status: "fail", detail, advice, exit: 5 };
  }
  const size = `${Math.ceil(sizeBytes / 1_000)} kB`;
  const doubt = `${counted(inDoubt, "operation")} in doubt`;
  const latency = latencyMs === undefined ? "" : ` (${latencyMs.toFixed(1)} ms an answer)`;
  const detail = `${name}, ${size}, ${engine}${latency}, ${doubt}`;
  return withSharing(
    {
      detail,
      advice:
        inDoubt > 0
          ? "to settle them: courier orders resolve for orders, courier orders cancel ID again for cancels; all of them: courier log --unknown"
          : undefined,
    },
    shared,
  );
}

function withSharing(
  { detail, advice }: { detail: string; advice?: string | undefined },
  shared: NetworkFileSystem | undefined,
): CheckResult {
  if (!shared) return { check: "ledger", status: advice === undefined ? "ok" : "warn", detail, advice };
  const where = `${shared.isCertain ? "on" : "may be on"} a network file system (${shared.name})`;
  const move = `SQLite needs a local disk: choose one with COURIER_STATE_DIR; ${newLedgerWarning}`;
  return {
    check: "ledger",
    status: "warn",
    detail: `${detail}; ${where}`,
    advice: advice === undefined ? move : `${advice}; ${move}`,
  };
}

interface NetworkFileSystem {
  readonly name: string;
  /** False for a type that local file systems have too. */
  readonly isCertain: boolean;
}

/** The numbers of linux/magic.h, and of file systems outside of the kernel. */
const networkTypes: Readonly<Record<number, NetworkFileSystem>> = {
  26985: certain("NFS"),
  20859: certain("SMB"),
  4266872130: certain("SMB2"),
  4283649346: certain("CIFS"),
  16914839: certain("9p"),
  1397113167: certain("AFS"),
  1799439955: certain("AFS"),
  1937076805: certain("Coda"),
  12805120: certain("Ceph"),
  198183888: certain("Lustre"),
  1196443219: certain("GPFS"),
  18225520: certain("GFS2"),
  1952539503: certain("OCFS2"),
  2020557398: certain("VirtualBox shared folder"),
  1702057286: { name: "FUSE", isCertain: false },
};

function certain(name: string): NetworkFileSystem {
  return { name, isCertain: true };
}

/**
 * The network file system that a directory is on, or the first one above it that exists. Undefined for a local
 * one, and where the system does not tell: the numbers are those of Linux.
 */
export async function findNetworkFileSystem(
  directory: string,
  platform: string,
  statfs?: Statfs,
): Promise<NetworkFileSystem | undefined> {
  if (!platform.startsWith("linux")) return undefined;
  const found = await readFileSystem(directory, statfs);
  return found && networkTypes[Number(BigInt.asUintN(32, BigInt(found.type)))];
}
