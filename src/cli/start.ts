/** Owns the first look at the words: what needs no parser is answered at once, the rest is loaded for all else. */

import type { ExitCode } from "../core/errors.ts";
import { createWriter, PipeClosed } from "../terminal/streams.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import type { Host } from "./context.ts";
import { readVersion } from "./version.ts";

/** Runs one command line from start to end. Never rejects, never exits the process. */
export async function start(host: Host): Promise<ExitCode> {
  const answer = findAnswer(host);
  if (answer === undefined) {
    await keepCompiledCode(host.env);
    const { run } = await import("./run.ts");
    return run(host);
  }
  try {
    await createWriter(host.stdout).write(await answer);
    return 0;
  } catch (error) {
    if (error instanceof PipeClosed) return 0;
    throw error;
  }
}

/** The parser gives the same answers; it takes as long to load as everything else that these need. */
function findAnswer({ argv, env, stdout }: Host): Promise<string> | undefined {
  if (argv[0] === "__complete") return answerTab(argv.slice(1), env);
  if (argv[0] === "__key-ring") return answerKeyRing();
  if (argv.length > 1) return undefined;
  switch (argv[0]) {
    case "--version":
    case "-V":
      return Promise.resolve(`${readVersion()}\n`);
    case undefined:
    case "--help":
    case "-h":
      return import("./overview.ts").then(({ overview }) => overview(stdout.columns));
    default:
      return undefined;
  }
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
