/** Undici: sends one request, reads one bounded answer, and says whether a connection was ever made. */

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { isIP, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import type { Dispatcher, buildConnector as undiciConnector } from "undici";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js"; // the whole package takes three times as long to load
import { noWebAssembly } from "../core/connection-errors.ts";
import { systemCode, usageError } from "../core/errors.ts";
import type { Decoded } from "./encoding.ts";
import { KeptBack, NoAnswer, ProxyRefusal } from "./failure.ts";
import type { ProxySettings } from "./proxy-route.ts";

export type Method = "GET" | "POST" | "DELETE" | "PUT" | "PATCH" | "HEAD";

export interface WireRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** Called when the head of the answer is there: its body may take long. */
  readonly begun?: () => void;
  /** Called for each chunk of the answer's body. */
  readonly received?: (bytes: number) => void;
  /** Called synchronously before the first byte is written: false cancels the request, and so does an error, which is thrown. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** A status line and as much of the body as arrived. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The raw body, still encoded. */
  readonly bytes: Uint8Array;
  /** The character encoding that the bytes are not in: `body` has U+FFFD in places. */
  readonly notIn?: string;
  /** Why the body is incomplete, where it is. */
  readonly cut?: "dropped" | "too_large" | "stalled" | "undecodable";
}

export interface Transport {
  /** Throws NoAnswer, or the signal's reason when it aborts a request that has a connection. */
  send(request: WireRequest): Promise<Answer>;
  close(): Promise<void>;
}

const maxBodyBytes = 16 * 1024 * 1024;
const connectTimeoutMs = 10_000;
/** The value of `Accept-Encoding`; without one, a service might use any encoding (RFC 9110, 12.5.3). */
const acceptedEncodings = "gzip, br";
const bodyIdleTimeoutMs = 15_000;

/**
 * V8 on Node.js 20 would optimise undici's parser (WebAssembly) after a single answer. That takes longer than the call,
 * and the process waits for it at its end.
 */
const optimising = ["wasm-tier-up", "wasm-dynamic-tiering"];

/** One pool for a whole run: keep-alive, no redirects, certificates always verified. */
export async function createTransport(settings: ProxySettings, timeoutMs: number): Promise<Transport> {
  for (const flag of optimising) setFlagsFromString(`--no-${flag}`);
  const connecting = new Set<Socket>();
  const dispatcher = await createDispatcher(settings, Math.min(connectTimeoutMs, timeoutMs), connecting);

  return {
    async send(request) {
      try {
        return await exchange(request, dispatcher);
      } catch (error) {
        throw error instanceof NoAnswer ? await withProxy(error, request.url, settings) : error;
      }
    },
    async close() {
      await dispatcher.destroy();
      for (const socket of connecting) socket.destroy();
      // Code that is kept for the next run counts only with the flags that it was compiled with.
      for (const flag of optimising) setFlagsFromString(`--${flag}`);
    },
  };
}

/** The same failure, with the proxy on the way named. */
async function withProxy(failure: NoAnswer, url: URL, settings: ProxySettings): Promise<NoAnswer> {
  if (settings.proxy === undefined) return failure;
  const { proxyFor, proxyLogin, withoutPassword } = await import("./proxy-route.ts");
  const proxy = proxyFor(url, settings);
  if (proxy === undefined) return failure;
  return new NoAnswer(failure.connected, failure.cause, {
    shown: withoutPassword(proxy),
    variable: settings.variable ?? "the environment",
    hasLogin: proxyLogin(proxy) !== undefined,
  });
}

/** The bytes of an answer, copied: a piece of one byte would keep the whole buffer that it was cut from. */
function createBytes() {
  let bytes = Buffer.alloc(0);
  let length = 0;
  return {
    /** False where there are too many. */
    add(chunk: Buffer): boolean {
      const sum = length + chunk.length;
      if (sum > maxBodyBytes) return false;
      if (sum > bytes.length) bytes = Buffer.concat([bytes.subarray(0, length)], Math.max(sum, 2 * length));
      length += chunk.copy(bytes, length);
      return true;
    },
    all: () => bytes.subarray(0, length),
  };
}

/** undici's own `request` wraps each answer in a stream, which takes longer than sending the request. */
function exchange(
  { method, url, headers, body, signal, begun, received, mayLeave }: WireRequest,
  dispatcher: Dispatcher,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const packed = createBytes();
    let head: Pick<Answer, "status" | "headers"> | undefined;
    /** Set as soon as the request has a connection, also through a proxy's tunnel. */
    let controller: Dispatcher.DispatchController | undefined;

    const onAbort = () => {
      reject(controller ? signal.reason : new NoAnswer(false, signal.reason));
      controller?.abort(signal.reason);
    };
    const answer = (cut?: NonNullable<Answer["cut"]>) => {
      signal.removeEventListener("abort", onAbort);
      if (head) plainAnswer(head, packed.all(), cut).then(resolve, reject);
    };
    const fail = (error: unknown, connected = controller !== undefined) => {
      signal.removeEventListener("abort", onAbort);
      reject(new NoAnswer(connected, withCode(error)));
    };

    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: { "accept-encoding": acceptedEncodings, ...headers },
          body: body ?? null,
          headersTimeout: 0, // the caller's signal is the deadline
          bodyTimeout: bodyIdleTimeoutMs,
        },
        {
          onRequestStart(given) {
            try {
              if (mayLeave?.() === false) throw new NoAnswer(false, new KeptBack());
            } catch (error) {
              signal.removeEventListener("abort", onAbort);
              reject(error);
              return given.abort(new Error("kept back"));
            }
            controller = given;
            if (signal.aborted) given.abort(signal.reason);
          },
          onResponseStart(_controller, status, responseHeaders) {
            if (status < 200) return;
            head = { status, headers: flattenHeaders(responseHeaders) };
            begun?.();
          },
          onResponseData(given, chunk) {
            received?.(chunk.length);
            if (packed.add(chunk)) return;
            answer("too_large");
            given.abort(new Error("too large"));
          },
          onResponseEnd: () => answer(),
          onResponseError(_controller, error) {
            // The only sign of a proxy's 407 to plain http: undici aborts a request that has begun in
            // no other case.
            if (controller && systemCode(error) === "UND_ERR_INVALID_ARG")
              return fail(new ProxyRefusal(407), method !== "GET"); // it came after the whole request
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

/**
 * undici's parser names itself, but not always with a code. It asserts that a status is one. It is WebAssembly, which
 * has no code for a lack of memory.
 */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/^(HTTPParser|Assertion)Error$/.test(error.name)) return Object.assign(error, { code: "NOT_HTTP" });
  if (error instanceof ReferenceError && error.message.startsWith("WebAssembly"))
    return Object.assign(error, { code: noWebAssembly });
  const lacksMemory = error instanceof RangeError && /out of memory/i.test(error.message);
  return lacksMemory ? Object.assign(error, { code: "ENOMEM" }) : error;
}

async function plainAnswer(
  head: Pick<Answer, "status" | "headers">,
  packed: Buffer,
  cut: Answer["cut"],
): Promise<Answer> {
  const decoded = await decode(packed, head.headers["content-encoding"]);
  const bytes = "bytes" in decoded ? decoded.bytes : Buffer.alloc(0);
  const reason = cut ?? ("cut" in decoded ? decoded.cut : undefined);
  return {
    ...head,
    ...readText(bytes, head.headers["content-type"]),
    bytes,
    ...(reason ? { cut: reason } : {}),
  };
}

/** Text in the character encoding that the answer declares, or UTF-8. */
function readText(bytes: Buffer, contentType = ""): Pick<Answer, "body" | "notIn"> {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? "utf-8";
  // Nearly every answer is this, and to make a decoder takes longer than to read it.
  if (label.toLowerCase() === "utf-8" && isUtf8(bytes))
    return { body: bytes.toString().replace(/^\uFEFF/, "") };
  const declared = decoderFor(label) ?? decoderFor("utf-8");
  // Servers add ISO-8859-1 by themselves, and in it any bytes are text. JSON is in UTF-8 (RFC 8259, 8.1).
  const decoders = declared?.encoding === "windows-1252" ? [decoderFor("utf-8"), declared] : [declared];
  for (const decoder of decoders) {
    try {
      if (decoder) return { body: decoder.decode(bytes) };
    } catch {
      // the next one
    }
  }
  return { body: new TextDecoder().decode(bytes), notIn: declared?.encoding ?? label };
}

/** Undefined for a name that stands for no encoding. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    return undefined;
  }
}

/** Most answers are not compressed: the decoders are loaded for the others only. */
async function decode(packed: Buffer, encodings: string | undefined): Promise<Decoded> {
  if (encodings === undefined) return { bytes: packed };
  // An update may have removed it since the request left.
  const loaded = await import("./encoding.ts").catch(() => undefined);
  return loaded ? loaded.decodeBody(packed, encodings, maxBodyBytes) : { cut: "undecodable" };
}

async function createDispatcher(
  { proxy, noProxy = "" }: ProxySettings,
  timeoutMs: number,
  connecting: Set<Socket>,
): Promise<Dispatcher> {
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED would override the default.
  const connect = { timeout: timeoutMs, rejectUnauthorized: true };
  if (!proxy) return new Agent({ connect: follow(buildConnector(connect), connecting) });
  const url = proxyUrl(proxy);
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: openTunnel }] = await Promise.all([
    import("undici/lib/dispatcher/env-http-proxy-agent.js"),
    import("undici/lib/dispatcher/pool.js"),
    import("undici/lib/api/api-connect.js"),
  ]);
  return new EnvHttpProxyAgent({
    connect,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin: URL, { connect }: { connect: Connector }) =>
      Object.assign(
        new Pool(origin, { connect: follow(withoutAddressAsName(connect), connecting) }).compose(endTunnel),
        {
          connect: openTunnel,
        },
      ),
    proxyTunnel: false, // many proxies refuse CONNECT for plain http; https is tunnelled anyway
    httpProxy: url,
    httpsProxy: url,
    noProxy,
  });
}

type Connector = undiciConnector.connector;

/** undici ends no connection that is being made: the process would wait for its time limit. */
function follow(connect: Connector, connecting: Set<Socket>): Connector {
  return (options, callback) => {
    const socket: unknown = connect(options, (...end) => {
      connecting.delete(socket as Socket);
      callback(...end);
    });
    connecting.add(socket as Socket);
    return socket;
  };
}

/** undici gives a proxy's address as the name of its TLS server, of which Node.js warns on stderr. */
function withoutAddressAsName(connect: Connector): Connector {
  return ({ servername, ...options }, callback) => {
    const isAddress = isIP(servername?.replace(/^\[|\]$/g, "") ?? "") !== 0;
    return connect(isAddress || !servername ? options : { ...options, servername }, callback);
  };
}

/** undici retries a proxy that drops tunnels for ever, unless it gets another error. */
const endTunnel: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (...start) => handler.onRequestStart?.(...start),
    onRequestUpgrade(controller, status, headers, socket) {
      if (status === 200) return handler.onRequestUpgrade?.(controller, status, headers, socket);
      socket.on("error", () => {}).destroy();
      return handler.onResponseError?.(controller, new ProxyRefusal(status));
    },
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (...data) => handler.onResponseData?.(...data),
    onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
    onResponseError(controller, error) {
      const isDrop = systemCode(error) === "UND_ERR_SOCKET";
      const reported = isDrop ? Object.assign(new Error(error.message), { code: "PROXY_DROPPED" }) : error;
      handler.onResponseError?.(controller, reported);
    },
  });

/** A proxy is often named without its scheme: `proxy.example:3128`. */
function proxyUrl(text: string): string {
  const url = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(url)) throw usageError("the proxy of the environment is not a URL");
  return url;
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
