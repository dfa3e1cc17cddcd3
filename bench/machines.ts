/** How an import's rate grows with the machines that share a ledger, and how long a claim takes there. */

import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { systemClock } from "../src/core/clock.ts";
import type { FileFacts, RowPolicy, RowToSend } from "../src/ledger/row-to-send.ts";
import { openSharedLedger } from "../src/ledger/shared/shared-ledger.ts";
import {
  type PostgresServer,
  postgresPrograms,
  readTestAddress,
  startPostgres,
} from "../test/support/postgres.ts";
import { header, median, report, run, type Served, serve, sheetRow } from "./measure.ts";

/** With many at once, the processors of a small machine end sooner than what the ledger can do. */
const requestsAtOnce = [1, 4];
const rowsForEachRequest = 250;
const latencyMs = 20;
const claims = 200;
const rowsOfClaim = 8;

export async function benchMachines(directory: string): Promise<void> {
  if (postgresPrograms === undefined) return console.log("machines: PostgreSQL is not installed");
  const server = await startPostgres();
  try {
    for (const requests of requestsAtOnce) {
      let alone = 0;
      for (const machines of [1, 2, 4]) {
        await using served = await serve(directory, ["--latency", String(latencyMs)]);
        const before = processorTimes();
        const rate = await importAtOnce(directory, served, server, { machines, requests });
        const after = processorTimes();
        alone ||= rate;
        const busy = (after.busy - before.busy) / (after.all - before.all);
        const figures = `${rate.toFixed(0)}/s, processors ${(100 * busy).toFixed(0)} % busy`;
        const what = `${machines} machines, ${requests} at once`;
        report(what, rate / alone, "at least 1.8 with 2, 3 with 4", figures);
      }
    }
    await timeClaims(directory, server);
  } finally {
    await server.remove();
  }
}

function processorTimes(): { readonly busy: number; readonly all: number } {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, all: busy + idle };
}

/** Orders a second, from the first to the last by the service's own hour. */
async function importAtOnce(
  directory: string,
  served: Served,
  server: PostgresServer,
  { machines, requests }: { readonly machines: number; readonly requests: number },
) {
  const ledger = await server.createDatabase();
  const count = rowsForEachRequest * requests;
  await Promise.all(
    Array.from({ length: machines }, async (_, machine) => {
      const home = path.join(directory, `machine-${requests}-${machines}-${machine}`);
      const file = `${home}.csv`;
      const rows = Array.from({ length: count }, (_, index) => sheetRow(machine * count + index));
      await writeFile(file, header + rows.join(""));
      const words = [
        "orders",
        "import",
        file,
        "--yes",
        "--quiet",
        "--ndjson",
        "--concurrency",
        String(requests),
      ];
      await run(words, home, served, { COURIER_LEDGER: ledger });
    }),
  );
  const all = machines * count;
  const [newest = 0, oldest = 0] = await Promise.all([1, all].map((page) => createdAt(served, page)));
  return ((all - 1) * 1_000) / (newest - oldest);
}

async function createdAt({ baseUrl, apiKey }: Served, page: number): Promise<number> {
  const response = await fetch(`${baseUrl}/api/v1/orders?limit=1&page=${page}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { data } = (await response.json()) as { data: { created_at: string }[] };
  return Date.parse(data[0]?.created_at ?? "");
}

const file: FileFacts = { files: [1], shop: "", hasRef: () => true, countOf: () => 0 };
const policy: RowPolicy = {
  windowMs: 0,
  retryRefused: false,
  skipShipped: false,
  isAllowed: () => false,
};

async function timeClaims(directory: string, server: PostgresServer): Promise<void> {
  const address = readTestAddress(await server.createDatabase());
  const stateDirectory = path.join(directory, "claims");
  const ledger = await openSharedLedger({ address, stateDirectory, clock: systemClock() });
  const who = { service: "https://api.example.com", account: "shop" };
  const customer = await ledger.learnCustomer({ ...who, key: "key", profileId: "1" });
  const begun = await ledger.beginRun({
    ...who,
    command: "orders import",
    customer: customer.id,
    process: { pid: process.pid, started: undefined, place: "here" },
    startedAtMs: Date.now(),
  });
  const times: number[] = [];
  for (let claim = 0; claim < claims; claim++) {
    const rows = Array.from({ length: rowsOfClaim }, (_, index): RowToSend => {
      const row = claim * rowsOfClaim + index + 1;
      return { row, ref: `R-${row}`, occurrence: 1, content: `content ${row}`, draft: {}, defaults: [] };
    });
    const startedMs = performance.now();
    await ledger.claimRows(begun, rows, file, policy, { atMs: Date.now(), offsetMs: 0 });
    times.push(performance.now() - startedMs);
  }
  await ledger.close();
  const sorted = times.sort((a, b) => a - b);
  console.log(
    `a claim of ${rowsOfClaim} rows: median ${median(sorted).toFixed(1)} ms, p99 ${sorted[Math.floor(claims * 0.99)]?.toFixed(1)} ms`,
  );
}
