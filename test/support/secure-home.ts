/** A home of real processes whose service is behind TLS. */

import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { createAuthority } from "./certificates.ts";
import { createServedProcessHome, type ServedProcessHome } from "./process.ts";

export interface SecureHome extends ServedProcessHome {
  readonly port: number;
  /** What makes courier trust the service. */
  readonly trust: { readonly NODE_EXTRA_CA_CERTS: string };
}

/** A sandbox behind TLS, with a certificate of an authority that nobody knows. */
export async function createSecureHome(): Promise<SecureHome> {
  const home = await createServedProcessHome({ seedOrders: 3 });
  const { authority, key, certificate } = createAuthority(["127.0.0.1", "0.0.0.0", "service.test"]);
  const authorityFile = path.join(home.directory, "authority.pem");
  await writeFile(authorityFile, authority);
  const backend = new URL(home.sandbox.baseUrl);
  const sockets = new Set<Duplex>();
  const server = createServer({ key, cert: certificate });
  server.on("connection", (socket) => sockets.add(socket));
  // What comes out of the tunnel goes to the sandbox as it is.
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (secure) => {
    const plain = connect(Number(backend.port), backend.hostname);
    plain.on("error", () => secure.destroy());
    secure.on("error", () => plain.destroy());
    secure.pipe(plain).pipe(secure);
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    ...home,
    port: (server.address() as AddressInfo).port,
    trust: { NODE_EXTRA_CA_CERTS: authorityFile },
  };
}
