/** One service with several customers, told apart by their keys. Each numbers its orders alone. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createHome, type Home } from "./courier.ts";
import { type FaultySandbox, startFaultySandbox } from "./wire-faults.ts";

export interface TwoCustomers extends Home {
  readonly baseUrl: string;
  readonly first: FaultySandbox;
  readonly second: FaultySandbox;
  /** Drops each connection. */
  setDown(isDown: boolean): void;
}

export const firstKey = "first-key-0123456789";
export const rotatedKey = "rotated-key-0123456789";
export const secondKey = "second-key-0123456789";

/** `rotatedKey` is the first customer's, too. */
export async function createTwoCustomers(): Promise<TwoCustomers> {
  const home = await createHome();
  const start = async (name: string) => {
    const sandbox = await startFaultySandbox({
      stateDir: `${home.directory}/${name}`,
      clock: home.clock,
      apiKey: firstKey,
    });
    onTestFinished(() => sandbox.close());
    return sandbox;
  };
  const [first, second] = [await start("first"), await start("second")];
  const keys = new Map([
    [firstKey, first],
    [rotatedKey, first],
    [secondKey, second],
  ]);
  let isDown = false;
  const server = createServer(async (request, response) => {
    const { method = "GET", url, headers, socket } = request;
    const sandbox = keys.get(headers.authorization?.replace("Bearer ", "") ?? "");
    if (isDown || !sandbox) return socket.destroy();
    const answer = await fetch(`${sandbox.baseUrl}${url}`, {
      method,
      headers: { authorization: `Bearer ${firstKey}`, "content-type": "application/json" },
      ...(method === "POST" ? { body: await text(request) } : {}),
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...home,
    baseUrl,
    first,
    second,
    setDown(value) {
      isDown = value;
    },
  };
}
