/** Whether a failed create may have made an order, as a pure function. */

import { ServiceFailure } from "../api/failure.ts";
import type { Loss } from "../ledger/operation.ts";
import { OtherOrder } from "../ledger/operation-errors.ts";
import { equalDecimals } from "../model/decimal.ts";
import { getField, orderFields } from "../model/fields.ts";
import { isJsonObject, type Json, stringifyJson } from "../model/json.ts";
import { isMaskOf, maskPattern } from "../model/masked-text.ts";
import { comparePhone, lettersOf } from "./matching.ts";

/**
 * `not_made`: certainly no order. `refused`: the service refused, but not in the one way that the specification
 * defines, so that it is checked once. `in_doubt`: an order may have been made.
 */
export type Evidence = "not_made" | "refused" | "in_doubt";

/** Gateways and servers send these although the request may have been processed. */
export const doubtfulStatuses: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/**
 * Certain are only: no connection, or a request that was not written completely; HTTP 429 and 401, unless the answer
 * says `success: true`; and INVALID_PARAMETER in the envelope with any status (section 7), unless it refuses a value that
 * was not sent: then it may be the answer to another request. Other codes are not specified and prove nothing. A page
 * without the envelope may come from a gateway that forwarded the request. A failure that carries an order contradicts
 * itself.
 */
export function evidenceOf(failure: ServiceFailure, sent: Json | undefined): Evidence {
  const { kind, status, serviceCode } = failure;
  if (kind === "unreachable") return "not_made";
  if (failure.namedOrder !== undefined) return "in_doubt";
  if (serviceCode === "INVALID_PARAMETER") return refusesOther(failure, sent) ? "refused" : "not_made";
  if (failure.mayHaveHappened) return "in_doubt";
  if (status === 429 || status === 401) return "not_made";
  if (serviceCode === undefined) return "in_doubt";
  return doubtfulStatuses.has(status ?? 0) ? "in_doubt" : "refused";
}

/** True where the refused value (section 7: as it was sent) is none that was sent in that field, or in any if an order has no such field. */
function refusesOther({ refusedField, refusedValue }: ServiceFailure, sent: Json | undefined): boolean {
  if (sent === undefined || refusedField === undefined || refusedValue === undefined) return false;
  const isField = orderFields.some(({ path }) => path === refusedField);
  const values: readonly Value[] = isField
    ? [[refusedField, getField(sent, refusedField)]]
    : valuesIn(sent, "");
  return values.every((value) => isOtherValue(value, refusedValue));
}

type Value = readonly [field: string, value: Json | undefined];

function valuesIn(value: Json | undefined, field: string): readonly Value[] {
  const inner = isJsonObject(value) || Array.isArray(value) ? Object.entries(value) : [];
  return [[field, value], ...inner.flatMap(([name, each]) => valuesIn(each, `${field}.${name}`))];
}

function isOtherValue([field, found]: Value, value: string): boolean {
  const given = found ?? "";
  const sent = typeof given === "string" ? given : stringifyJson(given);
  if (field.endsWith(".phone") && sent !== "" && comparePhone(sent, value) !== "differs") return false;
  const isHidden = lettersOf(value).replace(new RegExp(maskPattern, "g"), "") === "";
  if (isHidden || lettersOf(value) === lettersOf(sent) || isMaskOf(value, sent)) return false;
  return !equalDecimals(value, sent);
}

/** The service behind a gateway has not answered in time, or the request is in progress (202, 409, 425). */
const unfinishedStatuses: ReadonlySet<number> = new Set([202, 408, 409, 425, 499, 504, 522, 524]);

/**
 * How a request in doubt ended: after a timeout the service may still process it for longer. So it may after a success
 * without an order that can be read, or with another one.
 */
export function lossOf(failure: unknown): Loss {
  if (failure instanceof OtherOrder) return "timeout";
  if (!(failure instanceof ServiceFailure)) return "broken";
  const { code, status = 0 } = failure;
  const isAccepted = status >= 200 && status < 300;
  const namesOther = failure.cause instanceof OtherOrder;
  return code === "timed_out" || isAccepted || namesOther || unfinishedStatuses.has(status)
    ? "timeout"
    : "broken";
}
