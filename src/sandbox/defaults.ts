/**
 * Defaults for everything that the specification leaves open. docs/sandbox.md
 * lists them; a client that depends on any of them is wrong.
 */

/** Section 7, "not shown": the HTTP status and `error.code` of each failure. */
export const failures = {
  invalidParameter: { status: 400, code: "INVALID_PARAMETER" },
  invalidJson: { status: 400, code: "INVALID_JSON" },
  unauthorized: { status: 401, code: "UNAUTHORIZED" },
  notFound: { status: 404, code: "NOT_FOUND" },
  methodNotAllowed: { status: 405, code: "METHOD_NOT_ALLOWED" },
  notCancellable: { status: 409, code: "NOT_CANCELLABLE" },
  bodyTooLarge: { status: 413, code: "BODY_TOO_LARGE" },
  unsupportedMediaType: { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
  rateLimited: { status: 429, code: "RATE_LIMITED" },
  internal: { status: 500, code: "INTERNAL" },
} as const;

/** 4.2: the HTTP status of a created order. */
export const createdStatus = 201;

export const bodyLimitBytes = 1024 * 1024;

/** How long an idle connection is kept; longer than any client keeps it, so that no request meets a closing one. */
export const keepAliveMs = 60_000;

/** 2.1: the account behind the one key. Every request that carries the key takes one call from the allowance. */
export const account = {
  name: "Sandbox Account",
  email: "sandbox@example.com",
  balance: "1000.00",
  apiCalls: 10_000,
} as const;

/** 2.1: ids of profiles, from which each sandbox has one: eight digits. */
export const profileIds = { lowest: 10_000_000, count: 90_000_000 } as const;

/**
 * 2.2: what a telephone number looks like: digits in groups divided by single spaces or dashes, an
 * international `+` or a bracketed area code in front. Covers Chinese mobile and landline numbers with
 * extension, service numbers, and numbers of other countries.
 */
export const phone = {
  pattern: /^\+?(?:\(\d{2,4}\)[ -]?)?\d+(?:[ -]\d+)*$/,
  fewestDigits: 7,
  mostDigits: 18,
} as const;

/** 2.3: weight and value are not negative, quantity is at least 1; numbers are no longer than this. */
export const numberLimits = { characters: 64, exponentDigits: 2 } as const;

/** 2.7: what an omitted service_type means. */
export const defaultServiceType = "standard";

/** 2.7: stored orders are numbered from here on; smaller ids belong to generated orders. */
export const firstStoredId = 1_000_001;

/** 4.3: the largest page number that is understood; one beyond the last page answers an empty page. */
export const largestPage = 999_999_999;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Section 3, "Transitions: not shown": how long an order stays in each state at the standard pace. */
export const stageMs: Readonly<Record<string, number>> = {
  pending: 15 * minuteMs,
  paid: 15 * minuteMs,
  processing: 2 * hourMs,
  picked: 4 * hourMs,
  in_transit: 30 * hourMs,
  delivering: 5 * hourMs,
  delivered: 72 * hourMs,
};

/** How long the stages of a service type take, in percent of the standard pace. */
export const pacePercent = { standard: 100, express: 50, same_day: 15 } as const;

/** Fees in hundredths: a price that covers one unit of weight, and one for each further unit begun. */
export const fees = {
  standard: { first: 1200, further: 200 },
  express: { first: 2000, further: 500 },
  same_day: { first: 3000, further: 800 },
} as const;

/** 2.7: values of payment_status. `refunded` is a paid order that was cancelled. */
export const paymentStatus = { unpaid: "unpaid", paid: "paid", refunded: "refunded" } as const;

/** 2.5: where a record takes place when the order names neither city nor province. */
export const unknownPlace = { sender: "发件地", receiver: "收件地" } as const;
