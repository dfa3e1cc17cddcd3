/** What keeps keys, on a config file alone: for tests of the file. */

import { createKeys, type Keys } from "../../src/config/api-keys.ts";
import type { ConfigStore } from "../../src/config/store.ts";
import { createMemoryKeyRing, type MemoryKeyRing } from "./memory-key-ring.ts";

export function keysOn(config: ConfigStore, keyRing: MemoryKeyRing = createMemoryKeyRing()): Keys {
  return createKeys({
    config,
    ring: async () => keyRing,
    runCommand: () => Promise.reject(new Error("no command was expected")),
    redact: () => {},
  });
}
