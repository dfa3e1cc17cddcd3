/** The ordeal of an import: a service that fails on every other path, and kills at random moments. */

import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { type ImportRow, readRows } from "../../src/import/rows.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { FaultRule } from "../../src/sandbox/faults.ts";
import { createRandom } from "../../src/sandbox/random.ts";
import { inspectSource } from "../../src/sheets/source.ts";
import { effort } from "../support/effort.ts";
import { allCreates, withLedger } from "../support/imports.ts";
import { createProcessHome, type ProcessHome, type StartOptions } from "../support/process.ts";

export interface Ordeal {
  readonly rows: number;
  /** So many rows stand in the file twice. */
  readonly pairs: number;
  readonly kills: number;
  /** A process is killed after so long at most. */
  readonly longestLifeMs: number;
}

export interface Served {
  readonly base_url: string;
  readonly api_key: string;
}

export const longestRunMs = effort(600_000, 7_200_000);
const mostRuns = 40;
const name = "orders.csv";
export const importing = (file: string) => `orders import ${file} --yes --ndjson`;

/** Imports a file through it all, and checks that the service holds each row exactly once. */
export async function survive(ordeal: Ordeal, seed: number): Promise<string> {
  const random = createRandom(seed);
  const served = await serveBadly(faultRules(seed));
  const home = await homeOf(served);
  await writeFile(path.join(home.directory, name), sheet(ordeal, random));
  const startedMs = Date.now();
  const { kills, ends } = await insist(home, name, ordeal, random);
  const elapsedMs = Date.now() - startedMs;
  const faults = await countFaults(served);
  await planFaults(served, "DELETE");
  await compare([path.join(home.directory, name)], served, (work) => withLedger(home.stateDir, work));
  return `${kills} kills, ends: ${ends.join(" ")}; ${Math.round(elapsedMs / 1_000)} s; ${faults}`;
}

/**
 * The same with several processes at once, whose files have refs in common: each ref is an order once, and so is
 * each row without a ref, which stands in one file alone.
 */
export async function surviveTogether(ordeal: Ordeal & { files: number }, seed: number): Promise<string> {
  const random = createRandom(seed);
  const served = await serveBadly(faultRules(seed));
  const home = await homeOf(served);
  const names = Array.from({ length: ordeal.files }, (_, index) => `part-${index}.csv`);
  for (const [index, part] of names.entries())
    await writeFile(path.join(home.directory, part), overlappingSheet(index, ordeal, random));
  const each = { ...ordeal, kills: Math.ceil(ordeal.kills / ordeal.files) };
  const all = await Promise.all(names.map((part) => insist(home, part, each, random)));
  const faults = await countFaults(served);
  await planFaults(served, "DELETE");
  for (const part of names) {
    const last = await home.courier(importing(part), { limitMs: longestRunMs });
    expect([last.exit, last.stdout.match(/"outcome":"shipped"/g)?.length], last.stderr).toEqual([
      0,
      ordeal.rows,
    ]);
  }
  await compare(
    names.map((part) => path.join(home.directory, part)),
    served,
    (work) => withLedger(home.stateDir, work),
  );
  const kills = all.reduce((sum, one) => sum + one.kills, 0);
  return `${kills} kills, ends: ${all.map(({ ends }) => ends.join(" ")).join(" | ")}; ${faults}`;
}

export async function serveBadly(rules: readonly FaultRule[]): Promise<Served> {
  const service = await createProcessHome();
  const serving = service.start("sandbox serve --faults --json", { limitMs: longestRunMs });
  const [line] = await serving.untilStdout(/\{.*\}/);
  const served = JSON.parse(line) as Served;
  await planFaults(served, "PUT", rules);
  return served;
}

export function homeOf({ base_url, api_key }: Served, env: StartOptions["env"] = {}): Promise<ProcessHome> {
  return createProcessHome({
    ...env,
    COURIER_BASE_URL: base_url,
    COURIER_API_KEY: api_key,
    COURIER_SETTLE: effort("1s", "10s"), // this sandbox lists an order at once
  });
}

/** Imports a file in processes that are killed, as often as the ordeal says, and then until nothing is left to do. */
export async function insist(home: ProcessHome, file: string, ordeal: Ordeal, random: () => number) {
  const words = importing(file);
  const ends: string[] = [];
  let kills = 0;
  for (let runs = 0; kills < ordeal.kills; runs++) {
    if (runs > 2 * ordeal.kills) break; // it has nothing left to do
    const running = home.start(words, { limitMs: longestRunMs });
    const isKilled = await Promise.race([
      wait(random() * ordeal.longestLifeMs).then(() => running.child.kill("SIGKILL")),
      running.ended.then(() => false),
    ]);
    const { exit, signal, stderr } = await running.ended;
    expect(exit === null || [0, 3, 5, 6].includes(exit), `exit ${exit} of a run: ${stderr}`).toBe(true);
    if (isKilled && signal === "SIGKILL") kills += 1;
    ends.push(String(exit ?? "kill"));
  }
  for (let exit: number | null = null; exit !== 0; ) {
    expect(ends.length, ends.join(" ")).toBeLessThan(2 * ordeal.kills + mostRuns);
    const ended = await home.courier(words, { limitMs: longestRunMs });
    exit = ended.exit;
    expect([0, 3, 5, 6], `exit ${exit} of a run: ${ended.stderr}`).toContain(exit);
    ends.push(String(exit));
  }
  return { kills, ends };
}

/** 10 % lost before and 10 % after processing, 5 % limited, 5 % failing, on all paths. */
export function faultRules(seed: number): FaultRule[] {
  const rules: (FaultRule & { readonly probability: number })[] = [
    { kind: "drop_before", probability: 0.1 },
    { kind: "drop_after", probability: 0.1 },
    { kind: "rate_limit", probability: 0.04 },
    { kind: "rate_limit", retryAfter: "1", probability: 0.01 },
    { kind: "status", status: 503, probability: 0.025 },
    { kind: "status", status: 503, processed: true, probability: 0.025 },
  ];
  let left = 1; // each is asked only where none before it fired
  return rules.map((rule, index) => {
    const probability = rule.probability / left;
    left -= rule.probability;
    return { ...rule, probability, seed: seed + index };
  });
}

export async function planFaults(
  { base_url, api_key }: Served,
  method: "PUT" | "DELETE",
  rules?: readonly FaultRule[],
) {
  const response = await fetch(`${base_url}/_sandbox/faults`, {
    method,
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    ...(rules ? { body: JSON.stringify(rules) } : {}),
  });
  expect(response.status).toBe(200);
}

export async function countFaults({ base_url, api_key }: Served): Promise<string> {
  const response = await fetch(`${base_url}/_sandbox/faults`, {
    headers: { authorization: `Bearer ${api_key}` },
  });
  const { data } = (await response.json()) as {
    data: { rule: { kind: string }; fired: number; matched: number }[];
  };
  const kinds = data.map(({ rule, fired }) => `${rule.kind} ${fired}`);
  return `${data[0]?.matched} requests, ${kinds.join(", ")}`;
}

function sheet({ rows, pairs }: Ordeal, random: () => number): string {
  const lines = Array.from({ length: rows - pairs }, (_, index) => {
    // A pair has no ref, and neither have some of the others.
    const ref = index >= pairs && random() < 0.5 ? `R-${index}` : "";
    return lineOf(ref, index);
  });
  return shuffled([...lines, ...lines.slice(0, pairs)], random);
}

/** Half of the rows have refs that other files have too; of the others, which have none, `pairs` stand twice. */
export function overlappingSheet(file: number, { rows, pairs }: Ordeal, random: () => number): string {
  const half = Math.floor(rows / 2);
  const shared = Array.from({ length: half }, (_, index) => {
    const number = index + Math.floor((file * half) / 3);
    return lineOf(`R-${number}`, number);
  });
  const own = Array.from({ length: rows - half - pairs }, (_, index) =>
    lineOf("", 1_000_000 * (file + 1) + index),
  );
  return shuffled([...shared, ...own, ...own.slice(0, pairs)], random);
}

function lineOf(ref: string, index: number): string {
  const phone = `138${String(10_000_000 + index)}`;
  return `${ref},张三,13800138000,深圳市,李四${index % 7},${phone},北京市,"建国路${index}号, 2单元",手机,${index % 3}.5,1`;
}

function shuffled(lines: readonly string[], random: () => number): string {
  const placed = lines.map((text) => ({ text, at: random() })).sort((a, b) => a.at - b.at);
  const header =
    "ref,sender.name,sender.phone,sender.city,receiver.name,receiver.phone,receiver.city,receiver.detail,item.name,item.weight,item.quantity";
  return [header, ...placed.map(({ text }) => text), ""].join("\n");
}

interface Detail {
  readonly receiver: { readonly name: string; readonly phone: string; readonly address: string };
  readonly item: { readonly name: string; readonly weight: number; readonly quantity: number };
}

/** What the service holds, and what the ledger says of it, against the rows of the files. */
export async function compare(
  files: readonly string[],
  { base_url, api_key }: Served,
  openLedger: <T>(work: (ledger: Ledger) => Promise<T>) => Promise<T>,
) {
  const wanted = await rowsOf(files);
  const get = async (target: string) => {
    const response = await fetch(`${base_url}/api/v1/${target}`, {
      headers: { authorization: `Bearer ${api_key}` },
    });
    return (await response.json()) as { data: unknown; pagination: { total_items: number } };
  };
  const stored = new Map<string, string>();
  for (let page = 1; page <= Math.ceil(wanted.length / 100) + 1; page++) {
    const { data, pagination } = await get(`orders?limit=100&page=${page}`);
    expect(pagination.total_items, "orders that the service holds").toBe(wanted.length);
    for (const { id } of data as { id: number }[]) {
      const { receiver, item } = (await get(`orders/${id}`)).data as Detail;
      stored.set(String(id), tell(receiver.name, receiver.phone, receiver.address, item.weight));
    }
  }
  const expected = wanted.map(({ draft }) => describe(draft));
  expect([...stored.values()].sort()).toEqual([...expected].sort());

  await openLedger(async (ledger) => {
    const creates = await allCreates(ledger);
    const open = creates.filter(({ state }) => !["created", "found", "unsent"].includes(state));
    expect(open, "operations that are not settled").toEqual([]);
    const made = creates.filter(({ order }) => order);
    const named = ({ ref, content }: { ref?: string | undefined; content?: string | undefined }) =>
      ref ?? content ?? "";
    expect(made.map(named).sort()).toEqual(wanted.map(named).sort());
    for (const { order, draft } of made) {
      expect(stored.get(order?.id ?? ""), `the order ${order?.id}`).toBe(describe(draft));
      stored.delete(order?.id ?? "");
    }
  });
  expect([...stored.keys()], "orders that the ledger does not know").toEqual([]);
}

/** The rows of all files; a ref that several of them have is one row. */
async function rowsOf(files: readonly string[]): Promise<readonly ImportRow[]> {
  const rows = new Map<string, ImportRow>();
  for (const file of files) {
    const content = () => createReadStream(file);
    const facts = await inspectSource(content, file);
    for await (const row of readRows({ content, name: file, facts, mapping: new Map() }))
      if ("ok" in row) rows.set(row.ok.ref ?? `${file} ${row.ok.row}`, row.ok);
  }
  return [...rows.values()];
}

/** What a detail shows of an order that was made of this draft. */
function describe({ receiver, item }: Draft = {}): string {
  return tell(receiver?.name, receiver?.phone, `${receiver?.city}${receiver?.detail}`, Number(item?.weight));
}

function tell(...facts: readonly unknown[]): string {
  return JSON.stringify(facts);
}
