/** Lookups of several orders or parcels: one that fails is reported in its place, and the others are still answered. */

import { ServiceFailure } from "../api/failure.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError } from "../core/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { errorDocument } from "../terminal/messages.ts";
import type { Items } from "./command.ts";

const callsAtOnce = 4;

/** Failures in a row after which the service counts as down. */
const mostFailures = 4;

/** The name is wrong, or is that of an order in doubt. */
const codesOfName = ["no_such_order", "ambiguous_order", "no_tracking_number", "outcome_unknown"];

function isOfName({ code }: CourierError): boolean {
  return codesOfName.includes(code);
}

export interface Lookup<T> {
  readonly look: (name: string) => Promise<T>;
  /** What is reported in place of one that fails. */
  readonly failed: (name: string, error: JsonObject) => T;
  /** What the names are, in messages: "tracking numbers". */
  readonly noun: string;
}

/**
 * Looks up in the given order. The stream ends with exit code 3 where one was refused, or with that of a failure. A
 * failure that is not of one name ends it at once.
 */
export async function* lookUpSeveral<T extends Json>(
  names: readonly string[],
  { look, failed, noun }: Lookup<T>,
): Items<T> {
  const refusals: string[] = [];
  const failures: ServiceFailure[] = [];
  let inARow = 0;
  const ask = async (name: string): Promise<T> => {
    try {
      const found = await look(name);
      inARow = 0;
      return found;
    } catch (error) {
      if (!(error instanceof CourierError) || isOfAll(error)) throw error;
      const message = `${name}: ${error.message}`;
      if (!(error instanceof ServiceFailure) || error.kind === "refused") refusals.push(message);
      else {
        failures.push(error.with({ message }));
        inARow += 1;
        if (error.kind === "no_response" || inARow >= mostFailures) throw failures[0];
      }
      return failed(name, (errorDocument(error) as { error: JsonObject }).error);
    }
  };
  yield* mapInOrder(names, callsAtOnce, ask);
  const [failure] = failures;
  if (failure)
    return failure.with({
      message: `${failures.length} of ${names.length} ${noun} got no answer; ${failure.message}`,
    });
  if (refusals.length === 0) return undefined;
  return new CourierError("some_refused", 3, `${refusals.length} of ${names.length} ${noun} were refused`, {
    hint: refusals.length === 1 ? refusals[0] : `the first was ${refusals[0]}`,
  });
}

/** A failure of the connection, the key or the rate is not one of a name. */
function isOfAll(error: CourierError): boolean {
  if (!(error instanceof ServiceFailure)) return !isOfName(error);
  const { kind } = error;
  return (
    kind !== "refused" && kind !== "server_error" && kind !== "invalid_response" && kind !== "no_response"
  );
}
