/** A key ring in memory, for runs in process; the real one is tested with real processes. */

import type { KeyRing } from "../../src/config/key-ring.ts";
import { CourierError } from "../../src/core/errors.ts";

export interface MemoryKeyRing extends KeyRing {
  /** Keys by service and user. */
  readonly entries: Map<string, string>;
  /** The next calls of this kind fail as a locked key ring does. */
  refuse(action: "get" | "set" | "delete" | "nothing"): void;
}

export function createMemoryKeyRing(): MemoryKeyRing {
  const entries = new Map<string, string>();
  let refused = "nothing";
  function check(action: string): void {
    if (action === refused)
      throw new CourierError("key_ring", 4, "the key ring is locked", { hint: "unlock it" });
  }
  const nameOf = ({ service, user }: { service: string; user: string }) => `${service}: ${user}`;
  return {
    entries,
    refuse(action) {
      refused = action;
    },
    async get(entry) {
      check("get");
      return entries.get(nameOf(entry));
    },
    async set(entry, key) {
      check("set");
      entries.set(nameOf(entry), key);
    },
    async delete(entry) {
      check("delete");
      entries.delete(nameOf(entry));
    },
  };
}
