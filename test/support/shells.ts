/**
 * Real shells in a pseudo-terminal, with courier's completion installed by hand or by `--install`. On their PATH is a
 * courier that answers the Tab key as the built program does, and otherwise prints the words it was given, so
 * that a test sees what a completed line really means to its shell.
 */

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { deleteOrderCache, writeOrderCache } from "../../src/ledger/order-cache-writer.ts";
import type { KnownOrder } from "../../src/model/known-order.ts";
import { prepareProgram } from "./program.ts";
import { createTerminalHome, keys, type Terminal, type TerminalHome } from "./terminal.ts";

export type ShellName = "bash" | "zsh" | "fish";

export const shellNames: readonly ShellName[] = ["bash", "zsh", "fish"];

export interface ShellHome extends TerminalHome {
  /** Starts the shell, and waits for its prompt. */
  start(options?: { readonly columns?: number }): Promise<Terminal>;
  /** Types a line and Enter, and gives back the words that courier was called with. */
  wordsOf(typed: string): Promise<string[]>;
  /** Types a line and Tab until its candidates are listed, and gives back what stands below the line. */
  listOf(typed: string, last: string): Promise<string>;
  /** How often courier was started, with which words. */
  calls(): Promise<string[]>;
}

export const prompt = "ready> ";

/** What this machine knows in a test. */
export interface Knowledge {
  readonly config?: object;
  /** Orders of the sandbox, the last seen first. */
  readonly orders?: readonly KnownOrder[];
  /** Empty files in the home. */
  readonly files?: readonly string[];
}

/** fish lists at the first Tab what the others list at the second. */
const listing: Readonly<Record<ShellName, string>> = { bash: "\t\t", zsh: "\t\t", fish: "\t" };

/** Puts other knowledge in the place of what this machine knows. */
export async function know(
  { configDir, stateDir }: TerminalHome,
  { config, orders }: Knowledge,
): Promise<void> {
  await writeFile(path.join(configDir, "config.json"), JSON.stringify(config ?? {}));
  if (orders) {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    writeOrderCache(stateDir, [{ account: "sandbox", service: "sandbox", orders }]);
  } else deleteOrderCache(stateDir);
}

const startLines: Readonly<Record<ShellName, string>> = {
  bash: "exec bash --rcfile .bashrc -i",
  zsh: "exec zsh -i",
  fish: "exec fish -i",
};

export async function createShellHome(
  shell: ShellName,
  knowledge: Knowledge = {},
  install: typeof installByHand = installByHand,
): Promise<ShellHome> {
  const home = await createTerminalHome({
    COURIER_ACCOUNT: "sandbox",
    ZDOTDIR: undefined,
    XDG_CONFIG_HOME: undefined,
    PS1: prompt,
  });
  const { directory, configDir } = home;
  const inHome = (name: string) => path.join(directory, name);
  await mkdir(inHome("bin"));
  await mkdir(configDir);
  await know(home, knowledge);
  for (const name of knowledge.files ?? []) await writeFile(inHome(name), "");
  const program = await prepareProgram();
  await writeFile(inHome("bin/courier"), standIn(program, inHome("calls")));
  chmodSync(inHome("bin/courier"), 0o755);
  await install(shell, inHome, program);

  let terminal: Terminal | undefined;
  const env = { PATH: `${inHome("bin")}:${process.env.PATH}`, HISTFILE: undefined };
  const started: ShellHome = {
    ...home,
    async start(options = {}) {
      terminal = home.open([], { columns: 200, ...options, rows: 60, env, shell: startLines[shell] });
      await terminal.until(prompt.trimEnd());
      return terminal;
    },
    async wordsOf(typed) {
      const running = terminal ?? (await started.start());
      const calls = () => running.transcript().split(/^<end>$/m);
      const before = calls().length;
      running.type(`${typed}\r`);
      await running.until(() => calls().length > before);
      return [...(calls().at(-2) ?? "").matchAll(/^<(.*)>$/gm)].map(([, word = ""]) => word);
    },
    async listOf(typed, last) {
      const running = terminal ?? (await started.start());
      const below = () => {
        const [first = "", ...lines] = running.screen().split("\n");
        return first.startsWith(prompt + typed.trimEnd()) ? lines.join("\n") : "";
      };
      running.type(`${keys.clear}\f${typed}${listing[shell]}`);
      await running.until(() => below().includes(last));
      return below();
    },
    calls: async () => (await readFile(inHome("calls"), "utf8").catch(() => "")).split("\n").slice(0, -1),
  };
  return started;
}

function standIn(program: readonly string[], calls: string): string {
  const words = program.map((word) => `'${word}'`).join(" ");
  return [
    "#!/bin/sh",
    `echo "$1" >> '${calls}'`,
    `if [ "$1" = __complete ]; then exec ${words} "$@"; fi`,
    'printf "<%s>\\n" "$@" end',
    "",
  ].join("\n");
}

const startUpLines: Readonly<Record<ShellName, readonly [file: string, ...lines: string[]]>> = {
  bash: [".bashrc", `PS1='${prompt}'`, "bind 'set enable-bracketed-paste off'"],
  zsh: [".zshrc", `PS1='${prompt}'`, "unsetopt PROMPT_SP"],
  fish: [".config/fish/config.fish", `function fish_prompt; printf '${prompt}'; end`, "set -g fish_greeting"],
};

/** As `courier completion --install` does it in a home whose shells read nothing of courier's yet. */
export async function installByCommand(
  shell: ShellName,
  inHome: (name: string) => string,
  [file = "", ...words]: readonly string[],
): Promise<void> {
  const [startUp, ...lines] = startUpLines[shell];
  await mkdir(path.dirname(inHome(startUp)), { recursive: true });
  await writeFile(inHome(startUp), `${lines.join("\n")}\n`);
  const { status, stderr } = spawnSync(file, [...words, "completion", shell, "--install", "--yes"], {
    encoding: "utf8",
    // Without the package bash-completion, whether this machine has it or not.
    env: { PATH: process.env.PATH, HOME: inHome("."), SHELL: `/bin/${shell}`, XDG_DATA_DIRS: inHome("none") },
  });
  if (status !== 0) throw new Error(stderr);
}

async function installByHand(
  shell: ShellName,
  inHome: (name: string) => string,
  [file = "", ...words]: readonly string[],
): Promise<void> {
  const { stdout } = spawnSync(file, [...words, "completion", shell], { encoding: "utf8" });
  const put = async (name: string, text: string) => {
    await mkdir(path.dirname(inHome(name)), { recursive: true });
    await writeFile(inHome(name), text);
  };
  const own = async (...more: readonly string[]) => {
    const [startUp, ...lines] = startUpLines[shell];
    await put(startUp, [...lines, ...more, ""].join("\n"));
  };
  if (shell === "bash") {
    await put("courier.bash", stdout);
    await own("source ~/courier.bash", "alias c=courier", "complete -F _courier c");
  } else if (shell === "zsh") {
    await put(".zfunc/_courier", stdout);
    await own("fpath=(~/.zfunc $fpath)", "autoload -U compinit", "compinit -u", "alias c=courier");
  } else {
    await put(".config/fish/completions/courier.fish", stdout);
    await own("alias c=courier");
  }
}
