/** Which proxy a URL goes through, by the rules of undici's own agent. */

export interface ProxySettings {
  readonly proxy?: string | undefined;
  /** The environment's variable that names it. */
  readonly variable?: string | undefined;
  readonly noProxy?: string | undefined;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** The proxy's URL as it was set, or undefined for a direct connection. */
export function proxyFor(url: URL, { proxy, noProxy = "" }: ProxySettings): string | undefined {
  if (proxy === undefined || noProxy === "*") return undefined;
  const host = url.host.replace(/:\d*$/, "").toLowerCase();
  const port = Number(url.port) || defaultPorts[url.protocol];
  return noProxy.split(/[,\s]/).some((entry) => entry !== "" && covers(entry, host, port))
    ? undefined
    : proxy;
}

function covers(entry: string, host: string, port: number | undefined): boolean {
  const [, named, wanted] = /^(.+):(\d+)$/.exec(entry) ?? [undefined, entry, undefined];
  if (wanted !== undefined && Number(wanted) !== 0 && Number(wanted) !== port) return false;
  const name = (named ?? entry).replace(/^\*?\./, "").toLowerCase();
  return host === name || host.endsWith(`.${name}`);
}

/** The name and password that a proxy's URL carries. One without the other is not sent to it. */
export function proxyLogin(proxy: string): { readonly name: string; readonly password: string } | undefined {
  const { username, password } = parseProxy(proxy);
  if (username === "" || password === "") return undefined;
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/** A proxy's URL without the name and password that it may carry. */
export function withoutPassword(proxy: string): string {
  const url = parseProxy(proxy);
  const shown = `${url.host}${url.username === "" && url.password === "" ? "" : " (with a name and password)"}`;
  return `${url.protocol}//${shown}`;
}

function parseProxy(proxy: string): URL {
  return new URL(proxy.includes("://") ? proxy : `http://${proxy}`);
}
