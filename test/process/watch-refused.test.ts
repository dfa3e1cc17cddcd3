/** A key that is refused while commands of --exec wait: `courier` as a real process. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createProcessHome } from "../support/process.ts";

const numbers = ["T1", "T2", "T3"];

test("--exec commands that wait when the key is refused are counted, and not run", async () => {
  const polls = new Map<string, number>();
  const server = createServer((request, response) => {
    const number = request.url?.split("/").at(-1) ?? "";
    const send = (status: number, body: object) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (!numbers.includes(number))
      return send(200, { success: true, data: { id: 1, api_calls_remaining: 9999 } });
    const poll = (polls.get(number) ?? 0) + 1;
    polls.set(number, poll);
    if (poll > 2)
      return send(401, { success: false, error: { code: "UNAUTHORIZED", message: "key revoked" } });
    send(200, {
      success: true,
      data: { tracking_number: number, status: poll === 1 ? "picked" : "in_transit", records: [] },
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const home = await createProcessHome({
    COURIER_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    COURIER_API_KEY: "test-key-0123456789",
  });
  const ran = path.join(home.directory, "ran");
  const running = home.start([
    "track",
    ...numbers,
    "--watch",
    "--interval",
    "1s",
    "--yes",
    "--ndjson",
    "--exec",
    `sleep 4; echo "$COURIER_TRACKING_NUMBER" >> '${ran}'`,
  ]);
  const { exit, stderr } = await running.ended;
  expect(exit, stderr).toBe(4);
  expect(stderr).toMatch(/--exec: the watch ended with an error, so it was not run for \d changes?/);
  expect(
    (await readFile(ran, "utf8").catch(() => "")).trim().split("\n").filter(Boolean).length,
  ).toBeLessThan(2);
}, 60_000);
