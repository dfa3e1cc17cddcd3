/**
 * Prints how long start-ups take, as a table for docs/performance.md: `npm run bench startup`. All commands of
 * a table run in turn, again and again; what counts is the median of the ratios within a turn.
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
  process.env.XDG_CACHE_HOME = path.join(directory, "cache");
  await mkdir(process.env.XDG_CACHE_HOME, { recursive: true });
  const [order] = JSON.parse(ask(["orders", "list", "--json"], directory, served));
  const calls = [
    ["profile", "--json"],
    ["track", String(order.tracking_number), "--json"],
    ["orders", "list", "--json"],
  ];
  print(
    `${cpus()[0]?.model} (${cpus().length} cores), ${turns} turns, ${new Date().toISOString().slice(0, 10)}`,
  );
  for (const node of await findNodes(directory)) {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    const callBound = version.startsWith("v20.") ? "1.9" : "2.2";
    const start = (words: readonly string[]) => [node, program, ...words];
    benchTable(
      `Node.js ${version}`,
      [
        { title: "node -e 0", words: [node, "-e", "0"] },
        { title: "--version", words: start(["--version"]), bound: "1.15" },
        { title: "--help", words: start(["--help"]), bound: "1.15" },
        { title: "Tab: commands", words: start(["__complete", "fish", "1", "orders", ""]), bound: "1.15" },
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
    { title: "executable: --version", words: [executable, "--version"], bound: "0.5" },
    { title: `executable: ${call.join(" ")}`, words: [executable, ...call], bound: "1.1" },
    { title: "curl, the same call", words: curl },
  ];
  const missing = others.filter(({ words }) => spawnSync(words[0] ?? "", ["--version"]).error !== undefined);
  if (missing.length === 0) benchTable("Standalone executable", others, env);
  else print(`\nNot measured, since missing: ${missing.map(({ title }) => title).join("; ")}`);
}

function benchTable(title: string, cases: readonly Case[], env: NodeJS.ProcessEnv): void {
  for (const { words } of cases) runMs(words, env); // warms the caches
  const times = cases.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (let step = 0; step < cases.length; step++) {
      const index = (step + turn) % cases.length;
      times[index]?.push(runMs(cases[index]?.words ?? [], env));
    }
  }
  print(`\n| ${title} | bound | ratio | median ms |\n|---|---|---|---|`);
  for (const [index, { title, bound = "" }] of cases.entries()) {
    const own = times[index] ?? [];
    const ratio = median(own.map((ms, turn) => ms / (times[0]?.[turn] ?? Number.NaN)));
    print(`| \`${title}\` | ${bound} | ${ratio.toFixed(2)} | ${median(own).toFixed(0)} |`);
  }
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
    `| peak memory of one call | 1.5 | ${(call / bare).toFixed(2)} | ${call.toFixed(0)} MB, bare ${bare.toFixed(0)} MB |`,
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

function environment(directory: string, served: Served): NodeJS.ProcessEnv {
  return {
    ...process.env,
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

/** Milliseconds from start to end, with the output thrown away. Throws when it fails. */
function runMs([command = "", ...words]: readonly string[], env: NodeJS.ProcessEnv): number {
  const startedMs = performance.now();
  const { status } = spawnSync(command, words, { env, stdio: "ignore" });
  const ms = performance.now() - startedMs;
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: exit ${status}`);
  return ms;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
