/** `courier sandbox serve`: runs the embedded service for other clients until it is stopped. */

import { type Context, defineCommand, events } from "../command/command.ts";
import { countOption, switchOption } from "../command/options.ts";
import type { ServedSandbox } from "../model/results.ts";
import { type Block, fields, line, styled } from "../terminal/blocks.ts";

/** The sandbox lists an order as soon as it is made: this is as short as the embedded one's. */
const settle = "10s";

export const serveSandbox = defineCommand({
  arguments: {},
  options: {
    port: countOption("N", "port to listen on (default: any free one)", { min: 0, max: 65_535 }),
    seedOrders: countOption("N", "add N generated orders, kept in memory only", { min: 0, max: 1_000_000 }),
    latency: countOption("MS", "wait this many milliseconds before each answer", { min: 0, max: 600_000 }),
    faults: switchOption("let clients plan faults at /_sandbox/faults"),
  },
  printsText: true,
  examples: [
    {
      line: "sandbox serve --port 4010",
      note: "then: COURIER_BASE_URL=http://127.0.0.1:4010 COURIER_API_KEY=sandbox-key courier profile",
    },
    {
      line: "sandbox serve --seed-orders 5000 --latency 20",
      note: "a large, slower service to try things against",
    },
  ],
  seeAlso: ["sandbox advance", "sandbox reset"],
  async run({ port, seedOrders, latency, faults }, context) {
    const sandbox = await context.sandbox();
    const server = await sandbox.serve({
      ...(port === undefined ? {} : { port }),
      ...(seedOrders === undefined ? {} : { seedOrders }),
      ...(latency === undefined ? {} : { latencyMs: latency }),
      ...(faults === undefined ? {} : { faults }),
    });
    return events(served(server, context), servedView);
  },
});

async function* served(
  server: { baseUrl: string; apiKey: string; close(): Promise<void> },
  { signal }: Context,
): AsyncGenerator<ServedSandbox, void> {
  try {
    yield { base_url: server.baseUrl, api_key: server.apiKey, settle };
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  } finally {
    await server.close();
  }
}

function servedView({ base_url, api_key, settle }: ServedSandbox): readonly Block[] {
  return [
    line(styled("good", "The sandbox is listening"), "; stop it with Ctrl-C"),
    fields(["COURIER_BASE_URL", base_url], ["COURIER_API_KEY", api_key], ["COURIER_SETTLE", settle]),
  ];
}
