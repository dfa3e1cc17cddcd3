/** Owns what can be done to a sandbox without its server: wiping it, moving a stored parcel on. */

import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../model/json.ts";
import { openLedger } from "./ledger.ts";
import { type Advance, advance } from "./moves.ts";
import { generateSeeds } from "./seeds.ts";
import { openStore, wipeStore } from "./store.ts";

/** Removes all orders; where there are none, nothing happens. A server that runs finds itself empty. */
export async function resetSandbox(stateDir: string): Promise<void> {
  wipeStore(stateDir);
}

export interface AdvanceOptions extends Advance {
  readonly stateDir: string;
  readonly clock: Clock;
}

/**
 * Moves a parcel on and answers its tracking data (2.5). Throws CourierError: "refused" for an unknown
 * number or a state that does not lie ahead, "usage" for a word that is no state.
 */
export async function advanceParcel({ stateDir, clock, ...move }: AdvanceOptions): Promise<JsonObject> {
  return advance(openLedger(openStore(stateDir), generateSeeds(0, clock.now())), clock, move);
}
