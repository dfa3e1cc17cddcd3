/** Lookups of several orders or parcels: one that fails is reported in its place, and the others are still answered. */

import { ServiceFailure } from "../api/failure.ts";
import { mapInOrder } from "../core/concurrent.ts";
import { CourierError } from "../core/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { errorDocument } from "../terminal/messages.ts";
import type { Items } from "./command.ts";

const callsAtOnce = 4;

/** Failures in a row after which the service counts as down: it took a while to fail. */
const mostFailures = 4;
/** The same for answers that break the interface: several parcels may have one, and it comes at once. */
const mostInvalid = 20;

/** The name is wrong, or is that of an order in doubt. */
const codesOfName = ["no_such_order", "ambiguous_order", "no_tracking_number", "outcome_unknown"];

export function isOfName({ code }: CourierError): boolean {
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
  let inARow = { failed: 0, invalid: 0 };
  let given = 0;
  let last: unknown;
  const ask = async (name: string): Promise<T> => {
    try {
      const found = await look(name);
      inARow = { failed: 0, invalid: 0 };
      return found;
    } catch (error) {
      if (!(error instanceof CourierError) || isOfAll(error)) throw error;
      const message = `${name}: ${error.message}`;
      if (!(error instanceof ServiceFailure) || error.kind === "refused") refusals.push(message);
      else {
        failures.push(error.with({ message }));
        inARow[error.kind === "invalid_response" ? "invalid" : "failed"] += 1;
        const isDown = inARow.failed >= mostFailures || inARow.invalid >= mostInvalid;
        if (error.kind === "no_response" || isDown) {
          last ??= error; // others in progress fail, too
          throw last;
        }
      }
      return failed(name, (errorDocument(error) as { error: JsonObject }).error);
    }
  };
  try {
    for await (const each of mapInOrder(names, callsAtOnce, ask)) {
      given += 1;
      yield each;
    }
  } catch (error) {
    if (error !== last) throw error;
    if (given === 0) throw failures[0]; // no empty list
  }
  const [failure] = failures;
  if (failure)
    return failure.with({
      message: last
        ? `${failure.message}; the service fails, and only ${given} of ${names.length} ${noun} were looked up`
        : `${failures.length} of ${names.length} ${noun} got no answer; ${failure.message}`,
    });
  if (refusals.length === 0) return undefined;
  return new CourierError("some_refused", 3, `${refusals.length} of ${names.length} ${noun} were refused`, {
    hint: refusals.length === 1 ? refusals[0] : `the first was ${refusals[0]}`,
  });
}

function isOfAll(error: CourierError): boolean {
  if (!(error instanceof ServiceFailure)) return !isOfName(error);
  return !error.isOfOneRequest && error.kind !== "no_response";
}
