/**
 * Checks a test report: prints `N passed, 0 failed, 0 skipped`, and fails when anything but
 * passed tests is in it, or nothing at all. `node scripts/count-tests.mjs REPORT`, as Vitest's `json` writes it.
 */

import { readFile } from "node:fs/promises";

const [report] = process.argv.slice(2);
const { testResults } = JSON.parse(await readFile(report, "utf8"));
const tests = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map(({ status, fullName }) => ({ status, title: `${name}: ${fullName}` })),
);

const passed = tests.filter(({ status }) => status === "passed");
const failed = tests.filter(({ status }) => status === "failed");
// Skipped, to do, or never reached: whatever it is called, it proved nothing.
const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
for (const { status, title } of [...failed, ...skipped]) console.error(`${status}: ${title}`);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
if (passed.length === 0 || failed.length + skipped.length > 0) process.exitCode = 1;
