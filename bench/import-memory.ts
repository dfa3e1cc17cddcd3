/** Owns the bench of an import's memory: a large file against a small one, checked and sent. */

import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { header, report, run, serve, sheetRow } from "./measure.ts";

const few = 2_000;
const many = 200_000;

export async function benchImportMemory(directory: string): Promise<void> {
  const checked = [await check(directory, few), await check(directory, many)] as const;
  tell("check", ...checked);
  const sent = [await send(directory, few), await send(directory, many)] as const;
  tell("import", ...sent);
}

function tell(what: string, small: number | undefined, large: number | undefined): void {
  if (small === undefined || large === undefined) return;
  const figures = `${large.toFixed(0)} MB for ${many} rows, ${small.toFixed(0)} MB for ${few}`;
  report(`${what}: memory, large / small`, large / small, "at most 1.30", figures);
}

async function check(directory: string, rows: number): Promise<number | undefined> {
  const file = await writeSheet(directory, rows);
  return (await run(["orders", "import", file, "--check", "--json"], directory)).peakMb;
}

async function send(directory: string, rows: number): Promise<number | undefined> {
  const file = await writeSheet(directory, rows);
  const served = await serve(directory);
  const words = ["orders", "import", file, "--yes", "--quiet", "--ndjson", "--concurrency", "16"];
  const { peakMb } = await run([...words, "--allow-duplicate"], directory, served);
  await served.stop();
  return peakMb;
}

async function writeSheet(directory: string, rows: number): Promise<string> {
  const file = path.join(directory, `memory-${rows}.csv`);
  await rm(`${file}.journal.ndjson`, { force: true });
  await pipeline(Readable.from(lines(rows)), createWriteStream(file));
  return file;
}

function* lines(rows: number): Generator<string> {
  yield header;
  for (let index = 0; index < rows; index++) yield sheetRow(index);
}
