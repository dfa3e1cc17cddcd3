/** Writes the completion cache of orders. A file of its own, because the reader is loaded at every start-up. */

import { rmSync, writeFileSync } from "node:fs";
import { replaceFileOnce } from "../core/replace-file.ts";
import { followLink, removeFile } from "../sqlite/remove-file.ts";
import { type OwnedOrders, orderCachePath } from "./order-cache.ts";

/** Deletes the file. It is written again from the ledger. Throws `database`, exit 5, and the system's errors. */
export function deleteOrderCache(stateDirectory: string): void {
  const file = orderCachePath(stateDirectory);
  rmSync(draftPath(file), { force: true });
  removeFile(file, "file of orders for the Tab key");
}

/** The path at which the file is written before it replaces the old one. */
function draftPath(file: string): string {
  return `${file}.new`;
}

/**
 * Writes the file: all of it or nothing. Throws the system's errors. The caller is the only writer: it holds the
 * ledger's write transaction.
 */
export function writeOrderCache(stateDirectory: string, owners: readonly OwnedOrders[]): void {
  const file = followLink(orderCachePath(stateDirectory)); // or it would keep the orders of today for ever
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
