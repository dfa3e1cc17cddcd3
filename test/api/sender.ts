/** A process of its own that sends one POST to each URL given, and prints what came of each as a line of JSON. */

import { NoAnswer } from "../../src/api/failure.ts";
import { createTransport } from "../../src/api/transport.ts";
import { systemCode } from "../../src/core/errors.ts";

const [settings = "{}", ...urls] = process.argv.slice(2);
const transport = await createTransport(JSON.parse(settings), 5_000);
const signal = new AbortController().signal;

for (const url of urls) {
  const request = { method: "POST", url: new URL(url), headers: {}, body: "{}", signal } as const;
  const outcome = await transport.send(request).then(
    ({ status }) => ({ status }),
    (error: unknown) =>
      error instanceof NoAnswer
        ? { connected: error.connected, code: systemCode(error.cause) }
        : { error: String(error) },
  );
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
await transport.close();
