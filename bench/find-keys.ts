/** The time from a key in the screen of `courier find` to the last byte of its picture. */

import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { spawn } from "@lydell/node-pty";
import { fillMirror } from "./fill-mirror.ts";
import { program, report } from "./measure.ts";

/** COURIER_BENCH_ORDERS makes another number; 999,999 take 16 minutes to make, and 0.8 GB. */
const orders = Number(process.env.COURIER_BENCH_ORDERS ?? 20_000);
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

/** COURIER_BENCH_STATE=FOLDER keeps the mirror there, and takes the one that is there. */
export async function benchFindKeys(directory: string): Promise<void> {
  const account = { account: "(environment)", service: "http://127.0.0.1:9", key: "sandbox-key" };
  const made = process.env.COURIER_BENCH_STATE;
  const stateDirectory = made ?? path.join(directory, "state");
  if (made === undefined || !existsSync(made)) await fillMirror(stateDirectory, account, orders);
  const env = {
    ...process.env,
    COURIER_BASE_URL: account.service,
    COURIER_API_KEY: account.key,
    COURIER_STATE_DIR: stateDirectory,
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
