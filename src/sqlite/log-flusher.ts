/** Flushes the WAL of a database to the disk without blocking the event loop. */

import { closeSync, fdatasync, openSync } from "node:fs";

export interface LogFlusher {
  /** Resolves when everything that was committed before the call is on the disk. Rejects with the system's error. */
  flush(): Promise<void>;
  close(): void;
}

/**
 * With `synchronous=NORMAL` a commit is in the WAL file, which the system writes to the disk later. This flushes it
 * at once, as `FULL` does, but in a thread. Calls during a flush share the next one. SQLite has no locks on the WAL
 * file, so closing it here drops none.
 */
export function createLogFlusher(databasePath: string): LogFlusher {
  let descriptor: number | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      descriptor ??= openSync(`${databasePath}-wal`, "r+");
      fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
    });
  }

  function start(): Promise<void> {
    const started = sync();
    const end = () => {
      if (running === started) running = undefined;
    };
    running = started;
    started.then(end, end);
    return started;
  }

  return {
    flush() {
      if (!running) return start();
      next ??= running.then(
        () => {
          next = undefined;
          return start();
        },
        () => {
          next = undefined;
          return start();
        },
      );
      return next;
    },
    close() {
      if (descriptor === undefined) return;
      const closing = descriptor;
      descriptor = undefined;
      // A descriptor must not be reused for another file while it is being synced.
      if (running) void running.catch(() => {}).then(() => closeSync(closing));
      else closeSync(closing);
    },
  };
}
