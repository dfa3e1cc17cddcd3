/**
 * What takes too long for each change: `npm run nightly [-- STEP...]`. Runs every step although another one failed,
 * prints how long each took, and exits 1 if one failed. A failed test prints its seed: TEST_SEED repeats it.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileExecutable } from "./executable.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const executable = `${root}dist-executable/courier-nightly${process.platform === "win32" ? ".exe" : ""}`;
const share = process.env.NEVER_TWICE_SHARE || "6";

const steps = {
  /** Three seeds, where .ci/run has one. */
  long: () => [1, 2, 3].every(() => run("npm", ["run", "test:long"])),
  /** Another sixth of the cases each night, chosen by the seed of the run. */
  matrix: () =>
    run("npx", ["vitest", "run", "--mode", "long", "test/never-twice/matrix.test.ts"], {
      NEVER_TWICE_SHARE: share,
    }),
  /** Eight machines with one ledger, three times with another seed. */
  chaos: () => [1, 2, 3].every(() => run("npm", ["run", "chaos"])),
  executable: () => {
    if (!run("npm", ["run", "build"])) return false;
    compileExecutable(executable);
    return run("npm", ["run", "test:process"], { COURIER_BIN: executable });
  },
  bench: () => run("npm", ["run", "bench"]),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in steps));
if (unknown.length > 0)
  throw new Error(`no step ${unknown.join(", ")}; there are ${Object.keys(steps).join(", ")}`);

const results = [];
for (const [name, step] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n=== ${name}`);
  const startMs = performance.now();
  const isPassed = attempt(step);
  const minutes = ((performance.now() - startMs) / 60_000).toFixed(1);
  results.push({ isPassed, line: `${isPassed ? "passed" : "FAILED"}  ${name}: ${minutes} minutes` });
  console.log(`--- ${results.at(-1).line}`);
}
console.log(`\n${results.map(({ line }) => line).join("\n")}`);
if (results.some(({ isPassed }) => !isPassed)) process.exitCode = 1;

function attempt(step) {
  try {
    return step();
  } catch (error) {
    console.error(error);
    return false;
  }
}

function run(program, words, env = {}) {
  const shell = process.platform === "win32";
  const options = { cwd: root, stdio: ["ignore", "inherit", "inherit"], shell };
  const { status, error } = spawnSync(program, words, { ...options, env: { ...process.env, ...env } });
  if (error) throw error;
  return status === 0;
}
