/** How the tests are run: the same on every machine, whatever its time zone and language. */

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const isCi = Boolean(process.env.CI);

// Workers inherit this, and read it before their first date and their first message.
Object.assign(process.env, { TZ: "UTC", LC_ALL: "C.UTF-8" });

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.ts"],
    exclude: ["test/chaos/full/**", "test/fuzz/full/**"],
    globalSetup: ["test/support/program.ts", "test/support/trusted.ts"],
    pool: "forks",
    maxWorkers: Math.max(2, availableParallelism()), // most of a test is waiting for processes
    passWithNoTests: false,
    allowOnly: !isCi,
    retry: 0,
    // Guards against a hang; generous, since a disk that is busy elsewhere takes seconds for what takes milliseconds.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    // One line for each test, so that none is skipped unseen.
    reporters: isCi ? ["verbose"] : ["default"],
  },
});
