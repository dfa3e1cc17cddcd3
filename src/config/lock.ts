/** Owns locks between processes (owner of proper-lockfile). */

import { fileError, systemCode } from "../core/errors.ts";

/** A lock that its holder has not renewed for so long was left behind; the least that is allowed. */
const staleMs = 5_000;

export interface LockOptions {
  /** How long to wait for another holder; 0 gives up at once. */
  readonly patience: "wait" | "none";
}

/**
 * Takes the lock on a file, which need not exist, and gives back what releases it. One that a crashed
 * process left behind is taken over after five seconds. Throws a file error when another process holds it.
 */
export async function takeLock(
  file: string,
  title: string,
  { patience }: LockOptions = { patience: "wait" },
): Promise<() => Promise<void>> {
  const { default: lockfile } = await import("proper-lockfile");
  const waits = { factor: 1.2, minTimeout: 10, maxTimeout: 100, randomize: true };
  // Longer than a lock left behind needs to be taken over.
  const retries = patience === "wait" ? { retries: 400, ...waits } : { retries: 80, ...waits };
  try {
    return await lockfile.lock(file, { realpath: false, stale: staleMs, retries });
  } catch (error) {
    const code = systemCode(error);
    const reason = code === "ELOCKED" ? "another courier is at work on it" : (code ?? String(error));
    throw fileError(`cannot lock ${title} ${file}: ${reason}`, {
      cause: error,
      hint: code === "ELOCKED" ? "wait until it has finished, then try again" : undefined,
    });
  }
}
