/** Bytes in and out: a request's body within a bound, an answer as headers and JSON text. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { stringifyJson } from "../model/json.ts";
import type { Answer } from "./answer.ts";
import { bodyLimitBytes } from "./defaults.ts";

/** An answer as it goes over the wire; text leaves together with the headers in one write. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The whole body, or undefined where it is too long; the rest is read and discarded. */
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

export function send(response: ServerResponse, { status, headers, body }: WireAnswer): void {
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
}
