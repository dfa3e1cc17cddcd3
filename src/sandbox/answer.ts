/** The answer of an endpoint: a status and an envelope, of success or of failure (specification, 1 and 7). */

import type { Json, JsonObject } from "../model/json.ts";
import type { Refusal } from "./refusal.ts";

export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 200 with data and further members: a message, the pagination. */
export function success(data: Json, beside: JsonObject = {}): Answer {
  return { status: 200, body: { success: true, data, ...beside } };
}

export function refused({ status, code, message, details, headers }: Refusal): Answer {
  return { status, body: { success: false, error: { code, message, details } }, headers };
}
