/** Owns where the embedded sandbox keeps its orders, and how commands start and control it. */

import { randomUUID } from "node:crypto";
import type { SandboxControl } from "../commands/machinery.ts";
import type { Clock } from "../core/clock.ts";
import { makeWritableDirectory } from "../core/directory.ts";
import { explainSystemError, fileError } from "../core/errors.ts";
import type { SandboxServer } from "../sandbox/server.ts";

/** The key that a served sandbox accepts; it guards nothing but this machine's play orders. */
const servedKey = "sandbox-key";

/** The service of this run alone, with a key of its own. Throws a file error. */
export async function startEmbeddedSandbox(stateDir: string, clock: Clock): Promise<SandboxServer> {
  checkPlace(stateDir);
  const { startSandbox } = await import("../sandbox/server.ts");
  return startSandbox({ stateDir, clock, apiKey: randomUUID() });
}

/** What the commands of `courier sandbox` do; `forget` is called once its orders are gone. Throws a file error. */
export async function controlSandbox(
  stateDir: string,
  clock: Clock,
  forget: () => Promise<void>,
): Promise<SandboxControl> {
  checkPlace(stateDir);
  const [{ startSandbox }, { resetSandbox, advanceParcel }] = await Promise.all([
    import("../sandbox/server.ts"),
    import("../sandbox/control.ts"),
  ]);
  return {
    serve: (options) => startSandbox({ stateDir, clock, apiKey: servedKey, ...options }),
    async reset() {
      await resetSandbox(stateDir);
      await forget();
    },
    advance: (trackingNumber, to) =>
      advanceParcel({ stateDir, clock, trackingNumber, ...(to === undefined ? {} : { to }) }),
  };
}

function checkPlace(directory: string): void {
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    const message = `the sandbox cannot keep its orders in ${directory}: ${explainSystemError(error, "directory")}`;
    throw fileError(message, { cause: error, hint: "choose another place with COURIER_STATE_DIR" });
  }
}
