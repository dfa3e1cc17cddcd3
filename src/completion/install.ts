/** `courier completion --install` and `--remove`: the script where a shell finds it, and the manual pages. */

import { appendFile, constants, open, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../command/command.ts";
import { type CompletionShell, completionPlaces, completionShells } from "../command/completion-places.ts";
import {
  isReadAtStartUp,
  isThere,
  readWhole,
  startUpFile,
  startUpLine,
} from "../command/completion-start-up.ts";
import { hideHome, type RuntimeInfo } from "../command/runtime-info.ts";
import { makeDirectory } from "../core/directory.ts";
import { ownFileError } from "../core/disk-errors.ts";
import { fileError, usageError } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { line } from "../terminal/blocks.ts";
import { linkManualPages, unlinkManualPages } from "./manual-pages.ts";
import { readCompletionScript } from "./scripts.ts";

/** A file or directory that courier wrote to, and what for: a shell, its start-up file, or `man`. */
export interface Place {
  readonly for: string;
  readonly path: string;
}

type Env = RuntimeInfo["env"];

/** Ends a line that courier added to a shell's start-up file. */
const mark = "  # courier completion";
/** The same where the line before it had no end, and got one. */
const markAfterPart = `${mark}, and the line end before`;

export interface Installed {
  readonly places: readonly Place[];
  /** Shells that do not read their script, because the line for it is not in their start-up file. */
  readonly unread: readonly CompletionShell[];
}

/** Writes the script of each shell into the user's own directories; links the manual pages if npm did not. */
export async function installCompletion(
  named: readonly CompletionShell[],
  context: Context,
): Promise<Installed> {
  const { env } = context.machine;
  const shells = named.length > 0 ? named : await findShells(env);
  if (shells.length === 0)
    throw usageError(
      `found no ${completionShells.join(", ")} in PATH`,
      "name one: courier completion bash --install",
    );
  const installed: Place[] = [];
  const unread: CompletionShell[] = [];
  for (const shell of shells) await ensureOurs(ownPlace(shell, env), context);
  for (const shell of shells) {
    const file = ownPlace(shell, env);
    await changing(
      file,
      async () => {
        makeDirectory(path.dirname(file));
        await wholly(file, () => writeFile(file, readCompletionScript(shell)));
      },
      `make ${path.dirname(file)} a directory that you can write to, then run the same command again; or read the script from another place: courier completion ${shell} > FILE`,
    );
    installed.push({ for: shell, path: file });
    const startUp = await readAtStartUp(shell, file, named.includes(shell), context);
    if (startUp === "unread") unread.push(shell);
    else if (startUp) installed.push({ for: shell, path: startUp.changed });
  }
  const pages = await linkManualPages(env).catch((error: unknown) => {
    const reason = explainSystemError(error, "directory");
    context.messages.note(
      `the manual pages could not be linked (${reason}); run this once as the user that installed courier`,
    );
    return undefined;
  });
  if (pages !== undefined) installed.push({ for: "man", path: pages });
  return { places: installed, unread };
}

/** Deletes what `installCompletion` wrote, and nothing else. */
export async function removeCompletion(
  named: readonly CompletionShell[],
  { machine: { env } }: Context,
): Promise<readonly Place[]> {
  const removed: Place[] = [];
  for (const shell of named.length > 0 ? named : completionShells) {
    const file = ownPlace(shell, env);
    if (isOurs(await readWhole(file))) {
      await changing(file, () => rm(file));
      removed.push({ for: shell, path: file });
    }
    const startUp = startUpFile(shell, env);
    const text = startUp === undefined ? "" : await readWhole(startUp);
    const kept = withoutOurs(text);
    if (startUp !== undefined && kept !== text) {
      await changing(startUp, () => shorten(startUp, Buffer.from(kept, "latin1")));
      removed.push({ for: shell, path: startUp });
    }
  }
  if (named.length > 0) return removed;
  const pages = await changing("the manual pages", () => unlinkManualPages(env));
  return pages === undefined ? removed : [...removed, { for: "man", path: pages }];
}

function withoutOurs(text: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const kept = lines.filter(
    (each) => ![mark, markAfterPart].some((ending) => each.trimEnd().endsWith(ending)),
  );
  // What was added below it since stays a line of its own.
  const hadPart = lines.at(-1)?.trimEnd().endsWith(markAfterPart) && kept.at(-1) === lines.at(-2);
  return hadPart ? kept.join("").replace(/\n$/, "") : kept.join("");
}

async function findShells(env: Env): Promise<readonly CompletionShell[]> {
  const found: CompletionShell[] = [];
  for (const shell of completionShells) {
    const files = (env.PATH ?? "").split(path.delimiter).map((directory) => path.join(directory, shell));
    const checks = await Promise.all(files.map((file) => isThere(file, constants.X_OK)));
    if (checks.includes(true)) found.push(shell);
  }
  return found;
}

function ownPlace(shell: CompletionShell, env: Env): string {
  const [own = ""] = completionPlaces(shell, env);
  const places = [own, startUpFile(shell, env) ?? own];
  if (!places.every((place) => path.isAbsolute(place)))
    throw usageError("HOME is not set: courier does not know where your files are");
  return own;
}

async function ensureOurs(file: string, { machine }: Context): Promise<void> {
  const text = await readWhole(file);
  if (text === "" || isOurs(text)) return;
  throw fileError(`${hideHome(file, machine)} is not from courier: nothing was installed`, {
    hint: "move it away, then run the same command again",
  });
}

const isOurs = (text: string) => text.includes("courier __complete");

/**
 * Where a shell does not read the script by itself, adds a line to its start-up file if the person agrees, and otherwise
 * notes the line.
 */
async function readAtStartUp(
  shell: CompletionShell,
  file: string,
  isNamed: boolean,
  { machine, messages, globals, prompts, display }: Context,
): Promise<{ readonly changed: string } | "unread" | undefined> {
  const startUp = startUpFile(shell, machine.env);
  const script = hideHome(file, machine);
  if (startUp === undefined || (await isReadAtStartUp(shell, file, machine))) return undefined;
  const addition = startUpLine(shell, script);
  const name = hideHome(startUp, machine);
  // Only about the shell that the person names or works with: the others may never be started.
  const isTheirs = isNamed || path.basename(machine.env.SHELL ?? "") === shell;
  const asking = isTheirs && !globals.yes ? await prompts() : undefined;
  if (asking) await display([line(addition)]);
  const agreed = isTheirs && (globals.yes || (await asking?.confirm(`Add this line to ${name}?`, true)));
  if (!agreed) {
    messages.note(
      `${shell} does not read ${script} by itself; add this line to the end of ${name}: ${addition}`,
    );
    return "unread";
  }
  const text = await readWhole(startUp);
  const isWhole = text === "" || text.endsWith("\n");
  const added = isWhole ? `${addition}${mark}\n` : `\n${addition}${markAfterPart}\n`;
  await changing(startUp, () => wholly(startUp, () => appendFile(startUp, added)));
  return { changed: startUp };
}

/** Where the disk is full, a file ends where it ended before, or is not made: a shell would read half a line. */
async function wholly(file: string, write: () => Promise<void>): Promise<void> {
  const find = () => stat(file).catch(() => undefined);
  const before = await find();
  try {
    await write();
  } catch (error) {
    const after = await find();
    if (!before) await rm(file, { force: true }).catch(() => {});
    else if (after && after.size > before.size) await truncate(file, before.size).catch(() => {});
    throw error;
  }
}

/** Needs no room, unlike a file that is emptied first; a mount or a link stays one. */
async function shorten(file: string, bytes: Buffer): Promise<void> {
  const handle = await open(file, "r+");
  try {
    for (let at = 0; at < bytes.length; )
      at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    await handle.truncate(bytes.length);
  } finally {
    await handle.close();
  }
}

async function changing<T>(what: string, change: () => Promise<T>, hint?: string): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw ownFileError(`cannot change ${what}: ${explainSystemError(error)}`, error, hint);
  }
}
