/** Owns undici: sends one request, reads one bounded answer, and says whether a connection was ever made. */

import type { IncomingHttpHeaders } from "node:http";
import { setFlagsFromString } from "node:v8";
import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js"; // the whole package takes three times as long to load
import { systemCode, usageError } from "../core/errors.ts";
import { NoAnswer } from "./failure.ts";

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

/**
 * What V8 may spend on undici's parser (WebAssembly) before it optimises it. Its own measure is used up by a
 * single answer, and optimising takes longer than the call, while the process waits for it at its end.
 */
const parserBudget = "--wasm-tiering-budget=200000000";

/** One pool for a whole run: keep-alive, no redirects, certificates always verified. */
export async function createTransport(proxy: ProxySettings, timeoutMs: number): Promise<Transport> {
  setFlagsFromString(parserBudget);
  const dispatcher = await createDispatcher(proxy, Math.min(connectTimeoutMs, timeoutMs));

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

async function createDispatcher(proxy: ProxySettings, timeoutMs: number): Promise<Dispatcher> {
  // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED would decide otherwise.
  const connect = { timeout: timeoutMs, rejectUnauthorized: true };
  if (!proxy.httpProxy && !proxy.httpsProxy) return new Agent({ connect });
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: openTunnel }] = await Promise.all([
    import("undici/lib/dispatcher/env-http-proxy-agent.js"),
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/api/api-connect.js"),
  ]);
  return new EnvHttpProxyAgent({
    connect,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin: URL, settings: object) =>
      Object.assign(new Pool(origin, settings).compose(endOnDrop), { connect: openTunnel }),
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
