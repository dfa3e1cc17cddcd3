/** Owns the first look at the words: what needs no parser is answered at once, the rest is loaded for all else. */

import { keyRingWord } from "../config/key-ring-word.ts";
import type { ExitCode } from "../core/errors.ts";
import { createWriter, PipeClosed } from "../terminal/streams.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import type { Host } from "./host.ts";
import { readVersion } from "./version.ts";

/** Runs one command line from start to end. Never rejects, never exits the process. */
export async function start(host: Host): Promise<ExitCode> {
  const text = await findAnswer(host);
  if (text !== undefined && (await give(text, host))) return 0;
  const { run } = await import("./run.ts");
  return run(host);
}

/** False where it cannot be written, which the run says in its own way. */
async function give(text: string, host: Host): Promise<boolean> {
  const rest = host.quickOutput?.write(text) ?? text;
  if (rest.length === 0) return true;
  try {
    await createWriter(host.stdout).write(rest);
    return true;
  } catch (error) {
    return error instanceof PipeClosed;
  }
}

/**
 * The answer to what needs no parser. The parser gives the same answers; it takes as long to load as everything
 * else that these need.
 */
async function findAnswer(host: Host): Promise<string | undefined> {
  const { argv, env } = host;
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) return `${readVersion()}\n`;
  await keepCompiledCode(env);
  if (argv[0] === "__complete") return answerTab(argv.slice(1), env);
  if (argv[0] === keyRingWord) return answerKeyRing();
  if (argv.length === 0 || (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")))
    return giveOverview(host);
  return undefined;
}

/** The Tab key cannot wait for what a command needs. */
async function answerTab(words: readonly string[], env: Host["env"]): Promise<string> {
  const { completeLine } = await import("./complete.ts");
  return completeLine(words, env);
}

/** Here courier is the process that it has started for this. */
async function answerKeyRing(): Promise<string> {
  const { answerKeyRingRequest } = await import("../config/key-ring-process.ts");
  return answerKeyRingRequest();
}

async function giveOverview(host: Host): Promise<string> {
  const { overview } = await import("./overview.ts");
  return overview((host.quickOutput ?? host.stdout).columns);
}
