/** A refusal, which the router turns into the failure envelope (specification, section 7). */

import type { Json, JsonObject } from "../model/json.ts";
import { failures } from "./defaults.ts";

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    failure: { readonly status: number; readonly code: string },
    message: string,
    details?: JsonObject,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.status = failure.status;
    this.code = failure.code;
    this.details = details;
    this.headers = headers;
  }
}

/** Section 7: names the offending field and gives the rejected value back as it was sent. */
export function invalidParameter(field: string, value: Json | undefined, expected: string): Refusal {
  const message = `${field} must be ${expected}`;
  return new Refusal(failures.invalidParameter, message, { field, value: value ?? null });
}

export function notFound(what: string): Refusal {
  return new Refusal(failures.notFound, `${what} does not exist`);
}
