/** Runs courier with its real prompts on in-memory streams, and types once a question is on the screen. */

import { PassThrough } from "node:stream";
import { run } from "../../src/cli/run.ts";
import type { Home, Ran } from "./courier.ts";
import { Capture, noJob } from "./streams.ts";

/** Types `keys`, one by one, as soon as stderr shows `question`. */
export async function courierTyping(
  home: Pick<Home, "configDir" | "stateDir" | "clock" | "keyRing">,
  words: string,
  { env, question, keys }: { env: Record<string, string>; question: RegExp; keys: string },
): Promise<Ran> {
  const stdout = new Capture(80);
  const stderr = new Capture(80);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const running = run({
    argv: words.split(" "),
    env: { COURIER_CONFIG_DIR: home.configDir, COURIER_STATE_DIR: home.stateDir, ...env },
    stdin,
    stdout,
    stderr,
    openKeyRing: async () => home.keyRing,
    signal: new AbortController().signal,
    job: noJob,
    clock: home.clock,
  });
  let isOver = false;
  const done = running.finally(() => {
    isOver = true;
  });
  while (!isOver && !question.test(stderr.text)) await new Promise(setImmediate);
  for (const key of keys) {
    stdin.write(key);
    await new Promise(setImmediate);
  }
  return { exit: await done, stdout: stdout.text, stderr: stderr.text };
}
