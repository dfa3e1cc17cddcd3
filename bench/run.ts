/** Prints the ratios: `npm run bench`, or some of them: `npm run bench startup rate pages watch`. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { benchFindKeys } from "./find-keys.ts";
import { benchExportMemory, benchImportMemory } from "./import-memory.ts";
import { benchImportRate } from "./import-rate.ts";
import { benchListPages } from "./list-pages.ts";
import { benchMachines } from "./machines.ts";
import { benchStartup } from "./startup.ts";
import { benchWatch } from "./watch.ts";

const benches = {
  startup: benchStartup,
  rate: benchImportRate,
  pages: benchListPages,
  "import-memory": benchImportMemory,
  "export-memory": benchExportMemory,
  watch: benchWatch,
  "find-keys": benchFindKeys,
  machines: benchMachines,
};
const asked = process.argv.slice(2);
const directory = await mkdtemp(path.join(tmpdir(), "courier-bench-"));
try {
  for (const [name, bench] of Object.entries(benches))
    if (asked.length === 0 || asked.includes(name)) await bench(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
