/** Real servers on loopback that misbehave on demand, and a transport to meet them with. */

import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { NoAnswer } from "../../src/api/failure.ts";
import type { ProxySettings } from "../../src/api/proxy-route.ts";
import { createTransport, type Transport, type WireRequest } from "../../src/api/transport.ts";

export interface Listening {
  readonly port: number;
  readonly url: URL;
  /** Connections that were made so far. */
  readonly connections: readonly Socket[];
}

/** Listens on loopback until the test ends. */
export async function listen(server: Server, protocol = "http"): Promise<Listening> {
  const connections: Socket[] = [];
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => {});
    connections.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: new URL(`${protocol}://127.0.0.1:${port}/orders`), connections };
}

/** A server that is given each connection with what has come on it so far, from the first byte on. */
export function listenRaw(onData: (socket: Socket, received: string) => void): Promise<Listening> {
  const server = createServer((socket) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      onData(socket, received);
    });
  });
  return listen(server);
}

export function listenHttp(onRequest: RequestListener): Promise<Listening> {
  return listen(createHttpServer(onRequest));
}

/** A port at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A transport that is closed when the test ends. */
export function openTransport(proxy: ProxySettings = {}, timeoutMs = 5_000): Transport {
  const opening = createTransport(proxy, timeoutMs);
  onTestFinished(async () => (await opening).close());
  return {
    send: async (request) => (await opening).send(request),
    close: async () => (await opening).close(),
  };
}

export function requestTo(url: URL, more: Partial<WireRequest> = {}): WireRequest {
  return { method: "GET", url, headers: {}, signal: new AbortController().signal, ...more };
}

/** The NoAnswer with which a sending must end. */
export async function noAnswerOf(sending: Promise<unknown>): Promise<NoAnswer> {
  const result = await sending.then(
    () => new Error("an answer came"),
    (error: unknown) => error,
  );
  if (result instanceof NoAnswer) return result;
  throw result;
}

/** A whole HTTP answer as it goes over the wire. */
export function rawAnswer(body: string, head: readonly string[] = []): string {
  return ["HTTP/1.1 200 OK", `Content-Length: ${Buffer.byteLength(body)}`, ...head, "", body].join("\r\n");
}
