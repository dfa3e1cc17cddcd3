/** Owns commands of the user's that print a key: how they are read, run and told about (owner of shlex). */

import { CourierError, usageError } from "../core/errors.ts";
import { type Env, runSubprocess, withoutKey } from "./subprocess.ts";

/** Long enough for a person to unlock a password store, or to touch a token. */
const limitMs = 60_000;

export interface KeyCommandOptions {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Each line that the command writes to stderr. */
  readonly onComplaint: (line: string) => void;
}

/** The words of a command, parted as a shell would, quotes included; no shell ever sees it. Throws a usage error. */
async function splitKeyCommand(command: string): Promise<readonly string[]> {
  const { split } = await import("shlex");
  let words: readonly string[];
  try {
    words = split(command);
  } catch {
    throw usageError(`the key command has a quote that is not closed: ${command}`);
  }
  if ((words[0] ?? "") === "")
    throw usageError("the key command is empty", "name a program that prints the key: 'pass show courier'");
  return words;
}

/** Runs a command and gives back what it prints, trimmed. Throws a `key_command` error, exit 4. */
export async function runKeyCommand(command: string, options: KeyCommandOptions): Promise<string> {
  const { env, signal, onComplaint } = options;
  const words = await splitKeyCommand(command);
  let lastComplaint = "";
  const end = await runSubprocess({
    words,
    env: withoutKey(env),
    timeoutMs: limitMs,
    signal,
    onComplaint(line) {
      onComplaint(line);
      if (line.trim() !== "") lastComplaint = `, saying “${line.trim()}”`;
    },
  });
  if (end.kind === "ended" && end.exit === 0) return end.stdout.trim();
  const reasons = {
    timeout: `did not end within ${limitMs / 1_000} seconds`,
    flood: "printed far more than a key",
    ended: `failed (${"exit" in end ? end.exit : ""})`,
    "not started": `cannot be run (${"code" in end ? end.code : ""})`,
  };
  throw new CourierError(
    "key_command",
    4,
    `the key command ${reasons[end.kind]}${lastComplaint}: ${command}`,
    {
      hint:
        "run it by hand until it prints the key and nothing else (it runs without a shell), " +
        "or set another one: courier login --key-command",
    },
  );
}
