/** Whether a shell reads courier's completion script when it starts: by its start-up file, or bash by bash-completion. */

import { access, constants, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fileError, systemCode } from "../core/errors.ts";
import { findLink, NotRegular, Unreadable } from "../core/regular-file.ts";
import { shellQuotePath } from "../core/shell-quote-path.ts";
import { explainSystemError } from "../core/system-errors.ts";
import type { CompletionShell } from "./completion-places.ts";
import { hideHome, type RuntimeInfo } from "./runtime-info.ts";

type Env = RuntimeInfo["env"];

/** The file that gets the line; undefined for a shell that reads the script by itself. */
export function startUpFile(shell: CompletionShell, env: Env): string | undefined {
  const home = env.HOME ?? "";
  if (shell === "zsh") return path.join(env.ZDOTDIR || home, ".zshrc");
  return shell === "bash" ? path.join(home, ".bashrc") : undefined;
}

/** `script` is a path that may begin with `~`. */
export function startUpLine(shell: CompletionShell, script: string): string {
  const file = shellQuotePath(script);
  if (shell === "bash") return `[ -r ${file} ] && . ${file}`;
  // zsh completes nothing before compinit ran, which is the user's choice in most start-up files.
  const compinit = "(( $+functions[compdef] )) || { autoload -U compinit; compinit }";
  return `[[ -r ${file} ]] && { ${compinit}; . ${file} }`;
}

/** Throws a file error where the start-up file cannot be read. */
export async function isReadAtStartUp(
  shell: CompletionShell,
  file: string,
  machine: RuntimeInfo,
): Promise<boolean> {
  const startUp = startUpFile(shell, machine.env);
  if (startUp === undefined) return true;
  const script = hideHome(file, machine);
  const mentioned = shell === "zsh" ? path.dirname(script) : script;
  const own = await readWhole(startUp);
  const text = Buffer.from(own.replace(/^\s*#.*$/gm, ""), "latin1");
  if ([mentioned, startUpLine(shell, script)].some((each) => text.includes(each))) return true;
  return (
    shell === "bash" && (await hasBashCompletion(machine.env)) && (await loadsBashCompletion(own, machine))
  );
}

async function hasBashCompletion(env: Env): Promise<boolean> {
  const homebrew = env.HOMEBREW_PREFIX === undefined ? [] : [path.join(env.HOMEBREW_PREFIX, "share")];
  const shared = (env.XDG_DATA_DIRS || "/usr/local/share:/usr/share").split(":").concat(homebrew);
  const checks = shared.map((directory) => isThere(path.join(directory, "bash-completion/bash_completion")));
  return (await Promise.all(checks)).includes(true);
}

/** A line that is no comment, and reads the package's file. */
const loading = /^(?!\s*#)(?:.*[\s;&|({])?(?:\.|source)\s.*(?<![.\w-])bash_completion(?!\.d\b|\w)/m;
/** The same of `/etc/profile.d`, where the package has a file. */
const readingProfiles = /^(?!\s*#).*\/etc\/profile\.d\//m;
const readingEtcBashrc = /^(?!\s*#).*\/etc\/bashrc\b/m;

/**
 * The package is there on many machines whose start-up files do not load it: Debian's have these lines as comments. The
 * files are read, not run: one may be slow, or ask. A further line does no harm where another file loads the package.
 */
async function loadsBashCompletion(own: string, { platform, env }: RuntimeInfo): Promise<boolean> {
  const others = ["/etc/bash.bashrc"];
  if (readingEtcBashrc.test(own)) others.push("/etc/bashrc");
  // Terminals start login shells there.
  if (platform.startsWith("darwin")) others.push(path.join(env.HOME ?? "", ".bash_profile"));
  const texts = [own, ...(await Promise.all(others.map((file) => readWhole(file).catch(() => ""))))];
  if (texts.some((text) => loading.test(text))) return true;
  return (
    texts.some((text) => readingProfiles.test(text)) && (await isThere("/etc/profile.d/bash_completion.sh"))
  );
}

export async function isThere(file: string, mode = constants.R_OK): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}

/**
 * Empty for a file that is missing. Each byte is one character: a start-up file may be in any encoding. Throws a file error
 * for what is no file.
 */
export async function readWhole(file: string): Promise<string> {
  try {
    const found = await stat(file); // opening a pipe would wait for its writer
    if (!found.isFile() && !found.isDirectory()) throw new NotRegular(found);
    return await readFile(file, "latin1");
  } catch (error) {
    const reason = systemCode(error) === "ENOENT" ? findLink(file) : error;
    if (reason === undefined || systemCode(reason) === "ENOTDIR") return "";
    throw fileError(`cannot read ${file}: ${explainSystemError(reason)}`, {
      cause: error,
      hint: reason instanceof Unreadable ? `${reason.remedy}, then run the same command again` : undefined,
    });
  }
}
