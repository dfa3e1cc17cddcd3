// Runs the main job with the built binary against the embedded sandbox, and prints each command line
// with its output. Works in a temporary home and leaves nothing behind; exits 1 if any step fails.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const home = mkdtempSync(path.join(tmpdir(), "courier-demo-"));
const env = {
  PATH: process.env.PATH,
  COURIER_CONFIG_DIR: path.join(home, "config"),
  COURIER_STATE_DIR: path.join(home, "state"),
};

/** Prints and runs one command line; gives back its stdout. */
function courier(...words) {
  console.log(`\n$ courier --account sandbox ${words.join(" ")}`);
  const command = [path.join(root, "bin", "courier.cjs"), "--account", "sandbox", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    env,
    cwd: root,
    encoding: "utf8",
  });
  process.stdout.write(stdout + stderr);
  if (status !== 0) throw new Error(`exit code ${status} instead of 0`);
  return stdout;
}

function expect(description, isSo) {
  if (!isSo) throw new Error(`expected ${description}`);
}

try {
  const order = JSON.parse(courier("orders", "create", "--file", "examples/order.json", "--json"));
  expect("a new order to be pending", order.status === "pending");
  courier("orders", "list");
  courier("orders", "show", String(order.id));

  for (const state of ["in_transit", "delivered"]) {
    courier("sandbox", "advance", order.tracking_number, "--to", state, "--json");
    expect(`the parcel to be ${state}`, courier("track", order.tracking_number).includes(`[${state}]`));
  }

  const other = JSON.parse(
    courier("orders", "create", "--file", "examples/order.json", "--item-name", "书", "--json"),
  );
  const cancelled = JSON.parse(courier("orders", "cancel", String(other.id), "--yes", "--json"));
  expect("the other order to be cancelled", cancelled[0].status === "cancelled");
  courier("orders", "list", "--status", "cancelled");
  console.log("\nAll steps passed.");
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
