/** The bench of memory: an import and an export of many orders against those of few. */

import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { header, report, run, serve, sheetRow } from "./measure.ts";

const few = 2_000;
const many = 200_000;

export async function benchImportMemory(directory: string): Promise<void> {
  tell("import", await send(directory, few), await send(directory, many));
}

export async function benchExportMemory(directory: string): Promise<void> {
  tell("export", await exportAll(directory, few), await exportAll(directory, many));
}

function tell(what: string, small: number | undefined, large: number | undefined): void {
  if (small === undefined || large === undefined) return;
  const figures = `${large.toFixed(0)} MB for ${many} orders, ${small.toFixed(0)} MB for ${few}`;
  report(`${what}: memory, large / small`, large / small, "at most 1.30", figures);
}

async function send(directory: string, rows: number): Promise<number | undefined> {
  const file = await writeSheet(directory, rows);
  await using served = await serve(directory);
  const words = ["orders", "import", file, "--yes", "--quiet", "--ndjson", "--concurrency", "16"];
  await rm(path.join(directory, "state"), { recursive: true, force: true }); // what has shipped is not sent again
  return (await run(words, directory, served)).peakMb;
}

async function exportAll(directory: string, orders: number): Promise<number | undefined> {
  await using served = await serve(directory, ["--seed-orders", String(orders)]);
  const words = ["orders", "export", "--quiet", "-o", path.join(directory, "export.csv")];
  return (await run(words, directory, served)).peakMb;
}

async function writeSheet(directory: string, rows: number): Promise<string> {
  const file = path.join(directory, `memory-${rows}.csv`);
  await pipeline(Readable.from(lines(rows)), createWriteStream(file));
  return file;
}

function* lines(rows: number): Generator<string> {
  yield header;
  for (let index = 0; index < rows; index++) yield sheetRow(index);
}
