/** The checks of this machine: runtime, files and their modes, account, completion. */

import path from "node:path";
import type { Context } from "../command/command.ts";
import { type CompletionShell, completionPlaces, completionShells } from "../command/completion-places.ts";
import { isReadAtStartUp } from "../command/completion-start-up.ts";
import { hideHome, type RuntimeInfo } from "../command/runtime-info.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import { nameLock, takeLock } from "../config/config-lock.ts";
import { firstPresent, inspectPath } from "../config/inspect-path.ts";
import { CourierError } from "../core/errors.ts";
import { findLinkAbove, putBack } from "../core/regular-file.ts";
import { shellQuotePath } from "../core/shell-quote-path.ts";
import { explainSystemCode } from "../core/system-errors.ts";
import { anotherStateDirectory, mustBeWritable } from "../core/wording.ts";
import { ledgerPath } from "../ledger/ledger-file.ts";
import type { CheckResult } from "./check-result.ts";
import { readFreeBytes } from "./file-system.ts";

const oldestNode = [20, 18, 1] as const;

export function checkNode({ nodeVersion, platform, courierVersion }: RuntimeInfo): CheckResult {
  const detail = `Node.js ${nodeVersion} on ${platform}, courier ${courierVersion}`;
  const parts = nodeVersion.split(".").map(Number);
  const differing = oldestNode.findIndex((part, index) => part !== parts[index]);
  const isOld = differing >= 0 && (parts[differing] ?? 0) < (oldestNode[differing] ?? 0);
  if (!isOld) return { check: "node", status: "ok", detail };
  const advice = `install Node.js ${oldestNode.join(".")} or newer`;
  return { check: "node", status: "fail", detail, advice, exit: 2 };
}

const anotherConfigDirectory = "choose another place with COURIER_CONFIG_DIR";

/** The config file and its directory: they hold keys, so no one else may read them. */
export async function checkConfig({ config, machine }: Context): Promise<CheckResult> {
  const found = await checkDirectory("config", machine.configDirectory, anotherConfigDirectory, machine);
  if (found.status === "fail") return found;
  try {
    await config.read();
    // Only one that is there: a diagnosis makes no file.
    if ((await inspectPath(nameLock(config.path))).mode !== undefined)
      (await takeLock(config.path, "config file"))();
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    const facts = { detail: hideHome(error.message, machine), advice: error.hint, exit: error.exit };
    return { check: "config", status: "fail", ...facts };
  }
  const file = await inspectPath(config.path);
  const name = hideHome(config.path, machine);
  if (file.mode === undefined) return found;
  if (isOpen(file.mode, machine)) {
    const detail = `others on this machine can read ${name} (mode ${octal(file.mode)}), which may hold keys`;
    return { check: "config", status: "warn", detail, advice: `chmod 600 ${shellQuotePath(name)}` };
  }
  return hasModes(machine)
    ? { ...found, detail: `${found.detail}; the file has mode ${octal(file.mode)}` }
    : found;
}

/** Less than this is too little for a new ledger and the orders of a day. */
const roomBytes = 1_000_000;

export async function checkState({ machine }: Context): Promise<CheckResult> {
  const link = findLinkAbove(ledgerPath(machine.stateDirectory));
  if (link)
    return {
      check: "state",
      status: "fail",
      detail: hideHome(link.message, machine),
      advice: putBack,
      exit: 5,
    };
  return checkDirectory("state", machine.stateDirectory, anotherStateDirectory, machine);
}

async function checkDirectory(
  check: "config" | "state",
  directory: string,
  elsewhere: string,
  machine: RuntimeInfo,
): Promise<CheckResult> {
  const { mode, isDirectory, isWritable, problem } = await inspectPath(directory);
  const name = hideHome(directory, machine);
  if (!isWritable || (mode !== undefined && !isDirectory)) {
    const detail = `${name} cannot be used as a directory: ${problem === undefined ? "it is a file" : explainSystemCode(problem)}`;
    // There may be a ledger in it.
    const advice = check === "state" && isDirectory ? mustBeWritable(name) : elsewhere;
    return { check, status: "fail", detail, advice, exit: 2 };
  }
  const freeBytes = await readFreeBytes(directory);
  if (freeBytes !== undefined && freeBytes < roomBytes) {
    const free = freeBytes === 0 ? "is full" : `has only ${Math.floor(freeBytes / 1_000)} kB left`;
    return { check, status: "warn", detail: `the disk of ${name} ${free}`, advice: "make room on it" };
  }
  if (mode === undefined) return { check, status: "ok", detail: `${name}, made when it is first needed` };
  if (isOpen(mode, machine)) {
    const detail = `others on this machine can ${(mode & 0o022) === 0 ? "read" : "write to"} ${name} (mode ${octal(mode)})`;
    return { check, status: "warn", detail, advice: `chmod 700 ${shellQuotePath(name)}` };
  }
  return { check, status: "ok", detail: hasModes(machine) ? `${name}, mode ${octal(mode)}` : name };
}

function isOpen(mode: number, machine: RuntimeInfo): boolean {
  return hasModes(machine) && (mode & 0o077) !== 0;
}

/** Windows knows no such modes. */
function hasModes({ platform }: RuntimeInfo): boolean {
  return !platform.startsWith("win32");
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** The account of this run, if there is a usable one. */
export async function checkAccount(
  config: CheckResult,
  context: Context,
): Promise<{ result: CheckResult; account: ActiveAccount | undefined }> {
  try {
    const account = await context.account();
    return { result: { check: "account", status: "ok", detail: await describe(account, context) }, account };
  } catch (error) {
    if (!(error instanceof CourierError)) throw error;
    // Flags and environment may name an account without a config file.
    if (config.status === "fail")
      return { result: { check: "account", status: "skip", detail: "config failed" }, account: undefined };
    const detail = hideHome(error.message, context.machine);
    const advice = error.hint === undefined ? undefined : hideHome(error.hint, context.machine);
    const result: CheckResult = { check: "account", status: "fail", detail, advice, exit: error.exit };
    return { result, account: undefined };
  }
}

async function describe(account: ActiveAccount, { config, machine }: Context): Promise<string> {
  const { accounts } = await config.read();
  const others = Object.keys(accounts).filter((name) => name !== account.name).length;
  const rest = others === 0 ? "" : `; ${others} more stored`;
  if (account.kind === "sandbox") return `sandbox, inside courier, needs no key${rest}`;
  const places = {
    given: "key in COURIER_API_KEY",
    file: `key in ${hideHome(config.path, machine)}`,
    keychain: "key in the operating system's key ring",
    command: "key from a command of yours",
  };
  return `${account.name}, ${account.baseUrl}, ${places[account.key.place]}${rest}`;
}

/** Checks for the script where `courier completion --install` or a package puts it, and that the shell reads it. */
export async function checkCompletion({ machine }: Context): Promise<CheckResult> {
  const { env } = machine;
  const shell = path.basename(env.SHELL ?? "");
  if (!completionShells.some((each) => each === shell)) {
    const detail = `not checked: ${shell === "" ? "SHELL is not set" : `courier does not know where ${shell} keeps it`}`;
    return { check: "completion", status: "skip", detail };
  }
  const files = completionPlaces(shell as CompletionShell, env);
  const found = await firstPresent(files);
  const advice = `courier completion ${shell} --install`;
  if (found !== undefined) {
    const detail = `${shell}: ${hideHome(found, machine)}`;
    // zsh reads the places of packages by itself.
    const isFound = shell === "zsh" && found !== files[0];
    const isRead =
      isFound || (await isReadAtStartUp(shell as CompletionShell, found, machine).catch(() => false));
    if (isRead) return { check: "completion", status: "ok", detail };
    return {
      check: "completion",
      status: "warn",
      detail: `${detail} is there, and courier finds no line that reads it`,
      advice,
    };
  }
  return { check: "completion", status: "warn", detail: `not installed for ${shell}`, advice };
}
