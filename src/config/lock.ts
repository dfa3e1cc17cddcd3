/** Owns locks between processes (owner of proper-lockfile). */

import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { CourierError, explainSystemError, fileError, systemCode } from "../core/errors.ts";
import { findRealPath } from "../core/real-path.ts";
import { createLockOwner, type Holder, type Neighbours } from "./lock-owner.ts";

/** A lock whose holder is unknown and that we saw nobody renew for so long was left behind. */
const staleMs = 5_000;
const renewalMs = 2_000;
/** The package's own idea of a lock left behind, which does not ask whether its holder lives: never. */
const neverMs = 2 ** 40;
const pauseMs = 50;

/** What a lock is wanted for. */
export interface LockClaim {
  /** Told to those who find it taken. */
  readonly work: string;
  /** The error for a lock that another process holds. */
  readonly onHeld: (holder: Holder | undefined, hint: string) => CourierError;
}

export interface LockOptions {
  /** How long to wait for another holder: until it has finished, or no longer than it takes to know that it lives. */
  readonly patience: "wait" | "none";
  /** Without it a lock left behind is known by its silence alone. */
  readonly neighbours?: Neighbours | undefined;
  readonly claim?: LockClaim | undefined;
  /** Replaced in tests. */
  readonly time?: LockTime;
  /** Told when the lock was removed and nobody else has it: what is under way may still be finished. */
  readonly onLost?: (error: CourierError) => void;
}

/** A clock that only goes on, and the waiting by it. */
export interface LockTime {
  now(): number;
  sleep(delayMs: number): Promise<unknown>;
}

const systemTime: LockTime = { now: () => performance.now(), sleep: (delayMs) => wait(delayMs) };

/** Longer than a lock left behind needs to be taken over, and a broom with it. */
const longestWaitMs = { wait: 40_000, none: 12_000 } as const;

/**
 * Takes the lock on a file, which need not exist, and gives back what releases it; all names of one file
 * have one lock. One that a crashed process left behind is taken over: at once where it is certain that its
 * holder is gone, else when nobody has renewed it for five seconds. Throws a file error when another process
 * holds it.
 */
export async function takeLock(
  file: string,
  title: string,
  options: LockOptions = { patience: "wait" },
): Promise<() => Promise<void>> {
  const { patience, neighbours, claim, onLost, time = systemTime } = options;
  const { default: lockfile } = await import("proper-lockfile");
  const place = await findRealPath(file).catch((error) => {
    throw cannotLock(file, title, error);
  });
  const lockPath = `${place}.lock`;
  const owner = createLockOwner(lockPath, { staleMs, neighbours, now: time.now });
  const untilMs = time.now() + longestWaitMs[patience];
  for (;;) {
    try {
      const release = await lockfile.lock(place, {
        realpath: false,
        stale: neverMs,
        update: renewalMs,
        onCompromised: (cause) => {
          const error = lockLost(file, title, cause);
          if (onLost && !existsSync(lockPath)) return onLost(error);
          // Somebody else has it, and going on could do their work twice: the process ends, as in a crash.
          throw error;
        },
      });
      await owner.record(claim?.work);
      return async () => {
        await owner.forget();
        await release().catch((error) => {
          if (systemCode(error) !== "ERELEASED") throw error; // it was lost
        });
      };
    } catch (error) {
      if (systemCode(error) !== "ELOCKED") throw cannotLock(file, title, error);
      if (await owner.clearAbandoned()) continue;
      const isHopeless = patience === "none" && (await owner.isAlive());
      if (isHopeless || time.now() > untilMs) {
        const holder = await owner.holder();
        const hint = adviseWaiting(holder, lockPath);
        throw claim?.onHeld(holder, hint) ?? isHeld(file, title, { holder, hint, cause: error });
      }
      await time.sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

function cannotLock(file: string, title: string, cause: unknown): CourierError {
  return fileError(`cannot lock ${title} ${file}: ${explainSystemError(cause)}`, { cause });
}

function isHeld(
  file: string,
  title: string,
  { holder, hint, cause }: { holder: Holder | undefined; hint: string; cause: unknown },
): CourierError {
  const which = holder?.pid === undefined ? "" : ` (process ${holder.pid})`;
  return fileError(`cannot lock ${title} ${file}: another courier${which} is at work on it`, { cause, hint });
}

/** A process id may have been given to a program that is no courier, where the system does not tell. */
function adviseWaiting(holder: Holder | undefined, lockPath: string): string {
  const wayOn = "wait until it has ended, then run the same command again";
  if (holder?.pid === undefined || holder.isCertain) return wayOn;
  return `${wayOn}; if process ${holder.pid} is no courier, remove ${lockPath}`;
}

/** Exit 5: what was done stays done, and it is safe to run the command again. */
function lockLost(file: string, title: string, cause: Error): CourierError {
  return new CourierError("lock_lost", 5, `the lock on ${title} ${file} was taken away by another program`, {
    cause,
    hint: "run the same command again when nobody else is at work on it",
  });
}
