/** `courier login`: asks for base URL and key, checks them with one profile call, stores them. */

import { accountInUse } from "../command/account-in-use.ts";
import { noteNewKey } from "../command/account-mirror.ts";
import { type Context, defineCommand, document } from "../command/command.ts";
import { hasLedger } from "../command/found-ledger.ts";
import { switchOption, textOption } from "../command/options.ts";
import { defaultAccount, findAccount, parseAccountName, sandboxAccount } from "../config/accounts.ts";
import { completeBaseUrl, givenAtLogin, parseBaseUrl } from "../config/base-url.ts";
import type { Config, StoredAccount } from "../config/store.ts";
import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { shownAsWritten } from "../core/shown-url.ts";
import type { Profile } from "../model/interface.ts";
import { type Block, fields, line, show, styled } from "../terminal/blocks.ts";
import { keyStoreOption } from "./key-store.ts";
import { fixPermissions, notUsed, planKey, promptForValidKey } from "./login-key.ts";

export const login = defineCommand({
  description:
    "Asks for the base URL and, hidden, for the API key; the key is also read from piped stdin. Both are\n" +
    "checked with one profile call before they are stored. Keys are never taken from the command line.\n" +
    "The key is kept in the config file, in the operating system's key ring (--key-store keychain), or not at\n" +
    "all: --key-command names a program that prints it. It runs without a shell at every call, words split as\n" +
    "a shell would. Without --account it is for the account of COURIER_ACCOUNT, else for the current one, or with\n" +
    "--base-url for the account default.",
  arguments: {},
  options: {
    noVerify: switchOption("store without checking the key at the service"),
    keyStore: keyStoreOption("where to keep the key: file or keychain (courier accounts key-store)"),
    keyCommand: textOption("COMMAND", "keep no key; ask this program for it: 'pass show courier'"),
    allowHttp: switchOption("accept a plain http base URL for this account: the key travels in the clear"),
  },
  examples: [
    { line: "login --base-url https://api.example.com", note: "asks for the key" },
    {
      line: "login --base-url https://api.example.com --account shop < key.txt",
      note: "a second account, from a file",
    },
    {
      line: "login --base-url https://api.example.com --key-store keychain",
      note: "the key goes into the operating system's key ring",
    },
  ],
  exits: [4, 5],
  seeAlso: ["profile", "accounts list", "logout"],
  async run({ noVerify, allowHttp, keyStore, keyCommand }, context) {
    const name = parseAccountName(chooseName(await context.config.read(), context));
    if (name === sandboxAccount) {
      throw usageError(
        "the account sandbox needs no login",
        "use it at once: courier --account sandbox profile",
      );
    }
    if (keyStore !== undefined && keyCommand !== undefined) {
      throw usageError("--key-store and --key-command exclude each other", "a command's key is not stored");
    }
    const known = findAccount(await context.config.read(), name);
    const askAll = async () => {
      const baseUrl = await askBaseUrl(context, allowHttp === true, known);
      await fixPermissions(context);
      const plan = await planKey(context, { name, baseUrl, keyStore, keyCommand });
      const isUnchecked = noVerify === true;
      const promptAgain = (typed: string) => promptForBaseUrl(context, allowHttp === true, known, typed);
      return promptForValidKey(context, { name, baseUrl, plan, isUnchecked, promptAgain });
    };
    // A key command may read the terminal itself.
    const prompts = keyCommand === undefined ? await context.prompts() : undefined;
    const { baseUrl, keyToStore, apiKey, profile } = await (prompts?.together(askAll) ?? askAll());
    const isAllowed = allowHttp || baseUrl === plainUrlOf(known);
    const allowed = isAllowed && baseUrl.startsWith("http:") ? { allow_http: true } : {};
    const stored = await context.keys.stored();
    const keyLeft = await stored.save(name, { base_url: baseUrl, ...allowed }, keyToStore);
    if (keyLeft) context.messages.warnAlways(`${keyLeft.message}; ${keyLeft.hint}`);
    const before = known && shownAsWritten(known.base_url);
    if (before !== undefined && wholeUrl(before) !== baseUrl)
      context.messages.warn(
        `the account ${name} was for ${before}, and is for ${baseUrl} now; another --account NAME keeps both`,
      );
    await learnCustomer(context, { account: name, service: baseUrl, key: apiKey }, profile);
    const { current } = await context.config.read();
    if (current !== name)
      context.messages.note(
        `The current account is still ${current}; change it with: courier accounts use ${name}`,
      );
    warnOfVariables(name, { base_url: baseUrl, key: apiKey }, context);
    return document(
      {
        account: name,
        base_url: baseUrl,
        key_kept_in: keyToStore.place === "file" ? context.config.path : keyToStore.place,
        verified: profile !== undefined,
        holder: profile?.name ?? null,
      },
      (data) => loginView(data, profile),
    );
  },
});

/** With a base URL and without a name, it is a first login, or one at another service: the current account keeps its key. */
function chooseName(config: Config, context: Context): string {
  const { globals, machine, messages } = context;
  const name = accountInUse(context, config) ?? defaultAccount;
  if (globals.account !== undefined) return name;
  if (name === sandboxAccount) return defaultAccount;
  if (machine.env.COURIER_ACCOUNT) return name;
  if (globals.baseUrl !== undefined) return defaultAccount;
  if (name !== defaultAccount)
    messages.note(`This is for the current account, ${name}; --account NAME makes another one`);
  return name;
}

/** An account that a flag names comes before the environment, and the environment before a stored account. */
export function warnOfVariables(
  account: string,
  { base_url = "", key = "" }: Partial<StoredAccount>,
  { machine, messages }: Context,
): void {
  const own = { COURIER_ACCOUNT: account, COURIER_API_KEY: key, COURIER_BASE_URL: base_url };
  const others = Object.entries(own).flatMap(([name, value]) => {
    const set = machine.env[name]?.trim().replace(/\/+$/, "");
    return set && set !== value.replace(/\/+$/, "") ? [name] : [];
  });
  if (others.length === 0) return;
  const [are, them] = others.length === 1 ? ["is", "it"] : ["are", "them"];
  messages.warn(
    `${others.join(" and ")} ${are} set, and other commands use ${them} instead of what is stored: ` +
      `unset ${them}, or add --account ${shellQuote(account)}`,
  );
}

/**
 * Records the customer of the key in the ledger, which saves a later order one call. What was kept for finding orders of
 * another customer, whose key the account had before, is deleted. A failure is only traced.
 */
async function learnCustomer(
  context: Context,
  used: { readonly account: string; readonly service: string; readonly key: string },
  profile: Profile | undefined,
): Promise<void> {
  const { account, service, key } = used;
  try {
    if (!profile && !(await hasLedger(context))) return;
    const ledger = await context.ledger();
    const before = await ledger.findCustomer(service, key);
    const profileId = profile?.id?.value; // without one, the first order asks again
    const customer = profileId === undefined ? before : await ledger.learnCustomer({ ...used, profileId });
    if (before && customer && before.id !== customer.id)
      context.messages.warn(
        `this key was customer ${before.profileId ?? "?"}'s until now, and is customer ${customer.profileId ?? "?"}'s from now on, whose refs and orders are others`,
      );
    const isOwn = await noteNewKey({ account, service, key: "" }, customer, ledger, context);
    if (!customer) return;
    const all = await ledger.customersOnlyOf(account, []);
    const hadAnother = all.some((each) => each.service === service && each.id !== customer.id);
    if (hadAnother && !isOwn) await context.forgetKnownOrders(account);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.messages.trace(`the ledger does not know yet whose key this is: ${reason}`);
  }
}

/** The plain http base URL that was allowed for an account. */
function plainUrlOf(known: StoredAccount | undefined): string | undefined {
  return known?.allow_http ? wholeUrl(known.base_url) : undefined;
}

/** A base URL as login stores it; a person may have written it into the file. */
function wholeUrl(written: string): string {
  const { text } = completeBaseUrl(written);
  return URL.canParse(text) ? new URL(text).href.replace(/\/+$/, "") : text;
}

/** An existing account keeps its base URL, unless another one is given. */
async function askBaseUrl(
  context: Context,
  allowHttp: boolean,
  known: StoredAccount | undefined,
): Promise<string> {
  const given = context.globals.baseUrl;
  if (given !== undefined) return readBaseUrl(context, given, allowHttp);
  return promptForBaseUrl(context, allowHttp, known);
}

async function promptForBaseUrl(
  context: Context,
  allowHttp: boolean,
  known: StoredAccount | undefined,
  typed?: string,
): Promise<string> {
  const prompts = await context.prompts();
  const mayBePlain = (text: string) => allowHttp || wholeUrl(text) === plainUrlOf(known);
  const present = known && shownAsWritten(known.base_url);
  if (!prompts && known) {
    context.messages.note(`The base URL of the account is still ${present}`);
    return readBaseUrl(context, known.base_url, mayBePlain(known.base_url));
  }
  if (!prompts)
    throw usageError(
      "the base URL is missing",
      `give it with --base-url https://…${notUsed("COURIER_BASE_URL", context)}`,
    );
  const check = (text: string) => {
    try {
      parseBaseUrl(completeBaseUrl(text).text, givenAtLogin, mayBePlain(text));
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const suggestion = typed === undefined ? present : undefined;
  const answer = await prompts.text("Base URL of the service", { check, initial: typed, suggestion });
  return readBaseUrl(context, answer, mayBePlain(answer));
}

/** Says what it has corrected. */
function readBaseUrl({ messages }: Context, typed: string, allowHttp: boolean): string {
  const { text, corrections } = completeBaseUrl(typed);
  const baseUrl = parseBaseUrl(text, givenAtLogin, allowHttp);
  if (corrections.length > 0) messages.note(`The base URL is ${baseUrl} (${corrections.join("; ")})`);
  return baseUrl;
}

function loginView(
  data: { account: string; base_url: string; verified: boolean },
  profile: Profile | undefined,
): readonly Block[] {
  return [
    line(styled("good", "Logged in"), ` as the account ${data.account}`),
    fields(
      ["Service", data.base_url],
      ["Holder", profile ? show(profile.name) : "not checked (--no-verify)"],
      ["API calls left", show(profile?.api_calls_remaining)],
    ),
  ];
}
