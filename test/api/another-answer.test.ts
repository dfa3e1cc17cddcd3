/** A service that mixes up its answers: nothing is done to an order that nobody named. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHome } from "../support/courier.ts";

/** Answers each question with the order, or the parcel, after the one that was asked for. */
async function createMixedUpHome() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const last = request.url?.split("/").at(-1) ?? "";
    const data = request.url?.includes("/tracking/")
      ? { tracking_number: `${last}9`, status: "picked", records: [] }
      : { id: Number(last) + 1, status: "pending", available_operations: ["cancel"] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, data }));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { COURIER_API_KEY: "key-1234", COURIER_BASE_URL: `http://127.0.0.1:${port}` };
  const home = await createHome();
  return { seen, courier: (words: string) => home.courier(words, { env }) };
}

test.each([
  ["orders show 5 --json", "the service was asked for order 5 and answered with order 6"],
  [
    "orders cancel 5 --yes --json",
    "the service was asked for order 5 and answered with order 6; nothing was cancelled",
  ],
  ["track CR5 --json", "the service was asked for parcel CR5 and answered with parcel CR59"],
])("%s: exit 70, and nothing is changed", async (words, message) => {
  const { courier, seen } = await createMixedUpHome();
  const { exit, stdout, stderr } = await courier(words);
  expect({ exit, stdout }).toEqual({ exit: 70, stdout: "" });
  expect(JSON.parse(stderr).error).toMatchObject({ code: "wrong_shape", message });
  expect(seen.filter((line) => line.startsWith("DELETE"))).toEqual([]);
});
