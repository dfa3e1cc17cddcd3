/** Writes the command reference, the environment and the exit codes into docs/commands.md, from the same data as parser and help. */

import { readFileSync, writeFileSync } from "node:fs";
import { renderReference } from "../test/support/reference.ts";

const file = new URL("../docs/commands.md", import.meta.url);
writeFileSync(file, await renderReference(readFileSync(file, "utf8")));
