/** The ways in which a call can fail, by what is safe to do next (specification, section 7). */

import {
  certificateHint,
  explainCause,
  isCertificateFailure,
  noWebAssembly,
} from "../core/connection-errors.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { CourierError, type ErrorFacts, type ExitCode, systemCode } from "../core/errors.ts";
import { allowMoreFiles, allowMoreMemory, isFileLimit } from "../core/system-errors.ts";
import { isJsonNumber, isJsonObject, type JsonObject, stringifyJson } from "../model/json.ts";

/** No answer came. `connected` is false only when it is certain that the request never reached the service. */
export class NoAnswer extends Error {
  constructor(
    readonly connected: boolean,
    cause: unknown,
    readonly proxy?: ProxyOnTheWay | undefined,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export interface ProxyOnTheWay {
  /** Its URL, as it may be shown. */
  readonly shown: string;
  /** The environment's variable that names it. */
  readonly variable: string;
  /** It is given a name and password. */
  readonly hasLogin: boolean;
}

/** A proxy on the way answered in the place of the service, which has seen nothing. */
export class ProxyRefusal extends Error {
  readonly code: string;

  constructor(readonly status: number) {
    super(`the proxy answered HTTP ${status}`);
    // 401 is for services, but tinyproxy says it of a wrong password.
    this.code = status === 407 || status === 401 ? proxyAuthentication : "PROXY_REFUSED";
  }
}

/** The request was not sent: the caller could not confirm at the last moment that it alone sends it. */
export class KeptBack extends Error {
  constructor() {
    super("the request was kept back");
  }
}

/**
 * - `unreachable`: no connection was made; nothing was processed.
 * - `no_response`: connected, but no whole answer came; it may have been processed.
 * - `rate_limited`: 429; not processed. - `server_error`: 5xx; it may have been processed.
 * - `refused`, `key_refused`: the service said no. - `redirected`: sent elsewhere, not followed.
 * - `invalid_response`: an answer that breaks the interface; it may have been processed.
 */
export type FailureKind =
  | "unreachable"
  | "no_response"
  | "rate_limited"
  | "server_error"
  | "refused"
  | "key_refused"
  | "redirected"
  | "invalid_response";

const exits: Readonly<Record<FailureKind, ExitCode>> = {
  unreachable: 5,
  no_response: 5,
  rate_limited: 5,
  server_error: 5,
  refused: 1,
  key_refused: 4,
  redirected: 5,
  invalid_response: 70,
};

/** What to do about a key that the service refuses. `login`: the command that stores another one. */
export function keyHint(login: string): string {
  return `correct COURIER_API_KEY where it is set, or what the account's key command prints; else store a new key with: ${login}`;
}

/**
 * Which refusals mean that there is no such order is not shown (section 7): another one, such as of a key without
 * this right, proves nothing. Nor does a web page, as a gateway without its service answers.
 */
export function saysNoSuchOrder(error: unknown): error is ServiceFailure {
  return (
    error instanceof ServiceFailure &&
    error.kind === "refused" &&
    error.serviceCode !== undefined &&
    (error.status === 404 || error.status === 410 || error.serviceCode === "NOT_FOUND")
  );
}

interface FailureFacts {
  readonly code?: ErrorCode;
  readonly retryAfterMs?: number | undefined;
  readonly namedOrder?: string | undefined;
}

export class ServiceFailure extends CourierError {
  readonly kind: FailureKind;
  /** How long the service asked us to wait, in milliseconds, where it did. */
  readonly retryAfterMs: number | undefined;
  /** The id, or a number, of an order that the failed answer to a create carries: section 7 shows none there, so it may have been made. */
  readonly namedOrder: string | undefined;
  /** An earlier try of the same call may have taken effect: what this answer proves is true of the last try only. */
  isAfterDoubt = false;

  constructor(kind: FailureKind, message: string, facts: ErrorFacts & FailureFacts = {}) {
    super(facts.code ?? kind, exits[kind], message, facts);
    this.kind = kind;
    this.retryAfterMs = facts.retryAfterMs;
    this.namedOrder = facts.namedOrder;
  }

  override with(changes: { message?: string; hint?: string; details?: unknown }): ServiceFailure {
    const changed = new ServiceFailure(this.kind, changes.message ?? this.message, {
      code: this.code,
      hint: changes.hint ?? this.hint,
      status: this.status,
      serviceCode: this.serviceCode,
      details: changes.details ?? this.details,
      cause: this.cause ?? this,
      retryAfterMs: this.retryAfterMs,
      namedOrder: this.namedOrder,
    });
    changed.isAfterDoubt = this.isAfterDoubt;
    return changed;
  }

  /** The failure's own advice, then what to do in any case. A limit's says already when to run the command again. */
  hintBefore(next: string): string {
    if (this.hint === undefined) return next;
    if (next.startsWith(this.hint)) return next;
    return this.kind === "rate_limited" ? this.hint : `${this.hint}; then ${next}`;
  }

  /**
   * The same with secrets masked that a service may have repeated. The message is cut afterwards: the redactor would
   * not find a part of a secret.
   */
  redacted(redact: (text: string) => string): ServiceFailure {
    const hide = (text: string | undefined) => (text === undefined ? undefined : redact(text));
    const redacted = new ServiceFailure(this.kind, shorten(redact(this.message)), {
      code: this.code,
      hint: hide(this.hint),
      status: this.status,
      serviceCode: hide(this.serviceCode),
      details: redactJson(this.details, redact),
      cause: this.cause,
      retryAfterMs: this.retryAfterMs,
      namedOrder: this.namedOrder,
    });
    redacted.isAfterDoubt = this.isAfterDoubt;
    return redacted;
  }

  /** True for an answer to this request; a failure of the connection, the key or the rate meets all others, too. */
  get isOfOneRequest(): boolean {
    return this.kind === "refused" || this.kind === "server_error" || this.kind === "invalid_response";
  }

  /** True when the request may have taken effect, judged by kind and status; for a create, `evidenceOf()` decides. */
  get mayHaveHappened(): boolean {
    if (this.isAfterDoubt || this.namedOrder !== undefined) return true;
    // 307 and 308 ask for the same request elsewhere, so nothing was done; others may point to its result.
    if (this.kind === "redirected") return this.status !== 307 && this.status !== 308;
    // An envelope that refuses under a status that redirects: it may point to what the request made.
    if (this.kind === "refused" && isRedirect(this.status)) return this.serviceCode !== "INVALID_PARAMETER";
    return this.kind === "no_response" || this.kind === "server_error" || this.kind === "invalid_response";
  }

  /** Section 7: the path of the offending field, such as `sender.phone`, where the service names one. */
  get refusedField(): string | undefined {
    const { field } = this.#refusal;
    return typeof field === "string" ? field : undefined;
  }

  /** Section 7: the rejected value as it was sent, where the service gives it back: of a list or an object, its JSON. */
  get refusedValue(): string | undefined {
    const { value } = this.#refusal;
    if (isJsonNumber(value)) return value.value;
    if (typeof value === "object" && value !== null) return stringifyJson(value);
    return typeof value === "string" ? value : undefined;
  }

  get #refusal(): JsonObject {
    return isJsonObject(this.details) ? this.details : {};
  }
}

export function isRedirect(status = 0): boolean {
  return status >= 300 && status < 400;
}

/** The cause code of a proxy that wants to know who asks (HTTP 407). */
const proxyAuthentication = "PROXY_AUTHENTICATION";

/** True where the answer to TLS was none, as a server of plain http gives it; the code depends on OpenSSL. */
export function isPlainHttp(causeCode: string | undefined): boolean {
  return causeCode === "ERR_SSL_WRONG_VERSION_NUMBER" || causeCode === "ERR_SSL_PACKET_LENGTH_TOO_LONG";
}

/** True for failures that no retry fixes: of certificate checks, and of a proxy's. */
export function isLasting(causeCode: string | undefined): boolean {
  return causeCode === proxyAuthentication || isCertificateFailure(causeCode) || isPlainHttp(causeCode);
}

/** Words a failure to get any answer from `host`; `cause` is the system's or the transport's error. */
export function noAnswerFailure(host: string, connected: boolean, cause: Error): ServiceFailure {
  if (cause.cause instanceof KeptBack) return keptBackFailure(cause);
  const causeCode = systemCode(cause.cause);
  const proxy = cause instanceof NoAnswer ? cause.proxy : undefined;
  const refusal = cause.cause instanceof ProxyRefusal ? explainRefusal(cause.cause, proxy) : undefined;
  // On a connection that was secure before, such a code only means that something on the way broke it.
  const explanation = connected && isPlainHttp(causeCode) ? undefined : explainCause(causeCode);
  const reason = refusal?.reason ?? explanation ?? causeCode ?? cause.message;
  const details = causeCode === undefined ? undefined : { cause_code: causeCode };
  if (connected && refusal === undefined) {
    const dropped = `the connection to ${host} broke before an answer came: ${reason}`;
    return new ServiceFailure("no_response", dropped, { cause, details });
  }
  const isOfProxy = proxy !== undefined && ofAddress.has(causeCode ?? "");
  const place = isOfProxy
    ? `the proxy ${proxy.shown}`
    : proxy
      ? `${host} through the proxy ${proxy.shown}`
      : host;
  // A gateway on the way may have forwarded the request before it refused.
  const [kind, what] = connected
    ? (["no_response", "no answer from"] as const)
    : (["unreachable", "cannot reach"] as const);
  return new ServiceFailure(kind, `${what} ${place}: ${reason}`, {
    cause,
    status: refusal?.status,
    details,
    hint: isOfProxy
      ? "check HTTPS_PROXY (for plain http HTTP_PROXY), and whether the proxy runs; NO_PROXY names hosts to reach without it"
      : (refusal?.hint ?? hintFor(causeCode)),
  });
}

/** As transient as a broken connection: a ledger on a server may confirm it with the next try. */
function keptBackFailure(cause: Error): ServiceFailure {
  const message = "the order was not sent: the ledger did not confirm that only this run sends it";
  return new ServiceFailure("unreachable", message, { cause, hint: "see what was done: courier log" });
}

const proxyExample = "http://NAME:PASSWORD@proxy.example.com:8080";

function explainRefusal({ code, status }: ProxyRefusal, proxy: ProxyOnTheWay | undefined) {
  if (code !== proxyAuthentication) return { status, reason: `the proxy did not connect (HTTP ${status})` };
  if (!proxy?.hasLogin) return { status };
  return {
    status,
    reason: `the proxy refused the name and password of ${proxy.variable}`,
    hint: `correct them in ${proxy.variable}: ${proxyExample}; write % as %25 and @ as %40`,
  };
}

/** Failures of an address: with a proxy on the way, no other than its own is looked up and called. */
const ofAddress: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

const baseUrl = "the base URL (courier accounts list)";
const proxyUrl = "the proxy's URL (HTTPS_PROXY or HTTP_PROXY)";

function hintFor(causeCode: string | undefined): string {
  if (causeCode === proxyAuthentication) return `put them into the proxy's URL: ${proxyExample}`;
  if (isFileLimit(causeCode)) return allowMoreFiles;
  if (causeCode === "ENOMEM") return allowMoreMemory;
  if (causeCode === noWebAssembly) return "run it without --jitless, which may stand in NODE_OPTIONS";
  const named = causeCode === "UND_ERR_PRX_TLS" ? proxyUrl : baseUrl;
  return certificateHint(causeCode, named) ?? `check the network, the proxy settings and ${baseUrl}`;
}

/** The deadline of a call passed before its answer came. */
export function timeoutFailure(host: string, timeoutMs: number): ServiceFailure {
  return new ServiceFailure("no_response", `${host} did not answer within ${timeoutMs / 1000} s`, {
    code: "timed_out",
    hint: "allow more time with --timeout TIME",
  });
}

/** Text by text: in JSON inside a text, a secret would be escaped twice. */
export function redactJson<T>(value: T, redact: (text: string) => string): T {
  return redactAny(value, redact) as T;
}

function redactAny(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactAny(each, redact));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [redact(name), redactAny(each, redact)]),
  );
}

const mostCharacters = 1_000;

/** `\u` and four digits. */
const escapeLength = 6;

/** A service may send a message of any length. Characters that are shown as an escape count as long as that is. */
export function shorten(text: string): string {
  const escaped = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
  let [shown, kept] = [0, 0];
  for (const character of text) {
    shown += character.length * (escaped.test(character) ? escapeLength : 1);
    if (shown > mostCharacters) return `${text.slice(0, kept)}…`;
    if (shown < mostCharacters) kept += character.length;
  }
  return text;
}
