/** The result of one check of `courier doctor`; `~` hides the user's name in paths. */

import type { RuntimeInfo } from "../command/runtime-info.ts";
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

/** Names a directory below the user's own by `~`, in a path or in a sentence. */
export function hideHome(text: string, { env }: RuntimeInfo): string {
  const home = env.HOME || env.USERPROFILE;
  return home === undefined || home.length < 2 ? text : text.replaceAll(home.replace(/[\\/]+$/, ""), "~");
}
