/** The sandbox on this machine: where its orders are stored, its start for one run, and what `courier sandbox` does. */

import type { SandboxControl } from "../command/runtime-info.ts";
import type { Clock } from "../core/clock.ts";
import { makeWritableDirectory } from "../core/directory.ts";
import { fileError } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { createPlainFaultPlan } from "../sandbox/apply-fault.ts";
import { advanceParcel, resetSandbox } from "../sandbox/control.ts";
import { faultRoutes } from "../sandbox/fault-rules.ts";
import { type SandboxServer, startSandbox } from "../sandbox/server.ts";
import { sandboxDirectory } from "../sandbox/stored-orders.ts";

/** The key that a served sandbox accepts; it protects only the test orders on this machine. */
const servedSandboxKey = "sandbox-key";

/** Starts the service of the account `sandbox` for this run alone. Throws a file error. */
export async function startEmbeddedSandbox(
  state: string,
  clock: Clock,
  random: () => number,
): Promise<SandboxServer> {
  const stateDir = findPlace(state);
  return startSandbox({ stateDir, clock, random, apiKey: crypto.randomUUID() });
}

/** The sandbox below a state directory; `forget` is called once its orders are gone. Throws a file error. */
export async function controlSandbox(
  state: string,
  clock: Clock,
  random: () => number,
  forget: () => Promise<void>,
): Promise<SandboxControl> {
  const stateDir = findPlace(state);
  return {
    serve({ faults: takesFaults, ...options }) {
      const faults = takesFaults ? createPlainFaultPlan() : undefined;
      const controls = faults && faultRoutes(faults);
      return startSandbox({
        stateDir,
        clock,
        random,
        apiKey: servedSandboxKey,
        ...options,
        faults,
        controls,
      });
    },
    async reset() {
      await resetSandbox({ stateDir, random });
      await forget();
    },
    advance: (trackingNumber, to) =>
      advanceParcel({ stateDir, clock, random, trackingNumber, ...(to === undefined ? {} : { to }) }),
  };
}

/** Throws a file error where the sandbox cannot keep its orders. */
function findPlace(state: string): string {
  const directory = sandboxDirectory(state);
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    const message = `the sandbox cannot keep its orders in ${directory}: ${explainSystemError(error, "directory")}`;
    throw fileError(message, { cause: error, hint: "choose another place with COURIER_STATE_DIR" });
  }
  return directory;
}
