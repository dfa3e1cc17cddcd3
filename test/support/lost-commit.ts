/** The way to a PostgreSQL server that breaks at a COMMIT, before it gets there or before its answer comes back. */

import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface BreakingWay {
  /** The same address, by this way. */
  readonly address: string;
  /** False when it has broken: from then on it lets everything through. */
  readonly isWhole: boolean;
}

/** Breaks once, at the first COMMIT after the server was sent `text`; with `instead`, which happens in its place. */
export async function breakAtCommit(
  address: string,
  text: string,
  instead?: () => Promise<unknown>,
): Promise<BreakingWay> {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  let isSent = false;
  let isWhole = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isLast = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [client, upstream].map((each) => each.destroy()));
    }
    client.on("data", (bytes) => {
      isSent ||= bytes.includes(text);
      isLast = isSent && isWhole && bytes.includes("COMMIT");
      if (!isLast || !instead) return upstream.write(bytes);
      isWhole = false;
      return instead().finally(() => client.destroy());
    });
    upstream.on("data", (bytes) => {
      if (!isLast) return client.write(bytes);
      isWhole = false;
      return client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const way = new URL(address);
  way.port = String((server.address() as { readonly port: number }).port);
  return {
    address: way.href,
    get isWhole() {
      return isWhole;
    },
  };
}
