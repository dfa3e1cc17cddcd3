/** Writes the command reference, the environment and the exit codes into README.md, from the same data as parser and help. */

import { readFileSync, writeFileSync } from "node:fs";
import { renderReadme } from "../test/support/reference.ts";

const file = new URL("../README.md", import.meta.url);
writeFileSync(file, await renderReadme(readFileSync(file, "utf8")));
