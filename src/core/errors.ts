/** The one error type. */

import type { ErrorCode } from "./error-codes.ts";
import type { exitCodes } from "./exit-codes.ts";

export type ExitCode = keyof typeof exitCodes;

/** The facts of an error beyond its message. All are safe to print as JSON. */
export interface ErrorFacts {
  /** One short line: what to do next. */
  readonly hint?: string | undefined;
  /** HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** `error.code` as the service sent it (specification, section 7). */
  readonly serviceCode?: string | undefined;
  /** `error.details` as the service sent it, or further facts of our own. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/**
 * Every error that a user may see. `code` is a stable snake_case word for scripts,
 * `exit` the process's exit code, `message` a sentence in the user's words with the key fact last.
 */
export class CourierError extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, exit: ExitCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "CourierError";
    this.code = code;
    this.exit = exit;
    this.hint = facts.hint;
    this.status = facts.status;
    this.serviceCode = facts.serviceCode;
    this.details = facts.details;
  }

  /** The same error with some facts replaced by a caller that knows more. */
  with(changes: { message?: string; hint?: string; details?: unknown }): CourierError {
    return new CourierError(this.code, this.exit, changes.message ?? this.message, {
      hint: changes.hint ?? this.hint,
      status: this.status,
      serviceCode: this.serviceCode,
      details: changes.details ?? this.details,
      cause: this.cause ?? this,
    });
  }
}

/** The command line is wrong: exit 2, nothing was sent. */
export function usageError(message: string, hint?: string): CourierError {
  return new CourierError("usage", 2, message, { hint });
}

/** An input file is wrong, or a local file cannot be read or written: exit 2, nothing was sent. */
export function fileError(message: string, facts: ErrorFacts = {}): CourierError {
  return new CourierError("file", 2, message, facts);
}

/** What a signal that ends a run is called in errors, by the run's exit code. */
const interruptions = {
  129: { code: "hung_up", message: "the terminal was closed" },
  130: { code: "interrupted", message: "interrupted" },
  131: { code: "quit", message: "quit" },
  143: { code: "terminated", message: "terminated" },
} as const;

export type InterruptionExit = keyof typeof interruptions;

/** The run was interrupted by a signal. */
export function interrupted(exit: InterruptionExit, message?: string, hint?: string): CourierError {
  const signal = interruptions[exit];
  return new CourierError(signal.code, exit, message ?? signal.message, { hint });
}

/** The exit code of a run that was aborted for this reason; 130 where no signal is named. */
export function interruptionExit(reason: unknown): InterruptionExit {
  const exit = reason instanceof CourierError ? reason.exit : 130;
  return isInterruption(exit) ? exit : 130;
}

export function isInterruption(exit: ExitCode): exit is InterruptionExit {
  return exit in interruptions;
}

/** `error.code` of a failed system call (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
