/**
 * Answers the Tab key, for the scripts in share/. It must be fast: it loads no package but env-paths, calls
 * no service, and prints nothing where it knows nothing.
 */

import { existsSync } from "node:fs";
import path from "node:path";
import type { CommandTree } from "../command/completion-tree.ts";
import { mirrorOwnerOf } from "../command/mirror-owner.ts";
import { ordersOwnerOf } from "../command/orders-owner.ts";
import { answerInBash, answerInPowerShell, answerInWords, type Listing } from "../completion/answers.ts";
import { readBashLine } from "../completion/bash-line.ts";
import {
  type Answer,
  type LocalValues,
  listCandidates,
  wantsLocalValues,
  wantsOrders,
} from "../completion/candidates.ts";
import { type CommandLine, findPosition, type Wanted } from "../completion/position.ts";
import { type ActiveAccount, chooseAccount, sandboxAccount } from "../config/accounts.ts";
import { readConfigUnchecked } from "../config/read-config-unchecked.ts";
import { readCachedOrders } from "../ledger/order-cache.ts";
import type { KnownOrder } from "../model/known-order.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { type Directories, findDirectories } from "./directories.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** More than these are no help in a list. */
const mostFromMirror = 50;

/** What readline is about to list, by COMP_TYPE: `?` after several tabs, `!` and `@` by settings of the user's. */
const listingTypes = ["?", "!", "@"].map((character) => character.charCodeAt(0));

/**
 * Answers the words after `__complete`: the shell, then what its script knows of the command line. Never
 * throws; the text is for the script.
 */
export async function completeLine([shell = "", ...facts]: readonly string[], env: Env): Promise<string> {
  try {
    switch (shell) {
      case "bash": {
        const [breaks = "", type = "", columns = "", before = "", behind = ""] = facts;
        const line = readBashLine(before, behind, breaks);
        const listing = listingTypes.includes(Number(type))
          ? await listWithin(Number(columns) || 80)
          : undefined;
        return answerInBash(await answer(line, env), line, listing);
      }
      case "zsh":
      case "fish": {
        const [current = "", ...words] = facts;
        return answerInWords(await answer({ words, current: Number(current) }, env));
      }
      case "powershell": {
        const [current = "", encoded = ""] = facts;
        const words = Buffer.from(encoded, "base64").toString().split("\0");
        const line = { words, current: Number(current) };
        return answerInPowerShell(await answer(line, env), words[line.current] ?? "");
      }
      default:
        return "";
    }
  } catch {
    return "";
  }
}

/** What `courier` alone says. It stands here since it reads the config file as the Tab key does, from the same bundle. */
export async function overview(version: string, env: Env, width: number): Promise<string> {
  const { describeOverview } = await import("./overview.ts");
  return describeOverview(version, env, width);
}

async function listWithin(columns: number): Promise<Listing> {
  const { displayWidth, cutToWidth, padToWidth } = await import("../terminal/width.ts");
  return { columns, width: displayWidth, cut: cutToWidth, pad: padToWidth };
}

async function answer(line: CommandLine, env: Env): Promise<Answer> {
  const { wanted, chosen } = findPosition(await readTree(), line);
  const word = wordOf(wanted, line);
  if (!wantsLocalValues(wanted)) return harmless(listCandidates(wanted));
  const directories = await findDirectories(env);
  const local = openLocalValues(directories, chosen, env);
  if (!wantsOrders(wanted)) return harmless(listCandidates(wanted, local, word));
  const orders = await readOrders(local, word, directories);
  return harmless(listCandidates(wanted, { ...local, orders: () => orders }, word));
}

/** The part of the current word that a candidate completes. */
function wordOf(wanted: Wanted, { words, current }: CommandLine): string {
  const word = words[current] ?? "";
  return wanted.kind === "values" ? word.slice(wanted.prefix.length) : word;
}

/** What commands have seen last, then what the mirror has of the word: a mirror knows more orders than the cache. */
async function readOrders(
  local: ReturnType<typeof openLocalValues>,
  word: string,
  { state }: Directories,
): Promise<readonly KnownOrder[]> {
  const seen = local.orders();
  try {
    if (!existsSync(path.join(state, "mirror"))) return seen;
    const { readNewestOrders } = await import("../mirror/newest-orders.ts");
    const mirrored = await readNewestOrders(state, mirrorOwnerOf(local.account()), word, mostFromMirror);
    const known = new Set(seen.map(({ id }) => id));
    const others = mirrored.filter(({ id }) => !known.has(id));
    const begins = ({ id = "", trackingNumber = "" }: KnownOrder) =>
      id.startsWith(word) || trackingNumber.startsWith(word);
    const found = [...seen.filter(begins), ...others];
    return found.length > 0 ? found : seen;
  } catch {
    return seen; // damaged, or of a newer courier
  }
}

/** In the bundle it is data; the sources make it from the commands. */
async function readTree(): Promise<CommandTree> {
  return typeof __COURIER_TREE__ === "string" ? JSON.parse(__COURIER_TREE__) : describeSources();
}

async function describeSources(): Promise<CommandTree> {
  const [{ program }, { describeProgram }] = await Promise.all([
    import("./program.ts"),
    import("./command-tree.ts"),
  ]);
  return describeProgram(program);
}

/** Descriptions are shown, values are put in: what would have to be changed to be safe is not offered. */
function harmless({ candidates, ...rest }: Answer): Answer {
  return {
    ...rest,
    candidates: candidates
      // fish leaves a tilde at the beginning to mean the home directory.
      .filter(({ value }) => sanitise(value) === value && !value.startsWith("~"))
      .map(({ value, description }) => ({
        value,
        description: description === undefined ? undefined : sanitise(description),
      })),
  };
}

function openLocalValues(
  { config: configDirectory, state }: Directories,
  chosen: ReadonlyMap<string, string>,
  env: Env,
): LocalValues & { readonly account: () => ActiveAccount } {
  const config = () => readConfigUnchecked(configDirectory);
  const account = () => {
    const choice = {
      accountFlag: chosen.get("--account"),
      baseUrlFlag: chosen.get("--base-url"),
      accountEnv: env.COURIER_ACCOUNT || undefined,
      baseUrlEnv: env.COURIER_BASE_URL || undefined,
      apiKeyEnv: env.COURIER_API_KEY || undefined,
    };
    return chooseAccount(choice, config());
  };

  return {
    account,
    orders: () => readCachedOrders(state, ordersOwnerOf(account())),
    sandboxOrders: () => readCachedOrders(state, { account: sandboxAccount, service: sandboxAccount }),
    accounts: () => config().accounts,
    addresses: () => config().addresses,
    templates: () => config().templates,
    columnNames: () => Object.keys({ ...config().maps, ...config().header_maps }),
  };
}
