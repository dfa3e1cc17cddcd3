/** Out-of-band alerts: terminal bell, desktop notification, user command. */

import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { platform } from "node:os";
import path from "node:path";
import type { Alerts, Executed, ExecuteOptions } from "../core/alerts.ts";
import type { Clock } from "../core/clock.ts";
import {
  type Processes,
  runSubprocess,
  type SubprocessEnd,
  type SubprocessOptions,
} from "../core/subprocess.ts";
import { sanitise } from "../terminal/sanitise.ts";
import type { TerminalStream } from "../terminal/streams.ts";

const noticeLimitMs = 10_000;
/** Of what a command prints. */
const outputLimit = 65_536;
/** Of one variable or argument, which systems bound. */
const textLimit = 4_096;

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: TerminalStream;
  /** Stops what still runs. */
  readonly signal: AbortSignal;
}

/** What they start gets a group of its own, which `group` reaches: the shell of a command starts others. */
export function createAlerts(host: Surroundings, clock: Clock, group: Processes): Alerts {
  return {
    ring() {
      if (host.stderr.isTTY === true) host.stderr.write("\u0007");
    },
    async findNoticeObstacle() {
      const [program] = noticeWords("", "");
      return (await isInstalled(program, host.env)) ? undefined : `${program} is not installed`;
    },
    async notify(title, text) {
      const words = noticeWords(bounded(title), bounded(text));
      const options = { stdin: "", limitMs: noticeLimitMs, signal: host.signal, env: host.env, group };
      return (await start(words, options, clock)).failure;
    },
    execute(line, { variables, ...given }) {
      const safe = Object.entries(variables).map(([name, text]) => [name, bounded(text)]);
      const env = { ...host.env, ...Object.fromEntries(safe) };
      return start(shellWords(line), { ...given, env, group }, clock);
    },
  };
}

/** Where a system looks for programs without PATH. */
const usualPath = "/usr/bin:/bin";

async function isInstalled(
  program: string,
  { PATH: places = usualPath }: Surroundings["env"],
): Promise<boolean> {
  const file = platform() === "win32" ? `${program}.exe` : program;
  const checks = places
    .split(path.delimiter)
    .map((place) => access(path.join(place, file), constants.X_OK).then(() => true));
  return Promise.any(checks).catch(() => false);
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

type StartOptions = Omit<ExecuteOptions, "variables"> & Pick<SubprocessOptions, "env" | "group">;

/** Runs a program to its end; it is stopped at its limit and when the run is interrupted. Never rejects. */
async function start(words: readonly string[], options: StartOptions, clock: Clock): Promise<Executed> {
  let output = "";
  const onText = (text: string) => {
    output = (output + text).slice(0, outputLimit);
  };
  const end = await runSubprocess({ ...options, words, clock, onText });
  const lines = output.split("\n").map((line) => line.trimEnd());
  return { lines: lines.filter((line) => line !== ""), failure: explain(end, options.limitMs, words[0]) };
}

function explain(end: SubprocessEnd, limitMs: number, program = ""): string | undefined {
  switch (end.kind) {
    case "ended":
      if (end.exit === 0) return undefined;
      return `it ended with ${typeof end.exit === "number" ? `exit code ${end.exit}` : end.exit}`;
    case "not started":
      return `${program} cannot be started: ${end.reason}`;
    case "timeout":
      return `it took longer than ${limitMs / 1_000} s`;
    case "flood":
    case "stopped":
      return "it was stopped";
  }
}
