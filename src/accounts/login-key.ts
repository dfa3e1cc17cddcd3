/** The key of a login: where it will be kept, and how it comes in. */

import { ServiceFailure } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { findAccount } from "../config/accounts.ts";
import type { KeyToStore } from "../config/api-keys.ts";
import { keySource, parseApiKey } from "../config/key-source.ts";
import { checkSecurePath, closeToOthers } from "../config/secure-path.ts";
import type { KeyStore } from "../config/store.ts";
import { usageError } from "../core/errors.ts";
import type { Profile } from "../model/interface.ts";
import { line, styled } from "../terminal/blocks.ts";
import { describeKeyStore } from "./key-store.ts";

/** Makes a file private that others could read, and warns: they may know the keys in it. */
export async function fixPermissions({ config, messages }: Context): Promise<void> {
  const mode = await closeToOthers(config.path);
  if (mode === undefined) return;
  const { accounts } = await config.read();
  const hasKeys = Object.values(accounts).some(({ key }) => key !== undefined);
  const advice = hasKeys ? ". Replace the keys in it if others use this machine" : "";
  messages.warn(`others on this machine could read ${config.path} (mode ${mode}); now only you can${advice}`);
}

export interface KeyWishes {
  /** The account's name. */
  readonly name: string;
  readonly baseUrl: string;
  readonly keyStore: KeyStore | undefined;
  readonly keyCommand: string | undefined;
}

/** Where the key of a login will be. */
export type KeyPlan = { readonly place: KeyStore } | { readonly place: "command"; readonly command: string };

/** Says where the key will be stored before asking for it. Throws for a place that cannot be used. */
export async function planKey(
  { config, keys, messages }: Context,
  { name, baseUrl, keyStore, keyCommand }: KeyWishes,
): Promise<KeyPlan> {
  if (keyCommand !== undefined) return { place: "command", command: keyCommand };
  const content = await config.read();
  const known = findAccount(content, name);
  const present = known?.key_store ?? (known?.key === undefined ? undefined : "file");
  const place = keyStore ?? present ?? content.key_store ?? "file";
  if (place === "keychain") await keys.probeKeychain(name, baseUrl);
  else await checkSecurePath(config.path);
  messages.note(`The key of the account ${name} will be kept in ${describeKeyStore(place, config.path)}`);
  return { place };
}

const mostTries = 3;

/** A key that the service accepts, and where to store it. At a terminal, prompts again after a refused key. */
export async function promptForValidKey(
  context: Context,
  {
    name,
    baseUrl,
    plan,
    isUnchecked,
  }: { name: string; baseUrl: string; plan: KeyPlan; isUnchecked: boolean },
): Promise<{ keyToStore: KeyToStore; apiKey: string; profile: Profile | undefined }> {
  const isAsked = plan.place === "command";
  for (let tries = 1; ; tries += 1) {
    const apiKey = isAsked ? await askCommand(context, name, plan.command) : await askKey(context);
    const keyToStore = isAsked ? plan : { ...plan, apiKey };
    if (isUnchecked) return { keyToStore, apiKey, profile: undefined };
    try {
      const profile = await (await context.serviceAs({ baseUrl, apiKey })).profile();
      return { keyToStore, apiKey, profile };
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.kind !== "key_refused") throw error;
      if (!isAsked && tries < mostTries && (await context.prompts())) {
        await context.display([line(styled("bad", error.message))]);
        continue;
      }
      throw error.with({ hint: await describeRefusal(context, name, isAsked) });
    }
  }
}

async function describeRefusal({ config }: Context, name: string, isAsked: boolean): Promise<string> {
  const known = findAccount(await config.read(), name);
  const isKept = known !== undefined && keySource(name, known) !== undefined;
  const kept = `nothing was stored${isKept ? `; the key that the account ${name} had is kept` : ""}`;
  if (isAsked) return `${kept}; see what the key command prints`;
  return `${kept}; copy the key from the account's API management page`;
}

/** Shows the command only after it was found to contain no key. */
async function askCommand({ keys, messages }: Context, account: string, command: string): Promise<string> {
  const apiKey = await keys.ask({ account, command });
  messages.note(`The key of the account ${account} will not be kept; each call asks: ${command}`);
  return apiKey;
}

/** For a hint; empty where the variable is not set. */
export function notUsed(variable: string, { machine }: Context): string {
  return machine.env[variable] ? `; login does not use ${variable}` : "";
}

async function askKey(context: Context): Promise<string> {
  const piped = await context.readPipe();
  const prompts = piped === undefined ? await context.prompts() : undefined;
  const unused = notUsed("COURIER_API_KEY", context);
  const isEmpty = piped?.trim() === "" && unused !== "";
  if (isEmpty || (piped === undefined && !prompts)) {
    const hint = `pipe it in: courier login < key.txt${unused}`;
    throw usageError(`the API key is ${isEmpty ? "empty" : "missing"}`, hint);
  }
  return parseApiKey(piped ?? (await prompts?.secret("API key (hidden)")) ?? "", "the API key");
}
