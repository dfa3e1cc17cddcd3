/**
 * Prints what start-ups take, as a table for docs/performance.md: `npm run bench startup`. All commands of a table run in
 * turn, again and again, in an environment of their own. Processor time and wall time are ratios to the first command:
 * of the minima, and of the medians.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { cpus } from "node:os";
import path from "node:path";
import { median, program, root, type Served, serve } from "./measure.ts";

const turns = Number(process.env.COURIER_BENCH_TURNS ?? 30);
const executable = path.join(
  root,
  "dist-executable",
  process.platform === "win32" ? "courier.exe" : "courier",
);

interface Case {
  readonly title: string;
  readonly words: readonly string[];
  /** At most so many times the first case of its table. */
  readonly bound?: string;
}

/** Ratios on every Node.js of scripts/node-versions.json, of the executable, and against other programs. */
export async function benchStartup(directory: string): Promise<void> {
  await using served = await serve(directory, ["--seed-orders", "20"]);
  await mkdir(path.join(directory, "cache"), { recursive: true });
  const [order] = JSON.parse(ask(["orders", "list", "--json"], directory, served));
  const calls = [
    ["profile", "--json"],
    ["track", String(order.tracking_number), "--json"],
    ["orders", "list", "--json"],
  ];
  print(
    `${cpus()[0]?.model} (${cpus().length} cores), ${turns} turns, ${new Date().toISOString().slice(0, 10)}; environment: ${Object.keys(environment(directory, served)).join(", ")}`,
  );
  for (const node of await findNodes(directory)) {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const callBound = version.startsWith("v20.") ? "2.6" : "2.2";
    const start = (words: readonly string[]) => [node, program, ...words];
    benchTable(
      `Node.js ${version}`,
      [
        { title: "node -e 0", words: [node, "-e", "0"] },
        { title: "--version", words: start(["--version"]), bound: "1.1" },
        { title: "--help", words: start(["--help"]), bound: "1.2" },
        { title: "Tab: commands", words: start(["__complete", "fish", "1", "orders", ""]), bound: "1.2" },
        {
          title: "Tab: values",
          words: start(["__complete", "fish", "2", "orders", "show", ""]),
          bound: "1.2",
        },
        ...calls.map((words) => ({
          title: words.filter((word) => word !== order.tracking_number).join(" "),
          words: start(words),
          bound: callBound,
        })),
      ],
      environment(directory, served),
    );
    benchMemory(node, start(calls[0] ?? []), environment(directory, served));
  }
  benchOthers(calls[0] ?? [], served, environment(directory, served));
  await weighPackage();
}

/** The executable beside other programs, where they are there. */
function benchOthers(call: readonly string[], served: Served, env: NodeJS.ProcessEnv): void {
  const curl = [
    "curl",
    "-s",
    "-H",
    `Authorization: Bearer ${served.apiKey}`,
    `${served.baseUrl}/api/v1/user/profile`,
  ];
  const others: Case[] = [
    { title: "gh --version", words: ["gh", "--version"] },
    { title: "executable: --version", words: [executable, "--version"], bound: "0.25" },
    { title: `executable: ${call.join(" ")}`, words: [executable, ...call], bound: "0.6" },
    { title: "curl, the same call", words: curl },
  ];
  const missing = others.filter(({ words }) => spawnSync(words[0] ?? "", ["--version"]).error !== undefined);
  if (missing.length === 0) benchTable("Standalone executable", others, env);
  else print(`\nNot measured, since missing: ${missing.map(({ title }) => title).join("; ")}`);
}

function benchTable(title: string, cases: readonly Case[], env: NodeJS.ProcessEnv): void {
  for (const { words } of cases) for (let time = 0; time < 2; time++) measure(words, env); // warms the caches
  const taken = cases.map((): Taken[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (let step = 0; step < cases.length; step++) {
      const index = (step + turn) % cases.length;
      taken[index]?.push(measure(cases[index]?.words ?? [], env));
    }
  }
  print(`\n| ${title} | bound | processor: minima | medians | wall: minima | medians | median ms |`);
  print("|---|---|---|---|---|---|---|");
  for (const [index, { title, bound = "" }] of cases.entries()) {
    const ratio = (of: keyof Taken, reduce: (values: readonly number[]) => number) => {
      const [own = 0, first = 0] = [index, 0].map((row) =>
        reduce((taken[row] ?? []).map((each) => each[of])),
      );
      return (own / first).toFixed(2);
    };
    const ratios = (["processorMs", "wallMs"] as const).flatMap((of) => [
      ratio(of, least),
      ratio(of, median),
    ]);
    const ms = median((taken[index] ?? []).map(({ wallMs }) => wallMs)).toFixed(0);
    print(`| \`${title}\` | ${[bound, ...ratios, ms].join(" | ")} |`);
  }
}

interface Taken {
  readonly wallMs: number;
  /** Of the process and its children, in user and system mode. */
  readonly processorMs: number;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

/** bash tells what a command took; Node.js does not tell what its children took. */
function measure(words: readonly string[], env: NodeJS.ProcessEnv): Taken {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null 2>&1';
  const { stderr, status } = spawnSync("bash", ["-c", script, "bash", ...words], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${words.join(" ")}: exit ${status}`);
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return { wallMs: wall * 1_000, processorMs: (user + system) * 1_000 };
}

function benchMemory(node: string, words: readonly string[], env: NodeJS.ProcessEnv): void {
  const preload = path.join(root, "bench/peak.cjs");
  const peakMb = (rest: readonly string[]) =>
    median(
      Array.from({ length: 9 }, () => {
        const { stderr } = spawnSync(node, ["-r", preload, ...rest], { env, encoding: "utf8" });
        return Number(stderr) / 1_024;
      }),
    );
  const [bare, call] = [peakMb(["-e", "0"]), peakMb(words.slice(1))];
  print(
    `\nPeak memory of one call: ${(call / bare).toFixed(2)} (bound 1.3), ${call.toFixed(0)} MB, bare ${bare.toFixed(0)} MB.`,
  );
}

async function weighPackage(): Promise<void> {
  const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ size, unpackedSize, entryCount }] = JSON.parse(told);
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1_024)} KiB`;
  print(
    `\nPackage: ${kilobytes(size)} to download, ${kilobytes(unpackedSize)} unpacked in ${entryCount} files, no dependencies.`,
  );
}

/** Every Node.js that scripts/install-nodes.mjs has installed in COURIER_BENCH_NODES, or the present one. */
async function findNodes(directory: string): Promise<readonly string[]> {
  const folder = process.env.COURIER_BENCH_NODES ?? directory;
  const place = path.join(folder, "node_modules");
  if (!existsSync(place)) return [process.execPath];
  const names = (await readdir(place)).filter((name) => name.startsWith("node-")).sort();
  return names.map((name) => path.join(place, name, "bin/node"));
}

/** Nothing of this machine's: NODE_EXTRA_CA_CERTS alone triples what `node -e 0` takes on Node.js 20. */
function environment(directory: string, served: Served): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    LC_ALL: "C.UTF-8",
    HOME: directory,
    XDG_CACHE_HOME: path.join(directory, "cache"),
    COURIER_STATE_DIR: path.join(directory, "state"),
    COURIER_CONFIG_DIR: path.join(directory, "config"),
    COURIER_BASE_URL: served.baseUrl,
    COURIER_API_KEY: served.apiKey,
  };
}

function ask(words: readonly string[], directory: string, served: Served): string {
  return execFileSync(process.execPath, [program, ...words], {
    env: environment(directory, served),
    encoding: "utf8",
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
