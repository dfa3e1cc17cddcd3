/** The making of what keeps keys, on a run's environment. */

import { createKeys, type KeyMeans, type Keys } from "../config/api-keys.ts";
import type { KeyCommandOptions } from "../config/key-command.ts";
import { createRedactor } from "../core/redact.ts";
import type { Messages } from "../terminal/messages.ts";

type KeySurroundings = Pick<KeyMeans, "config" | "ring"> &
  Pick<KeyCommandOptions, "env" | "signal"> & { readonly messages: Messages };

/** Key ring and commands are loaded when a key is there. */
export function makeKeys({ config, ring, env, signal, messages }: KeySurroundings): Keys {
  return createKeys({
    config,
    ring,
    async runCommand(command) {
      const { runKeyCommand } = await import("../config/key-command.ts");
      return runKeyCommand(command, { env, signal, onComplaint: messages.note });
    },
    learn: (key) => messages.redactWith(createRedactor([key])),
  });
}
