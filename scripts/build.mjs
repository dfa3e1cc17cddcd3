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
const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  // Below conf, it hears the first signal and sends the process a second one, which ends it at once. It is there
  // to tidy up files that conf was writing, which src/config/json-file.ts does itself.
  alias: { "when-exit": `${root}scripts/no-exit-hook.mjs` },
  // Packages in CommonJS require Node's own modules at run time; an ES module has no `require` of its own.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
  logLevel: "warning",
};
const shipped = {
  minify: true,
  define: {
    __COURIER_VERSION__: JSON.stringify(manifest.version),
    __COURIER_TREE__: JSON.stringify(await describeCommands()),
    __COURIER_SCRIPTS__: JSON.stringify(await readScripts()),
  },
  charset: "utf8",
  legalComments: "none",
  lineLimit: 200,
  metafile: true,
};
const program = await build({
  ...common,
  ...shipped,
  entryPoints: { main: entry },
  chunkNames: "chunks/[name]-[hash]",
  splitting: true,
  plugins: [{ name: "tab", setup: (main) => main.onResolve({ filter: /\/cli\/complete\.ts$/ }, keepApart) }],
});
// The Tab key loads one file, since each further one costs it time.
const tab = await build({
  ...common,
  ...shipped,
  entryPoints: { complete: "src/cli/complete.ts" },
  banner: {},
});
const inputs = [program, tab].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(`${outdir}/NOTICES.txt`, await collectNotices(root, inputs));

function keepApart() {
  return { path: "./complete.js", external: true };
}

/** The commands as completion sees them, as JSON: their own code would take too long to load at the Tab key. */
async function describeCommands() {
  const contents = `
    import { describeProgram } from "./src/cli/command-tree.ts";
    import { program } from "./src/cli/program.ts";
    export const tree = await describeProgram(program);`;
  await build({
    ...common,
    stdin: { contents, resolveDir: root },
    entryNames: "tree",
    outExtension: { ".js": ".mjs" },
  });
  const file = `${outdir}/tree.mjs`;
  const { tree } = await import(file);
  await rm(file);
  return JSON.stringify(tree);
}

async function readScripts() {
  const extensions = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "ps1" };
  const read = ([shell, extension]) =>
    readFile(`${root}completions/courier.${extension}`, "utf8").then((text) => [shell, text]);
  return Object.fromEntries(await Promise.all(Object.entries(extensions).map(read)));
}
