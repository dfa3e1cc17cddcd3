/** What a run gets from its process: all input from outside. */

import type { Readable } from "node:stream";
import type { Transport } from "../api/transport.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import type { KeyRing } from "../config/key-ring.ts";
import type { Clock } from "../core/clock.ts";
import type { ExitCode, InterruptionExit } from "../core/errors.ts";
import type { Prompts } from "../core/prompts.ts";
import type { Job } from "../terminal/keyboard.ts";
import type { KeyInput } from "../terminal/keypress.ts";
import type { QuickOutput, TerminalStream } from "../terminal/streams.ts";

/** The process as a run sees it. */
export interface Host {
  /** The words after `courier`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: KeyInput;
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  /** stdout, for answers that load nothing else. */
  readonly quickOutput?: QuickOutput | undefined;
  /** Aborts with an `interrupted` error on a signal. */
  readonly signal: AbortSignal;
  readonly job: TerminalJob;
  /** The operating system's key ring. */
  openKeyRing(): Promise<KeyRing>;
  /** Reports errors that no run can catch with `tell`; the process ends with its exit code. */
  onEscape?(tell: (error: unknown) => Promise<ExitCode>): void;
  /** Asks `describe` for the last words of a process that a second signal ends at once. */
  onStopAtOnce?(describe: (exit: InterruptionExit) => string | undefined): void;
  /** Calls when a signal came two seconds ago and the process still runs. */
  onStopTakesLong?(listener: () => void): void;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
  /** Of a command inside another one, which acts on the account of that one. */
  readonly account?: ActiveAccount;
  /** Replaced in tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly prompts?: Prompts | undefined;
  readonly transport?: Transport;
}

/** A process without a terminal has none of the rest. */
interface TerminalJob extends Job {
  /** The terminal's keys where stdin is something else; undefined where there are none. */
  openKeys?(): Promise<(KeyInput & { destroy(): unknown }) | undefined>;
  /** The terminal of that name; undefined for another device. */
  openTerminal?(file: string): Promise<Readable | undefined>;
  /** Ctrl-C is another program's for a while; gives back what ends that. */
  ignoreInterrupts?(): () => void;
  /** Calls when the process ends, even where it crashes; gives back what ends that. */
  onExit?(listener: () => void): () => void;
}

/** An empty environment variable counts as not set. */
export function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}
