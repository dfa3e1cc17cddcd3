/** The mirror of a run's account, brought up to date with the orders that this machine created. */

import { statSync } from "node:fs";
import type { ActiveAccount } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { hasLedger as hasLocalLedger, ledgerPath } from "../ledger/ledger-file.ts";
import { type Batch, type Mirror, openMirror } from "../mirror/mirror.ts";
import { deleteMirror, hasMirror } from "../mirror/mirror-files.ts";
import { hash, type MirrorOwner } from "../mirror/mirror-path.ts";
import type { Context } from "./command.ts";
import { isMirrorOf } from "./mirror-customer.ts";
import { mirrorOwnerOf } from "./mirror-owner.ts";
import type { Taken } from "./orders-from-ledger.ts";

/** Ledger and key as they were when the ledger's orders were taken over. */
const versionFact = "ledger_version";
/** A run whose output is written waits so long for other processes. */
const longestWaitMs = 250;
/** Answers of one transaction: other processes wait for it. */
const recordedAtOnce = 200;

/** Whether this machine has a mirror of the account. */
export async function hasAccountMirror(context: Context): Promise<boolean> {
  return hasMirror(context.machine.stateDirectory, await mirrorOwner(context));
}

export async function mirrorOwner(context: Context): Promise<MirrorOwner> {
  return mirrorOwnerOf(await context.account());
}

/** Throws `database`, exit 5. It is closed when the run ends. One of another customer's orders is made anew. */
export async function openAccountMirror(context: Context): Promise<Mirror> {
  const owner = await mirrorOwner(context);
  const { clock, signal, machine, nextCommand } = context;
  const mirror = await openMirror(machine.stateDirectory, owner, { clock, signal, nextCommand });
  let isOpen = true;
  const close = () => {
    if (isOpen) mirror.close();
    isOpen = false;
  };
  context.addCleanup(async () => close());
  await refreshIndex(mirror, context);
  if ((await addOwnOrders(mirror, context)) !== "another") return mirror;
  close();
  try {
    deleteMirror(machine.stateDirectory, owner);
  } catch (error) {
    // It may still be open, and Windows deletes no open file: this command deletes it before it opens one.
    throw error instanceof CourierError
      ? error.with({ hint: `begin it anew: ${context.nextCommand("sync --rebuild")}` })
      : error;
  }
  context.messages.note(
    "The account has another customer's key by now: the mirror of the one before is deleted.",
  );
  return openAccountMirror(context);
}

/**
 * The next command that uses the mirror finds out whose key the account has now. True where the mirror is known to have
 * this customer's orders.
 */
export async function noteNewKey(
  owner: MirrorOwner,
  customer: Customer | undefined,
  ledger: Ledger,
  { clock, machine, nextCommand }: Context,
): Promise<boolean> {
  if (!hasMirror(machine.stateDirectory, owner)) return false;
  const mirror = await openMirror(machine.stateDirectory, owner, { clock, nextCommand });
  try {
    await mirror.setFact(versionFact, "");
    return customer !== undefined && (await isMirrorOf(mirror, customer, ledger)) === true;
  } finally {
    mirror.close();
  }
}

/** Of a mirror that an earlier version made. */
async function refreshIndex(mirror: Mirror, context: Context): Promise<void> {
  const meter = context.meter();
  try {
    await mirror.refreshIndex((orders) =>
      meter.update(() => `${counted(orders, "order")} of the mirror read`),
    );
  } finally {
    meter.end();
  }
}

const longestTakeMs = 2_000;

/** Adds orders that the ledger has and the mirror has not. Throws `database`, exit 5. */
export async function addOwnOrders(mirror: Mirror, context: Context): Promise<Taken> {
  const { stateDirectory } = context.machine;
  const take = async () => {
    const { takeFromLedger } = await import("./orders-from-ledger.ts");
    return takeFromLedger(mirror, await mirrorOwner(context), context);
  };
  const shared = await context.sharedLedger();
  if (shared !== undefined) return takeInTime(take(), mirror.path, await mayAsk(shared, context), context);
  if (!hasLocalLedger(stateDirectory)) return "all";
  const version = describeVersion(ledgerPath(stateDirectory), await context.account());
  if (version === (await mirror.fact(versionFact))) return "all";
  const taken = await take();
  if (taken === "all") await mirror.setFact(versionFact, version);
  return taken;
}

/** A program that asks a person for the key or the password has as much time as it takes. */
async function mayAsk(shared: string, context: Context): Promise<boolean> {
  const { showAddress } = await import("../postgres/shown-address.ts");
  if (showAddress(shared).passwordCommand !== undefined) return true;
  return asksForKey(context);
}

/** A program prints the key, and may ask a person first. */
export async function asksForKey(context: Context): Promise<boolean> {
  const account = await context.account();
  return account.kind === "remote" && account.key.place === "command";
}

/** A server that cannot be reached is no reason to find nothing: it is waited for only so long. */
async function takeInTime(
  taking: Promise<Taken>,
  /** Errors of the mirror name its file. */
  mirror: string,
  isUnlimited: boolean,
  { clock, ledger, messages }: Context,
): Promise<Taken> {
  let silent = "The shared ledger does";
  const opened = () => {
    silent = "The shared ledger or the service does"; // which is asked about a key that the ledger does not know
  };
  ledger().then(opened, () => {});
  let cancel = () => {};
  const late = new Promise<"late">((resolve) => {
    if (!isUnlimited) cancel = clock.after(longestTakeMs, () => resolve("late"));
  });
  try {
    const taken = await Promise.race([taking, late]);
    if (taken !== "late") return taken;
  } catch (error) {
    if (!(error instanceof CourierError) || error.code !== "database" || error.message.includes(mirror))
      throw error;
  } finally {
    cancel();
  }
  messages.note(`${silent} not answer: orders sent since the last search may be missing.`);
  return "unknown";
}

interface RecordTools extends Pick<Context, "clock" | "nextCommand"> {
  readonly account: ActiveAccount;
  readonly stateDirectory: string;
}

/** Records answers of a run that needed no mirror, where there is one. Throws `database`, exit 5. */
export async function recordAnswers(
  batches: readonly Batch[],
  { account, stateDirectory, clock, nextCommand }: RecordTools,
): Promise<void> {
  const owner = mirrorOwnerOf(account);
  if (!hasMirror(stateDirectory, owner)) return;
  const mirror = await openMirror(stateDirectory, owner, {
    clock,
    nextCommand,
    limitMs: () => longestWaitMs,
  });
  try {
    for (let start = 0; start < batches.length; start += recordedAtOnce)
      await mirror.recordAll(batches.slice(start, start + recordedAtOnce), clock.now());
  } finally {
    mirror.close();
  }
}

/** Changes with each commit to the file, and with a key that is at hand: a key ring or a program might ask the user. */
function describeVersion(file: string, account: ActiveAccount): string {
  const key = account.kind === "remote" && "apiKey" in account.key ? account.key.apiKey : "";
  const parts = [file, `${file}-wal`].map((each) => {
    try {
      const { size, mtimeMs } = statSync(each);
      return `${size} ${mtimeMs}`;
    } catch {
      return "none"; // where it is there and cannot be read, opening it says why
    }
  });
  return [...parts, hash(key)].join(", ");
}

/** What a mirror has before a sync was completed, and how to read the rest. */
export function describeUnsynced(orders: number, { nextCommand }: Pick<Context, "nextCommand">): string {
  const known =
    orders === 0
      ? "the mirror is empty"
      : `the mirror has only ${counted(orders, "order")} so far, since no sync was completed`;
  return `${known}; read all of them with: ${nextCommand("sync")}`;
}

/** Said after the number of orders that a command looked at; empty where the service shows all of them. */
export function describeNotShown(orders: number): string {
  if (orders === 0) return "";
  return ` (${orders} of them ${byCount(orders, "is", "are")} no longer shown by the service)`;
}
