/**
 * A process of its own that works on a sandbox's directory: `writer.ts create DIRECTORY COUNT`,
 * `writer.ts cancel DIRECTORY ID`. It says `ready`, waits for a line, works, and prints what came of it.
 */

import { once } from "node:events";
import { systemClock } from "../../src/core/clock.ts";
import { openLedger } from "../../src/sandbox/ledger.ts";
import { cancelAt } from "../../src/sandbox/moves.ts";
import { generateSeeds } from "../../src/sandbox/seeds.ts";
import { openStore } from "../../src/sandbox/store.ts";

const [deed, stateDir = "", number] = process.argv.slice(2);
const clock = systemClock();
const ledger = openLedger(openStore(stateDir), generateSeeds(0, clock.now()));

process.stdout.write("ready\n");
await once(process.stdin, "data");

if (deed === "create") {
  for (let left = Number(number); left > 0; left--) {
    const item = { name: `${process.pid}-${left}` };
    const content = {
      createdMs: clock.now(),
      serviceType: "standard",
      sender: {},
      receiver: {},
      item,
    } as const;
    process.stdout.write(`${ledger.create(content).id} ${item.name}\n`);
  }
} else {
  try {
    ledger.change(Number(number), cancelAt(clock.now()));
    process.stdout.write("cancelled\n");
  } catch (error) {
    process.stdout.write(`${(error as { code: string }).code}\n`);
  }
}
process.stdin.destroy();
