/** Carries out a fault on one connection. */

import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Clock } from "../core/clock.ts";
import { refused } from "./answer.ts";
import { failures } from "./defaults.ts";
import type { Encoding, Fault } from "./faults.ts";
import { Refusal } from "./refusal.ts";
import { drip, firstHalf, send, sendHalf, sendRaw, sendWithLength, toWire, type WireAnswer } from "./wire.ts";

const html = "<!doctype html>\n<html><body><h1>Welcome</h1><p>Sign in to continue.</p></body></html>\n";
const binary = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const chunk = "a".repeat(64 * 1024);

const encoders: Readonly<Record<Encoding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
};

export const encodings = Object.keys(encoders) as readonly Encoding[];

/** Spoils the answer to a request. `serve` makes the request take effect and gives the true answer. */
export async function misbehave(
  fault: Fault,
  response: ServerResponse,
  serve: () => Promise<WireAnswer>,
  clock: Clock,
): Promise<void> {
  if ("processed" in fault && fault.processed) await serve();
  const made = madeUpAnswer(fault) ?? (await distort(fault, serve));
  if (made) send(response, made);
  else await breakConnection(fault, response, serve, clock);
}

/** Faults that are the true answer, only not as it should be. */
async function distort(fault: Fault, serve: () => Promise<WireAnswer>): Promise<WireAnswer | undefined> {
  switch (fault.kind) {
    case "truncate": {
      const answer = await serve();
      return { ...answer, body: firstHalf(answer) };
    }
    case "encoded": {
      const { body, headers, ...answer } = await serve();
      const encoded = encoders[fault.encoding](Buffer.from(body));
      return { ...answer, headers: { ...headers, "Content-Encoding": fault.encoding }, body: encoded };
    }
    default:
      return undefined;
  }
}

/** Faults that are a complete answer, only not the true one. */
function madeUpAnswer(fault: Fault): WireAnswer | undefined {
  switch (fault.kind) {
    case "status": {
      const headers = { "Content-Type": fault.contentType ?? "text/plain; charset=utf-8", ...fault.headers };
      return { status: fault.status, headers, body: fault.body ?? "" };
    }
    case "refuse": {
      const { status, code, message, details } = fault;
      return toWire({ status, body: { success: false, error: { code, message, details } } });
    }
    case "garbage":
      return fault.content === "binary"
        ? { status: 200, headers: { "Content-Type": "application/octet-stream" }, body: binary }
        : { status: 200, headers: { "Content-Type": "text/html" }, body: html };
    case "wrong_shape":
      return toWire({
        status: 200,
        body: { success: true, data: fault.data === undefined ? "unexpected" : fault.data },
      });
    case "rate_limit": {
      const headers = fault.retryAfter === undefined ? {} : { "Retry-After": fault.retryAfter };
      return toWire(refused(new Refusal(failures.rateLimited, "too many requests", undefined, headers)));
    }
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: fault.location }, body: "" };
    default:
      return undefined;
  }
}

/** Faults in the way an answer is sent, or not sent. */
async function breakConnection(
  fault: Fault,
  response: ServerResponse,
  serve: () => Promise<WireAnswer>,
  clock: Clock,
): Promise<void> {
  const { socket } = response;
  const disconnect = () => socket?.destroy();
  switch (fault.kind) {
    case "drop_before":
      disconnect();
      break;
    case "drop_after":
      await serve();
      disconnect();
      break;
    case "drop_mid_body":
      sendHalf(response, await serve(), disconnect);
      break;
    case "stall_headers":
      await serve();
      break;
    case "stall_body":
      sendHalf(response, await serve(), () => {});
      break;
    case "drip":
      drip(response, await serve(), fault.everyMs, clock);
      break;
    case "wrong_length":
      sendWithLength(response, await serve(), fault.more);
      break;
    case "http_1_0":
      sendRaw(response, await serve(), "1.0");
      break;
    case "huge_body":
      response.writeHead(200, { "Content-Type": "application/json" });
      pipeline(Readable.from(hugeJson(fault.bytes)), response, () => {});
      break;
    case "raw":
      socket?.end(Buffer.from(fault.bytes, "latin1"));
      break;
    default:
      send(response, await serve());
  }
}

function* hugeJson(sizeBytes: number): Generator<string> {
  const [start, end] = ['{"success":true,"data":"', '"}'];
  yield start;
  for (let leftBytes = sizeBytes - start.length - end.length; leftBytes > 0; leftBytes -= chunk.length) {
    yield chunk.slice(0, leftBytes);
  }
  yield end;
}
