/**
 * A process of its own that works on a sandbox's file: `writer.ts create DIRECTORY COUNT`, `writer.ts cancel
 * DIRECTORY ID`, `writer.ts serve DIRECTORY KEY`. It says `ready`, waits for a line, works, and prints results.
 */

import { once } from "node:events";
import { systemClock } from "../../src/core/clock.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { openStoredOrders } from "../../src/sandbox/stored-orders.ts";
import { cancelAt } from "../../src/sandbox/transitions.ts";

const [action, stateDir = "", value = ""] = process.argv.slice(2);
const clock = systemClock();

process.stdout.write("ready\n");
await once(process.stdin, "data");

if (action === "serve") {
  const { baseUrl } = await startSandbox({ stateDir, clock, apiKey: value });
  process.stdout.write(`${baseUrl}\n`);
  await once(process.stdin, "end");
}

const stored = await openStoredOrders({ stateDir });
if (action === "create") {
  for (let left = Number(value); left > 0; left--) {
    const item = { name: `${process.pid}-${left}` };
    const content = {
      createdMs: clock.now(),
      serviceType: "standard",
      sender: {},
      receiver: {},
      item,
    } as const;
    process.stdout.write(`${(await stored.create(content)).id} ${item.name}\n`);
  }
} else {
  try {
    await stored.change(Number(value), cancelAt(clock.now()));
    process.stdout.write("cancelled\n");
  } catch (error) {
    process.stdout.write(`${(error as { code: string }).code}\n`);
  }
}
stored.close();
process.stdin.destroy();
