/** The ordeal of several machines that share a ledger: kills, and a database that ends, restarts and is cut off. */

import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSharedLedger } from "../../src/ledger/shared/shared-ledger.ts";
import { createRandom } from "../../src/sandbox/random.ts";
import { type PostgresServer, readTestAddress, startPostgres } from "../support/postgres.ts";
import {
  compare,
  countFaults,
  faultRules,
  homeOf,
  importing,
  insist,
  longestRunMs,
  type Ordeal,
  overlappingSheet,
  planFaults,
  serveBadly,
} from "./survive.ts";

export interface MachinesOrdeal extends Ordeal {
  readonly machines: number;
  /** The database is restarted so often, the first time as after a power failure. */
  readonly restarts: number;
  /** All connections to the database are cut for so long, once. */
  readonly partitionMs: number;
  /** What happens to the database happens at random moments of this time. */
  readonly troubleMs: number;
}

/** Each ref is an order once, and so is each row without a ref, which stands in one file alone. */
export async function surviveMachines(ordeal: MachinesOrdeal, seed: number): Promise<string> {
  const random = createRandom(seed);
  // Each machine reads the whole list to settle a lost answer: at its full size that would be most of the time.
  const served = await serveBadly(faultRules(seed).map((rule) => ({ ...rule, method: "POST" })));
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const database = await server.createDatabase();
  const line = await startLine(server.port);
  const address = database.replace(String(server.port), String(line.port));
  const homes = await Promise.all(
    Array.from({ length: ordeal.machines }, () => homeOf(served, { COURIER_LEDGER: address })),
  );
  const files = homes.map(({ directory }, index) => path.join(directory, `part-${index}.csv`));
  for (const [index, file] of files.entries()) await writeFile(file, overlappingSheet(index, ordeal, random));

  const startedMs = Date.now();
  const trouble = disturb(server, line, ordeal, random);
  const each = { ...ordeal, kills: Math.ceil(ordeal.kills / ordeal.machines) };
  const all = await Promise.all(homes.map((home, index) => insist(home, `part-${index}.csv`, each, random)));
  await trouble;
  const elapsedMs = Date.now() - startedMs;
  const faults = await countFaults(served);
  await planFaults(served, "DELETE");

  for (const [index, home] of homes.entries()) {
    const last = await home.courier(importing(`part-${index}.csv`), { limitMs: longestRunMs });
    const shipped = last.stdout.match(/"outcome":"shipped"/g)?.length;
    expect([last.exit, shipped], last.stderr).toEqual([0, ordeal.rows]);
  }
  await compare(files, served, async (work) => {
    const stateDirectory = path.join(homes[0]?.directory ?? "", "compared");
    const parsed = readTestAddress(database);
    const ledger: Ledger = await openSharedLedger({ address: parsed, stateDirectory, clock: systemClock() });
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  });
  const kills = all.reduce((sum, one) => sum + one.kills, 0);
  const ends = all.map((one) => one.ends.join(" ")).join(" | ");
  return `${kills} kills, ends: ${ends}; ${Math.round(elapsedMs / 1_000)} s; ${faults}`;
}

/** Restarts and the partition, at random moments, one after the other. */
async function disturb(
  server: PostgresServer,
  line: Line,
  { restarts, partitionMs, troubleMs }: MachinesOrdeal,
  random: () => number,
): Promise<void> {
  const pause = () => wait((random() * troubleMs) / (restarts + 1));
  for (let restart = 0; restart < restarts; restart++) {
    await pause();
    await server.stop(restart === 0 ? "immediate" : "fast");
    await wait(random() * 500);
    await server.start();
    if (restart === 0) {
      await pause();
      line.cut();
      await wait(partitionMs);
      line.mend();
    }
  }
}

/** The way to the database, which can be cut. */
interface Line {
  readonly port: number;
  cut(): void;
  mend(): void;
}

async function startLine(target: number): Promise<Line> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const far = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    if (isCut) client.destroy();
    else client.pipe(far).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
  };
}
