/** Runs other programs: no shell, limits on time and output, ended with what they started, no secrets in arguments. */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { delimiter, join } from "node:path";
import { type Clock, systemClock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { isSame, listDescendants, type TreeProcess } from "./process-tree.ts";
import { explainSystemError } from "./system-errors.ts";

export interface SubprocessOptions {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly env: Env;
  /** Piped in; nothing where left out. */
  readonly stdin?: string;
  readonly limitMs: number;
  /** Called with what it writes, as it comes. */
  readonly onText?: (text: string, stream: "stdout" | "stderr") => void;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** It gets a process group of its own, without a terminal, and is ended with all that it has started. */
  readonly group?: Processes;
  /** It stays in the terminal's group, where it can ask, and is ended with what it has started. */
  readonly tree?: Processes;
}

/** Signals to processes, and to groups by their negative ids. */
export interface Processes {
  /** Throws where there is none. */
  kill(pid: number, signal: "SIGTERM" | "SIGKILL"): void;
  /** Calls when this process ends, however it does; gives back what ends that. */
  readonly onExit?: ((listener: () => void) => () => void) | undefined;
}

export type Env = Readonly<Record<string, string | undefined>>;

export type SubprocessEnd =
  | { readonly kind: "ended"; readonly exit: number | string; readonly stdout: string }
  /** It could not be started; `reason` is in a user's words. */
  | { readonly kind: "not started"; readonly reason: string }
  | { readonly kind: "timeout" }
  /** The signal has ended it. */
  | { readonly kind: "stopped" }
  /** It wrote more than the limit. */
  | { readonly kind: "flood" };

const largestOutput = 65_536;
/** Between being asked to end and being ended. */
const killAfterMs = 2_000;
/** The same where a person waits at the terminal. */
const killTreeAfterMs = 500;
/** Time to drain the pipes; a process that it left running may hold them open for ever. */
const lastWordsMs = 100;

/** Runs a program to its end. Never rejects. */
export function runSubprocess(options: SubprocessOptions): Promise<SubprocessEnd> {
  const { words, env, stdin, limitMs, onText, signal, clock = systemClock(), group, tree } = options;
  const hasOthers = group !== undefined || tree !== undefined;
  const [program = "", ...args] = words;
  if (signal?.aborted) return Promise.resolve({ kind: "stopped" });
  const isGroup = group !== undefined && platform() !== "win32";
  let child: ChildProcess;
  try {
    const spawnOptions = { env: { ...env }, stdio: "pipe", windowsHide: true, detached: isGroup } as const;
    child = spawn(program, args, spawnOptions);
  } catch (error) {
    return Promise.resolve(notStarted(program, env, error));
  }
  return new Promise((resolve) => {
    let stdout = "";
    let why: SubprocessEnd | undefined;
    let isOver = false;
    const cancels: (() => void)[] = [];
    /** Those of the tree that were asked to end: they are no longer in it when their parents have ended. */
    let asked: readonly TreeProcess[] = [];

    function kill(how: "SIGTERM" | "SIGKILL"): void {
      if (!hasOthers || child.pid === undefined) child.kill(how);
      else if (platform() === "win32") endTree(child.pid);
      else if (group) send(group, -child.pid, how);
      else if (tree) {
        const now = listDescendants(child.pid);
        child.kill(how);
        for (const each of [...asked.filter(isSame), ...now]) send(tree, each.pid, how);
        asked = now;
      }
    }

    function send(processes: Processes, pid: number, how: "SIGTERM" | "SIGKILL"): void {
      try {
        processes.kill(pid, how);
      } catch {
        // it has ended
      }
    }

    function stop(reason: SubprocessEnd): void {
      if (why) return;
      why = reason;
      if (!hasOthers) end(reason);
      else {
        kill("SIGTERM"); // a program that asks at the terminal sets its mode back
        cancels.push(clock.after(tree ? killTreeAfterMs : killAfterMs, () => kill("SIGKILL")));
      }
    }

    function end(how: SubprocessEnd): void {
      if (isOver) return;
      isOver = true;
      for (const cancel of cancels) cancel();
      if (why) kill("SIGKILL");
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      resolve(why ?? how);
    }

    cancels.push(clock.after(limitMs, () => stop({ kind: "timeout" })));
    const onAbort = () => stop({ kind: "stopped" });
    signal?.addEventListener("abort", onAbort, { once: true });
    cancels.push(() => signal?.removeEventListener("abort", onAbort));
    const leave = (group ?? tree)?.onExit?.(() => kill("SIGKILL"));
    if (leave) cancels.push(leave);

    child.stdin?.on("error", () => undefined); // it need not read
    child.stdin?.end(stdin ?? "");
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      onText?.(text, "stdout");
      if (!group && stdout.length + text.length > largestOutput) stop({ kind: "flood" });
      stdout = (stdout + text).slice(0, largestOutput);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => onText?.(text, "stderr"));
    child.on("error", (error) => end(notStarted(program, env, error)));
    child.on("exit", (exit, killer) => {
      if (why && !tree) kill("SIGKILL"); // what it started and what did not end with it
      const ended: SubprocessEnd = { kind: "ended", exit: exit ?? killer ?? "", stdout };
      const finish = () => end({ ...ended, stdout });
      cancels.push(clock.after(lastWordsMs, finish));
      child.on("close", finish);
    });
  });
}

export interface PagerOptions {
  readonly words: readonly string[];
  readonly env: Env;
  readonly bytes: Uint8Array;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly job: {
    /** Ctrl-C is the pager's, as long as it runs; gives back what ends that. */
    ignoreInterrupts?(): () => void;
    onExit?(listener: () => void): () => void;
  };
}

export type PagerEnd =
  | Extract<SubprocessEnd, { kind: "not started" }>
  | { kind: "ended"; exit: number | string };

/** Runs a program that shows `bytes` at the terminal, which it gets, until a person leaves it. Never rejects. */
export function runPager({
  words: [program = "", ...args],
  env,
  bytes,
  signal,
  job,
}: PagerOptions): Promise<PagerEnd> {
  // As git does: colours, no pager for a short text, and the text stays on the screen.
  const given = { LESS: "FRX", LV: "-c", ...withoutKey(env) };
  return new Promise((resolve) => {
    const heed = job.ignoreInterrupts?.();
    const cancels: (() => void)[] = heed ? [heed] : [];
    const end = (how: PagerEnd) => {
      for (const cancel of cancels.splice(0)) cancel();
      resolve(how);
    };
    try {
      const child = spawn(program, args, { env: given, stdio: ["pipe", "inherit", "inherit"] });
      let wasAsked = false;
      const stop = () => {
        child.kill(wasAsked ? "SIGKILL" : "SIGTERM");
        wasAsked = true;
      };
      const onAbort = () => {
        stop();
        cancels.push(systemClock().after(killAfterMs, stop));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      cancels.push(() => signal.removeEventListener("abort", onAbort));
      const leave = job.onExit?.(stop);
      if (leave) cancels.push(leave);
      child.on("error", (error) => end(notStarted(program, env, error)));
      child.on("exit", (exit, killer) => end({ kind: "ended", exit: exit ?? killer ?? "" }));
      child.stdin.on("error", () => undefined); // it need not read to the end
      child.stdin.end(bytes);
    } catch (error) {
      end(notStarted(program, env, error));
    }
  });
}

/** Windows has neither groups nor such lists: the children are found by who started them. */
function endTree(pid: number): void {
  spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true })
    .on("error", () => undefined)
    .unref();
}

function notStarted(
  program: string,
  env: Env,
  error: unknown,
): Extract<SubprocessEnd, { kind: "not started" }> {
  if (systemCode(error) === "EINVAL" && /\.(cmd|bat)$/i.test(program)) {
    const reason = `Windows runs such a file only in its shell: cmd.exe /d /c ${program}`;
    return { kind: "not started", reason };
  }
  if (systemCode(error) === "ENOENT" && isScript(program, env)) {
    const reason = "it is there, but the program that its first line (#!) names is missing";
    return { kind: "not started", reason };
  }
  return { kind: "not started", reason: explainSystemError(error, "program") };
}

/** A name alone is looked up in PATH. */
function isScript(program: string, { PATH = "" }: Env): boolean {
  const directories = program.includes("/") ? [""] : PATH.split(delimiter);
  return directories.some((directory) => {
    try {
      return readFileSync(join(directory, program)).subarray(0, 2).toString() === "#!";
    } catch {
      return false;
    }
  });
}

/** The environment of other programs: without courier's own key. */
export function withoutKey(env: Env): Env {
  const { COURIER_API_KEY: _key, ...rest } = env;
  return rest;
}
