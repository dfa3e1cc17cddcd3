/** Accounts: named pairs of base URL and key, and the choice of the one that a run uses. */

import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { parseBaseUrl } from "./base-url.ts";
import { type KeySource, keySource, parseApiKey } from "./key-source.ts";
import { findSaved, parseSavedName } from "./saved-names.ts";
import type { Config, ConfigStore, StoredAccount } from "./store.ts";

/** The account of the embedded sandbox always exists and is never stored. */
export const sandboxAccount = "sandbox";
export const defaultAccount = "default";
/** What messages call the base URL that the config file has. */
const storedUrlName = "the account's base_url";
/** The name of an account that the environment alone gives. */
export const unnamedAccount = "(environment)";

/** The account that a run talks with. `sandbox` has its URL and key made when it starts. */
export type ActiveAccount =
  | { readonly kind: "sandbox"; readonly name: string }
  | {
      readonly kind: "remote";
      readonly name: string;
      readonly baseUrl: string;
      readonly key: KeySource;
      /** The address of the ledger that it shares with other machines. */
      readonly ledger?: string | undefined;
    };

/** The service's address under which the ledger keeps its customers, and the mirror its orders. */
export function serviceOf(account: ActiveAccount): string {
  return account.kind === "sandbox" ? sandboxAccount : account.baseUrl;
}

/** What decides the account: flags before environment before the config. */
export interface AccountChoice {
  readonly accountFlag?: string | undefined;
  readonly baseUrlFlag?: string | undefined;
  readonly accountEnv?: string | undefined;
  readonly baseUrlEnv?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
}

/**
 * Picks the account of this run. A stored key goes only to the origin that it was stored for: another
 * base URL needs its own key. Throws `no_account` (exit 4), or a usage error for an unusable base URL.
 */
export function chooseAccount(choice: AccountChoice, config: Config): ActiveAccount {
  // An account named by a flag outranks everything in the environment, its key and URL included.
  const env = choice.accountFlag === undefined ? choice : {};
  const named = choice.accountFlag ?? env.accountEnv;
  if (named === sandboxAccount) {
    refuseBaseUrl(choice.baseUrlFlag, env.baseUrlEnv);
    return { kind: "sandbox", name: sandboxAccount };
  }
  const isElsewhere = [choice.baseUrlFlag, env.baseUrlEnv, env.apiKeyEnv].some((each) => each !== undefined);
  if (named === undefined && config.current === sandboxAccount && !isElsewhere)
    return { kind: "sandbox", name: sandboxAccount };
  // A base URL without an account never means the sandbox, even where that is the current account.
  const name = named ?? (config.current === sandboxAccount ? undefined : config.current) ?? undefined;
  const stored = name === undefined ? undefined : findAccount(config, name);
  if (named !== undefined && stored === undefined && env.apiKeyEnv === undefined)
    throw unknownAccount(named, config);

  const baseUrl = chooseBaseUrl(choice.baseUrlFlag, env.baseUrlEnv, stored);
  if (baseUrl === undefined) throw noBaseUrl(config, named, env.apiKeyEnv !== undefined);
  const key = chooseKey(env.apiKeyEnv, name ?? "", stored);
  if (key === undefined)
    throw noAccount(
      name === undefined
        ? `there is no key for ${baseUrl}: give it in COURIER_API_KEY`
        : `no key is stored for the account ${name}`,
      name,
    );
  if (env.apiKeyEnv === undefined && stored) {
    const own = parseBaseUrl(stored.base_url, storedUrlName, true);
    if (new URL(baseUrl).origin !== new URL(own).origin)
      throw usageError(
        `the key of the account ${name} belongs to ${own} and is not sent to ${baseUrl}`,
        "give the other service's key in COURIER_API_KEY, or store it with: courier login --account NAME --base-url URL",
      );
  }
  return { kind: "remote", name: name ?? unnamedAccount, baseUrl, key, ledger: stored?.ledger };
}

function chooseKey(given: string | undefined, name: string, stored: StoredAccount | undefined) {
  if (given !== undefined) return { place: "given", apiKey: parseApiKey(given, "COURIER_API_KEY") } as const;
  return stored && keySource(name, stored);
}

function refuseBaseUrl(flag: string | undefined, env: string | undefined): void {
  if (flag === undefined && env === undefined) return;
  const name = flag === undefined ? "COURIER_BASE_URL" : "--base-url";
  throw usageError(
    `${name} does not go with the account sandbox, which runs inside courier`,
    "leave one of them out, or name another account with --account",
  );
}

function noBaseUrl({ current, accounts }: Config, named: string | undefined, hasKey: boolean): CourierError {
  const names = Object.keys(accounts);
  if (current !== sandboxAccount && named === undefined && names[0] !== undefined) {
    const name = names.length === 1 ? shellQuote(names[0]) : `NAME; known accounts: ${names.join(", ")}`;
    return new CourierError("no_account", 4, "there is no current account, and no base URL was given", {
      hint: `${hasKey ? "set COURIER_BASE_URL for the key in COURIER_API_KEY, or " : ""}choose one with: courier accounts use ${name}`,
    });
  }
  if (current !== sandboxAccount) return noAccount("no account is set up here, and no base URL was given");
  return usageError(
    "there is a key in COURIER_API_KEY, but no base URL for it: the current account is sandbox",
    "give --base-url or COURIER_BASE_URL, or choose the sandbox with --account sandbox",
  );
}

function chooseBaseUrl(flag: string | undefined, env: string | undefined, stored: StoredAccount | undefined) {
  if (flag !== undefined) return parseBaseUrl(flag, "--base-url", false);
  if (env !== undefined) return parseBaseUrl(env, "COURIER_BASE_URL", false);
  if (stored) return parseBaseUrl(stored.base_url, storedUrlName, stored.allow_http === true);
  return undefined;
}

export function findAccount(config: Config, name: string): StoredAccount | undefined {
  return findSaved(config.accounts, name);
}

/** The error for an unknown account; exit 4. */
export function unknownAccount(name: string, config: Config): CourierError {
  const known = [...Object.keys(config.accounts), sandboxAccount].join(", ");
  if (name === "")
    return new CourierError("no_account", 4, "the name of the account is empty", {
      hint: `is a variable of the shell not set? Known accounts: ${known}`,
    });
  return new CourierError("no_account", 4, `there is no account named ${name}`, {
    hint: `known accounts: ${known}; make one with: courier login --account NAME`,
  });
}

function noAccount(message: string, name = defaultAccount): CourierError {
  const login = name === defaultAccount ? "courier login" : `courier login --account ${shellQuote(name)}`;
  return new CourierError("no_account", 4, message, {
    hint: `run ${login}, or try without any account: --account sandbox`,
  });
}

/** An account's name. Throws a usage error. */
export function parseAccountName(text: string): string {
  return parseSavedName(text, "an account");
}

/** Makes an account the current one. */
export async function switchAccount(store: ConfigStore, name: string): Promise<void> {
  await store.update((config) => {
    if (name !== sandboxAccount && !findAccount(config, name)) throw unknownAccount(name, config);
    return { ...config, current: name };
  });
}
