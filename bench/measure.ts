/** What the benches share: a served sandbox, runs of the program, medians, and lines of the report. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "..");
export const program = path.join(root, "bin/courier.cjs");
const watchMs = 20;

/** Stopped when it goes out of scope, so that a bench that fails ends. */
export interface Served extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A sandbox in a process of its own, on an empty state directory below `directory`. */
export async function serve(directory: string, words: readonly string[] = []): Promise<Served> {
  const stateDir = path.join(directory, "service");
  await rm(stateDir, { recursive: true, force: true });
  const child = spawn(process.execPath, [program, "sandbox", "serve", "--ndjson", ...words], {
    env: { ...process.env, COURIER_STATE_DIR: stateDir, COURIER_CONFIG_DIR: path.join(directory, "config") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  const { base_url, api_key } = JSON.parse(String(line)) as { base_url: string; api_key: string };
  return {
    baseUrl: base_url,
    apiKey: api_key,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

export interface Run {
  readonly seconds: number;
  /** Peak of its resident memory; undefined where the system does not tell. */
  readonly peakMb: number | undefined;
}

/** Runs the program to its end; its output is read and thrown away. Throws when it fails. */
export async function run(
  words: readonly string[],
  directory: string,
  served?: Served,
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [program, ...words], {
    env: {
      ...process.env,
      ...env,
      COURIER_STATE_DIR: path.join(directory, "state"),
      COURIER_CONFIG_DIR: path.join(directory, "config"),
      ...(served ? { COURIER_BASE_URL: served.baseUrl, COURIER_API_KEY: served.apiKey } : {}),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints = (complaints + text).slice(-2_000);
  });
  const peak = watchPeak(child);
  const [exit] = await once(child, "close");
  if (exit !== 0) throw new Error(`courier ${words.join(" ")}: exit ${exit}\n${complaints}`);
  return { seconds: (performance.now() - startedMs) / 1_000, peakMb: peak() };
}

/** Linux keeps the highest mark itself; it has to be read before the process is gone. */
function watchPeak(child: ChildProcess): () => number | undefined {
  let peakMb: number | undefined;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    if (kilobytes !== undefined) peakMb = Math.max(peakMb ?? 0, Number(kilobytes) / 1_024);
  }, watchMs);
  child.on("exit", () => clearInterval(timer));
  return () => peakMb;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One line of the report: `what  ratio (target) figures`. */
export function report(what: string, ratio: number, target: string, figures: string): void {
  process.stdout.write(`${what.padEnd(28)} ${ratio.toFixed(2).padStart(6)}  (${target})  ${figures}\n`);
}

export const header =
  "ref,sender.name,sender.phone,sender.province,sender.city,sender.district,sender.detail,receiver.name,receiver.phone,receiver.province,receiver.city,receiver.district,receiver.detail,item.name,item.description,item.weight,item.value,item.quantity,service_type\n";

export function sheetRow(index: number): string {
  return `R-${index},张三,13800138000,广东省,深圳市,南山区,科技园路1号,李四${index},13900139000,北京市,北京市,朝阳区,建国路${index}号,茶叶,礼盒装,1.50,200,2,express\n`;
}

/** The order that a row is. */
export function orderOf(index: number): string {
  const [ref, name, phone, province, city, district, detail, ...rest] = sheetRow(index).trimEnd().split(",");
  const [
    toName,
    toPhone,
    toProvince,
    toCity,
    toDistrict,
    toDetail,
    item,
    description,
    weight,
    value,
    quantity,
  ] = rest;
  return JSON.stringify({
    sender: { name, phone, province, city, district, detail },
    receiver: {
      name: toName,
      phone: toPhone,
      province: toProvince,
      city: toCity,
      district: toDistrict,
      detail: toDetail,
    },
    item: {
      name: item,
      description,
      weight: Number(weight),
      value: Number(value),
      quantity: Number(quantity),
    },
    service_type: ref === undefined ? undefined : "express",
  });
}
