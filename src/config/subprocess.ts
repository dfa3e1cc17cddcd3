/** Owns runs of other programs: no shell, bounded in time and output, nothing secret in their arguments. */

import { spawn } from "node:child_process";

export interface SubprocessOptions {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly env: Env;
  /** Piped in; nothing where left out. */
  readonly stdin?: string;
  readonly timeoutMs: number;
  /** Called with each whole line of its stderr as it comes. */
  readonly onComplaint?: (line: string) => void;
  readonly signal?: AbortSignal;
}

export type Env = Readonly<Record<string, string | undefined>>;

export type SubprocessEnd =
  | { readonly kind: "ended"; readonly exit: number | string; readonly stdout: string }
  /** It could not be started; `code` is the system's, such as ENOENT. */
  | { readonly kind: "not started"; readonly code: string }
  | { readonly kind: "timeout" }
  /** It wrote more than any key could need. */
  | { readonly kind: "flood" };

const largestOutput = 65_536;

/** Runs a program to its end. Never rejects but with the signal's reason; the program is ended first. */
export async function runSubprocess(options: SubprocessOptions): Promise<SubprocessEnd> {
  const { words, env, stdin, timeoutMs, onComplaint, signal } = options;
  signal?.throwIfAborted();
  const [program = "", ...args] = words;
  const child = spawn(program, args, { env: { ...env }, stdio: "pipe", windowsHide: true });
  let stdout = "";
  let complaint = "";
  child.stdin.on("error", () => undefined); // it ended without reading
  child.stdin.end(stdin ?? "");
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${complaint}${text}`.split(/\r?\n/);
    complaint = (lines.pop() ?? "").slice(-largestOutput);
    for (const line of lines) onComplaint?.(line);
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  try {
    return await new Promise<SubprocessEnd>((resolve, reject) => {
      timer = setTimeout(() => resolve({ kind: "timeout" }), timeoutMs);
      onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        if (stdout.length > largestOutput) resolve({ kind: "flood" });
      });
      child.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ kind: "not started", code: error.code ?? error.message }),
      );
      child.on("close", (exit, endedBy) => resolve({ kind: "ended", exit: exit ?? endedBy ?? "", stdout }));
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    if (complaint !== "") onComplaint?.(complaint);
    // What it started may hold its streams open: nothing waits for that.
    child.kill("SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}

/** The environment that other programs get: what they are asked for is not for them to know. */
export function withoutKey(env: Env): Env {
  const { COURIER_API_KEY: _key, ...rest } = env;
  return rest;
}
