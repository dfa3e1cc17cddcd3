/** Bytes in and out: a request's body within a bound, an answer as headers and JSON text. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../core/clock.ts";
import { stringifyJson } from "../model/json.ts";
import type { Answer } from "./answer.ts";
import { bodyLimitBytes } from "./defaults.ts";

/** An answer as it goes over the wire; text leaves together with the headers in one write. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The whole body, or undefined where it is too long; what is too much is read and thrown away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    sizeBytes += chunk.length;
    if (sizeBytes <= bodyLimitBytes) chunks.push(chunk);
  }
  return sizeBytes <= bodyLimitBytes ? Buffer.concat(chunks) : undefined;
}

export function toWire({ status, body, headers }: Answer): WireAnswer {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: stringifyJson(body) };
}

export function send(response: ServerResponse, answer: WireAnswer): void {
  announce(response, answer).end(answer.body);
}

/** Announces the whole body, sends half of it, and calls `then` once that has left. */
export function sendHalf(response: ServerResponse, answer: WireAnswer, then: () => void): void {
  announce(response, answer).write(firstHalf(answer), then);
}

/** Announces the whole body and sends it byte by byte. */
export function drip(response: ServerResponse, answer: WireAnswer, everyMs: number, clock: Clock): void {
  const bytes = Buffer.from(answer.body);
  announce(response, answer).flushHeaders();
  let sent = 0;
  let cancel = () => {};
  const sendNext = () => {
    response.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (sent < bytes.length) cancel = clock.after(everyMs, sendNext);
    else response.end();
  };
  response.on("close", () => cancel());
  cancel = clock.after(everyMs, sendNext);
}

/** Announces so many bytes more, or fewer, than it sends; then ends the connection. */
export function sendWithLength(response: ServerResponse, answer: WireAnswer, more: number): void {
  const length = Math.max(0, Buffer.byteLength(answer.body) + more);
  sendRaw(response, { ...answer, headers: { ...answer.headers, "Content-Length": String(length) } }, "1.1");
}

/** Writes an answer past Node.js, which would correct it, and ends the connection. */
export function sendRaw(response: ServerResponse, answer: WireAnswer, version: "1.0" | "1.1"): void {
  const { status, headers, body } = answer;
  const fields = Object.entries({ ...response.getHeaders(), ...headers });
  const head = [`HTTP/${version} ${status} `, ...fields.map(([name, value]) => `${name}: ${value}`)];
  response.socket?.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]));
}

export function firstHalf({ body }: WireAnswer): Uint8Array {
  const bytes = Buffer.from(body);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

function announce(response: ServerResponse, { status, headers, body }: WireAnswer): ServerResponse {
  return response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
}
