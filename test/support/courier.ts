/** Runs courier in process, in a home of its own, with captured streams, a hand clock and no real waiting. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import type { Transport } from "../../src/api/transport.ts";
import type { Host } from "../../src/cli/host.ts";
import { run } from "../../src/cli/run.ts";
import { start } from "../../src/cli/start.ts";
import { type Clock, trackHour } from "../../src/core/clock.ts";
import type { Prompts } from "../../src/core/prompts.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import type { KeyInput } from "../../src/terminal/keypress.ts";
import { createHandClock } from "./hand-clock.ts";
import { createMemoryKeyRing, type MemoryKeyRing } from "./memory-key-ring.ts";
import { Capture, inputStream, noJob } from "./streams.ts";
import { type FaultySandbox, startFaultySandbox } from "./wire-faults.ts";

export const startOfTime = "2026-03-01T08:00:00Z";

export interface RunOptions {
  /** Columns of a terminal for stdout, stderr and stdin; a pipe where left out. */
  readonly terminal?: number;
  /** What is piped in; nothing, but a pipe, where left out (a terminal when `terminal` is given). */
  readonly stdin?: string | Uint8Array | Readable;
  /** The keyboard of a terminal. */
  readonly keyboard?: KeyInput;
  /** Called for Ctrl-C where keys are read one by one. */
  readonly interrupt?: () => void;
  readonly env?: Record<string, string>;
  readonly prompts?: Prompts;
  /** Takes the place of the network. */
  readonly transport?: Transport;
  readonly signal?: AbortSignal;
  /** Begins where the process does: what needs no parser is answered before a run begins. */
  readonly fromStart?: boolean;
  /** Takes stdout in, for what is more than text. */
  readonly stdout?: Capture;
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  readonly directory: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly keyRing: MemoryKeyRing;
  readonly clock: Clock & ReturnType<typeof createHandClock>;
  /** Runs one command line: words parted by blanks, or given singly. */
  courier(words: string | readonly string[], options?: RunOptions): Promise<Ran>;
}

/** An empty home that is removed when the test ends. */
export async function createHome(env: Record<string, string> = {}): Promise<Home> {
  const directory = await mkdtemp(path.join(tmpdir(), "courier-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const clock = createHandClock(startOfTime);
  const keyRing = createMemoryKeyRing();
  const configDir = path.join(directory, "config");
  const stateDir = path.join(directory, "state");
  return {
    directory,
    configDir,
    stateDir,
    keyRing,
    clock,
    async courier(words, options = {}) {
      const stdout = options.stdout ?? new Capture(options.terminal);
      const stderr = new Capture(options.terminal);
      const piped = options.stdin ?? (options.terminal === undefined ? "" : undefined);
      const host: Host = {
        argv: typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words,
        env: { COURIER_CONFIG_DIR: configDir, COURIER_STATE_DIR: stateDir, ...env, ...options.env },
        stdin: options.keyboard ?? (piped instanceof Readable ? piped : inputStream(piped)),
        stdout,
        stderr,
        openKeyRing: async () => keyRing,
        signal: options.signal ?? new AbortController().signal,
        job: { ...noJob, ...(options.interrupt ? { interrupt: options.interrupt } : {}) },
        clock: { ...clock, ...trackHour(clock.now, clock.elapsed) }, // a process knows only of its own time
        random: () => 0.5,
        ...(options.prompts ? { prompts: options.prompts } : {}),
        ...(options.transport ? { transport: options.transport } : {}),
      };
      const exit = await (options.fromStart ? start(host) : run(host));
      return { exit, stdout: stdout.text, stderr: stderr.text };
    },
  };
}

export interface ServedHome extends Home {
  readonly sandbox: FaultySandbox;
}

/** A home whose environment names a served sandbox, started for this test on the same clock. */
export async function createServedHome(options: Partial<SandboxOptions> = {}): Promise<ServedHome> {
  const apiKey = options.apiKey ?? "test-key-0123456789";
  const env: Record<string, string> = { COURIER_API_KEY: apiKey };
  const home = await createHome(env);
  const stateDir = path.join(home.directory, "service");
  const sandbox = await startFaultySandbox({ stateDir, clock: home.clock, apiKey, ...options });
  onTestFinished(() => sandbox.close());
  env.COURIER_BASE_URL = sandbox.baseUrl;
  return { ...home, sandbox };
}
