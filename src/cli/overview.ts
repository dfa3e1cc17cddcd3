/** What `courier` alone says: who is logged in, as this machine knows it, and what to type next. */

import { type ActiveAccount, chooseAccount } from "../config/accounts.ts";
import { hasUnreadableConfig, readConfigUnchecked } from "../config/read-config-unchecked.ts";
import type { Config } from "../config/store.ts";
import { CourierError } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { findDirectories } from "./directories.ts";
import { definitions, unbroken, wrap } from "./wrap.ts";

type Env = Readonly<Record<string, string | undefined>>;

const waysToBegin = [
  ["courier login", "with your account's base URL and key"],
  ["courier --account sandbox orders create", "in the sandbox, which ships nothing"],
] as const;

const nextSteps = [
  ["courier orders create", "create an order, question by question"],
  ["courier orders import FILE --check", "check a spreadsheet before you ship it"],
  ["courier orders list", "list the latest orders"],
  ["courier find TEXT", "find orders by name, phone or number"],
  ["courier track NUMBER", "see where a parcel is"],
] as const;

const unreadable = "The config file cannot be read; courier doctor says why.";

/** A dozen lines. Asks neither the service nor a key ring, and never throws. */
export async function describeOverview(version: string, env: Env, width: number): Promise<string> {
  return [
    ...wrap(`courier ${version}: create, find, cancel and track courier orders`, width),
    "",
    ...(await describeState(env, width)),
    "",
    ...wrap(
      `${unbroken("courier help")} lists all commands; ${unbroken("courier COMMAND --help")} explains one.`,
      width,
    ),
    "",
  ].join("\n");
}

async function describeState(env: Env, width: number): Promise<string[]> {
  const choice = {
    accountEnv: env.COURIER_ACCOUNT || undefined,
    baseUrlEnv: env.COURIER_BASE_URL || undefined,
    apiKeyEnv: env.COURIER_API_KEY || undefined,
  };
  try {
    const { config: directory } = await findDirectories(env);
    if (hasUnreadableConfig(directory)) return [unreadable];
    const config = readConfigUnchecked(directory);
    const isNew = Object.keys(config.accounts).length === 0 && config.current === undefined;
    if (isNew && Object.values(choice).every((value) => value === undefined))
      return [...wrap("You are not logged in. Two ways to begin:", width), ...table(waysToBegin, width)];
    const account = describeAccount(chooseAccount(choice, config), config);
    return [...account.map(sanitise), "", "Next:", ...table(nextSteps, width)];
  } catch (error) {
    // The file is read unchecked: a person may have written a value of another type.
    if (!(error instanceof CourierError)) return [unreadable];
    return [
      `No account can be used: ${sanitise(error.message)}`,
      ...(error.hint ? [sanitise(error.hint)] : []),
    ];
  }
}

function describeAccount(account: ActiveAccount, { accounts }: Config): string[] {
  const { length: stored } = Object.keys(accounts);
  const others = stored > 1 ? [`${counted(stored, "account")} on this machine: courier accounts list`] : [];
  if (account.kind === "sandbox") return ["Account: sandbox, which ships nothing", ...others];
  const name = account.key.place === "given" ? "the key in COURIER_API_KEY" : account.name;
  return [`Account: ${name}, at ${account.baseUrl}`, ...others];
}

function table(entries: readonly (readonly [string, string])[], width: number): string[] {
  return definitions(entries, width, Number.POSITIVE_INFINITY);
}
