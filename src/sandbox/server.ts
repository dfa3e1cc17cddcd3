/** The sandbox as a running HTTP server on this machine's loopback address. */

import { setMaxListeners } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../core/clock.ts";
import { systemCode, usageError } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { account, keepAliveMs } from "./defaults.ts";
import type { FaultSource } from "./faults.ts";
import { createOrdersRepository } from "./orders-repository.ts";
import { answerCall, type Call, isAuthorized, type Route, serviceRoutes } from "./routes.ts";
import { generateSeeds } from "./seeds.ts";
import { createService } from "./service.ts";
import { openStoredOrders, type StoredOrdersOptions } from "./stored-orders.ts";
import { type Advance, advance } from "./transitions.ts";
import { readBody, send, toWire } from "./wire.ts";

export interface SandboxOptions extends StoredOrdersOptions {
  readonly clock: Clock;
  /** The one key that is accepted. */
  readonly apiKey: string;
  /** 0, the default, is any free one. */
  readonly port?: number | undefined;
  /** Number of generated orders beside the stored ones. */
  readonly seedOrders?: number | undefined;
  /** Every answer takes so much longer. */
  readonly latencyMs?: number | undefined;
  readonly faults?: FaultSource | undefined;
  /** Requests for these are not recorded, and faults do not apply to them. */
  readonly controls?: readonly Route[] | undefined;
}

export interface SandboxServer {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The latest requests for the service, oldest first; those for the control endpoint are not among them. */
  readonly requests: readonly RecordedRequest[];
  /** The account's id as the profile has it. A reset changes it, by another process too. */
  profileId(): Promise<string>;
  /** Moves a parcel on, a generated one too. Throws as `advanceParcel` does. */
  advance(move: Advance): Promise<JsonObject>;
  /** Ends every connection at once, and closes the file. */
  close(): Promise<void>;
}

export interface RecordedRequest {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const requestsKept = 10_000;

/** Throws a usage error for a port that cannot be had, and `database` for a file that cannot be used. */
export async function startSandbox(options: SandboxOptions): Promise<SandboxServer> {
  const { clock, apiKey, latencyMs = 0, faults, controls = [] } = options;
  const seeds = generateSeeds(options.seedOrders ?? 0, clock.now());
  const stored = await openStoredOrders(options);
  const orders = createOrdersRepository(stored, seeds);
  const requests: RecordedRequest[] = [];
  let callsMade = 0;
  const callsLeft = () => Math.max(0, account.apiCalls - callsMade);
  const routes = serviceRoutes(
    createService({ orders, clock, profileId: () => stored.profileId(), callsLeft }),
  );
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each answer that waits adds one

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    const body = await readBody(request);
    const call = toCall(request, body);
    const hasKey = isAuthorized(call, apiKey);
    const reply = async (from: readonly Route[]) => toWire(await answerCall(from, call, hasKey));
    if (controls.some(({ path }) => path.test(call.path))) {
      stamp(response);
      send(response, await reply(controls));
      return;
    }
    record({ method, path: url, headers: request.headers, body: body?.toString("utf8") ?? "" });
    const { delayMs = 0, spoil } = faults?.draw(method, url) ?? {};
    if (latencyMs + delayMs > 0) await clock.sleep(latencyMs + delayMs, closing.signal);
    stamp(response);
    const serve = () => {
      if (hasKey) callsMade++;
      return reply(routes);
    };
    if (spoil) await spoil(response, serve, clock);
    else send(response, await serve());
  }

  function stamp(response: ServerResponse): void {
    response.sendDate = false;
    response.setHeader("Date", new Date(clock.now()).toUTCString());
  }

  function record(request: RecordedRequest): void {
    requests.push(request);
    if (requests.length > requestsKept) requests.shift();
  }

  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    // The client is gone or the server closes: there is no connection to report it on.
    handle(request, response).catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => reject(listenError(error, options.port)));
      server.listen(options.port ?? 0, "127.0.0.1", resolve);
    });
  } catch (error) {
    stored.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.abort();
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await ended;
    stored.close();
  }

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    requests,
    profileId: async () => String(await stored.profileId()),
    advance: (move) => advance(orders, clock, move),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function toCall(request: IncomingMessage, body: Uint8Array | undefined): Call {
  const { method = "", url = "", headers } = request;
  const [path = "", ...query] = url.split("?");
  return {
    method,
    path,
    query: new URLSearchParams(query.join("?")),
    authorization: headers.authorization,
    contentType: headers["content-type"],
    body,
  };
}

function listenError(error: Error, port: number | undefined): Error {
  const code = systemCode(error);
  if (code !== "EADDRINUSE" && code !== "EACCES") return error;
  const reason = code === "EACCES" ? "not allowed" : "in use";
  return usageError(`port ${port} is ${reason}`, "choose another one, or none for any that is free");
}
