/** Validates base URLs: https, or plain http on this machine. */

import { type CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { shownUrl } from "../core/shown-url.ts";

/** Where a base URL that login was given comes from. */
export const givenAtLogin = "the base URL";

/** Traffic to loopback hosts never leaves the machine, so the key may be sent unencrypted. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/**
 * Checks and normalises a base URL: no trailing slash, no query. `source` names where it came from, for
 * messages. Throws a usage error, exit 2.
 */
export function parseBaseUrl(text: string, source: string, allowHttp: boolean): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  // `user:password@host` has a user for its protocol.
  if (!url || (url.host === "" && text.includes("@"))) {
    throw notUrl(text, source);
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    if (!text.includes("://")) throw notUrl(text, source); // the protocol may be a part of a key
    throw usageError(`${source} must begin with https://, but begins with ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError(
      `${source} must not carry a user name or password`,
      source === givenAtLogin
        ? `leave them out: --base-url ${shellQuote(shownUrl(text.trim()))}`
        : "the key goes in through: courier login",
    );
  }
  if (url.search !== "" || url.hash !== "")
    throw usageError(`${source} must not have a query or a fragment: ${shownUrl(text)}`);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/api/v1")) {
    const suggestion = `${url.origin}${path.slice(0, -"/api/v1".length)}`;
    throw usageError(`${source} must not contain /api/v1, which courier adds itself`, `use ${suggestion}`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    throw usageError(
      `${source} is plain http, which would show the key to everyone on the way: ${url.origin}`,
      source === givenAtLogin
        ? "use https://, or accept the risk for this account by adding --allow-http"
        : `use https://, or accept the risk for an account with: courier login --account NAME --base-url ${shellQuote(`${url.origin}${path}`)} --allow-http`,
    );
  }
  return `${url.origin}${path}`;
}

/**
 * A host's name or address, with or without port and path. In lower case, with a top-level domain of letters: a key in
 * the wrong place must not be taken for one, since the name would be looked up.
 */
const bareHost =
  /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}|localhost|\d{1,3}(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/[^@\s?#]*)?$/;

/** A base URL as people type it, made whole: `corrections` says what was added or left out. */
export function completeBaseUrl(typed: string): {
  readonly text: string;
  readonly corrections: readonly string[];
} {
  let text = typed.trim();
  const corrections: string[] = [];
  const host = bareHost.exec(text)?.[1];
  if (host !== undefined) {
    const scheme = isLoopback(host) ? "http://" : "https://";
    text = `${scheme}${text}`;
    corrections.push(`${scheme} added`);
  }
  const whole = text.replace(/\/api\/v1\/*$/, "");
  if (whole !== text && URL.canParse(whole)) {
    text = whole;
    corrections.push("/api/v1 left out, which courier adds itself");
  }
  return { text, corrections };
}

/** A text without `://` is not shown: it may be a key in the wrong place. */
function notUrl(text: string, source: string): CourierError {
  const shown = text.includes("://") ? `: ${shownUrl(text)}` : "";
  return usageError(`${source} is not a URL${shown}`, "a base URL looks like https://api.example.com");
}
