/** What a check finds, and how places are named in it so that no user's name is told. */

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
  /** Of a failed check: the exit code of a command that meets the same. */
  readonly exit?: ExitCode;
}

/** Names a directory below the user's own by `~`, in a path or in a sentence. */
export function hideHome(text: string, { env }: RuntimeInfo): string {
  const home = env.HOME || env.USERPROFILE;
  return home === undefined || home.length < 2 ? text : text.replaceAll(home.replace(/[\\/]+$/, ""), "~");
}
