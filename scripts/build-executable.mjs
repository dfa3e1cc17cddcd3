/**
 * The standalone executable for this platform: `node scripts/build-executable.mjs [FILE]`, after a build; FILE is
 * dist-executable/courier.
 */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileExecutable } from "./executable.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const name = process.platform === "win32" ? "courier.exe" : "courier";
const [file = join(root, "dist-executable", name)] = process.argv.slice(2);

compileExecutable(file);
console.log(file);
