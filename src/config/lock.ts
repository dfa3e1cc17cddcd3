/** Owns locks between processes (owner of proper-lockfile). */

import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { CourierError, explainSystemError, fileError, systemCode } from "../core/errors.ts";
import { createLockOwner, type Neighbours } from "./lock-owner.ts";

/** A lock whose holder is unknown and has not renewed it for so long was left behind. */
const staleMs = 5_000;
const renewalMs = 2_000;
/** The package's own idea of a lock left behind, which does not ask whether its holder lives: never. */
const neverMs = 2 ** 40;
const pauseMs = 50;

export interface LockOptions {
  /** How long to wait for another holder: until it has finished, or no longer than it takes to know that it lives. */
  readonly patience: "wait" | "none";
  /** Without it a lock left behind is known by its age alone. */
  readonly neighbours?: Neighbours | undefined;
  /** Told when the lock was removed and nobody else has it: what is under way may still be finished. */
  readonly onLost?: (error: CourierError) => void;
}

/** Longer than a lock left behind needs to be taken over. */
const longestWaitMs = { wait: 40_000, none: 8_000 } as const;

/**
 * Takes the lock on a file, which need not exist, and gives back what releases it. One that a crashed
 * process left behind is taken over: at once where it is certain that its holder is gone, else after five
 * seconds. Throws a file error when another process holds it.
 */
export async function takeLock(
  file: string,
  title: string,
  { patience, neighbours, onLost }: LockOptions = { patience: "wait" },
): Promise<() => Promise<void>> {
  const { default: lockfile } = await import("proper-lockfile");
  const owner = createLockOwner(`${file}.lock`, staleMs, neighbours);
  const untilMs = performance.now() + longestWaitMs[patience];
  for (;;) {
    try {
      const release = await lockfile.lock(file, {
        realpath: false,
        stale: neverMs,
        update: renewalMs,
        onCompromised: (cause) => {
          const error = lockLost(file, title, cause);
          if (onLost && !existsSync(`${file}.lock`)) return onLost(error);
          // Somebody else has it, and going on could do their work twice: the process ends, as in a crash.
          throw error;
        },
      });
      await owner.record();
      return async () => {
        await owner.forget();
        await release().catch((error) => {
          if (systemCode(error) !== "ERELEASED") throw error; // it was lost
        });
      };
    } catch (error) {
      const code = systemCode(error);
      if (code !== "ELOCKED") throw lockError(file, title, code, error);
      if (await owner.clearAbandoned()) continue;
      const isHopeless = patience === "none" && (await owner.isAlive());
      if (isHopeless || performance.now() > untilMs) throw lockError(file, title, code, error);
      await wait(pauseMs * (0.5 + Math.random()));
    }
  }
}

/** Exit 5: what was done stays done, and it is safe to run the command again. */
function lockLost(file: string, title: string, cause: Error): CourierError {
  return new CourierError("lock_lost", 5, `the lock on ${title} ${file} was taken away by another program`, {
    cause,
    hint: "run the same command again when nobody else is at work on it",
  });
}

function lockError(file: string, title: string, code: string | undefined, cause: unknown): Error {
  const reason = code === "ELOCKED" ? "another courier is at work on it" : explainSystemError(cause);
  return fileError(`cannot lock ${title} ${file}: ${reason}`, {
    cause,
    hint: code === "ELOCKED" ? "wait until it has finished, then try again" : undefined,
  });
}
