/** The result of one check of `courier doctor`. */

import type { ExitCode } from "../core/errors.ts";
import type { DoctorCheck } from "../model/results.ts";

export interface CheckResult {
  readonly check: DoctorCheck["check"];
  readonly status: DoctorCheck["status"];
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string | undefined;
  readonly durationMs?: number;
  /** Of a failed check: the exit code of a command that fails for the same reason. */
  readonly exit?: ExitCode;
}
