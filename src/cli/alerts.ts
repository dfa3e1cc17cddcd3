/** Owns what reaches a person beyond the streams: the bell, the desktop, a command of the user's own. */

import { type SpawnOptions, spawn } from "node:child_process";
import { platform } from "node:os";
import type { Alerts, Executed, ExecuteOptions } from "../core/alerts.ts";
import type { Clock } from "../core/clock.ts";
import { systemCode } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { sanitise } from "../terminal/sanitise.ts";
import type { TerminalStream } from "../terminal/streams.ts";

const noticeLimitMs = 10_000;
/** Of what a command prints. */
const outputLimit = 65_536;
/** Of one variable or argument, which systems bound. */
const textLimit = 4_096;
const killAfterMs = 2_000;
const lastWordsMs = 100;

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: TerminalStream;
  /** Stops what still runs. */
  readonly signal: AbortSignal;
}

export function createAlerts(host: Surroundings, clock: Clock): Alerts {
  return {
    ring() {
      if (host.stderr.isTTY === true) host.stderr.write("\u0007");
    },
    async notify(title, text) {
      const [program, ...words] = noticeWords(bounded(title), bounded(text));
      const options = { stdin: "", limitMs: noticeLimitMs, signal: host.signal, env: host.env };
      return (await start(program, words, options, clock)).failure;
    },
    execute(line, { variables, ...given }) {
      const safe = Object.entries(variables).map(([name, text]) => [name, bounded(text)]);
      const [shell, ...words] = shellWords(line);
      return start(shell, words, { ...given, env: { ...host.env, ...Object.fromEntries(safe) } }, clock);
    },
  };
}

function bounded(text: string): string {
  return sanitise(text).slice(0, textLimit);
}

/**
 * The line is the user's own and nothing is put into it. On Windows it is PowerShell's, since `cmd` reads
 * a variable's text as a part of the command.
 */
function shellWords(line: string): readonly [string, ...string[]] {
  if (platform() === "win32") return ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", line];
  return ["/bin/sh", "-c", line];
}

/** Texts go in as arguments that can be neither options nor script; a notice may be read as markup. */
function noticeWords(title: string, text: string): readonly [string, ...string[]] {
  if (platform() !== "darwin") {
    const plain = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return ["notify-send", "--app-name=courier", "--", title, plain];
  }
  const script = [
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
  ];
  return ["osascript", ...script.flatMap((line) => ["-e", line]), "--", title, text];
}

type StartOptions = Omit<ExecuteOptions, "variables"> & { readonly env: SpawnOptions["env"] };

/** Runs a program to its end; it is stopped at its limit and when the run is interrupted. Never rejects. */
function start(
  program: string,
  words: readonly string[],
  options: StartOptions,
  clock: Clock,
): Promise<Executed> {
  const { stdin, limitMs, signal, env } = options;
  return new Promise<Executed>((resolve) => {
    let output = "";
    let stopped: string | undefined;
    let cancelKill = () => {};
    const child = spawn(program, [...words], { env, stdio: ["pipe", "pipe", "pipe"] });
    const stop = (why: string) => {
      stopped ??= why;
      child.kill("SIGTERM");
      cancelKill = clock.after(killAfterMs, () => child.kill("SIGKILL"));
    };
    const onAbort = () => stop("it was stopped");
    const cancelLimit = clock.after(limitMs, () => stop(`it took longer than ${limitMs / 1_000} s`));
    const end = (failure: string | undefined) => {
      cancelLimit();
      cancelKill();
      signal.removeEventListener("abort", onAbort);
      for (const stream of [child.stdout, child.stderr]) stream.destroy(); // what it left behind may hold them
      const lines = output.split("\n").map((line) => line.trimEnd());
      resolve({ lines: lines.filter((line) => line !== ""), failure });
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(0, outputLimit);
      });
    child.stdin.on("error", () => {}); // it need not read
    child.stdin.end(stdin);
    child.on("error", (error) =>
      end(systemCode(error) === "ENOENT" ? `there is no ${program}` : error.message),
    );
    // A moment for what is still in the pipes; a process that it left running may hold them open for ever.
    child.on("exit", (exit, killer) => {
      const failure = exit === 0 ? undefined : (stopped ?? `it ended with ${killer ?? `exit code ${exit}`}`);
      const cancel = clock.after(lastWordsMs, () => end(failure));
      child.on("close", () => {
        cancel();
        end(failure);
      });
    });
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  }).catch((error) => ({ lines: [], failure: `${program} cannot be started: ${explainSystemError(error)}` }));
}
