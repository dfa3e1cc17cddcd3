/** User commands that print a key: parses and runs them, and words their errors. */

import { stat } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../core/clock.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { createRedactor } from "../core/redact.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { maskKeyLike, shortestKey } from "../core/shown-command.ts";
import { splitWords } from "../core/split-words.ts";
import { type Env, type Processes, runSubprocess, withoutKey } from "../core/subprocess.ts";

/** Long enough for a person to unlock a password store, or to touch a token. */
const limitMs = 60_000;
/** A program that asks at the terminal itself gets so long without a note between its lines. */
const noteAfterMs = 10_000;

export interface KeyCommand {
  /** The account that has it; undefined for the one that prints the password of a shared ledger. */
  readonly account: string | undefined;
  /** Messages leave it out: it may contain a key. */
  readonly command: string;
}

function titleOf({ account }: Pick<KeyCommand, "account">): string {
  return account === undefined
    ? "the password command of the ledger"
    : `the key command of the account ${account}`;
}

/** What it prints. */
function keyOf({ account }: KeyCommand): string {
  return account === undefined ? "password" : "key";
}

export interface KeyCommandOptions {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Keys that the command may not contain, besides COURIER_API_KEY. */
  readonly storedKeys: readonly string[];
  readonly clock: Clock;
  /** Ends what the command has started. */
  readonly processes: Processes;
  /** Each line that the command writes to stderr, and one line where it takes long. */
  readonly note: (line: string) => void;
}

/** The words of a command, split as a shell would, quotes included; no shell runs. Throws a usage error. */
async function splitKeyCommand(keyCommand: KeyCommand): Promise<readonly string[]> {
  const words = await splitWords(keyCommand.command);
  if (words === undefined)
    throw usageError(
      `${titleOf(keyCommand)} has a quote that is not closed`,
      "close it, or write a quote of its own as \\' or \\\"",
    );
  if ((words[0] ?? "") === "")
    throw usageError(
      `the ${keyOf(keyCommand)} command is empty`,
      "name a program that prints it: 'pass show courier'",
    );
  return words;
}

/**
 * The command with the whole path of its program, where that is a path from this directory, and those of its arguments
 * that are files of this directory. Throws a usage error.
 */
export async function fixKeyCommand(
  keyCommand: KeyCommand,
): Promise<{ readonly command: string; readonly relativeFiles: readonly string[] }> {
  const [program = "", ...others] = await splitKeyCommand(keyCommand);
  const command = isRelativePath(program)
    ? [path.resolve(program), ...others].map(shellQuote).join(" ")
    : keyCommand.command;
  const relativeFiles: string[] = [];
  for (const word of others) if (!path.isAbsolute(word) && (await isFile(word))) relativeFiles.push(word);
  return { command, relativeFiles };
}

async function isFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true;
}

/** A name alone is looked up in PATH. */
function isRelativePath(program: string): boolean {
  return !path.isAbsolute(program) && (path.sep === "\\" ? /[/\\]/ : /\//).test(program);
}

/** What ends so, and goes on with nothing for so long, is a question. */
const question = /[:?>\]]\s*$/;
const questionMs = 100;
/** Complaints of a key command come by line, and none is shown longer. */
const longestLine = 1_000;
/** So many are passed on. */
const mostLines = 100;
/** So many of the parts of its output are masked. */
const mostParts = 50;
/** So much of its output is kept, to mask it in its complaints. */
const mostPrinted = 65_536;

/**
 * Runs a command and gives back what it prints, trimmed. Throws a `key_command` error: exit 2 where it cannot be
 * started, else 4; and `key_on_command_line` where its own text contains what it prints, or a key that is known.
 */
export async function runKeyCommand(keyCommand: KeyCommand, options: KeyCommandOptions): Promise<string> {
  const { account, command } = keyCommand;
  const [title, key] = [titleOf(keyCommand), keyOf(keyCommand)];
  const { env, signal, clock, processes, note, storedKeys } = options;
  const words = await splitKeyCommand(keyCommand);
  const [program = "", ...others] = words;
  const contains = (key: string) =>
    key.length >= shortestKey && [command, words.join(" ")].some((text) => text.includes(key));
  const known = [...storedKeys, env.COURIER_API_KEY ?? ""].map((key) => key.trim());
  if (known.some(contains)) throw keyInCommand(keyCommand, "an API key");
  if (isRelativePath(program)) throw relativeProgram(keyCommand, program);
  signal.throwIfAborted();
  let printed = "";
  let lastComplaint = "";
  let rest = "";
  let lines = 0;
  const show = (line: string) => {
    const masked = maskKeyLike(createRedactor(maybeKeys(printed))(line)); // before it is cut: a part of a key is not found
    return masked.length > longestLine ? `${masked.slice(0, longestLine)}…` : masked;
  };
  const complain = (line: string) => {
    if (line.trim() !== "") lastComplaint = line.trim();
    lines += 1;
    // What it printed before this line is read in the same turn, but maybe after it.
    if (lines <= mostLines) setImmediate(() => note(show(line)));
    if (lines === mostLines) setImmediate(() => note("(what else the key command says is not shown)"));
  };
  const complainRest = () => {
    if (rest !== "") complain(rest);
    rest = "";
  };
  /** A question waits for an answer at the end of its line. */
  let stopWaiting = () => {};
  const stopNote = clock.after(noteAfterMs, () =>
    note(`Waiting for ${title}, at most ${limitMs / 1_000} seconds`),
  );
  const end = await runSubprocess({
    words,
    env: withoutKey(env),
    limitMs,
    signal,
    clock,
    tree: processes,
    onText(text, stream) {
      if (stream === "stdout") {
        printed = (printed + text).slice(0, mostPrinted);
        return;
      }
      const complaints = `${rest}${text}`.split(/\r?\n/);
      rest = (complaints.pop() ?? "").slice(-mostPrinted);
      for (const line of complaints) complain(line);
      stopWaiting();
      if (question.test(rest)) stopWaiting = clock.after(questionMs, complainRest);
    },
  });
  stopNote();
  stopWaiting();
  complainRest();
  await new Promise(setImmediate);
  signal.throwIfAborted();
  if (end.kind === "not started") {
    // One word without a path may be the key itself.
    const isShown = others.length > 0 || /[/\\]/.test(program);
    throw new CourierError(
      "key_command",
      2,
      `${title} cannot be started: ${isShown ? `${program}: ` : ""}${end.reason}`,
      {
        hint: `it runs without a shell; name a program that prints the ${key}: ${setAnother(keyCommand)}`,
      },
    );
  }
  if (end.kind === "ended" && end.exit === 0) {
    const printedKey = end.stdout.trim();
    if (contains(printedKey)) throw keyInCommand(keyCommand, `the ${key} that it prints`);
    if (account === undefined && !/^.+$/.test(printedKey)) throw noPassword(printedKey);
    return printedKey;
  }
  const reasons = {
    timeout: `did not end within ${limitMs / 1_000} seconds`,
    flood: `printed far more than a ${key}`,
    ended: `failed (${"exit" in end ? end.exit : ""})`,
    stopped: "was stopped",
  };
  throw new CourierError(
    "key_command",
    4,
    `${title} ${reasons[end.kind]}${lastComplaint === "" ? "" : `, saying “${show(lastComplaint)}”`}`,
    {
      hint:
        `run it by hand until it prints the ${key} and nothing else (it runs without a shell), ` +
        `or set another one: ${setAnother(keyCommand)}`,
    },
  );
}

/** What it printed may be the key, whole or as a part, although it failed afterwards. */
function maybeKeys(printed: string): readonly string[] {
  const parts = [printed.trim(), ...printed.split(/[\r\n]+/), ...printed.split(/\s+/)];
  return [...new Set(parts.map((part) => part.trim()))]
    .filter((part) => part.length >= shortestKey)
    .slice(0, mostParts);
}

function keyInCommand(keyCommand: KeyCommand, what: string): CourierError {
  const key = keyOf(keyCommand);
  return new CourierError(
    "key_on_command_line",
    2,
    `${titleOf(keyCommand)} contains ${what}, where others could read it`,
    {
      hint: `name a program that fetches the ${key}: ${setAnother(keyCommand)}; replace the ${key} if others could see it`,
    },
  );
}

function noPassword(printed: string): CourierError {
  const what = printed === "" ? "prints nothing" : "prints more than one line";
  const hint =
    "it has to print the password alone; a first line: \"sh -c 'pass show courier-ledger | head -n 1'\"";
  return new CourierError("key_command", 4, `${titleOf({ account: undefined })} ${what}`, { hint });
}

/** Earlier versions stored it as it was typed. */
function relativeProgram(keyCommand: KeyCommand, program: string): CourierError {
  const what = "has a relative path, which is another program in each directory";
  return new CourierError("key_command", 2, `${titleOf(keyCommand)} ${what}: ${program}`, {
    hint: `give its whole path, and its arguments: ${setAnother(keyCommand, "/path/to/program")}`,
  });
}

/** An existing account keeps its base URL. */
function setAnother({ account }: KeyCommand, command = "pass show courier"): string {
  return account === undefined
    ? `courier ledger use ADDRESS --password-command '${command}'`
    : `courier login --account ${shellQuote(account)} --key-command '${command}'`;
}
