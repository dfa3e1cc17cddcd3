/** The key of a login: where it will be kept, and how it comes in. */

import { isPlainHttp, NoAnswer, ServiceFailure } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { findAccount } from "../config/accounts.ts";
import { hasKey, parseApiKey } from "../config/key-source.ts";
import { checkSecurePath, closeToOthers } from "../config/secure-path.ts";
import type { KeyStore } from "../config/store.ts";
import type { KeyToStore } from "../config/stored-keys.ts";
import { CourierError, systemCode, usageError } from "../core/errors.ts";
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
  messages.warnAlways(
    `others on this machine could read ${config.path} (mode ${mode}); now only you can${advice}`,
  );
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

/** Where the key will be stored. Throws for a place that cannot be used. */
export async function planKey(
  { config, keys, messages }: Context,
  { name, baseUrl, keyStore, keyCommand }: KeyWishes,
): Promise<KeyPlan> {
  if (keyCommand !== undefined) {
    const { fixKeyCommand } = await import("../config/key-command.ts");
    const { command, relativeFiles } = await fixKeyCommand({ account: name, command: keyCommand });
    for (const file of relativeFiles)
      messages.warn(
        `the key command finds ${file} only from this directory: log in again, with the whole path of ${file}`,
      );
    return { place: "command", command };
  }
  const content = await config.read();
  const known = findAccount(content, name);
  const present = known?.key_store ?? (known?.key === undefined ? undefined : "file");
  const place = keyStore ?? present ?? content.key_store ?? "file";
  if (place === "keychain") await (await keys.stored()).probeKeychain(name, baseUrl);
  else await checkSecurePath(config.path);
  return { place };
}

function notePlace({ config, messages }: Context, name: string, place: KeyStore): void {
  messages.note(`The key of the account ${name} will be kept in ${describeKeyStore(place, config.path)}`);
}

const mostTries = 3;

export interface KeyCheck {
  readonly name: string;
  readonly baseUrl: string;
  readonly plan: KeyPlan;
  readonly isUnchecked: boolean;
  /** Asks for the base URL again, which begins as it was typed. */
  readonly promptAgain: (typed: string) => Promise<string>;
}

/**
 * A key that the service accepts, and where to store it. At a terminal, a refused key or a base URL without the service
 * is asked for again, and the other of the two is kept.
 */
export async function promptForValidKey(
  context: Context,
  { name, baseUrl: typed, plan, isUnchecked, promptAgain }: KeyCheck,
): Promise<{ baseUrl: string; keyToStore: KeyToStore; apiKey: string; profile: Profile | undefined }> {
  const isAsked = plan.place === "command";
  let baseUrl = typed;
  let given: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const note = () => {
      if (!isAsked && tries === 1) notePlace(context, name, plan.place);
    };
    const apiKey: string =
      given ?? (await (isAsked ? askCommand(context, name, plan.command) : askKey(context, note)));
    const keyToStore = isAsked ? plan : { ...plan, apiKey };
    if (isUnchecked) return { baseUrl, keyToStore, apiKey, profile: undefined };
    try {
      const profile = await (await context.serviceAs({ baseUrl, apiKey })).profile();
      return { baseUrl, keyToStore, apiKey, profile };
    } catch (error) {
      const fault = faultOf(error);
      if (!(error instanceof ServiceFailure) || fault === undefined) throw error;
      const hint =
        fault === "key" ? await describeRefusal(context, name, isAsked) : describeWrongUrl(error, baseUrl);
      if (isAsked || tries === mostTries || !(await context.prompts())) throw error.with({ hint });
      await context.display([line(styled("bad", error.message))]);
      given = fault === "key" ? undefined : apiKey;
      if (fault === "key") continue;
      await context.display([line(hint)]);
      baseUrl = await promptAgain(baseUrl);
      if (plan.place === "keychain") await (await context.keys.stored()).probeKeychain(name, baseUrl);
    }
  }
}

/** What has to be typed otherwise; undefined where that would not help. */
function faultOf(error: unknown): "key" | "base URL" | undefined {
  if (!(error instanceof ServiceFailure)) return undefined;
  if (error.kind === "key_refused") return "key";
  const isElsewhere =
    error.status === 404 || ["unreachable", "redirected", "invalid_response"].includes(error.kind);
  return isElsewhere ? "base URL" : undefined;
}

function describeWrongUrl({ kind, cause }: ServiceFailure, baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  if (cause instanceof NoAnswer && isPlainHttp(systemCode(cause.cause)))
    return `nothing was stored; try ${baseUrl.replace(/^https:/, "http:")}`;
  const what =
    kind === "unreachable" ? "check the network, the proxy settings and the base URL" : "check the base URL";
  const path = pathname === "/" ? "" : `, which may be ${origin} without ${pathname}`;
  return `nothing was stored; ${what} ${baseUrl}${path}`;
}

async function describeRefusal({ config }: Context, name: string, isAsked: boolean): Promise<string> {
  const known = findAccount(await config.read(), name);
  const isKept = known !== undefined && hasKey(known);
  const kept = `nothing was stored${isKept ? `; the key that the account ${name} had is kept` : ""}`;
  if (isAsked) return `${kept}; see what the key command prints`;
  return `${kept}; copy the key from the account's API management page`;
}

/** Shows the command only after it was found to contain no key; a token in it is masked. */
async function askCommand({ keys, messages }: Context, account: string, command: string): Promise<string> {
  const apiKey = await keys.ask({ account, command });
  const { showCommand } = await import("../core/shown-command.ts");
  messages.note(
    `The key of the account ${account} will not be kept; each call asks: ${showCommand(command)}`,
  );
  return apiKey;
}

/** For a hint; empty where the variable is not set. */
export function notUsed(variable: string, { machine }: Context): string {
  return machine.env[variable] ? `; login does not use ${variable}` : "";
}

/** A person learns before the question where the key will be kept; a key that is piped in is checked first. */
async function askKey(context: Context, notePlace: () => void): Promise<string> {
  const piped = await context.readPipe();
  const prompts = piped === undefined ? await context.prompts() : undefined;
  const unused = notUsed("COURIER_API_KEY", context);
  const isEmpty = piped?.trim() === "" && unused !== "";
  if (isEmpty || (piped === undefined && !prompts)) {
    const hint = `pipe it in: ${context.nextCommand("login")} < key.txt${unused}`;
    throw usageError(`the API key is ${isEmpty ? "empty" : "missing"}`, hint);
  }
  if (piped !== undefined || !prompts) {
    const key = parseApiKey(piped ?? "", "the API key");
    notePlace();
    return key;
  }
  notePlace();
  for (let tries = 1; ; tries += 1) {
    try {
      return parseApiKey(await prompts.secret("API key (hidden)"), "the API key");
    } catch (error) {
      if (!(error instanceof CourierError) || error.exit !== 2 || tries === mostTries) throw error;
      await context.display([line(styled("bad", error.message))]);
    }
  }
}
