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
  withoutKey,
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
      const [program] = createNotice("", "").words;
      return (await isInstalled(program, host.env)) ? undefined : `${program} is not installed`;
    },
    async notify(title, text) {
      const { words, variables } = createNotice(bounded(title), bounded(text));
      const env = { ...withoutKey(host.env), ...variables };
      const options = { stdin: "", limitMs: noticeLimitMs, signal: host.signal, env, group };
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
  const checks = places
    .split(path.delimiter)
    .map((place) => access(path.join(place, program), constants.X_OK).then(() => true));
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
  return platform() === "win32" ? powershell(line) : ["/bin/sh", "-c", line];
}

function powershell(line: string): readonly [string, ...string[]] {
  return ["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", line];
}

interface Notice {
  readonly words: readonly [string, ...string[]];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Texts go in as variables, or as arguments that can be neither options nor script; a notice may be read as markup. */
function createNotice(title: string, text: string): Notice {
  switch (platform()) {
    case "win32":
      return {
        words: powershell(toastScript),
        variables: { COURIER_NOTICE_TITLE: title, COURIER_NOTICE_TEXT: text },
      };
    case "darwin":
      return { words: ["osascript", ...displayScript.flatMap((line) => ["-e", line]), "--", title, text] };
    default: {
      const plain = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
      return { words: ["notify-send", "--app-name=courier", "--", title, plain] };
    }
  }
}

const displayScript = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** Windows shows notices of programs that it knows, such as PowerShell. */
const toastScript = [
  "$ErrorActionPreference = 'Stop'",
  "$manager = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType=WindowsRuntime]",
  "$toast = $manager::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)",
  "$lines = $toast.GetElementsByTagName('text')",
  "$lines.Item(0).InnerText = $env:COURIER_NOTICE_TITLE",
  "$lines.Item(1).InnerText = $env:COURIER_NOTICE_TEXT",
  "$program = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'",
  "$manager::CreateToastNotifier($program).Show([Windows.UI.Notifications.ToastNotification]::new($toast))",
].join("; ");

type StartOptions = Omit<ExecuteOptions, "variables"> & Pick<SubprocessOptions, "env" | "group">;

/** Runs a program to its end; it is stopped at its limit and when the run is interrupted. Never rejects. */
async function start(words: readonly string[], options: StartOptions, clock: Clock): Promise<Executed> {
  let output = "";
  let isCut = false;
  const onText = (text: string) => {
    isCut ||= output.length + text.length > outputLimit;
    output = (output + text).slice(0, outputLimit);
  };
  const end = await runSubprocess({ ...options, words, clock, onText });
  const lines = output
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  if (isCut) lines.push("(it printed more, which is left out)");
  return { lines, failure: explain(end, options.limitMs, words[0]) };
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
