/** An unfaithful service that takes any key for one customer's. It refuses the profile until it is told to show it. */

import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { sheet } from "./imports.ts";
import { createUnfaithfulHome } from "./unfaithful-service.ts";

export const firstKey = "first-key-0123456789";
export const renewedKey = "renewed-key-0123456789";

const refusal = '{"success":false,"error":{"code":"FORBIDDEN","message":"no"}}';
const profile = '{"success":true,"data":{"id":7,"name":"A","api_calls_remaining":1000}}';

export async function createRenewedHome() {
  const home = await createUnfaithfulHome();
  const { service, clock, directory } = home;
  const gate = { showsProfile: false };
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "" } = request;
    response.sendDate = false;
    if (url === "/api/v1/user/profile") {
      const headers = { "content-type": "application/json", date: new Date(clock.now()).toUTCString() };
      response.writeHead(gate.showsProfile ? 200 : 403, headers).end(gate.showsProfile ? profile : refusal);
      return;
    }
    const body = method === "POST" ? await text(request) : null;
    const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
    try {
      const answer = await fetch(`${service.baseUrl}${url}`, { method, headers, body });
      const content = await answer.text();
      const kept = ["content-type", "date"].flatMap((name) => [name, answer.headers.get(name) ?? ""]);
      response.writeHead(answer.status, kept).end(content);
    } catch {
      request.socket.destroy(); // the answer was lost
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
  const courier = (words: string, stdin?: string) =>
    home.courier(words, { env, ...(stdin === undefined ? {} : { stdin }) });
  const login = async (key: string, words = "") => {
    const ran = await courier(`login --base-url ${baseUrl} --allow-http ${words}`, key);
    expect(ran.exit, ran.stderr).toBe(0);
  };
  const importRows = async (rows: readonly string[], words = "") => {
    const file = path.join(directory, "orders.csv");
    await writeFile(file, sheet(...rows));
    const ran = await courier(`orders import ${file} --yes --json ${words}`);
    return { ...ran, report: JSON.parse(ran.stdout || "[]") };
  };
  return {
    home,
    courier,
    login,
    importRows,
    /** The account gets another key of the customer, and the service shows whose it is. */
    async renew(words = "") {
      gate.showsProfile = true;
      await login(renewedKey, words);
    },
    sent: () => service.orders.length,
  };
}
