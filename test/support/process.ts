/** Runs the built program as real processes, in a home of their own, with captured streams and bounded time. */

import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { systemCode } from "../../src/core/errors.ts";
import type { SandboxOptions } from "../../src/sandbox/server.ts";
import { prepareProgram } from "./program.ts";
import { type FaultySandbox, startFaultySandbox } from "./wire-faults.ts";

export interface StartOptions {
  /** Laid over the home's environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Piped in and ended; an empty pipe where left out, and an open one for `open`. */
  readonly stdin?: string | { readonly open: true };
  /** A shell line around the program, which is "$@": `umask 077; exec "$@"`. */
  readonly shell?: string;
  /** A process that takes longer has failed, and is killed. */
  readonly limitMs?: number;
}

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  /** What has come so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<Ended>;
  /** Resolve as soon as what has come matches; reject when the process ends without. */
  untilStdout(pattern: RegExp): Promise<RegExpExecArray>;
  untilStderr(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface ProcessHome {
  readonly directory: string;
  readonly configDir: string;
  readonly stateDir: string;
  /** The program's temporary directory; must be empty when the test ends. */
  readonly tmpDir: string;
  readonly configFile: string;
  /** Starts one command line: words parted by blanks, or given singly. */
  start(words: string | readonly string[], options?: StartOptions): Running;
  /** Starts it and waits for its end. */
  courier(words: string | readonly string[], options?: StartOptions): Promise<Ended>;
  /** The words that start the program. */
  readonly program: readonly string[];
  /** Runs another program to its end, in the same environment. */
  run(words: readonly string[], options?: StartOptions): Promise<Ended>;
}

/** Less than a test may take, so that what the process printed is told. */
const limitMs = process.platform === "win32" ? 100_000 : 60_000;

/** Without the first, no program reaches a network there; the second repairs what Wine lacks (test/windows). */
const { SystemRoot, NODE_OPTIONS } = process.env;
const windowsNeeds = process.platform === "win32" ? { SystemRoot, NODE_OPTIONS } : {};

/** An empty home, removed when the test ends; whatever still runs then is stopped. */
export async function createProcessHome(env: StartOptions["env"] = {}): Promise<ProcessHome> {
  const program = await prepareProgram();
  const directory = await mkdtemp(path.join(tmpdir(), "courier-process-"));
  const [configDir, stateDir, tmpDir] = ["config", "state", "tmp"].map((name) =>
    path.join(directory, name),
  ) as [string, string, string];
  await mkdir(tmpDir);
  const running = new Set<Running>();
  onTestFinished(async () => {
    for (const { pid, ended } of running) {
      killGroup(pid);
      await ended.catch(() => {});
    }
    // The standalone executable unpacks the key ring's native module here, once.
    const left = (await readdir(tmpDir)).filter((name) => !name.startsWith(".bun-"));
    await rm(directory, { recursive: true, force: true });
    expect(left, "left behind in the temporary directory").toEqual([]);
  });

  function startAny(words: readonly string[], options: StartOptions = {}): Running {
    const started = startProcess(words, {
      ...options,
      cwd: options.cwd ?? directory,
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        TMPDIR: tmpDir,
        ...windowsNeeds,
        COURIER_CONFIG_DIR: configDir,
        COURIER_STATE_DIR: stateDir,
        ...env,
        ...options.env,
      },
    });
    running.add(started);
    const forget = () => running.delete(started);
    started.ended.then(forget, forget);
    return started;
  }

  function start(words: string | readonly string[], options?: StartOptions): Running {
    const given = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
    return startAny([...program, ...given], options);
  }

  return {
    directory,
    configDir,
    stateDir,
    tmpDir,
    configFile: path.join(configDir, "config.json"),
    start,
    courier: (words, options) => start(words, options).ended,
    program,
    run: (words, options) => startAny(words, options).ended,
  };
}

export interface ServedProcessHome extends ProcessHome {
  readonly sandbox: FaultySandbox;
}

/** A home whose environment names a sandbox that runs in this process, on the real clock. */
export async function createServedProcessHome(
  options: Partial<SandboxOptions> = {},
): Promise<ServedProcessHome> {
  const apiKey = options.apiKey ?? "process-key-0123456789";
  const stateDir = await mkdtemp(path.join(tmpdir(), "courier-service-"));
  const sandbox = await startFaultySandbox({ clock: systemClock(), ...options, stateDir, apiKey });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(stateDir, { recursive: true, force: true });
  });
  const home = await createProcessHome({ COURIER_API_KEY: apiKey, COURIER_BASE_URL: sandbox.baseUrl });
  return { ...home, sandbox };
}

/** Resolves once `isSo` holds, which is asked again and again; rejects after a bounded time. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`still not: ${what}`);
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

/** Wine cannot start a process now and then, and says UNKNOWN: no program has begun then, and a moment later it can. */
function spawnPatiently([program = "", ...words]: readonly string[], options: SpawnOptionsWithoutStdio) {
  for (let tries = 1; ; tries++) {
    try {
      return spawn(program, words, options);
    } catch (error) {
      const isWine = process.platform === "win32" && systemCode(error) === "UNKNOWN";
      if (!isWine || tries === 10) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function startProcess([program = "", ...words]: readonly string[], options: StartOptions): Running {
  const line = options.shell
    ? ["/bin/sh", "-c", options.shell, "sh", program, ...words]
    : [program, ...words];
  const child = spawnPatiently(line, {
    cwd: options.cwd,
    env: options.env,
    stdio: "pipe",
    // A group of its own, so that what a shell line started can be stopped too.
    detached: process.platform !== "win32",
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => {}); // it ended without reading all
  if (typeof options.stdin !== "object") child.stdin.end(options.stdin ?? "");

  const pid = child.pid ?? 0;
  const ended = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => {
      killGroup(pid);
      const told = `--- stdout\n${stdout.slice(-2_000)}\n--- stderr\n${stderr.slice(-2_000)}`;
      reject(new Error(`did not end: ${words.join(" ").slice(0, 200)}\n${told}`));
    }, options.limitMs ?? limitMs);
    child.on("error", reject);
    child.on("close", (exit, signal) => {
      clearTimeout(timer);
      resolve({ exit, signal, stdout, stderr });
    });
  });
  ended.catch(() => {}); // awaited by whoever needs it, which may be later

  return {
    pid,
    child,
    ended,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    untilStdout: (pattern) => matching(pattern, child.stdout, () => stdout),
    untilStderr: (pattern) => matching(pattern, child.stderr, () => stderr),
  };

  async function matching(pattern: RegExp, stream: Readable, text: () => string): Promise<RegExpExecArray> {
    for (let isOver = false; ; ) {
      const match = pattern.exec(text());
      if (match) return match;
      if (isOver) throw new Error(`ended without ${pattern}: ${stdout}${stderr}`);
      isOver = await Promise.race([once(stream, "data").then(() => false), ended.then(() => true)]);
    }
  }
}

function killGroup(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it has gone
  }
}

/** Waits until a process reads its stdin, by more blanks than a pipe holds. */
export async function untilRead({ child }: Running): Promise<void> {
  await new Promise<void>((resolve, reject) =>
    child.stdin?.write(" ".repeat(2 ** 20), (error) => (error ? reject(error) : resolve())),
  );
}
