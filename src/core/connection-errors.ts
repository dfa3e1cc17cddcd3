/** Words for why there is no connection to a service or a database. */

import { tooLittleMemory, tooManyFiles } from "./system-errors.ts";

const dropped = "the connection was dropped";
const tooLate = "no connection in time";
const notHttps = "the service does not speak https there";

/** undici needs it to read answers. */
export const noWebAssembly = "NO_WEBASSEMBLY";

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name could not be looked up just now",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no network",
  ECONNRESET: dropped,
  EPIPE: dropped,
  EMFILE: tooManyFiles,
  ENFILE: tooManyFiles,
  ENOMEM: tooLittleMemory,
  [noWebAssembly]: "this Node.js runs without WebAssembly",
  UND_ERR_SOCKET: dropped,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is longer or shorter than it says",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large",
  NOT_HTTP: "what came is not HTTP",
  UND_ERR_CONNECT_TIMEOUT: tooLate,
  timed_out: tooLate,
  stalled: tooLate,
  PROXY_DROPPED: "the proxy dropped the connection",
  PROXY_AUTHENTICATION: "the proxy asks for a name and password",
  ERR_SSL_WRONG_VERSION_NUMBER: notHttps,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notHttps,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  UND_ERR_PRX_TLS: "the proxy's certificate is for another host",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate chain is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate's issuer is unknown",
};

/** Words for a cause code; undefined for an unknown one. OpenSSL has hundreds, which a search finds. */
export function explainCause(code: string | undefined): string | undefined {
  if (code?.startsWith("ERR_SSL_") && !Object.hasOwn(explanations, code))
    return `the secure connection failed (${code})`;
  return code !== undefined && Object.hasOwn(explanations, code) ? explanations[code] : undefined;
}

const certificatePattern = /CERT|^UNABLE_TO_|^DEPTH_ZERO|^HOSTNAME_MISMATCH|_PRX_TLS$/;

/** True for failures of certificate checks. */
export function isCertificateFailure(causeCode: string | undefined): boolean {
  return certificatePattern.test(causeCode ?? "");
}

/** What to do about a failed check of a certificate; undefined for another failure. `named` is what names the host. */
export function certificateHint(causeCode: string | undefined, named: string): string | undefined {
  switch (causeCode) {
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "UND_ERR_PRX_TLS":
      return `check the host in ${named}`;
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return "check this machine's clock; if it is right, the certificate must be replaced";
    default:
      return isCertificateFailure(causeCode)
        ? "for a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file"
        : undefined;
  }
}
