/** Owns the ways in which a call can fail, told apart by what is safe to do next (specification, section 7). */

import { CourierError, type ErrorFacts, type ExitCode, systemCode } from "../core/errors.ts";

/**
 * - `unreachable`: no connection was made; nothing was processed.
 * - `lost`: connected, but no whole answer came; it may have been processed.
 * - `limited`: 429; not processed. - `failing`: 5xx; it may have been processed.
 * - `refused`, `key_refused`: the service said no. - `redirected`: sent elsewhere, not followed.
 * - `garbled`: an answer that breaks the interface; it may have been processed.
 */
export type FailureKind =
  | "unreachable"
  | "lost"
  | "limited"
  | "failing"
  | "refused"
  | "key_refused"
  | "redirected"
  | "garbled";

const exits: Readonly<Record<FailureKind, ExitCode>> = {
  unreachable: 5,
  lost: 5,
  limited: 5,
  failing: 5,
  refused: 1,
  key_refused: 4,
  redirected: 5,
  garbled: 70,
};

export class ServiceFailure extends CourierError {
  readonly kind: FailureKind;
  /** How long the service asked us to wait, in milliseconds, where it did. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    facts: ErrorFacts & { code?: string; retryAfterMs?: number | undefined } = {},
  ) {
    super(facts.code ?? kind, exits[kind], message, facts);
    this.kind = kind;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** True when the request may have taken effect although no clear answer says so. */
  get mayHaveHappened(): boolean {
    return this.kind === "lost" || this.kind === "failing" || this.kind === "garbled";
  }
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name could not be looked up just now",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no network",
  ECONNRESET: "the connection was dropped",
  EPIPE: "the connection was dropped",
  UND_ERR_SOCKET: "the connection was dropped",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 10 s",
  UND_ERR_ABORTED: "the proxy refused the connection",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate chain is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate's issuer is unknown",
};

const certificatePattern = /CERT|^UNABLE_TO_|^DEPTH_ZERO|^HOSTNAME_MISMATCH/;

/** True for failures of certificate checks, which no retry mends. */
export function isCertificateFailure(causeCode: string | undefined): boolean {
  return certificatePattern.test(causeCode ?? "");
}

/** Words a failure to get any answer from `host`; `cause` is the system's or the transport's error. */
export function noAnswerFailure(host: string, connected: boolean, cause: Error): ServiceFailure {
  const causeCode = systemCode(cause.cause);
  const reason = explanations[causeCode ?? ""] ?? causeCode ?? cause.message;
  const details = causeCode === undefined ? undefined : { cause_code: causeCode };
  if (connected) {
    const dropped = `the connection to ${host} broke before an answer came: ${reason}`;
    return new ServiceFailure("lost", dropped, { cause, details });
  }
  const hint = isCertificateFailure(causeCode)
    ? "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file"
    : "check the network, the proxy settings and the base URL (courier accounts list)";
  return new ServiceFailure("unreachable", `cannot reach ${host}: ${reason}`, { cause, details, hint });
}

/** The deadline of a call passed before its answer came. */
export function timeoutFailure(host: string, timeoutMs: number): ServiceFailure {
  return new ServiceFailure("lost", `${host} did not answer within ${timeoutMs / 1000} s`, {
    code: "timed_out",
    hint: "allow more time with --timeout SECONDS",
  });
}
