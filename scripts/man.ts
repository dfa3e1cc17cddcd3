/** Writes the manual pages of every command into a folder: `tsx scripts/man.ts dist/man`. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { program } from "../src/cli/program.ts";
import { renderManPages } from "./man-page.ts";

const [folder = "dist/man"] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
mkdirSync(folder, { recursive: true });
for (const { fileName, text } of await renderManPages(program, version))
  writeFileSync(path.join(folder, fileName), text);
