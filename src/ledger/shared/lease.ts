/**
 * The right of this process to send what it claimed in a shared ledger. Each run gives a sign of life every few seconds.
 * A process that could not for too long sends nothing more; another one takes its operations over much later, and then
 * only looks for their orders.
 */

import type { Clock } from "../../core/clock.ts";
import { isLedgerLost } from "../operation-errors.ts";

/** A sign of life. */
const beatEveryMs = 5_000;
/** After one that failed where the connection broke. */
const againMs = 1_000;
/** In this time a process that runs gives one. */
export const signOfLifeMs = 2 * beatEveryMs;
/** Without one for so long, a process sends nothing more. */
export const leaseMs = 30_000;
/** Without one for so much longer, the run is known to have ended: what it sent last has arrived, or never will. */
export const takeOverMs = leaseMs + 120_000;

export interface Lease {
  /** From now on, signs of life are given for this run. Its first one was just given. */
  hold(run: number, beganMs: Reading): void;
  /** False for good once the last sign of life was too long ago. */
  isHeld(): boolean;
  /**
   * False between a break of the connection and the next sign of life: a copy from before may take the database's place
   * meanwhile. Throws `ledger_lost` once one has.
   */
  isSure(): boolean;
  /** The connection broke: a sign of life is given at once. */
  doubt(): void;
  end(): void;
}

/** A moment by all clocks of a machine. */
export interface Reading {
  readonly elapsedMs: number;
  readonly nowMs: number;
  readonly sinceBootMs: number | undefined;
}

export function readClocks(clock: Clock): Reading {
  return { elapsedMs: clock.elapsed(), nowMs: clock.now(), sinceBootMs: clock.sinceBoot()?.ms };
}

/** The time since the reading. A monotonic clock may stop while the machine sleeps; that of its boot goes on. */
function spanSince({ elapsedMs, nowMs, sinceBootMs }: Reading, clock: Clock): number {
  const read = readClocks(clock);
  const isBootKnown = read.sinceBootMs !== undefined && sinceBootMs !== undefined;
  const byOther = isBootKnown ? read.sinceBootMs - sinceBootMs : read.nowMs - nowMs;
  return Math.max(read.elapsedMs - elapsedMs, byOther);
}

/** `beat` records a sign of life of these runs. It rejects with `ledger_lost` where the database has lost what they recorded. */
export function createLease(clock: Clock, beat: (runs: readonly number[]) => Promise<unknown>): Lease {
  const runs: number[] = [];
  let last: Reading | undefined;
  let isLost = false;
  let loss: unknown;
  /** So many times has the connection broken, and so many of them were before the last sign of life. */
  let [breaks, outlived] = [0, 0];
  let isBeating = false;
  let isEnded = false;
  let cancel = () => {};

  function isHeld(): boolean {
    if (last && spanSince(last, clock) >= leaseMs) isLost = true;
    return last !== undefined && !isLost;
  }

  const isSure = () => {
    if (loss !== undefined) throw loss;
    return breaks === outlived;
  };

  function schedule(afterMs: number): void {
    if (isEnded) return;
    cancel = clock.after(afterMs, () => {
      const began = readClocks(clock);
      const before = breaks;
      isBeating = true;
      const note = () => {
        if (isHeld()) last = began;
        outlived = before;
      };
      beat(runs)
        .then(note, (error: unknown) => {
          if (isLedgerLost(error)) loss = error;
        })
        .then(() => {
          isBeating = false;
          schedule(breaks === outlived ? beatEveryMs : againMs);
        });
    });
  }

  return {
    hold(run, began) {
      runs.push(run);
      if (last) return;
      last = began;
      schedule(beatEveryMs);
    },
    isHeld,
    isSure,
    doubt() {
      if (!last) return; // nothing was recorded before
      breaks += 1;
      if (isBeating) return;
      cancel();
      schedule(0);
    },
    end() {
      isEnded = true;
      cancel();
    },
  };
}
