/** Owns the bench of an import's speed against a plain load generator: same server, body and connections. */

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
  const served = await serve(directory);
  const loads: number[] = [];
  const imports: number[] = [];
  await generateLoad(served); // both meet a server that has warmed up
  for (let round = 0; round < rounds; round++) {
    loads.push(await generateLoad(served));
    await rm(`${file}.journal.ndjson`, { force: true });
    const words = [
      "orders",
      "import",
      file,
      "--yes",
      "--quiet",
      "--ndjson",
      "--concurrency",
      String(connections),
    ];
    // From the first word to the last: start, check of all rows and the end count in.
    imports.push(rows / (await run([...words, "--allow-duplicate"], directory, served)).seconds);
  }
  await served.stop();
  const [load, own] = [median(loads), median(imports)];
  report(
    "import / load generator",
    own / load,
    "at least 0.70",
    `${own.toFixed(0)}/s of ${load.toFixed(0)}/s`,
  );
}

/** Requests a second that autocannon gets. */
async function generateLoad({ baseUrl, apiKey }: Served): Promise<number> {
  const words = [
    require.resolve("autocannon"),
    ...["--method", "POST", "--connections", String(connections), "--amount", String(rows), "--json"],
    ...["--headers", `authorization=Bearer ${apiKey}`, "--headers", "content-type=application/json"],
    ...["--headers", "accept=application/json", "--body", orderOf(1), `${baseUrl}/api/v1/orders`],
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const result = JSON.parse(stdout) as { start: string; finish: string; "2xx": number };
  if (result["2xx"] !== rows) throw new Error(`autocannon: ${result["2xx"]} of ${rows} were created`);
  return (rows * 1_000) / (Date.parse(result.finish) - Date.parse(result.start));
}
