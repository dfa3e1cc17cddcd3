/** Writes the completion cache of orders. A file of its own, because the reader is loaded at every start-up. */

import { rmSync, writeFileSync } from "node:fs";
import { replaceFileOnce } from "../core/replace-file.ts";
import { deleteOrderCache, draftPath, type OwnedOrders, orderCachePath } from "./order-cache.ts";

/**
 * Writes the file: all of it or nothing. Throws the system's errors. The caller is the only writer: it holds the
 * ledger's write transaction.
 */
export function writeOrderCache(stateDirectory: string, owners: readonly OwnedOrders[]): void {
  const file = orderCachePath(stateDirectory);
  rmSync(draftPath(file), { force: true }); // whatever it is: writing to a pipe would wait for its reader
  writeFileSync(draftPath(file), JSON.stringify(owners), { mode: 0o600, flag: "wx" });
  replaceFileOnce(draftPath(file), file);
}

/** Where the cache cannot be written, deletes it: it only serves completion. */
export function publishOrders(stateDirectory: string, owners: readonly OwnedOrders[]): void {
  try {
    if (owners.length === 0) deleteOrderCache(stateDirectory);
    else writeOrderCache(stateDirectory, owners);
  } catch {
    try {
      deleteOrderCache(stateDirectory);
    } catch {
      // the directory cannot be written to any more
    }
  }
}
