/**
 * The smoke run: the built program, on the Node.js that runs this script or as an executable of its own, does the main
 * job once. `node scripts/smoke.mjs [PROGRAM]`; without PROGRAM it tries this package's own bin.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [program = join(root, "bin/courier.cjs")] = process.argv.slice(2);
// Without the first, no program reaches a network there; the second repairs what Wine lacks (test/windows).
const { SystemRoot, NODE_OPTIONS } = process.env;
const windowsNeeds = process.platform === "win32" ? { SystemRoot, NODE_OPTIONS } : {};
const isScript = /\.[cm]?js$/.test(program);
const home = await mkdtemp(join(tmpdir(), "courier-smoke-"));

try {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  assert.equal(courier("--version").trim(), version);
  assert.match(courier("--help"), /^Usage:/m);

  const profile = JSON.parse(courier("--account", "sandbox", "profile", "--json"));
  assert.equal(typeof profile.id, "number");

  const order = join(root, "examples/order.json");
  const created = JSON.parse(courier("--account", "sandbox", "orders", "create", "--file", order, "--json"));
  const listed = JSON.parse(courier("--account", "sandbox", "orders", "list", "--json"));
  assert.deepEqual(
    listed.map(({ id }) => id),
    [created.id],
  );
  const offered = courier("__complete", "fish", "4", "--account", "sandbox", "orders", "show", "");
  assert.match(offered, new RegExp(`^${created.id}\\b`, "m"));
  console.log(
    `courier ${version} works ${isScript ? `on Node.js ${process.versions.node}` : "without Node.js"}`,
  );
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Runs one command line, and gives back its stdout. */
function courier(...args) {
  const [file, ...words] = isScript ? [process.execPath, program, ...args] : [program, ...args];
  const { status, stdout, stderr, error } = spawnSync(file, words, {
    encoding: "utf8",
    timeout: 30_000,
    env: {
      PATH: process.env.PATH,
      ...windowsNeeds,
      HOME: home,
      COURIER_CONFIG_DIR: join(home, "config"),
      COURIER_STATE_DIR: join(home, "state"),
    },
  });
  const output = `courier ${args.join(" ")}\n${stderr}`;
  assert.equal(error, undefined, output);
  assert.equal(status, 0, output);
  // A newer Node.js prints deprecation warnings here.
  assert.doesNotMatch(stderr, /Warning:/, output);
  return stdout;
}
