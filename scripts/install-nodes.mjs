/**
 * The Node.js releases that the program is tried on: installs those of node-versions.json from npm
 * into a folder, and prints the path of each one's binary. `node scripts/install-nodes.mjs FOLDER`
 */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
assert.ok(folder, "usage: node scripts/install-nodes.mjs FOLDER");
const versions = JSON.parse(await readFile(new URL("node-versions.json", import.meta.url), "utf8"));

// The package `node` only picks one of these at install time, by a script; asked for by name, none has to run.
const prefix = process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
const platform = process.platform === "win32" ? "win" : process.platform;
const release = `${prefix}-${platform}-${process.arch}`;

const dependencies = Object.fromEntries(
  versions.map((version) => [`node-${version}`, `npm:${release}@${version}`]),
);
await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
execFileSync(
  "npm",
  ["install", "--ignore-scripts", "--no-bin-links", "--no-package-lock", "--no-audit", "--no-fund"],
  {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  },
);

for (const version of versions) {
  const binary = join(
    folder,
    "node_modules",
    `node-${version}`,
    "bin",
    platform === "win" ? "node.exe" : "node",
  );
  assert.equal(execFileSync(binary, ["--version"], { encoding: "utf8" }).trim(), `v${version}`);
  console.log(binary);
}
