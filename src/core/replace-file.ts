/** The last step of an atomic write: renames the complete temporary file over the target. */

import { renameSync, rmSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { systemCode } from "./errors.ts";

const timeLimitMs = 2_000;
const firstPauseMs = 10;
const longestPauseMs = 250;

/** Where a file is written before it takes the place of `target`: beside it, under a unique name. */
export function nameDraft(target: string): string {
  return `${target}${draftEnding}${crypto.randomUUID().slice(0, 8)}`;
}

export const draftEnding = ".part-";

/**
 * Renames a file over another one. Windows refuses that while another program has either of them open, as virus
 * scanners do for a moment with each new file: retries for two seconds. Throws
 * the system's error, and leaves both as they were.
 */
export async function replaceFile(
  draft: string,
  target: string,
  clock: Pick<Clock, "elapsed" | "sleep">,
): Promise<void> {
  const untilMs = clock.elapsed() + timeLimitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return renameSync(draft, target);
    } catch (error) {
      if (!isHeld(error) || clock.elapsed() + pauseMs > untilMs) throw error;
    }
    await clock.sleep(pauseMs);
  }
}

/** The same with one try, for a file that can be done without. Where it fails, the draft is removed. */
export function replaceFileOnce(draft: string, target: string): void {
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function isHeld(error: unknown): boolean {
  return ["EPERM", "EACCES", "EBUSY"].includes(systemCode(error) ?? "");
}
