/** Owns undici: sends one request, reads one bounded answer, and says whether a connection was ever made. */

import type { IncomingHttpHeaders } from "node:http";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { systemCode, usageError } from "../core/errors.ts";

export type Method = "GET" | "POST" | "DELETE" | "PUT" | "PATCH" | "HEAD";

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** A status line and as much of the body as arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as it came over the wire. */
  readonly bytes: Uint8Array;
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
    send: (request) => exchange(request, dispatcher),
    close: () => dispatcher.destroy(),
  };
}

/** undici's own `request` wraps each answer in a stream, which takes longer than sending the request. */
function exchange(
  { method, url, headers, body, signal }: WireRequest,
  dispatcher: Dispatcher,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let head: Pick<Answer, "status" | "headers"> | undefined;
    /** There as soon as the request is given a connection of its own, through a proxy's tunnel too. */
    let controller: Dispatcher.DispatchController | undefined;

    const onAbort = () => {
      reject(controller ? signal.reason : new NoAnswer(false, signal.reason));
      controller?.abort(signal.reason);
    };
    const answer = (cut?: NonNullable<Answer["cut"]>) => {
      signal.removeEventListener("abort", onAbort);
      const bytes = Buffer.concat(chunks);
      const text = new TextDecoder().decode(bytes);
      if (head) resolve({ ...head, body: text, bytes, ...(cut ? { cut } : {}) });
    };
    const fail = (error: unknown) => {
      signal.removeEventListener("abort", onAbort);
      reject(new NoAnswer(controller !== undefined, error));
    };

    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers,
          body: body ?? null,
          headersTimeout: 0, // the caller's signal is the deadline
          bodyTimeout: bodyIdleTimeoutMs,
        },
        {
          onRequestStart(given) {
            controller = given;
            if (signal.aborted) given.abort(signal.reason);
          },
          onResponseStart(_controller, status, received) {
            if (status >= 200) head = { status, headers: flattenHeaders(received) };
          },
          onResponseData(given, chunk) {
            sizeBytes += chunk.length;
            if (sizeBytes <= maxBodyBytes) {
              chunks.push(chunk);
              return;
            }
            answer("too_large");
            given.abort(new Error("too large"));
          },
          onResponseEnd: () => answer(),
          onResponseError(_controller, error) {
            if (!head) return fail(error);
            answer(systemCode(error) === "UND_ERR_BODY_TIMEOUT" ? "stalled" : "dropped");
          },
        },
      );
    } catch (error) {
      fail(error);
    }
  });
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

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
