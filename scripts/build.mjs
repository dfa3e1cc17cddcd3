/** Owns the build: bundles src/main.ts and all it needs into dist/, so that users install one package. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { collectNotices } from "./notices.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}dist`;
const [entry = "src/main.ts"] = process.argv.slice(2);
const manifest = JSON.parse(await readFile(`${root}package.json`, "utf8"));

await rm(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: entry },
  outdir,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  define: { __COURIER_VERSION__: JSON.stringify(manifest.version) },
  // Below conf, it hears the first signal and sends the process a second one, which ends it at once. It is there
  // to tidy up files that conf was writing, which src/config/json-file.ts does itself.
  alias: { "when-exit": `${root}scripts/no-exit-hook.mjs` },
  // Packages in CommonJS require Node's own modules at run time; an ES module has no `require` of its own.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  charset: "utf8",
  legalComments: "none",
  lineLimit: 200,
  metafile: true,
  logLevel: "warning",
});
await writeFile(`${outdir}/NOTICES.txt`, await collectNotices(root, Object.keys(metafile.inputs)));
