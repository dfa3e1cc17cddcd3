/** The proxies of the environment. */

import type { ProxySettings } from "../api/proxy-route.ts";
import { isLoopback } from "../config/base-url.ts";
import { usageError } from "../core/errors.ts";
import { shortestKey } from "../core/shown-command.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy of the environment for the service: HTTPS_PROXY for https, HTTP_PROXY for http, neither in the
 * other's place, as curl, git and gh have it. A loopback service is on this machine and never behind one.
 */
export function findProxy(baseUrl: string, env: Env): ProxySettings {
  const { hostname, protocol } = new URL(baseUrl);
  if (isLoopback(hostname)) return {};
  const name = setName(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", env);
  const proxy = env[name] || undefined;
  // It may hold a password, so it is not shown.
  if (proxy !== undefined && !isProxyUrl(proxy))
    throw usageError(
      `${name} is not the URL of a proxy`,
      "it looks like http://user:password@proxy.example.com:8080; in a password, write % as %25 and @ as %40",
    );
  return { proxy, variable: name, noProxy: env[setName("NO_PROXY", env)] || undefined };
}

/** The small letters of a variable come first, as in curl. */
function setName(name: string, env: Env): string {
  return env[name.toLowerCase()] ? name.toLowerCase() : name;
}

/** What a proxy may repeat of its URL. A short password is masked beside its name alone. */
export async function secretsOf({ proxy = "" }: ProxySettings): Promise<readonly string[]> {
  if (!proxy.includes("@")) return [];
  const { proxyLogin } = await import("../api/proxy-route.ts");
  const login = proxyLogin(proxy);
  if (!login) return [];
  const { name, password } = login;
  return [`${name}:${password}`, ...(password.length < shortestKey ? [] : [password])];
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
