/** The faults that a service, or what lies before it, can have, by the names that tests' tables use. */

import { createServer as createSecureServer } from "node:https";
import { freePort, listen, listenRaw } from "../api/wire.ts";
import { createAuthority, type PrivateAuthority } from "./certificates.ts";
import { trusted } from "./trusted.ts";
import type { WireFault } from "./wire-faults.ts";

/** A place that gives no answer; nobody can say what a request did there. */
export interface Place {
  readonly baseUrl: string;
  /** It takes connections and says nothing. */
  readonly hangs?: true;
}

/** Text that would act on a terminal: colour, title, bell, C1 string, bidi override. */
const hostile = "\u001b[31mred\u001b]0;title\u0007\u009d0;x\u009c\u202egnihton\r\n";

const fiftyMegabytes = 50_000_000;
const notHttp = "this is no HTTP \u001b[31m\r\n\r\n";
const deepest = 100_000;
const nested = `{"success":true,"data":${"[".repeat(deepest)}${"]".repeat(deepest)}}`;
const longPage = JSON.stringify({
  success: true,
  data: Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1, status: "paid" })),
  pagination: { current_page: 1, total_pages: 1, total_items: 20_000, per_page: 10 },
});

const status = (code: number, processed = false): WireFault => ({
  kind: "status",
  status: code,
  body: code === 204 ? "" : `<h1>${hostile}</h1>`,
  contentType: "text/html",
  processed,
});
const json = (body: string): WireFault => ({
  kind: "status",
  status: 200,
  body,
  contentType: "application/json",
});
const refuse = (code: number, errorCode: string): WireFault => ({
  kind: "refuse",
  status: code,
  code: errorCode,
  message: `no ${hostile}`,
  details: { field: hostile, value: hostile },
});
const redirect = (code: number, location: string, processed = false): WireFault => ({
  kind: "redirect",
  status: code,
  location,
  processed,
});

/** Faults of a service that is reached. `done` means: the request took effect. */
export const faults: Readonly<Record<string, WireFault>> = {
  latency: { kind: "latency", ms: 1_000 },
  http_1_0: { kind: "http_1_0" },
  gzip: { kind: "encoded", encoding: "gzip" },
  br: { kind: "encoded", encoding: "br" },
  deflate: { kind: "encoded", encoding: "deflate" },
  "zstd, unasked": {
    kind: "status",
    status: 200,
    body: "(\u00b5/\u00fd",
    headers: { "Content-Encoding": "zstd" },
  },
  drop_before: { kind: "drop_before" },
  drop_after: { kind: "drop_after" },
  drop_mid_body: { kind: "drop_mid_body" },
  truncate: { kind: "truncate" },
  "body too short": { kind: "wrong_length", more: 40 },
  "body too long": { kind: "wrong_length", more: -40 },
  stall: { kind: "stall" },
  stall_body: { kind: "stall_body" },
  drip: { kind: "drip", everyMs: 1_000 },
  "204": status(204),
  "204 done": status(204, true),
  "401": status(401),
  "403": status(403),
  "404": status(404),
  "407": status(407),
  "407 done": status(407, true),
  "408": status(408),
  "408 done": status(408, true),
  "409": status(409),
  "422": status(422),
  "429": { kind: "rate_limit" },
  "429, 7 s": { kind: "rate_limit", retryAfter: "7" },
  "429, a date": { kind: "rate_limit", retryAfter: "Sun, 01 Mar 2026 08:00:07 GMT" },
  "429, 60 s": { kind: "rate_limit", retryAfter: "60" },
  "429, a day": { kind: "rate_limit", retryAfter: "86400" },
  "500": status(500),
  "500 done": status(500, true),
  "501": status(501),
  "502": status(502),
  "503": status(503),
  "503, an hour": { kind: "status", status: 503, headers: { "Retry-After": "3600" } },
  "504": status(504),
  "504 done": status(504, true),
  "refused, 200": refuse(200, "SOME_CODE"),
  "refused, 400": refuse(400, "INVALID_PARAMETER"),
  "refused, 500": refuse(500, "INTERNAL"),
  "refused, 302": refuse(302, "MOVED"),
  "refused, 308, done": {
    kind: "status",
    status: 308,
    body: '{"success":false,"error":{"code":"MOVED","message":"see other"}}',
    contentType: "application/json",
    processed: true,
  },
  "302 elsewhere": redirect(302, "https://elsewhere.test/login"),
  "302 done": redirect(302, "https://elsewhere.test/login", true),
  "303 same, done": redirect(303, "/api/v1/orders/1", true),
  "307 elsewhere": redirect(307, "https://elsewhere.test/login"),
  "308 to itself": redirect(308, "?"),
  "web page": { kind: "garbage", content: "html" },
  bytes: { kind: "garbage", content: "binary" },
  "bytes done": { kind: "garbage", content: "binary", processed: true },
  "no HTTP": { kind: "raw", bytes: notHttp },
  "no HTTP, done": { kind: "raw", bytes: notHttp, processed: true },
  "wrong shape": { kind: "wrong_shape", data: [hostile] },
  "wrong shape, done": { kind: "wrong_shape", data: hostile, processed: true },
  "50 MB": { kind: "huge_body", bytes: fiftyMegabytes },
  "50 MB, done": { kind: "huge_body", bytes: fiftyMegabytes, processed: true },
  "deep nesting": json(nested),
  "20,000 rows": json(longPage),
};

const overTls = ({ port }: { port: number }) => ({ baseUrl: `https://127.0.0.1:${port}` });

async function listenSecurely({ key, certificate }: PrivateAuthority): Promise<Place> {
  const server = createSecureServer({ key, cert: certificate }, (_request, response) => response.end("{}"));
  server.on("tlsClientError", () => {});
  return overTls(await listen(server));
}

/** Faults on the way to a service: each opens a place for one test. */
export const places: Readonly<Record<string, () => Promise<Place>>> = {
  "refused port": async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` }),
  "unknown host": async () => ({ baseUrl: "https://nonexistent.invalid" }),
  "no handshake": async () => ({ ...overTls(await listenRaw(() => {})), hangs: true }),
  "unknown CA": () => listenSecurely(createAuthority(["127.0.0.1"])),
  "expired certificate": () => listenSecurely(trusted("expired")),
  "certificate of another": () => listenSecurely(trusted("foreign")),
  "reset in handshake": async () => overTls(await listenRaw((socket) => socket.resetAndDestroy())),
  "reset during request": async () => {
    const { url } = await listenRaw((socket) => socket.resetAndDestroy());
    return { baseUrl: url.origin };
  },
};
