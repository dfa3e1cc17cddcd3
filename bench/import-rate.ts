/** The bench of an import's speed against a plain load generator: same server, body and connections. */

import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { header, median, orderOf, report, run, type Served, serve, sheetRow } from "./measure.ts";

const rows = 5_000;
const connections = 16;
const rounds = 5;
const require = createRequire(import.meta.url);

export async function benchImportRate(directory: string): Promise<void> {
  const file = path.join(directory, "rate.csv");
  await writeFile(file, header + Array.from({ length: rows }, (_, index) => sheetRow(index)).join(""));
  const loads: number[] = [];
  const imports: number[] = [];
  const wholes: number[] = [];
  await using served = await serve(directory);
  await generateLoad(served); // both meet a server that has warmed up
  for (let round = 0; round < rounds; round++) {
    await generateLoad(served);
    loads.push(await rateOfLatest(served));
    await rm(path.join(directory, "state"), { recursive: true, force: true }); // what has shipped is not sent again
    const words = ["orders", "import", file, "--yes", "--quiet", "--ndjson"];
    const { seconds } = await run([...words, "--concurrency", String(connections)], directory, served);
    imports.push(await rateOfLatest(served));
    wholes.push(rows / seconds);
  }
  const [load, own, whole] = [median(loads), median(imports), median(wholes)];
  const figures = `${own.toFixed(0)}/s of ${load.toFixed(0)}/s; ${whole.toFixed(0)}/s with start and check`;
  report("import / load generator", own / load, "at least 0.70", figures);
}

/** Orders a second from the first to the last of the newest, by the service's own hour: the same for both. */
async function rateOfLatest({ baseUrl, apiKey }: Served): Promise<number> {
  const [newest = 0, oldest = 0] = await Promise.all(
    [1, rows].map(async (page) => {
      const response = await fetch(`${baseUrl}/api/v1/orders?limit=1&page=${page}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const { data } = (await response.json()) as { data: { created_at: string }[] };
      return Date.parse(data[0]?.created_at ?? "");
    }),
  );
  return ((rows - 1) * 1_000) / (newest - oldest);
}

async function generateLoad({ baseUrl, apiKey }: Served): Promise<void> {
  const words = [
    require.resolve("autocannon"),
    ...["--method", "POST", "--connections", String(connections), "--amount", String(rows), "--json"],
    ...["--headers", `authorization=Bearer ${apiKey}`, "--headers", "content-type=application/json"],
    ...["--headers", "accept=application/json", "--body", orderOf(1), `${baseUrl}/api/v1/orders`],
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const created = (JSON.parse(stdout) as { "2xx": number })["2xx"];
  if (created !== rows) throw new Error(`autocannon: ${created} of ${rows} were created`);
}
