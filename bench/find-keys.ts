/** The time from a key in the screen of `courier find` to the last byte of its picture. */

import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { program, report, run, serve } from "./measure.ts";

const orders = 20_000;
/** A picture of a screen that draws 60 a second. */
const targetMs = 16;
/** No byte for so long: the picture is complete. */
const quietMs = 80;
const backspace = "\u007f";
const down = "\u001b[B";

/** Common and rare words, one Chinese character, two digits, phones, and moving. */
const typed = [
  "李",
  "13",
  "1380000",
  "SO2026",
  "Tea",
  "明 44",
  "zzz",
  "999",
  "mug 7",
  "店 上海 5",
  "+86 138-0013-8000",
];

/** COURIER_BENCH_MIRROR=1: of the mirror that the environment names. */
export async function benchFindKeys(directory: string): Promise<void> {
  if (process.env.COURIER_BENCH_MIRROR === "1")
    return printTimes("the given mirror", await measureKeys(process.env));
  await using served = await serve(directory, ["--seed-orders", String(orders)]);
  await run(["sync", "--yes"], directory, served);
  const env = {
    ...process.env,
    COURIER_BASE_URL: served.baseUrl,
    COURIER_API_KEY: served.apiKey,
    COURIER_STATE_DIR: path.join(directory, "state"),
    COURIER_CONFIG_DIR: path.join(directory, "config"),
  };
  printTimes(`${orders} orders`, await measureKeys(env));
}

async function measureKeys(env: NodeJS.ProcessEnv): Promise<readonly number[]> {
  const terminal = spawn(process.execPath, [program, "find"], {
    cols: 120,
    rows: 40,
    env: { ...env, TERM: "xterm-256color", LC_ALL: "C.UTF-8" } as Record<string, string>,
  });
  let lastMs = 0;
  let bytes = 0;
  terminal.onData((data) => {
    lastMs = performance.now();
    bytes += data.length;
  });
  const quiet = async (beganMs: number) => {
    while (performance.now() - Math.max(lastMs, beganMs) < quietMs) await wait(5);
  };
  while (bytes === 0) await wait(20);
  await quiet(performance.now() + 500);
  const times: number[] = [];
  const press = async (key: string) => {
    const beganMs = performance.now();
    const before = bytes;
    terminal.write(key);
    await quiet(beganMs);
    if (bytes > before) times.push(lastMs - beganMs);
  };
  for (const text of typed) {
    for (const character of text) await press(character);
    for (let count = 0; count < 5; count++) await press(down);
    for (const _ of text) await press(backspace);
  }
  terminal.write("\u0003");
  if (times.length === 0) throw new Error("the screen of courier find wrote nothing");
  return times;
}

function printTimes(what: string, times: readonly number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1)} ms`;
  report(
    "key to picture of find",
    Number.parseFloat(at(0.99)) / targetMs,
    `p99 of ${targetMs} ms`,
    `${what}: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}, ${sorted.length} keys`,
  );
}
