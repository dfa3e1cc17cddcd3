/** Routes requests to their endpoints, and turns refusals into failure envelopes (specification, 4, 5, 7). */

import { type Json, JsonSyntaxError, parseJson } from "../model/json.ts";
import { type Answer, refused } from "./answer.ts";
import { failures } from "./defaults.ts";
import { notFound, Refusal } from "./refusal.ts";
import type { Service } from "./service.ts";

/** A request whose body has arrived. */
export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  /** Undefined when it went beyond the limit and was thrown away. */
  readonly body: Uint8Array | undefined;
}

/** `parameter` is what the path's pattern captured, decoded. */
type Handler = (call: Call, parameter: string) => Answer | Promise<Answer>;

export interface Route {
  readonly path: RegExp;
  readonly methods: Readonly<Record<string, Handler>>;
}

export function serviceRoutes(service: Service): readonly Route[] {
  return [
    { path: /^\/api\/v1\/user\/profile$/, methods: { GET: () => service.profile() } },
    {
      path: /^\/api\/v1\/orders$/,
      methods: {
        GET: ({ query }) => service.listOrders(query),
        POST: (call) => service.createOrder(readJson(call)),
      },
    },
    {
      path: /^\/api\/v1\/orders\/([^/]+)$/,
      methods: { GET: (_, id) => service.showOrder(id), DELETE: (_, id) => service.cancelOrder(id) },
    },
    { path: /^\/api\/v1\/tracking\/([^/]+)$/, methods: { GET: (_, number) => service.track(number) } },
  ];
}

/** Section 5: every request carries the key, whatever it asks for. */
export function isAuthorized({ authorization }: Call, apiKey: string): boolean {
  const [, scheme = "", key] = /^(\S+) +(.*)$/.exec(authorization ?? "") ?? [];
  return scheme.toLowerCase() === "bearer" && key === apiKey;
}

/** Answers a call by its route; a refusal becomes the failure envelope, and so does a fault of our own. */
export async function answerCall(routes: readonly Route[], call: Call, hasKey: boolean): Promise<Answer> {
  try {
    if (!hasKey) throw unauthorized();
    if (!call.body) throw new Refusal(failures.bodyTooLarge, "the request body is too large");
    for (const { path, methods } of routes) {
      const [matched, parameter = ""] = path.exec(call.path) ?? [];
      if (matched !== undefined) return await handlerOf(methods, call.method)(call, decode(parameter));
    }
    throw notFound(call.path);
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    return refused(new Refusal(failures.internal, error instanceof Error ? error.message : String(error)));
  }
}

function handlerOf(methods: Route["methods"], method: string): Handler {
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler) return handler;
  const allowed = Object.keys(methods).join(", ");
  const message = `${method} is not possible here, only ${allowed}`;
  throw new Refusal(failures.methodNotAllowed, message, undefined, { Allow: allowed });
}

function unauthorized(): Refusal {
  const message = "the header Authorization: Bearer <API_KEY> is missing or names an unknown key";
  return new Refusal(failures.unauthorized, message, undefined, { "WWW-Authenticate": "Bearer" });
}

/** Section 4: request bodies are JSON and say so. */
export function readJson({ contentType, body }: Call): Json {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? "")) {
    throw new Refusal(failures.unsupportedMediaType, "the request body must be application/json");
  }
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) && !(error instanceof TypeError)) throw error;
    throw new Refusal(failures.invalidJson, `the request body is not JSON: ${error.message}`);
  }
}

/** A segment with a wrong encoding stays unchanged, and matches nothing. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
