/** Owns `courier login`: asks for base URL and key, checks them with one profile call, stores them. */

import { ServiceFailure } from "../api/failure.ts";
import {
  defaultAccount,
  findAccount,
  parseAccountName,
  parseApiKey,
  sandboxAccount,
  saveAccount,
} from "../config/accounts.ts";
import { parseBaseUrl } from "../config/base-url.ts";
import { usageError } from "../core/errors.ts";
import type { Profile } from "../model/interface.ts";
import { type Block, fields, line, show, styled } from "../terminal/blocks.ts";
import { type Context, defineCommand, document } from "./command.ts";
import { switchOption } from "./options.ts";

export const login = defineCommand({
  description:
    "Asks for the base URL and, hidden, for the API key; the key is also read from piped stdin. Both are\n" +
    "checked with one profile call before they are stored. Keys are never taken from the command line.",
  arguments: {},
  options: {
    noVerify: switchOption("store without checking the key at the service"),
    allowHttp: switchOption("accept a plain http base URL for this account: the key travels in the clear"),
  },
  examples: [
    { line: "login --base-url https://api.example.com", note: "asks for the key" },
    {
      line: "login --base-url https://api.example.com --account shop < key.txt",
      note: "a second account, from a file",
    },
  ],
  exits: [4, 5],
  seeAlso: ["profile", "accounts list", "logout"],
  async run({ noVerify, allowHttp }, context) {
    const name = parseAccountName(context.globals.account ?? defaultAccount);
    if (name === sandboxAccount) {
      throw usageError(
        "the account sandbox needs no login",
        "use it at once: courier --account sandbox profile",
      );
    }
    const baseUrl = await askBaseUrl(context, allowHttp === true);
    const stored = `${context.config.path} (a file that only you can read)`;
    context.messages.note(`The key of the account ${name} will be kept in ${stored}`);
    const { apiKey, profile } = await askGoodKey(name, baseUrl, noVerify === true, context);
    await saveAccount(context.config, name, {
      base_url: baseUrl,
      key: apiKey,
      ...(allowHttp && baseUrl.startsWith("http:") ? { allow_http: true } : {}),
    });
    const { current } = await context.config.read();
    if (current !== name)
      context.messages.note(
        `The current account is still ${current}; change it with: courier accounts use ${name}`,
      );
    return document(
      {
        account: name,
        base_url: baseUrl,
        key_kept_in: context.config.path,
        verified: profile !== undefined,
        holder: profile?.name ?? null,
      },
      (data) => loginView(data, profile),
    );
  },
});

async function askBaseUrl(context: Context, allowHttp: boolean): Promise<string> {
  const given = context.globals.baseUrl;
  if (given !== undefined) return parseBaseUrl(given, "the base URL", allowHttp);
  const prompts = await context.prompts();
  if (!prompts) throw usageError("the base URL is missing", "give it with --base-url https://…");
  const check = (text: string) => {
    try {
      parseBaseUrl(text, "the base URL", allowHttp);
      return true;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const answer = await prompts.text("Base URL of the service", { check });
  return parseBaseUrl(answer, "the base URL", allowHttp);
}

const mostTries = 3;

/** A key that the service accepts; at a terminal, a wrong one is asked for again. */
async function askGoodKey(
  name: string,
  baseUrl: string,
  isUnchecked: boolean,
  context: Context,
): Promise<{ apiKey: string; profile: Profile | undefined }> {
  for (let tries = 1; ; tries += 1) {
    const apiKey = await askKey(context);
    if (isUnchecked) return { apiKey, profile: undefined };
    try {
      return { apiKey, profile: await (await context.serviceAs({ baseUrl, apiKey })).profile() };
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.kind !== "key_refused") throw error;
      if (tries < mostTries && (await context.prompts())) {
        await context.display([line(styled("bad", error.message))]);
        continue;
      }
      const isKept = findAccount(await context.config.read(), name)?.key !== undefined;
      const kept = `nothing was stored${isKept ? `; the key that the account ${name} had is kept` : ""}`;
      throw error.with({ hint: `${kept}; copy the key from the account's API management page` });
    }
  }
}

async function askKey(context: Context): Promise<string> {
  const piped = await context.readPipe();
  const prompts = piped === undefined ? await context.prompts() : undefined;
  if (piped === undefined && !prompts) {
    throw usageError("the API key is missing", "pipe it in: courier login < key.txt");
  }
  return parseApiKey(piped ?? (await prompts?.secret("API key (hidden)")) ?? "", "the API key");
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
