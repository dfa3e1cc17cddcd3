/** The entry: answers what needs no parser at once, and loads the rest only for everything else. */

import { keyRingWord } from "../config/key-ring-word.ts";
import type { ExitCode } from "../core/errors.ts";
import { createWriter, PipeClosed } from "../terminal/streams.ts";
import { keepCompiledCode } from "./compiled-code.ts";
import type { Host } from "./host.ts";
import { asReplaced } from "./replaced-program.ts";
import { readVersion } from "./version.ts";

interface Answer {
  readonly text: string;
  /** Runs after the text is written. */
  readonly after?: () => Promise<void>;
}

/** Runs one command line from start to end. Never rejects, never exits the process. */
export async function start(host: Host): Promise<ExitCode> {
  try {
    const answer = await findAnswer(host);
    if (answer && (await give(answer.text, host))) {
      await answer.after?.();
      return 0;
    }
    const { run } = await import("./run.ts");
    return await run(host);
  } catch (error) {
    const replaced = asReplaced(error);
    if (!replaced) throw error;
    host.stderr.write(`error: ${replaced.message}\nhint: ${replaced.hint}\n`);
    return replaced.exit;
  }
}

/** False where it cannot be written; the run then reports it. */
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
async function findAnswer(host: Host): Promise<Answer | undefined> {
  const { argv, env } = host;
  const [word] = argv;
  const isAlone = argv.length < 2;
  if (isAlone && ["--version", "-V", "-v", "version"].includes(word ?? ""))
    return { text: `${readVersion()}\n` };
  if (isAlone && ["--help", "-h", "help"].includes(word ?? "") && !env.COURIER_PAGER)
    return { text: (await import("./root-help.ts")).rootHelp(host) };
  await keepCompiledCode(env);
  if (word === undefined) return showOverview(host);
  if (word === "__complete") return { text: await answerTab(argv.slice(1), env) };
  if (word === keyRingWord) return { text: await answerKeyRing() };
  return undefined;
}

/** `courier` alone also counts orders in doubt. */
async function showOverview(host: Host): Promise<Answer> {
  const { overview } = await import("./complete.ts");
  return {
    text: await overview(
      readVersion(),
      host.env,
      Math.min(100, (host.quickOutput ?? host.stdout).columns ?? 80),
    ),
    async after() {
      if (host.quickOutput?.hasReader === false) return;
      const { mentionDoubtAlone } = await import("./doubt.ts");
      await mentionDoubtAlone(host);
    },
  };
}

/** The Tab key cannot wait for what a command needs. */
async function answerTab(words: readonly string[], env: Host["env"]): Promise<string> {
  const { completeLine } = await import("./complete.ts");
  return completeLine(words, env);
}

/** In the process that courier starts for the key ring. */
async function answerKeyRing(): Promise<string> {
  const { answerKeyRingRequest } = await import("../config/key-ring-process.ts");
  return answerKeyRingRequest();
}
