/** The URL of a raw call: what a user may write for a path, and that the key goes nowhere else. */

import { usageError } from "../core/errors.ts";
import { shownUrl } from "../core/shown-url.ts";

/** What a name and a value come to in a query, in the order given; a name may come several times. */
export type Query = readonly (readonly [name: string, value: string])[];

/**
 * The URL that a path names at the service. Understood are the paths of the interface (`/api/v1/orders`),
 * shorter ones (`orders`, `v2/orders`), all with or without a leading slash or a query, a path that a Windows
 * shell has taken for a file's, and a whole URL of the service's own origin. Throws a usage error for
 * anything that would lead elsewhere.
 */
export function rawUrl(text: string, baseUrl: string, query: Query): URL {
  const target = text.trim();
  const url = isUrl(target) ? ownUrl(target, baseUrl) : pathUrl(target, baseUrl);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}

/** `C:/…` is a file's path, `https:…` a URL. */
function isUrl(text: string): boolean {
  return /^[a-z][a-z\d+.-]+:[\\/]/i.test(text);
}

function ownUrl(text: string, baseUrl: string): URL {
  const own = new URL(baseUrl).origin;
  if (!URL.canParse(text)) throw usageError(`not a URL: ${shownUrl(text)}`, "a path such as orders will do");
  const url = new URL(text);
  if (url.origin !== own) {
    throw usageError(
      `the key belongs to ${own} and is not sent to ${url.protocol}//${url.host}`,
      "give a path such as orders; another service needs an account of its own (courier login --account NAME)",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError("the URL must not carry a user name or password", "courier adds the key itself");
  }
  refuseStray(text.slice(url.protocol.length + 2));
  return url;
}

function pathUrl(text: string, baseUrl: string): URL {
  const path = withoutShellPrefix(text).replace(/^\//, "");
  if (path === "") throw usageError("the PATH is empty", "a path looks like orders or /api/v1/orders");
  if (/^[/\\]/.test(path)) {
    throw usageError(
      `${shownUrl(text)} names another host, to which the key is not sent`,
      "a path begins with one slash",
    );
  }
  refuseStray(path);
  return new URL(`${baseUrl}/${withVersion(path)}`);
}

/** All paths start with /api/v1 (specification, 4 and 9), which may be left out; so may /api alone. */
function withVersion(path: string): string {
  if (/^api(?:[/?]|$)/.test(path)) return path;
  return /^v\d+(?:[/?]|$)/.test(path) ? `api/${path}` : `api/v1/${path}`;
}

/** Steps up, and what the URL standard takes for slashes or leaves out, could lead anywhere. */
function refuseStray(text: string): void {
  const [path = ""] = text.split("?");
  const strays = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)|\\|#/i.exec(path) ?? /[\p{Cc}#]/u.exec(text);
  if (!strays) return;
  const hint = text.includes("#") ? "write %23 for #: what follows it would not be sent" : undefined;
  throw usageError(`not usable in a path: ${JSON.stringify(strays[0].replace(/^\//, ""))}`, hint);
}

const shellRoots = /^[a-z]:[\\/](?:.*[\\/])?(?:git|portablegit|msys\d*|mingw\d*|cygwin\d*)[\\/]/i;

/** Git Bash on Windows puts its own directory before words that begin with a slash. */
function withoutShellPrefix(text: string): string {
  if (!/^[a-z]:[\\/]/i.test(text)) return text;
  const start = text.search(/\/api\/v\d+(?:[/?]|$)/);
  const path = start >= 0 ? text.slice(start) : text.replace(shellRoots, "/");
  if (path !== text) return path;
  throw usageError(
    `this looks like a file's path, not a path of the service: ${text}`,
    "a Windows shell may have rewritten it; leave out the leading slash",
  );
}
