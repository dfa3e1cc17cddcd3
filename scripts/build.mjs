/**
 * The build: bundles src/main.ts and all it needs into dist/, so that users install one package.
 * esbuild bundles, Rollup puts together what is loaded together, and writes CommonJS, which starts faster.
 * `node scripts/build.mjs [ENTRY]`
 */

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { rollup } from "rollup";
import { bundle, completionFile, optionalPackages, shortenEmoji } from "./bundle.mjs";
import { contentMark, describeBuild } from "./describe-build.mjs";
import { writeSupply } from "./supply.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const outdir = `${root}dist`;
const target = "node20.18";
const [entry = "src/main.ts"] = process.argv.slice(2);

const partsOfEachRun = ["main", "run", "call", "root-help"];
const manyEscapes = 100;

await rm(outdir, { recursive: true, force: true });
const define = {
  ...(await describeBuild(root)),
  "import.meta.dirname": "__dirname",
  "import.meta.filename": "__filename",
};
const completion = await bundleCompletion();
const modules = await bundle(root, { entry, target, define });
const parts = assignParts(modules);
const program = await rollup({
  input: "main.js",
  external: [/^node:/, "bun:sqlite", ...builtinModules, completionFile, ...optionalPackages],
  makeAbsoluteExternalsRelative: false, // as they are written, wherever it is built
  treeshake: false, // esbuild has done it
  plugins: [
    {
      name: "esbuild-output",
      resolveId: (name, from) => {
        const id = join(dirname(from ?? "main.js"), name);
        return modules.has(id) ? id : undefined;
      },
      load: (id) => modules.get(id).text,
    },
  ],
});
await program.write({
  dir: outdir,
  format: "cjs",
  interop: "default",
  generatedCode: { arrowFunctions: true }, // shorter
  dynamicImportInCjs: false, // import() would start the loader of ES modules
  minifyInternalExports: true,
  entryFileNames: "[name].cjs",
  // A short name for those that have none: there are a thousand references to them.
  chunkFileNames: ({ name }) => `${name.replace(/-[A-Z\d]{8}$/, "").replace(/^chunk$/, "c")}.cjs`,
  manualChunks: (id) => parts.get(id),
  hoistTransitiveImports: false, // shorter: each chunk loads what it uses itself
  plugins: [
    {
      name: "minify",
      async renderChunk(code, chunk, _options, { chunks }) {
        const charset = charsetOf(chunk.name, code);
        const options = { minify: true, format: "cjs", target, charset, lineLimit: 30_000 };
        const { code: short } = await transform(withoutRepeatedLoads(code, chunk, chunks), options);
        return withShortSql(short.replaceAll('{"use strict";', "{")); // the whole file has it
      },
    },
    { name: "content", generateBundle: (_, files) => nameContent(Object.values(files)) },
  ],
});
const sources = [...modules.values()].flatMap((module) => module.sources);
await writeSupply(root, outdir, [...sources, ...completion]);

/** A file loads others that it uses nothing of, for their order: not those that one of its others loads anyway. */
function withoutRepeatedLoads(code, { fileName, imports, importedBindings }, chunks) {
  const reached = new Set();
  const reach = (file) => {
    for (const next of chunks[file]?.imports ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      reach(next);
    }
  };
  for (const file of imports) reach(file);
  // In a circle, each of two files could leave a load to the other.
  if (reached.has(fileName)) throw new Error(`${fileName} loads itself`);
  const repeated = imports.filter((file) => importedBindings[file]?.length === 0 && reached.has(file));
  return repeated.reduce((text, file) => text.replace(`require('./${file}');\n`, ""), code);
}

/** The minifier leaves texts as they are, and statements are indented in the sources. */
function withShortSql(code) {
  return code.replace(/`\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|CASE)\b[^`]*/g, (statement) =>
    statement.replace(/(?<!\\)\n\s*/g, " "),
  );
}

/** Puts a digest of all files in the place that code kept from an earlier run is checked by. */
function nameContent(files) {
  const digest = createHash("sha256").update(readFileSync(`${outdir}/complete.cjs`));
  for (const { code = "" } of files) digest.update(code);
  const name = digest.digest("hex").slice(0, contentMark.length);
  // The minifier breaks a text that crosses the limit of a line.
  const letters = [...contentMark].map((letter) => letter.replace(/\W/, "\\$&"));
  const mark = new RegExp(letters.join(String.raw`(?:\\\n)?`), "g");
  let places = 0;
  const named = () => {
    places += 1;
    return name;
  };
  // At the end of each file, so that one of another build, or half of one, is not loaded.
  for (const file of files) file.code = `${file.code?.replace(mark, named)}//${name}`;
  appendFileSync(`${outdir}/complete.cjs`, `//${name}`);
  // With the same name in each build, code that another one kept would run in the place of this one's.
  if (places === 0) throw new Error(`no file has the text ${contentMark}`);
}

/** The Tab key loads one file, since each further one costs it time. Gives back what went into it. */
async function bundleCompletion() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { complete: "src/cli/complete.ts" },
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target,
    define,
    external: [...optionalPackages, "bun:sqlite"],
    plugins: [{ name: "emoji", setup: shortenEmoji }],
    charset: "ascii",
    legalComments: "none",
    lineLimit: 30_000,
    supported: { "dynamic-import": false }, // kept code has none
    metafile: true,
    logLevel: "warning",
    logOverride: { "empty-import-meta": "silent" }, // read only where the sources run as they are
  });
  // What is only reachable where the tree is no data is read, and left out.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
}

/**
 * V8 keeps a file with characters beyond Latin-1 in two bytes for each of all its characters, so what each run loads is in
 * ASCII. Elsewhere a Chinese character takes half the room as it is.
 */
function charsetOf(part, code) {
  const escapes = code.match(/\\u[\da-f]{4}/gi)?.length ?? 0;
  return partsOfEachRun.includes(part) || escapes < manyEscapes ? "ascii" : "utf8";
}

/**
 * The parts that are loaded together, in their order. Each file costs a start-up as much as twenty kilobytes
 * of code, so what a command needs comes in few of them; all else stays as esbuild has split it.
 */
function assignParts(modules) {
  const parts = {
    main: [entry],
    "root-help": ["src/cli/root-help.ts"],
    run: [
      "src/cli/run.ts",
      "src/api/retry.ts",
      "src/api/service.ts",
      "node_modules/env-paths/index.js",
      "src/ledger/order-cache.ts",
      "src/command/order-filter.ts",
    ],
    lists: ["src/orders/list.ts", "src/track/track.ts"],
    find: ["src/find/find.ts"],
    call: [
      "src/api/transport.ts",
      "src/api/client.ts",
      "src/api/with-known-orders.ts",
      "src/cli/remember-answers.ts",
      "src/ledger/noticed-orders.ts",
    ],
  };
  const assigned = new Map();
  for (const [part, entries] of Object.entries(parts)) {
    const isNamed = ({ entry, sources }) => entries.some((each) => each === entry || sources.includes(each));
    const needed = new Set([...modules].flatMap(([id, module]) => (isNamed(module) ? id : [])));
    for (const id of needed) {
      if (!assigned.has(id)) assigned.set(id, part);
      for (const other of modules.get(id).imports) needed.add(other);
    }
  }
  return assigned;
}
