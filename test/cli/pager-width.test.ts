/** COURIER_PAGER counts lines as the terminal breaks them: a Chinese character takes two columns, a colour none. */

import { expect, test } from "vitest";
import { createServedHome } from "../support/courier.ts";

const env = { COURIER_PAGER: "no-such-pager" };
const started = "COURIER_PAGER is not used: no-such-pager cannot be started";

test("what takes 32 rows of 24 goes to the pager", async () => {
  const home = await createServedHome();
  const body = JSON.stringify({
    success: true,
    data: { id: 7, name: "张".repeat(1000), email: "a@b.c", balance: 1, api_calls_remaining: 9 },
  });
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  home.sandbox.faults.add({
    kind: "raw",
    method: "GET",
    path: "/api/v1/user/profile",
    bytes: Buffer.from(`${head}\r\n\r\n${body}`).toString("latin1"),
    processed: false,
  });
  const { stderr } = await home.courier("profile --json", { terminal: 80, env: { ...env, TERM: "xterm" } });
  expect(stderr).toContain(started);
});

test("control: 32 rows of Latin letters go to the pager", async () => {
  const home = await createServedHome();
  const body = JSON.stringify({
    success: true,
    data: { id: 7, name: "a".repeat(2000), email: "a@b.c", balance: 1, api_calls_remaining: 9 },
  });
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  home.sandbox.faults.add({
    kind: "raw",
    method: "GET",
    path: "/api/v1/user/profile",
    bytes: `${head}\r\n\r\n${body}`,
    processed: false,
  });
  const { stderr } = await home.courier("profile --json", { terminal: 80, env: { ...env, TERM: "xterm" } });
  expect(stderr).toContain(started);
});

test("what takes 18 rows of 24 does not", async () => {
  const home = await createServedHome({ seedOrders: 15 });
  const { stderr } = await home.courier("orders list --limit 15", {
    terminal: 80,
    env: { ...env, TERM: "xterm-256color", FORCE_COLOR: "1" },
  });
  expect(stderr).not.toContain(started);
});
