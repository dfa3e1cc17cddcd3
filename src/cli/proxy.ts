/** The proxies of the environment. */

import { isLoopback } from "../config/base-url.ts";
import { usageError } from "../core/errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy of the environment for the service: HTTPS_PROXY for https, HTTP_PROXY for http, neither in the
 * other's place, as curl, git and gh have it. A loopback service is on this machine and never behind one.
 */
export function findProxy(baseUrl: string, env: Env) {
  const { hostname, protocol } = new URL(baseUrl);
  if (isLoopback(hostname)) return {};
  const variable = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = variable(name);
  // It may hold a password, so it is not shown.
  if (proxy !== undefined && !isProxyUrl(proxy))
    throw usageError(
      `${name} is not the URL of a proxy`,
      "it looks like http://user:password@proxy.example.com:8080; in a password, write % as %25 and @ as %40",
    );
  return { proxy, noProxy: variable("NO_PROXY") };
}

function isProxyUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { pathname, search, hash, username, password } = new URL(text);
  if (`${pathname}${search}${hash}` !== "/") return false;
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
