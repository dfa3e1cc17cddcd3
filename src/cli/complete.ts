/**
 * Answers the Tab key, for the scripts in completions/. It must be fast: it loads no package but env-paths, calls
 * no service, and prints nothing where it knows nothing.
 */

import type { CommandTree } from "../command/completion-tree.ts";
import { answerInBash, answerInPowerShell, answerInWords, type Listing } from "../completion/answers.ts";
import { readBashLine } from "../completion/bash-line.ts";
import { type Answer, type LocalValues, listCandidates } from "../completion/candidates.ts";
import { type CommandLine, findPosition } from "../completion/position.ts";
import { chooseAccount, sandboxAccount } from "../config/accounts.ts";
import { readConfigUnchecked } from "../config/read-config-unchecked.ts";
import { readCachedOrders } from "../ledger/order-cache.ts";
import { sanitise } from "../terminal/sanitise.ts";
import { type Directories, findDirectories } from "./directories.ts";

type Env = Readonly<Record<string, string | undefined>>;

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

async function listWithin(columns: number): Promise<Listing> {
  const { displayWidth, cutToWidth, padToWidth } = await import("../terminal/width.ts");
  return { columns, width: displayWidth, cut: cutToWidth, pad: padToWidth };
}

async function answer(line: CommandLine, env: Env): Promise<Answer> {
  const { wanted, chosen } = findPosition(await readTree(), line);
  return harmless(listCandidates(wanted, openLocalValues(await findDirectories(env), chosen, env)));
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
): LocalValues {
  const config = () => readConfigUnchecked(configDirectory);

  return {
    orders() {
      const choice = {
        accountFlag: chosen.get("--account"),
        baseUrlFlag: chosen.get("--base-url"),
        accountEnv: env.COURIER_ACCOUNT || undefined,
        baseUrlEnv: env.COURIER_BASE_URL || undefined,
        apiKeyEnv: env.COURIER_API_KEY || undefined,
      };
      const account = chooseAccount(choice, config());
      const service = account.kind === "sandbox" ? sandboxAccount : account.baseUrl;
      return readCachedOrders(state, { account: account.name, service });
    },
    sandboxOrders: () => readCachedOrders(state, { account: sandboxAccount, service: sandboxAccount }),
    accounts: () => config().accounts,
    addresses: () => config().addresses,
    templates: () => config().templates,
    columnNames: () => Object.keys({ ...config().maps, ...config().header_maps }),
  };
}
