/** The bench of reading a whole list against fetching page after page. */

import { median, report, run, type Served, serve } from "./measure.ts";

const pages = 500;
const pageSize = 100;
const latencyMs = 20;
const rounds = 3;

export async function benchListPages(directory: string): Promise<void> {
  const words = ["--seed-orders", String(pages * pageSize), "--latency", String(latencyMs)];
  await using served = await serve(directory, words);
  const singles: number[] = [];
  const alls: number[] = [];
  for (let round = 0; round < rounds; round++) {
    singles.push(await readPageAfterPage(served));
    alls.push((await run(["orders", "list", "--all", "--ndjson"], directory, served)).seconds);
  }
  const [single, all] = [median(singles), median(alls)];
  report(
    "page after page / list --all",
    single / all,
    "at least 3",
    `${single.toFixed(1)} s, ${all.toFixed(1)} s`,
  );
}

async function readPageAfterPage({ baseUrl, apiKey }: Served): Promise<number> {
  const startedMs = performance.now();
  for (let page = 1; page <= pages; page++) {
    const response = await fetch(`${baseUrl}/api/v1/orders?page=${page}&limit=${pageSize}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length !== pageSize) throw new Error(`page ${page} has ${data.length} orders`);
  }
  return (performance.now() - startedMs) / 1_000;
}
