/** The sandbox with faults of every kind: those that it offers, and what only tests need. */

import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Clock } from "../../src/core/clock.ts";
import type { Json } from "../../src/model/json.ts";
import { spoilPlainly } from "../../src/sandbox/apply-fault.ts";
import {
  createFaultPlan,
  type FaultPlan,
  type FaultRule,
  type Fault as PlainFault,
  type Spoil,
} from "../../src/sandbox/faults.ts";
import { type SandboxOptions, type SandboxServer, startSandbox } from "../../src/sandbox/server.ts";
import { send, toWire, type WireAnswer } from "../../src/sandbox/wire.ts";

type OtherPlainFault = Exclude<PlainFault, { kind: "status" }>;

/** `processed` says whether the request takes effect before the made-up answer is sent. */
export type WireFault =
  | OtherPlainFault
  /** An answer of any status, with a body of any text. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly processed?: boolean;
    }
  /** A failure envelope (section 7); not processed. */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly details?: Json;
    }
  /** Processed; the connection is lost in the middle of the body. */
  | { readonly kind: "drop_mid_body" }
  /** Processed; half of the body, then nothing more. */
  | { readonly kind: "stall_body" }
  /** Processed; one byte of the body at a time, so many milliseconds apart. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Processed; a complete answer whose JSON is cut in half. */
  | { readonly kind: "truncate" }
  /** Processed; announces so many bytes more than it sends, or fewer where negative, then ends the connection. */
  | { readonly kind: "wrong_length"; readonly more: number }
  /** Processed; the true answer in an encoding, asked for or not. */
  | { readonly kind: "encoded"; readonly encoding: Encoding }
  /** Processed; the true answer in HTTP/1.0, without a length: the end of the connection ends it. */
  | { readonly kind: "http_1_0" }
  /** 200 with something that is no JSON. */
  | { readonly kind: "garbage"; readonly content?: "html" | "binary"; readonly processed?: boolean }
  /** 200 and `success: true` with data of an unexpected shape. */
  | { readonly kind: "wrong_shape"; readonly data?: Json; readonly processed?: boolean }
  | {
      readonly kind: "redirect";
      readonly location: string;
      readonly status?: number;
      readonly processed?: boolean;
    }
  /** 200 with a well-formed body of this size. */
  | { readonly kind: "huge_body"; readonly bytes: number; readonly processed?: boolean }
  /** Written to the socket instead of an answer, one byte per character; then the connection ends. */
  | { readonly kind: "raw"; readonly bytes: string; readonly processed?: boolean };

type Encoding = "gzip" | "br" | "deflate";

export type WireFaultKind = WireFault["kind"];
export type WireRule = FaultRule<WireFault>;

export interface FaultySandbox extends SandboxServer {
  readonly faults: FaultPlan<WireFault>;
}

/** Every kind, by what a test of it has to give. */
export const wireFaultKinds = [
  "latency",
  "status",
  "drop_before",
  "drop_after",
  "stall",
  "rate_limit",
  "refuse",
  "drop_mid_body",
  "stall_body",
  "drip",
  "truncate",
  "wrong_length",
  "encoded",
  "http_1_0",
  "garbage",
  "wrong_shape",
  "redirect",
  "huge_body",
  "raw",
] as const satisfies readonly WireFaultKind[];

export function createWireFaultPlan(): FaultPlan<WireFault> {
  return createFaultPlan(spoilFor);
}

export async function startFaultySandbox(options: SandboxOptions): Promise<FaultySandbox> {
  const faults = createWireFaultPlan();
  return { ...(await startSandbox({ faults, ...options })), faults };
}

const plainKinds: readonly string[] = ["latency", "drop_before", "drop_after", "stall", "rate_limit"];

function isPlain(fault: WireFault): fault is OtherPlainFault {
  return plainKinds.includes(fault.kind);
}

function spoilFor(fault: WireFault): Spoil {
  if (isPlain(fault)) return spoilPlainly(fault);
  return (response, serve, clock) => spoil(fault, response, serve, clock);
}

const html = "<!doctype html>\n<html><body><h1>Welcome</h1><p>Sign in to continue.</p></body></html>\n";
const binary = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const chunk = "a".repeat(64 * 1024);

const encoders: Readonly<Record<Encoding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
};

async function spoil(
  fault: WireFault,
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
async function distort(fault: WireFault, serve: () => Promise<WireAnswer>): Promise<WireAnswer | undefined> {
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
function madeUpAnswer(fault: WireFault): WireAnswer | undefined {
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
    case "redirect":
      return { status: fault.status ?? 302, headers: { Location: fault.location }, body: "" };
    default:
      return undefined;
  }
}

/** Faults in the way an answer is sent, or not sent. */
async function breakConnection(
  fault: WireFault,
  response: ServerResponse,
  serve: () => Promise<WireAnswer>,
  clock: Clock,
): Promise<void> {
  const { socket } = response;
  const disconnect = () => socket?.destroy();
  switch (fault.kind) {
    case "drop_mid_body":
      sendHalf(response, await serve(), disconnect);
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

/** Announces the whole body, sends half of it, and calls `then` once that has left. */
function sendHalf(response: ServerResponse, answer: WireAnswer, then: () => void): void {
  announce(response, answer).write(firstHalf(answer), then);
}

/** Announces the whole body and sends it byte by byte. */
function drip(response: ServerResponse, answer: WireAnswer, everyMs: number, clock: Clock): void {
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
function sendWithLength(response: ServerResponse, answer: WireAnswer, more: number): void {
  const length = Math.max(0, Buffer.byteLength(answer.body) + more);
  sendRaw(response, { ...answer, headers: { ...answer.headers, "Content-Length": String(length) } }, "1.1");
}

/** Writes an answer past Node.js, which would correct it, and ends the connection. */
function sendRaw(response: ServerResponse, answer: WireAnswer, version: "1.0" | "1.1"): void {
  const { status, headers, body } = answer;
  const fields = Object.entries({ ...response.getHeaders(), ...headers });
  const head = [`HTTP/${version} ${status} `, ...fields.map(([name, value]) => `${name}: ${value}`)];
  response.socket?.end(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]));
}

function firstHalf({ body }: WireAnswer): Uint8Array {
  const bytes = Buffer.from(body);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

function announce(response: ServerResponse, { status, headers, body }: WireAnswer): ServerResponse {
  return response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
}
