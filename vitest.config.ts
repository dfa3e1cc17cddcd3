/**
 * How the tests are run: the same on every machine, whatever its time zone and language. `--mode long` takes only the
 * tests that can try more than they do every day, with a new seed (test/support/effort.ts).
 */

import { randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

const isCi = Boolean(process.env.CI);

// Workers inherit this, and read it before their first date and their first message.
Object.assign(process.env, { TZ: "UTC", LC_ALL: "C.UTF-8", ...temporaryFiles() });

export default defineConfig(({ mode }) => ({
  test: {
    environment: "node",
    include: mode === "long" ? testsOfEffort() : ["test/**/*.test.ts"],
    exclude: process.platform === "win32" ? [] : ["test/windows/**"],
    env: { TEST_EFFORT: mode, TEST_SEED: String(chooseSeed(mode)) },
    globalSetup: ["test/support/program.ts", "test/support/trusted.ts"],
    pool: "forks",
    maxWorkers: Math.ceil(1.5 * availableParallelism()), // tests wait for processes and for what a person does
    isolate: false, // each worker loads src/ once; no test leaves anything behind in a module
    passWithNoTests: false,
    allowOnly: !isCi,
    retry: 0,
    // Guards against a hang; generous, since a disk that is busy elsewhere takes seconds for what takes milliseconds.
    testTimeout: mode === "long" ? 1_800_000 : 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    // One line for each test, so that none is skipped unseen.
    reporters: isCi ? ["verbose"] : ["default"],
  },
}));

/** TEST_SEED repeats a run. Every day it is the same, so that a run ends the same way twice. */
function chooseSeed(mode: string): number {
  const everyday = 20_261_122;
  const seed = Number(process.env.TEST_SEED || (mode === "long" ? randomInt(1, 2 ** 31 - 1) : everyday));
  if (mode === "long") console.log(`TEST_SEED=${seed}`);
  return seed;
}

/** In memory where there is room: tests commit to thousands of databases, and a busy disk makes each of them wait. */
function temporaryFiles(): { TMPDIR?: string } {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return {};
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4e9 ? { TMPDIR: memory } : {};
}

function testsOfEffort(): string[] {
  const folder = path.join(import.meta.dirname, "test");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => readFileSync(path.join(folder, file), "utf8").includes("/effort.ts"))
    .map((file) => `test/${file.replaceAll(path.sep, "/")}`);
}
