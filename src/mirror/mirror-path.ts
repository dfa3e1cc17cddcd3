/** Where the mirrors are: each account and service has a file of its own. */

import { createHash } from "node:crypto";
import path from "node:path";

/** The account and service whose orders a mirror holds: each has a file of its own. */
export interface MirrorOwner {
  readonly account: string;
  readonly service: string;
  /** A key of its own beside the account's stored one; empty without. */
  readonly key: string;
}

/** Short enough for the name of a file; it does not give a key away. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export function mirrorDirectory(stateDirectory: string): string {
  return path.join(stateDirectory, "mirror");
}

export function mirrorPath(stateDirectory: string, { account, service, key }: MirrorOwner): string {
  const name = `${mirrorPrefix(account)}${hash(JSON.stringify([service, key]))}.db`;
  return path.join(mirrorDirectory(stateDirectory), name);
}

/** How the names of an account's mirrors begin. */
export function mirrorPrefix(account: string): string {
  return `${hash(account)}-`;
}
