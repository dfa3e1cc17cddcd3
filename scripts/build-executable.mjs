/**
 * The standalone executable: compiles dist/ with Bun into one file for this platform, which needs no
 * Node.js. `node scripts/build-executable.mjs [FILE]`, after a build; FILE is dist-executable/courier.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const windows = process.platform === "win32";
const [file = join(root, "dist-executable", windows ? "courier.exe" : "courier")] = process.argv.slice(2);

/** Not a devDependency: a hundred megabytes that only this script needs. */
const bunVersion = "1.4.5";

const compiler = installCompiler();
await mkdir(dirname(file), { recursive: true });
const options = [
  "--compile",
  "--bytecode",
  "--format=cjs",
  // Files in the user's current directory must not change what courier does.
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
];
execFileSync(compiler, ["build", ...options, "--outfile", file, join(root, "dist/main.cjs")], {
  stdio: ["ignore", 2, 2],
});
console.log(file);

/** The package `bun` only picks one of these at install time, by a script; asked for by name, none has to run. */
function installCompiler() {
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  const isMusl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  const name = `@oven/bun-${windows ? "windows" : process.platform}-${cpu}${isMusl ? "-musl" : ""}`;
  const folder = join(root, "node_modules/.cache", `bun-${bunVersion}`);
  const binary = join(folder, "node_modules", name, "bin", windows ? "bun.exe" : "bun");
  if (!existsSync(binary)) {
    const quiet = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
    execFileSync(
      "npm",
      ["install", "--ignore-scripts", ...quiet, "--prefix", folder, `${name}@${bunVersion}`],
      {
        stdio: ["ignore", 2, 2],
        shell: windows,
      },
    );
  }
  return binary;
}
