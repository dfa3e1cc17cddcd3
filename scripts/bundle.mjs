/** What goes into the program: the sources and the parts of packages that they use, bundled by esbuild. */

import { createRequire } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

/** What packages load and courier does not use. Most of it takes a start-up longer than all else in them. */
const unused = [
  // undici speaks HTTP/2 only where it is asked to, and it is not.
  { by: "undici", path: "./client-h2.js", contents: "module.exports = undefined;" },
  // A proxy's URL begins with http or https; courier refuses others (cli/proxy.ts).
  { by: "undici", path: "./socks5-proxy-agent", contents: "module.exports = undefined;" },
  // undici looks at these for bodies of other kinds than courier's texts, and for one number.
  { by: "undici", path: "../web/fetch/body.js", contents: "module.exports = {};" },
  {
    by: "undici",
    path: "node:http",
    contents: "module.exports = { IncomingMessage: class {}, maxHeaderSize: 16_384 };",
  },
  // Of all the parser's tables, undici reads two.
  { by: "undici", path: "../llhttp/constants.js", contents: parserConstants() },
  // The parser for processors without SIMD, made before about 2008: 72 kB.
  { by: "undici", path: "../llhttp/llhttp-wasm.js", contents: "module.exports = undefined;" },
  // undici calls nothing but the function itself.
  {
    by: "undici",
    path: "node:assert",
    contents:
      'module.exports = (ok, message) => { if (!ok) throw Object.assign(new Error(message ?? "assertion failed"), { name: "AssertionError" }); };',
  },
  // Node has had the checksum of .zip files since 20.15.
  { by: "yazl", path: "buffer-crc32", contents: 'exports.unsigned = require("node:zlib").crc32;' },
  { by: "yauzl", path: "./crc32", contents: 'module.exports = require("node:zlib").crc32;' },
  // commander starts subcommands that are programs of their own; there are none.
  { by: "commander", path: "node:child_process", contents: "module.exports = {};" },
  // Of the package for colours, the tables take the colours, and not its games with letters.
  ...["./custom/trap", "./custom/zalgo"].map((path) => ({
    by: "@colors/colors",
    path,
    contents: "module.exports = undefined;",
  })),
  ...["america", "zebra", "rainbow", "random"].map((name) => ({
    by: "@colors/colors",
    path: `./maps/${name}`,
    contents: "module.exports = () => undefined;",
  })),
  // conf's writer would end the process at the first signal; what it leaves behind goes at the next write.
  { by: "atomically", path: "when-exit", contents: "export default () => {};" },
  // conf checks what it stores where it is given a schema; our own schemas do it before.
  { by: "conf", path: "ajv/dist/2020.js", contents: "export const Ajv2020 = undefined;" },
  { by: "conf", path: "ajv-formats", contents: "export default undefined;" },
  // pg is given the few types of the ledger's columns, an address in parts, and runs in no worker of a cloud.
  {
    by: "pg",
    path: "pg-types",
    contents: "module.exports = { getTypeParser: () => String, setTypeParser() {} };",
  },
  { by: "pg", path: "pg-connection-string", contents: "module.exports = {};" },
  { by: "pg", path: "pg-cloudflare", contents: "module.exports = {};" },
  // conf compares versions for migrations; there are none.
  { by: "conf", path: "semver", contents: "export default undefined;" },
];

/** Native modules of the platform's own, which no bundle can contain. */
export const optionalPackages = ["@napi-rs/keyring", "@photostructure/sqlite"];

/**
 * The bundle's files by name: text, the sources (from `root`) that it is made of, the one that it replaces
 * where it is imported on demand, and the names of the files that it needs at once.
 */
export async function bundle(root, { entry, target, define, minify = false }) {
  const outdir = `${root}dist`;
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: entry },
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    minify,
    minifySyntax: true,
    format: "esm",
    platform: "node",
    target,
    define,
    external: [...optionalPackages, "bun:sqlite"],
    charset: "ascii",
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
    plugins: [
      { name: "unused", setup: leaveOutUnused },
      { name: "emoji", setup: shortenEmoji },
      { name: "tab", setup: keepCompletionApart },
      { name: "divisions", setup: packDivisions },
      { name: "schemas", setup: packSchemas },
    ],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(outdir, path), text]));
  return new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint, inputs, imports }]) => [
      relative("dist", path),
      {
        text: texts.get(relative("dist", path)),
        entry: entryPoint,
        sources: Object.keys(inputs).map((path) => path.replace(/^packed:/, "node_modules/")),
        imports: imports.filter(isAtOnce).map((each) => relative("dist", each.path)),
      },
    ]),
  );
}

function isAtOnce({ kind, external }) {
  return kind === "import-statement" && !external;
}

/** Where the program finds what answers the Tab key, which is bundled by itself. */
export const completionFile = "./complete.cjs";

function keepCompletionApart({ onResolve }) {
  onResolve({ filter: /^\.\/complete\.ts$/ }, () => ({ path: completionFile, external: true }));
}

/** Ten kilobytes in the place of which one line is quicker. */
export function shortenEmoji({ onResolve }) {
  const path = fileURLToPath(new URL("emoji-pattern.cjs", import.meta.url));
  onResolve({ filter: /^emoji-regex$/ }, () => ({ path }));
}

/** Eighty kilobytes of names, two fifths of it when packed; they are read where an address is pasted. */
function packDivisions({ onResolve, onLoad }) {
  onResolve({ filter: /^@vant\/area-data$/ }, ({ path }) => ({ path, namespace: "packed" }));
  onLoad({ filter: /./, namespace: "packed" }, async ({ path }) => {
    const { areaList } = await import(path);
    return {
      contents: `
        import { brotliDecompressSync } from "node:zlib";
        export const areaList = JSON.parse(brotliDecompressSync(Buffer.from("${pack(areaList)}", "base64")).toString());`,
    };
  });
}

function parserConstants() {
  const { ERROR, TYPE } = createRequire(import.meta.url)("undici/lib/llhttp/constants.js");
  return `exports.ERROR = ${JSON.stringify(ERROR)}; exports.TYPE = ${JSON.stringify(TYPE)};`;
}

/** The JSON Schemas of `courier schema`, made now: the part of zod that makes them is three times as large. */
function packSchemas({ onResolve, onLoad, initialOptions: { absWorkingDir } }) {
  onResolve({ filter: /\/model\/json-schema\.ts$/ }, () => ({ path: "all", namespace: "schemas" }));
  onLoad({ filter: /./, namespace: "schemas" }, async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { toJsonSchema } from "./json-schema.ts";
          import { schemaNames } from "./results.ts";
          export const schemas = Object.fromEntries(schemaNames.map((name) => [name, toJsonSchema(name)]));`,
        resolveDir: `${absWorkingDir}src/model`,
      },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
    });
    const { schemas } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
    return {
      contents: `
        import { brotliDecompressSync } from "node:zlib";
        const schemas = JSON.parse(brotliDecompressSync(Buffer.from("${pack(schemas)}", "base64")).toString());
        export const toJsonSchema = (name) => schemas[name];`,
    };
  });
}

function pack(value) {
  return brotliCompressSync(JSON.stringify(value)).toString("base64");
}

function leaveOutUnused({ onResolve, onLoad }) {
  for (const [index, { by, path }] of unused.entries()) {
    onResolve({ filter: new RegExp(`^${path}$`) }, ({ importer }) =>
      importer.includes(`/node_modules/${by}/`) ? { path: String(index), namespace: "unused" } : undefined,
    );
  }
  onLoad({ filter: /./, namespace: "unused" }, ({ path }) => ({ contents: unused[path].contents }));
}
