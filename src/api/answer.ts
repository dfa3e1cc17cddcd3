/** Reads an answer: first the envelope, then the status, then the schema (section 7). */

import type { ErrorCode } from "../core/error-codes.ts";
import type { Redact } from "../core/redact.ts";
import { shownUrl } from "../core/shown-url.ts";
import { formatWait, parseHttpDate } from "../core/time.ts";
import { withArticle } from "../core/wording.ts";
import { type ServiceError, serviceErrorSchema } from "../model/interface.ts";
import {
  isJsonNumber,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
  stringifyJson,
} from "../model/json.ts";
import { check, type Schema } from "../model/schema.ts";
import { type FailureKind, isRedirect, keyHint, redactJson, ServiceFailure } from "./failure.ts";
import { orderCallOf } from "./order-call.ts";
import { isRepeatable } from "./retry.ts";
import type { Answer, Method } from "./transport.ts";

/** A successful answer: `data` is what the service sent, unknown fields and number texts included. */
export interface Reply<T> {
  readonly data: T;
  readonly message: string | undefined;
  readonly envelope: JsonObject;
}

/** What was asked, and where the answer came from, for messages and for reading `Retry-After` dates. */
export interface AnswerContext {
  readonly method: Method;
  readonly url: URL;
  readonly host: string;
  readonly nowMs: number;
  /** Masks the key. Runs before a text is cut, because it would not find a part of a key. */
  readonly redact: Redact;
  /** The command that stores another key. */
  readonly login: string;
  /** Called where the answer has the service's envelope: others may come from a gateway, whose clock is another. */
  readonly onEnvelope?: (() => void) | undefined;
}

/**
 * Reads `{success: true, data}` against a schema. Throws ServiceFailure: the service's own refusal when
 * the envelope says so under whatever status, else one made from the status, else one of three for a
 * body that is not JSON, was cut short, or has the wrong shape.
 */
export function readReply<T>(answer: Answer, schema: Schema<T>, context: AnswerContext): Reply<T> {
  const envelope = readEnvelope(answer, context);
  const checked = check(schema, envelope.data);
  if ("value" in checked) {
    const message = envelope.message;
    return { data: checked.value, message: typeof message === "string" ? message : undefined, envelope };
  }
  const [first] = checked.mismatches;
  const where =
    first?.path === "" ? "data" : first?.path.startsWith("[") ? `data${first.path}` : `data.${first?.path}`;
  throw wrongShape(
    answer,
    context,
    `${where} should be ${first?.expected === undefined ? "something else" : withArticle(first.expected)}, but is ${first?.received}`,
  );
}

/** Reads the envelope alone, and throws as `readReply` does unless it says `success: true`. */
export function readEnvelope(answer: Answer, context: AnswerContext): JsonObject {
  const body = parseBody(answer, context);
  if (isJsonObject(body) && typeof body.success === "boolean") {
    context.onEnvelope?.();
    if (!body.success) throw envelopeFailure(answer, body, context);
    const failure = contradiction(answer, body, context);
    if (failure) throw failure;
    if (answer.notIn !== undefined) throw wrongBytes(answer, answer.notIn, context);
    return body;
  }
  const failure = statusFailure(answer, context, isCreate(context) ? orderIn(body) : undefined);
  const hidesOrder =
    failure && mayHideOrder(failure, context) && typeof body === "string" && namesOrder(body);
  if (failure && !hidesOrder) throw failure;
  throw wrongShape(answer, context, "the answer should be an object with a boolean `success`, but is not");
}

/**
 * `success: true` under a status of failure: a server error for requests that may be retried, a result where the
 * answer to a create names an order, in doubt for anything else.
 */
function contradiction(
  answer: Answer,
  { data }: JsonObject,
  context: AnswerContext,
): ServiceFailure | undefined {
  const failure = statusFailure(answer, context);
  if (!failure || isRepeatable(context.method)) return failure;
  if (isCreate(context) && isJsonObject(data) && isJsonNumber(data.id)) return undefined;
  if (failure.mayHaveHappened) return failure;
  return wrongShape(answer, context, `HTTP ${answer.status} and \`success: true\` contradict each other`);
}

/**
 * The same for a raw call, whose answer need not have an envelope: HEAD and HTTP 204 come without a body, and a GET may
 * fetch a file, such as a label.
 */
export function readRawAnswer(
  answer: Answer,
  context: AnswerContext,
): { readonly envelope?: JsonObject; readonly failure?: ServiceFailure | undefined } {
  if (isBare(answer, context)) return { failure: statusFailure(answer, context) };
  try {
    return { envelope: readEnvelope(answer, context) };
  } catch (error) {
    if (error instanceof ServiceFailure) return { failure: error };
    throw error;
  }
}

function isBare({ status, headers, body, cut }: Answer, { method }: AnswerContext): boolean {
  if (cut !== undefined) return false;
  if (method === "HEAD" || (body === "" && (status === 204 || status === 205))) return true;
  const type = headers["content-type"] ?? "";
  if (method !== "GET" || body === "" || /json|html/i.test(type)) return false;
  // Web pages and JSON may come as plain text, or without saying what they are.
  return (type !== "" && !/^text\/plain/i.test(type)) || !/^\s*[<{[]/.test(body);
}

function parseBody(answer: Answer, context: AnswerContext): Json {
  const failure = statusFailure(answer, context);
  if (answer.cut)
    throw failure && !mayHideOrder(failure, context) ? failure : cutAnswer(answer, answer.cut, context);
  try {
    return withoutKey(parseJson(answer.body), answer, context);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const isPart = /^\s*[[{]/.test(answer.body);
    const hidesOrder = failure && mayHideOrder(failure, context) && (isPart || namesOrder(answer.body));
    if (failure && !hidesOrder) throw failure;
    if (isPart && (error.atEnd || (failure && !error.isTooDeep))) throw cutAnswer(answer, "short", context);
    if (error.isTooDeep) throw cutAnswer(answer, "too_deep", context);
    throw new ServiceFailure(
      "invalid_response",
      `${context.host} answered with something that is not JSON: ${glimpse(answer, context)}`,
      {
        code: "not_json",
        status: answer.status,
        hint: "is the base URL that of the service's API? (courier accounts list)",
      },
    );
  }
}

/**
 * HTTP 429 and 401 say that a create made no order unless their answer carries one: what cannot be read of it may be
 * one.
 */
function mayHideOrder({ kind }: ServiceFailure, context: AnswerContext): boolean {
  return isCreate(context) && (kind === "rate_limited" || kind === "key_refused");
}

/** A key that the service repeats in its data would reach screens and files from there. */
function withoutKey(body: Json, answer: Answer, { redact }: AnswerContext): Json {
  // One search of the whole text is faster than one of each part, but may miss a key that is escaped.
  const isClean = !answer.body.includes("\\u") && redact(answer.body) === answer.body;
  return isClean ? body : redactJson(body, redact);
}

/** `success: false`: the service's code and message pass through unchanged. */
function envelopeFailure(answer: Answer, body: JsonObject, context: AnswerContext): ServiceFailure {
  const checked = check(serviceErrorSchema, body.error);
  const known = "value" in checked ? (checked.value as ServiceError) : undefined;
  const serviceCode = known?.code || undefined;
  const words = [known?.message, body.error, body.message].find(isWords);
  const code = serviceCode === undefined ? "" : ` (${serviceCode})`;
  const said = words === undefined ? (serviceCode ?? quoteReason(body)) : `${words}${code}`;
  const kind = kindOfStatus(answer.status, serviceCode) ?? "refused";
  const namedOrder = isCreate(context) ? orderIn(body) : undefined;
  return new ServiceFailure(kind, `${leadIns[kind](context.host)}: ${said}${butNames(namedOrder)}`, {
    status: answer.status,
    serviceCode,
    details: detailsOf(body, known),
    hint: hintFor(kind, answer, context),
    retryAfterMs: retryAfterMs(answer, context.nowMs),
    namedOrder,
  });
}

function butNames(order: string | undefined): string {
  return order === undefined ? "" : `, but its answer names order ${order}`;
}

function isCreate({ method, url }: AnswerContext): boolean {
  return orderCallOf(method, url)?.kind === "create";
}

/** Names of ids and numbers of orders, without case and underlines. */
const orderNames: ReadonlySet<string> = new Set(["orderid", "orderno", "trackingnumber"]);
const deepest = 6;

/**
 * True where a text has fields of an order: a proxy may have put an answer into another form, such as a web page, where
 * quotes are `&quot;`, or XML.
 */
function namesOrder(text: string): boolean {
  return /["'<;:\s](?:order_?(?:id|no)|tracking_?number)\\*["'>&=]/i.test(text.replaceAll("\0", ""));
}

/**
 * The id, or else a number, of an order in a failed answer to a create. The specification shows no failure that has one: it
 * may be anywhere. An id that is not called that of an order is one in `data`, in `order`, or beside an order's numbers.
 */
function orderIn(body: Json | undefined, isOrder = false, depth = 0): string | undefined {
  if (Array.isArray(body)) return orderIn(body[0], isOrder, depth + 1);
  if (depth > deepest || !isJsonObject(body)) return undefined;
  const fields = Object.entries(body);
  const named = fields.filter(([name]) => orderNames.has(name.toLowerCase().replaceAll("_", "")));
  const isOne = isOrder || named.length > 0;
  const ids = [...(isOne ? [body.id] : []), ...named.map(([, value]) => value)];
  const found = ids.find(isJsonNumber)?.value ?? ids.find(isWords);
  if (found !== undefined) return found;
  for (const [name, value] of fields) {
    const inside = orderIn(value, isOrder || name === "data" || name === "order", depth + 1);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function isWords(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The beginning of a reason that has another form than the specification shows. */
function quoteReason({ error, errors, message }: JsonObject): string {
  const reason = [error, errors, message].find(hasContent);
  return reason === undefined ? "no reason given" : quoteBeginning(stringifyJson(reason));
}

function hasContent(value: Json | undefined): boolean {
  if (isJsonNumber(value) || typeof value !== "object" || value === null)
    return value !== undefined && value !== null && value !== "";
  return Object.values(value).some(hasContent);
}

/** `error.details`; and what says more, where a service puts it beside them or has no such part. */
function detailsOf(body: JsonObject, known: ServiceError | undefined): Json | undefined {
  const isOdd = known !== undefined && !known.details && !isWords(known.message ?? undefined) && !known.code;
  const part = known && !isOdd ? (known.details as Json | undefined) : body.error;
  const beside = (["message", "errors"] as const).filter((name) => hasContent(body[name]));
  if (beside.length === 0) return part;
  const more = Object.fromEntries(beside.map((name) => [name, body[name]])) as JsonObject;
  if (!hasContent(part)) return more;
  if (known && isJsonObject(part)) return { ...more, ...part };
  return { ...more, [known ? "details" : "error"]: part } as JsonObject;
}

/** The failure of an answer without an envelope, by its status. Undefined for a 2xx. */
function statusFailure(
  answer: Answer,
  context: AnswerContext,
  namedOrder?: string,
): ServiceFailure | undefined {
  const { status } = answer;
  if (isRedirect(status)) {
    const { location } = answer.headers;
    if (location === undefined)
      return new ServiceFailure(
        "redirected",
        `${context.host} answered HTTP ${status}, without data and without an address to go to`,
        { status, hint: "check the base URL, and a cache or proxy on the way" },
      );
    return new ServiceFailure(
      "redirected",
      `${context.host} redirects (HTTP ${status}) to ${shownUrl(location)}`,
      {
        status,
        hint: "redirects are not followed, so that the key goes nowhere else; check the base URL",
      },
    );
  }
  const kind = kindOfStatus(status);
  if (!kind) return undefined;
  return new ServiceFailure(
    kind,
    `${leadIns[kind](context.host)}: ${glimpse(answer, context)}${butNames(namedOrder)}`,
    {
      status,
      hint: hintFor(kind, answer, context) ?? statusHints.get(status),
      retryAfterMs: retryAfterMs(answer, context.nowMs),
      namedOrder,
    },
  );
}

/** 407: one of a proxy that courier was given is no answer (transport.ts). */
const statusHints: ReadonlyMap<number, string> = new Map([
  [404, "is the base URL right? (courier accounts list)"],
  [407, "a gateway on the way, or the service, asks for a name and password"],
]);

/** INVALID_PARAMETER is the one code that the specification defines: a refusal under every status. */
function kindOfStatus(status: number, serviceCode?: string): FailureKind | undefined {
  if (serviceCode === "INVALID_PARAMETER") return "refused";
  if (status === 401) return "key_refused";
  if (status === 429) return "rate_limited";
  // 408 comes from servers and gateways alike, so the request may have got through.
  if (status >= 500 || status === 408) return "server_error";
  return status >= 400 ? "refused" : undefined;
}

const leadIns: Readonly<Record<FailureKind, (host: string) => string>> = {
  unreachable: (host) => `cannot reach ${host}`,
  no_response: (host) => `${host} did not answer`,
  rate_limited: () => "rate limited by the service",
  server_error: () => "the service is failing",
  refused: () => "the service refused",
  key_refused: () => "the service refused the key",
  redirected: (host) => `${host} redirects`,
  invalid_response: (host) => `${host} gave an answer that breaks its interface`,
};

function hintFor(kind: FailureKind, answer: Answer, { nowMs, login }: AnswerContext): string | undefined {
  if (kind === "key_refused") return keyHint(login);
  const waitMs = retryAfterMs(answer, nowMs);
  if (kind === "rate_limited") return `${describeWait(waitMs)}, then run the same command again`;
  // What to do then depends on the command: the order of a create may exist.
  const isKnown = kind === "server_error" && waitMs !== undefined && waitMs <= yearMs;
  return isKnown ? `${describeWait(waitMs)}, as the service asks` : undefined;
}

/** `wait 25 h`. */
export function describeWait(waitMs: number | undefined): string {
  if (waitMs === undefined) return "wait a little";
  return waitMs > yearMs ? "wait for longer than a year" : `wait ${formatWait(waitMs)}`;
}

const yearMs = 365 * 86_400_000;

type Cut = NonNullable<Answer["cut"]> | "short" | "too_deep";

/** Why an answer is incomplete or too large: error code and words. */
const cuts: Readonly<Record<Cut, readonly [code: ErrorCode, what: string]>> = {
  dropped: ["cut_short", "was cut short on its way"],
  stalled: ["cut_short", "was cut short on its way"],
  short: ["cut_short", "was cut short"],
  too_large: ["too_large", "is larger than courier accepts"],
  too_deep: ["too_large", "is nested deeper than courier accepts"],
  undecodable: ["undecodable", "does not decode"],
};

function cutAnswer(answer: Answer, cut: Cut, context: AnswerContext): ServiceFailure {
  const [code, what] = cuts[cut];
  const encoding = cut === "undecodable" ? ` as ${answer.headers["content-encoding"]}` : "";
  const kind = code === "cut_short" ? "no_response" : "invalid_response";
  const message = `the answer of ${context.host} ${what}${encoding}: ${glimpse(answer, context)}`;
  return new ServiceFailure(kind, message, { code, status: answer.status });
}

/** A result with U+FFFD in the place of a name would go on into files, and be compared with orders. */
function wrongBytes(answer: Answer, encoding: string, context: AnswerContext): ServiceFailure {
  const message = `the answer of ${context.host} is not text in ${encoding.toUpperCase()}: ${glimpse(answer, context)}`;
  return new ServiceFailure("invalid_response", message, { code: "undecodable", status: answer.status });
}

function wrongShape(answer: Answer, context: AnswerContext, what: string): ServiceFailure {
  return new ServiceFailure(
    "invalid_response",
    `${context.host} gave an answer of the wrong shape: ${what}; ${glimpse(answer, context)}`,
    {
      code: "wrong_shape",
      status: answer.status,
      hint: "this is not what the service's interface promises; --debug shows the calls",
    },
  );
}

/** Longer than a key in any of its forms. */
const longestSearched = 262_144;

/** Status, content type and the first characters of an answer that cannot be used. */
function glimpse({ status, headers, body, cut }: Answer, { redact }: AnswerContext): string {
  const type = headers["content-type"] ?? "no content type";
  // Nothing is known of a body that does not decode, or unpacks to too much.
  if (cut === "undecodable" || (cut === "too_large" && body === "")) return `HTTP ${status}, ${type}`;
  if (body === "") return `HTTP ${status}, ${type}, empty body`;
  return `HTTP ${status}, ${type}, ${quoteBeginning(redact(body.slice(0, longestSearched), true))}`;
}

function quoteBeginning(text: string): string {
  const start = [...text.slice(0, 200).replace(/\s+/g, " ").trim()].slice(0, 80).join("");
  return `“${start}${text.length > start.length ? "…" : ""}”`;
}

/** `Retry-After` in seconds or as a date, as a delay in milliseconds from now. No delay is none: then ours is taken. */
function retryAfterMs(answer: Answer, nowMs: number): number | undefined {
  const value = answer.headers["retry-after"]?.trim() ?? "";
  const untilMs = parseHttpDate(value) ?? 0;
  const sinceMs = parseHttpDate(answer.headers.date) ?? nowMs;
  const delayMs = /^\d+$/.test(value) ? Number(value) * 1000 : untilMs - sinceMs;
  return delayMs > 0 ? delayMs : undefined;
}
