/** Owns undici: sends one request, reads one bounded answer, and says whether a connection was ever made. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, request as undiciRequest } from "undici";
import { systemCode, usageError } from "../core/errors.ts";

export type Method = "GET" | "POST" | "DELETE" | "PUT" | "PATCH" | "HEAD";

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** A status line and as much of the body as arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Why the body is incomplete, where it is. */
  readonly cut?: "dropped" | "too_large" | "stalled";
}

/** No answer came. `connected` is false only when it is certain that the request never left. */
export class NoAnswer extends Error {
  constructor(
    readonly connected: boolean,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

export interface Transport {
  /** Throws NoAnswer, or the signal's reason when it aborts a request that has a connection. */
  send(request: WireRequest): Promise<Answer>;
  close(): Promise<void>;
}

export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
}

const maxBodyBytes = 16 * 1024 * 1024;
const connectTimeoutMs = 10_000;
const bodyIdleTimeoutMs = 15_000;

/** One pool for a whole run: keep-alive, no redirects, certificates always verified. */
export function createTransport(proxy: ProxySettings, timeoutMs: number): Transport {
  const dispatcher = createDispatcher(proxy, Math.min(connectTimeoutMs, timeoutMs));

  return {
    async send({ method, url, headers, body, signal }) {
      signal.throwIfAborted();
      let hasConnection = false;
      const watched = dispatcher.compose(onConnection(() => (hasConnection = true)));
      try {
        const response = await unlessAborted(
          undiciRequest(url, {
            dispatcher: watched,
            method,
            headers,
            body: body ?? null,
            signal,
            headersTimeout: 0, // the caller's signal is the deadline
            bodyTimeout: bodyIdleTimeoutMs,
          }),
          signal,
        );
        return await readAnswer(response, signal);
      } catch (error) {
        if (signal.aborted && hasConnection) throw signal.reason;
        throw new NoAnswer(hasConnection, error);
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Tells when a request is given a connection of its own, through a proxy's tunnel too: just before it leaves. */
function onConnection(tell: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(...start) {
        tell();
        handler.onRequestStart?.(...start);
      },
      onResponseStart: (...head) => handler.onResponseStart?.(...head),
      onResponseData: (...data) => handler.onResponseData?.(...data),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...error) => handler.onResponseError?.(...error),
    });
}

/** Rejects as soon as the signal aborts: undici itself waits for a connection before it looks. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function createDispatcher(proxy: ProxySettings, timeoutMs: number): Dispatcher {
  // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise.
  const connect = { timeout: timeoutMs, rejectUnauthorized: true };
  if (!proxy.httpProxy && !proxy.httpsProxy) return new Agent({ connect });
  return new EnvHttpProxyAgent({
    connect,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin: URL, settings: object) => new Pool(origin, settings).compose(endOnDrop),
    proxyTunnel: false, // many proxies refuse CONNECT for plain http; https is tunnelled all the same
    httpProxy: proxyUrl(proxy.httpProxy),
    httpsProxy: proxyUrl(proxy.httpsProxy),
    noProxy: proxy.noProxy ?? "",
  });
}

/** undici asks a proxy that drops tunnels for a new one without end, unless told of another failure. */
const endOnDrop: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...start) => handler.onRequestStart?.(...start),
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (...data) => handler.onResponseData?.(...data),
    onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
    onResponseError(controller, error) {
      const isDrop = systemCode(error) === "UND_ERR_SOCKET";
      const told = isDrop ? Object.assign(new Error(error.message), { code: "PROXY_DROPPED" }) : error;
      handler.onResponseError?.(controller, told);
    },
  });

/** A proxy is often named without its scheme: `proxy.example:3128`. */
function proxyUrl(text = ""): string {
  const url = text === "" || text.includes("://") ? text : `http://${text}`;
  if (url !== "" && !URL.canParse(url)) throw usageError("the proxy of the environment is not a URL");
  return url;
}

async function readAnswer(response: Dispatcher.ResponseData, signal: AbortSignal): Promise<Answer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let cut: Answer["cut"];
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBodyBytes) {
        cut = "too_large";
        break; // ends the iteration and with it the connection
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    cut = systemCode(error) === "UND_ERR_BODY_TIMEOUT" ? "stalled" : "dropped";
  }
  const body = new TextDecoder().decode(Buffer.concat(chunks));
  const headers = flattenHeaders(response.headers);
  return { status: response.statusCode, headers, body, ...(cut ? { cut } : {}) };
}

function flattenHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
