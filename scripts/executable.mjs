/**
 * Compiles dist/ with Bun into one file that needs no Node.js (decision 18), for this platform or another one that the
 * npm registry has a Bun for.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Not a devDependency: a hundred megabytes that only this needs. */
const bunVersion = "1.4.5";

const hasMusl = () => !process.report.getReport().header.glibcVersionRuntime;

/** The platform that this runs on, in npm's words. */
export const thisPlatform = {
  os: process.platform,
  cpu: process.arch,
  libc: process.platform === "linux" ? (hasMusl() ? "musl" : "glibc") : undefined,
};

/** Writes the executable for a platform to `file`. Needs a build. */
export function compileExecutable(file, platform = thisPlatform) {
  // The same place each time: Bun writes it into the executable.
  const folder = join(root, "node_modules/.cache", `executable-${bunName(platform)}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}");
    // The key ring's file for that platform goes into the executable.
    install(folder, `@napi-rs/keyring@${keyRingVersion()}`, platform);
    mkdirSync(dirname(file), { recursive: true });
    const options = [
      "--compile",
      "--bytecode",
      "--format=cjs",
      // Files in the user's current directory must not change what courier does.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      "--external=@photostructure/sqlite", // Bun has an SQLite of its own
      `--target=${bunName(platform).replace("aarch64", "arm64")}`,
      `--compile-executable-path=${findBun(platform)}`,
    ];
    const entry = join(folder, "entry.cjs");
    writeFileSync(entry, entryText);
    const words = ["build", ...options, "--outfile", file, entry];
    execFileSync(findBun(thisPlatform), words, { stdio: ["ignore", 2, 2] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What src/main.ts does for users without a home. Bun runs the packages that ask for it first, and asks the system. */
const entryText = `const os = require("node:os");
try {
  if (process.env.HOME === undefined && process.platform !== "win32") os.homedir();
} catch {
  process.env.HOME = "";
  os.homedir = () => "";
}
require("./dist/main.cjs");
`;

function keyRingVersion() {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")).optionalDependencies[
    "@napi-rs/keyring"
  ];
}

function bunName({ os, cpu, libc }) {
  const system = os === "win32" ? "windows" : os;
  return `bun-${system}-${cpu === "arm64" ? "aarch64" : cpu}${libc === "musl" ? "-musl" : ""}`;
}

/** The package `bun` only picks one of these at install time, by a script; asked for by name, none has to run. */
function findBun(platform) {
  const name = `@oven/${bunName(platform)}`;
  const folder = join(root, "node_modules/.cache", `${bunName(platform)}-${bunVersion}`);
  const binary = join(folder, "node_modules", name, "bin", platform.os === "win32" ? "bun.exe" : "bun");
  if (!existsSync(binary)) install(folder, `${name}@${bunVersion}`, platform);
  return binary;
}

function install(folder, wanted, { os, cpu, libc }) {
  const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
  const place = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
  execFileSync(
    "npm",
    ["install", "--ignore-scripts", "--force", ...place, ...quiet, "--prefix", folder, wanted],
    {
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    },
  );
}
