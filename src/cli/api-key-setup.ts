/** Creates the store of API keys from a run's environment. */

import { createKeys, type KeyDeps, type Keys } from "../config/api-keys.ts";
import type { KeyCommandOptions } from "../config/key-command.ts";
import { createRedactor } from "../core/redact.ts";
import type { Messages } from "../terminal/messages.ts";

type KeySetup = Pick<KeyDeps, "config" | "ring"> &
  Pick<KeyCommandOptions, "env" | "signal"> & { readonly messages: Messages };

/** Loads key ring and key commands only where they hold the key. */
export function makeKeys({ config, ring, env, signal, messages }: KeySetup): Keys {
  return createKeys({
    config,
    ring,
    async runCommand(command) {
      const { runKeyCommand } = await import("../config/key-command.ts");
      return runKeyCommand(command, { env, signal, onComplaint: messages.note });
    },
    redact: (key) => messages.redactWith(createRedactor([key])),
  });
}
