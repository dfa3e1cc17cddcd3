/** The user's pager: shows a result that is longer than the terminal. */

import { splitWords } from "../core/split-words.ts";
import { type PagerEnd, runPager } from "../core/subprocess.ts";
import type { Writer } from "../terminal/streams.ts";
import { displayWidth } from "../terminal/width.ts";
import type { Host } from "./host.ts";

/** A pager that fails sooner may have shown nothing, and no one has read what it has shown. */
const unreadMs = 2_000;

/** A terminal that does not say how high it is. */
const usualRows = 24;

export interface Pager extends Writer {
  /**
   * Shows what was written, and waits until the person has left the pager. Says in `warn` what is wrong with it. Where
   * a signal has ended the pager, throws the interruption, or the failure of the result.
   */
  show(warn: (text: string) => void, failure?: Error): Promise<void>;
  /** Writes it to the terminal: for a result that has failed. */
  release(): Promise<void>;
}

/** Undefined where the user has set none, or stdout is no terminal. */
export function createPager(host: Host, writer: Writer): Pager | undefined {
  const { stdout, env, job, elapsed = () => 0 } = host;
  const line = env.COURIER_PAGER?.trim() ?? "";
  if (line === "" || stdout.isTTY !== true || env.TERM === "dumb") return undefined;
  let chunks: (string | Uint8Array)[] = [];
  const release = async () => {
    const text = chunks;
    chunks = [];
    for (const chunk of text) await writer.write(chunk);
  };
  return {
    stream: writer.stream,
    async write(chunk) {
      chunks.push(chunk);
    },
    release,
    async show(warn, failure) {
      const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
      if (!isLonger(bytes.toString(), stdout)) return release();
      const words = await splitWords(line);
      if (words?.[0] === undefined) {
        warn("COURIER_PAGER is not used: it has a quote that is not closed");
        return release();
      }
      await writer.write(""); // the terminal may be gone
      const { signal } = host;
      if (signal.aborted) return release();
      const startedMs = elapsed();
      const end = await runPager({ words, env, bytes, job, signal });
      const isUnread = end.kind === "not started" || elapsed() - startedMs < unreadMs;
      if (end.kind !== "not started" && signal.aborted) throw failure ?? signal.reason;
      const problem = describe(end, words[0]);
      if (problem === undefined) return;
      warn(problem);
      if (isUnread) await release();
    },
  };
}

/** Lines that the terminal breaks count as often as it breaks them. */
function isLonger(text: string, stdout: Host["stdout"]): boolean {
  const [rows, columns] = [stdout.rows || usualRows, stdout.columns || 80];
  const lines = text.trimEnd().split("\n");
  const shown = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
  return shown >= rows;
}

/** One that a person ends early has shown enough. */
function describe(end: PagerEnd, program: string): string | undefined {
  if (end.kind === "not started")
    return `COURIER_PAGER is not used: ${program} cannot be started: ${end.reason}`;
  if (typeof end.exit === "string")
    return byPerson.includes(end.exit) ? undefined : `COURIER_PAGER: ${program} was ended by ${end.exit}`;
  return end.exit === 0 ? undefined : `COURIER_PAGER: ${program} ended with exit code ${end.exit}`;
}

/** Ctrl-C, Ctrl-\, and the reader of its own output that a person has left. */
const byPerson: readonly string[] = ["SIGINT", "SIGQUIT", "SIGPIPE"];
