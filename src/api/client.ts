/** One call to the service: authorization, deadline, retries, and the trace of `--debug`. */

import type { Clock } from "../core/clock.ts";
import { CourierError, usageError } from "../core/errors.ts";
import type { Redact } from "../core/redact.ts";
import { parseHttpDate } from "../core/time.ts";
import { type Json, type JsonObject, stringifyJson } from "../model/json.ts";
import type { Schema } from "../model/schema.ts";
import { type AnswerContext, type Reply, readEnvelope, readRawAnswer, readReply } from "./answer.ts";
import { NoAnswer, noAnswerFailure, ServiceFailure } from "./failure.ts";
import type { Query } from "./raw-url.ts";
import { isRepeatable, retryDelayMs } from "./retry.ts";
import { limitTry } from "./time-limit.ts";
import type { Answer, Method, Transport } from "./transport.ts";

export interface ClientOptions {
  /** Origin and optional path prefix, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Masks the key, and what else an answer may repeat. */
  readonly redact: Redact;
  /** The command that stores another key. */
  readonly login: string;
  readonly userAgent: string;
  /** Deadline of one call in milliseconds, its retries and waits included. */
  readonly timeoutMs: number;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Aborts every call; its reason is what the calls reject with. */
  readonly signal: AbortSignal;
  /** In [0, 1): the jitter of the retry delays. */
  readonly random: () => number;
  /** Receives one line for each request, answer and retry; undefined without `--debug`. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Called when a call begins; the function that it returns is called when it ends. */
  readonly begin: (text: string) => () => void;
}

export interface Call {
  readonly method: Method;
  /** Path segments below `/api/v1`, not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json;
  /** False leaves every repetition to the caller. */
  readonly retries?: boolean;
  /** Called synchronously before the request is written. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** A raw call. */
export interface RawCall {
  readonly method: Method;
  /** What `rawUrl` understands. */
  readonly path: string;
  readonly query: Query;
  readonly body?: Uint8Array;
  /** As of a `Call`. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** A complete answer, and the failure that it means, if any. */
export interface RawReply {
  readonly url: URL;
  readonly answer: Answer;
  /** The answer's JSON with the key masked; undefined without an envelope, or after a failure. */
  readonly envelope?: JsonObject;
  readonly failure: CourierError | undefined;
}

export interface Client {
  /** Sends one call, with retries where they are safe, and reads its `data`. Throws ServiceFailure. */
  call<T>(call: Call, schema: Schema<T>): Promise<Reply<T>>;
  /** The same for an answer whose envelope alone matters. */
  callForEnvelope(call: Call): Promise<string | undefined>;
  /** Sends a raw call, with the same retries, and gives back the answer as it came. Throws without one. */
  exchange(call: RawCall): Promise<RawReply>;
  /** Service's clock minus ours in milliseconds, from the last `Date` header; undefined before any. */
  clockOffsetMs(): number | undefined;
}

export function createClient(options: ClientOptions): Client {
  const { clock, signal, trace, timeoutMs, redact, login } = options;
  const host = new URL(options.baseUrl).host;
  /** The service's time, and the monotonic time here at that moment. */
  let told: { readonly hourMs: number; readonly elapsedMs: number } | undefined;
  /** The last `Date` header and its time: the answers of a second have the same one. */
  let lastDate: { readonly text: string | undefined; readonly hourMs: number | undefined } | undefined;

  /** One try: exactly one request leaves, exactly one answer or failure comes back. */
  async function attempt<R>(
    { method, url, body, retries, mayLeave }: Request,
    untilMs: number,
    read: Reader<R>,
  ): Promise<R> {
    const headers: Record<string, string> = {
      accept: "application/json",
      authorization: `Bearer ${options.apiKey}`,
      "user-agent": options.userAgent,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const startedMs = clock.elapsed();
    let headMs: number | undefined;
    trace?.(`> ${method} ${url.href}${body === undefined ? "" : ` (${Buffer.byteLength(body)} bytes)`}`);
    const limit = limitTry({
      clock,
      host,
      untilMs,
      timeoutMs,
      isRepeatable: retries !== false && isRepeatable(method),
      stop: signal,
    });
    try {
      const answer = await options.transport.send({
        method,
        url,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: limit.signal,
        begun: () => (headMs = clock.elapsed()),
        received: limit.received,
        mayLeave,
      });
      const nowMs = clock.now();
      trace?.(
        `< ${answer.status} ${answer.headers["content-type"] ?? "-"} (${answer.body.length} characters, ${Math.round(clock.elapsed() - startedMs)} ms)`,
      );
      const { date } = answer.headers;
      if (lastDate?.text !== date) lastDate = { text: date, hourMs: parseHttpDate(date) };
      const hourMs = lastDate?.hourMs;
      const elapsedMs = headMs ?? clock.elapsed();
      const onEnvelope = () => {
        if (hourMs !== undefined) told = { hourMs, elapsedMs };
      };
      return read(answer, { method, url, host, nowMs, redact, login, onEnvelope });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      signal.throwIfAborted();
      throw noAnswerFailure(host, error.connected, error);
    } finally {
      limit.end();
    }
  }

  async function send<R>(request: Request, read: Reader<R>): Promise<R> {
    const untilMs = clock.elapsed() + timeoutMs;
    const end = options.begin(`Waiting for ${host}…`);
    let isAfterDoubt = false;
    try {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(request, untilMs, read);
        } catch (error) {
          if (!(error instanceof ServiceFailure)) throw error;
          error.isAfterDoubt = isAfterDoubt;
          if (request.retries === false) throw error;
          const delayMs = retryDelayMs(request.method, error, tries, options.random());
          if (delayMs === undefined || clock.elapsed() + delayMs >= untilMs) throw error;
          isAfterDoubt = error.mayHaveHappened;
          trace?.(`  ${error.message}; next try in ${Math.round(delayMs)} ms`);
          const endWait = options.begin(`${error.message}; next try in ${Math.ceil(delayMs / 1_000)} s…`);
          await clock
            .sleep(delayMs, signal)
            .catch((stopped) => {
              // The last try says what has happened: nothing, or it would not have been repeated.
              throw isRepeatable(request.method) ? stopped : error;
            })
            .finally(endWait);
        }
      }
    } finally {
      end();
    }
  }

  function toRequest({ body, ...call }: Call): Request {
    if (call.path.some((part) => redact(part) !== part)) throw keyAsNumber();
    return {
      ...call,
      url: buildUrl(options.baseUrl, call),
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    };
  }

  /** A failure may be stored or shown, so the key is masked here. */
  async function sendRedacted<R>(call: Call, read: Reader<R>): Promise<R> {
    try {
      return await send(toRequest(call), read);
    } catch (error) {
      throw error instanceof ServiceFailure ? error.redacted(redact) : error;
    }
  }

  return {
    call: async (call, schema) => sendRedacted(call, (answer, context) => readReply(answer, schema, context)),
    callForEnvelope: async (call) =>
      sendRedacted(call, (answer, context) => {
        const message = readEnvelope(answer, context).message;
        return typeof message === "string" ? message : undefined;
      }),
    async exchange({ path, query, ...call }) {
      const { rawUrl } = await import("./raw-url.ts");
      const url = rawUrl(path, options.baseUrl, query);
      let refused: RawReply | undefined;
      try {
        return await send({ ...call, url }, (answer, context) => {
          const { envelope, failure } = readRawAnswer(answer, context);
          if (!failure) return { url, answer, failure, ...(envelope ? { envelope } : {}) };
          if (answer.cut === undefined) refused = { url, answer, failure };
          throw failure;
        });
      } catch (error) {
        if (!(error instanceof ServiceFailure)) throw error;
        const failure = error.redacted(redact);
        if (refused && error === refused.failure) return { ...refused, failure };
        throw failure;
      }
    },
    // This machine's clock may have been set since the answer.
    clockOffsetMs: () => told && Math.round(told.hourMs + clock.elapsed() - told.elapsedMs - clock.now()),
  };
}

interface Request {
  readonly method: Method;
  readonly url: URL;
  readonly body?: string | Uint8Array;
  readonly retries?: boolean;
  readonly mayLeave?: (() => boolean) | undefined;
}

type Reader<R> = (answer: Answer, context: AnswerContext) => R;

/** All paths start with /api/v1 (sections 4 and 9). */
function buildUrl(baseUrl: string, { path, query = {} }: Call): URL {
  // No encoding makes these safe in a path.
  const stray = path.find((segment) => segment === "" || segment === "." || segment === "..");
  if (stray !== undefined) throw usageError(`not usable as an id or number: “${stray}”`);
  const url = new URL(`${baseUrl}/api/v1/${path.map(encodeURIComponent).join("/")}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The addresses of calls stand in the logs of proxies and services. */
function keyAsNumber(): CourierError {
  return new CourierError("key_on_command_line", 2, "the API key stands where a number was expected", {
    hint: "give the number of an order or a parcel; replace the key if others could see the command line",
  });
}
