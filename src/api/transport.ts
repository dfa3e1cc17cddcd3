/** Owns undici: sends one request, reads one bounded answer, and says whether a connection was ever made. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, request as undiciRequest } from "undici";
import { systemCode } from "../core/errors.ts";

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
  /** Throws NoAnswer, or the signal's reason once it has aborted. */
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

/** Failures to connect that reach us through a proxy agent, which does not announce them as events. */
const unconnectedCodes = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_ABORTED",
]);

/** One pool for a whole run: keep-alive, no redirects, certificates always verified. */
export function createTransport(proxy: ProxySettings, timeoutMs: number): Transport {
  const neverConnected = new WeakSet<Error>();
  const dispatcher = createDispatcher(proxy, Math.min(connectTimeoutMs, timeoutMs));
  dispatcher.on("connectionError", (_origin, _targets, error) => neverConnected.add(error));

  return {
    async send({ method, url, headers, body, signal }) {
      signal.throwIfAborted();
      let response: Dispatcher.ResponseData;
      try {
        response = await undiciRequest(url, {
          dispatcher,
          method,
          headers,
          body: body ?? null,
          signal,
          headersTimeout: 0, // the caller's signal is the deadline
          bodyTimeout: bodyIdleTimeoutMs,
        });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const unconnected =
          (error instanceof Error && neverConnected.has(error)) ||
          unconnectedCodes.has(systemCode(error) ?? "");
        throw new NoAnswer(!unconnected, error);
      }
      return readAnswer(response, signal);
    },
    close: () => dispatcher.destroy(),
  };
}

function createDispatcher(proxy: ProxySettings, timeoutMs: number): Dispatcher {
  const options = { connect: { timeout: timeoutMs } };
  if (!proxy.httpProxy && !proxy.httpsProxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.httpProxy ?? "",
    httpsProxy: proxy.httpsProxy ?? "",
    noProxy: proxy.noProxy ?? "",
  });
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
