/** A small proxy that only tunnels: every host leads to one local port, and every request is on record. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { PrivateAuthority } from "./certificates.ts";

export interface TunnelProxy {
  readonly url: string;
  /** What clients asked to be tunnelled to: `host:port`, and the headers they sent for that. */
  readonly tunnels: readonly { readonly target: string; readonly headers: IncomingHttpHeaders }[];
}

/**
 * Tunnels to a local port; with a `refusal`, answers that status instead; with a certificate, speaks TLS itself. Ends
 * with the test.
 */
export async function startProxy(
  targetPort: number,
  refusal?: number,
  secure?: Pick<PrivateAuthority, "key" | "certificate">,
): Promise<TunnelProxy> {
  const tunnels: { target: string; headers: IncomingHttpHeaders }[] = [];
  const sockets = new Set<Socket>();
  const server = secure ? createSecureServer({ key: secure.key, cert: secure.certificate }) : createServer();
  server.on("request", (_request, response) => response.writeHead(501).end());
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", (request: IncomingMessage, client: Socket) => {
    tunnels.push({ target: request.url ?? "", headers: request.headers });
    // From here on the socket is no longer the server's own: an error without a listener would end the process.
    client.on("error", () => client.destroy());
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const service = connect(targetPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      service.pipe(client).pipe(service);
    });
    sockets.add(service);
    client.on("close", () => service.destroy());
    service.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `${secure ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
  };
}
