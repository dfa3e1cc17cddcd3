/** The sandbox on this machine: where its orders are stored, its start for one run, and what `courier sandbox` does. */

import type { SandboxControl } from "../command/runtime-info.ts";
import type { Clock } from "../core/clock.ts";
import { isDirectory, makeWritableDirectory } from "../core/directory.ts";
import { fileError } from "../core/errors.ts";
import { explainSystemError } from "../core/system-errors.ts";
import { anotherStateDirectory, mustBeWritable } from "../core/wording.ts";
import { createPlainFaultPlan } from "../sandbox/apply-fault.ts";
import { advanceParcel, resetSandbox } from "../sandbox/control.ts";
import { faultRoutes } from "../sandbox/fault-rules.ts";
import { type SandboxServer, startSandbox } from "../sandbox/server.ts";
import { type StoredOrdersOptions, sandboxDirectory, storedOrdersPath } from "../sandbox/stored-orders.ts";

/** The key that a served sandbox accepts; it protects only the test orders on this machine. */
const servedSandboxKey = "sandbox-key";

/** What a run gives to its sandbox. */
export interface SandboxRun {
  /** The state directory of the user. */
  readonly state: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called with the file when another process has kept it locked for a second. */
  readonly onLongWait: (file: string) => void;
}

/** Starts the service of the account `sandbox` for this run alone. Throws a file error. */
export async function startEmbeddedSandbox(run: SandboxRun): Promise<SandboxServer> {
  return startSandbox({ ...prepare(run), clock: run.clock, apiKey: crypto.randomUUID() });
}

/** The sandbox below a state directory; `forget` is called once its orders are gone. Throws a file error. */
export async function controlSandbox(run: SandboxRun, forget: () => Promise<void>): Promise<SandboxControl> {
  const { clock } = run;
  const stored = prepare(run);
  return {
    serve({ faults: takesFaults, ...options }) {
      const faults = takesFaults ? createPlainFaultPlan() : undefined;
      const controls = faults && faultRoutes(faults);
      return startSandbox({
        ...stored,
        clock,
        apiKey: servedSandboxKey,
        ...options,
        faults,
        controls,
      });
    },
    reset: () => resetSandbox(stored, forget),
    advance: (trackingNumber, to) =>
      advanceParcel({ ...stored, clock, trackingNumber, ...(to === undefined ? {} : { to }) }),
  };
}

function prepare({ state, clock, random, signal, onLongWait }: SandboxRun): StoredOrdersOptions {
  const stateDir = findPlace(state);
  const wait = { clock, signal, onLongWait: () => onLongWait(storedOrdersPath(stateDir)) };
  return { stateDir, random, wait };
}

/** Throws a file error where the sandbox cannot keep its orders. */
function findPlace(state: string): string {
  const directory = sandboxDirectory(state);
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    const message = `the sandbox cannot keep its orders in ${directory}: ${explainSystemError(error, "directory")}`;
    const hint = isDirectory(state) ? mustBeWritable(directory) : anotherStateDirectory;
    throw fileError(message, { cause: error, hint });
  }
  return directory;
}
