/** The note on a state that the specification does not list (2.7): the service may know it. */

import { suggest } from "../core/suggest.ts";
import { stateNames } from "../model/states.ts";
import { quote } from "./options.ts";

export function unknownState(state: string): string {
  const nearest = suggest(state, stateNames);
  const next = nearest ? `did you mean ${nearest}?` : `known are ${stateNames.join(", ")}`;
  return `unknown state ${quote(state)}; ${next}`;
}
