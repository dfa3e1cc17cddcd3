/** Owns the proxies of the environment. */

import { isLoopback } from "../config/base-url.ts";
import { usageError } from "../core/errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The proxies of the environment; a loopback service is on this machine and never behind one. */
export function findProxies(baseUrl: string, env: Env) {
  if (isLoopback(new URL(baseUrl).hostname)) return {};
  const variable = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const proxy = (name: string) => {
    const url = variable(name);
    if (url === undefined || (/^https?:/i.test(url) && URL.canParse(url))) return url;
    // It may hold a password, so it is not shown.
    throw usageError(`${name} is not the URL of a proxy`, "it looks like http://proxy.example.com:8080");
  };
  return {
    httpProxy: proxy("HTTP_PROXY"),
    httpsProxy: proxy("HTTPS_PROXY"),
    noProxy: variable("NO_PROXY"),
  };
}
