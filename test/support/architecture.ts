/** The rules that keep src/ in its shape (docs/architecture.md), as one function over the files' texts. */

import { parse } from "es-module-lexer";
import { transformSync } from "esbuild";
import type { Program, VariableDeclarator } from "estree";
import { parseAst } from "rollup/parseAst";

export interface SourceFile {
  /** From the package's root, with slashes: `src/core/errors.ts`. */
  readonly path: string;
  readonly text: string;
}

export type Rule =
  | "layers"
  | "package owner"
  | "file name"
  | "load effect"
  | "module state"
  | "cycle"
  | "header"
  | "lazy package";

export interface Breach {
  readonly rule: Rule;
  readonly file: string;
  readonly line: number;
  readonly detail: string;
}

/** Each holds its commands, logic and views. What two of them need is in a layer below. */
const features = [
  "accounts",
  "addresses",
  "completion",
  "doctor",
  "find",
  "history",
  "import",
  "ledgers",
  "orders",
  "raw-calls",
  "report",
  "sandbox",
  "schema",
  "templates",
  "track",
] as const;

/** From the bottom up: a folder imports itself and the rows below its own, never a neighbour in its row. */
export const layers: readonly (readonly string[])[] = [
  ["core"],
  ["model", "sqlite"],
  ["postgres"],
  ["api", "config", "forms", "ledger", "mirror", "sheets", "terminal"],
  ["command"],
  ["sending"],
  features,
  ["cli"],
  ["main.ts"],
];

/** A second file for the part of a package that start-up does not need, which must lie in a module of its own. */
export const lazyParts: Readonly<Record<string, string>> = { zod: "src/model/json-schema.ts" };

/** The one file that may import each package; a package without a row may not be imported at all. */
export const owners: Readonly<Record<string, string>> = {
  "@inquirer/prompts": "src/terminal/prompt.ts",
  "@napi-rs/keyring": "src/config/key-ring-process.ts",
  "@photostructure/sqlite": "src/sqlite/driver.ts",
  "@vant/area-data": "src/forms/address-divisions.ts",
  chalk: "src/terminal/theme.ts",
  "cli-table3": "src/terminal/grid.ts",
  commander: "src/cli/parser.ts",
  conf: "src/config/whole-file.ts",
  "csv-parse": "src/sheets/sheet.ts",
  "csv-stringify": "src/terminal/csv.ts",
  "env-paths": "src/cli/directories.ts",
  "fastest-levenshtein": "src/core/suggest.ts",
  jsbarcode: "src/orders/code-128.ts",
  "lossless-json": "src/model/json.ts",
  pg: "src/postgres/connection.ts",
  pgpass: "src/postgres/password-file.ts",
  saxes: "src/sheets/xml.ts",
  shlex: "src/core/split-words.ts",
  "signal-exit": "src/terminal/prompt.ts",
  "string-width": "src/terminal/width.ts",
  undici: "src/api/transport.ts",
  yauzl: "src/sheets/zip-parts.ts",
  yazl: "src/sheets/workbook-writer.ts",
  zod: "src/model/schema.ts",
};

/** Packages that cost a start-up too much to be loaded before they are needed. */
export const lazyPackages: readonly string[] = [
  "@inquirer/prompts",
  "@photostructure/sqlite",
  "@vant/area-data",
  "chalk",
  "cli-table3",
  "conf",
  "csv-stringify",
  "jsbarcode",
  "pg",
  "saxes",
  "shlex",
  "undici",
  "yauzl",
  "yazl",
];

/** Small files with one user, and why each is a file of its own. */
export const smallFiles: Readonly<Record<string, string>> = {
  "src/api/encoding.ts": "formats of bodies, and nothing of connections",
  "src/cli/cleanup.ts": "the order in which a run ends",
  "src/cli/forget-orders.ts": "only a logout and a reset of the sandbox load it",
  "src/cli/raw-output.ts": "only `courier api` has it",
  "src/cli/runtime-info.ts": "facts about this machine, and nothing of the run",
  "src/cli/typed-globals.ts": "a screen alone runs commands, and no other run loads it",
  "src/config/key-ring-process.ts": "runs in a process of its own",
  "src/core/process-tree.ts": "what systems list, and nothing of how a program is run",
  "src/import/rate-limiter.ts": "a data structure with tests of its own",
  "src/import/reorder-buffer.ts": "a data structure with tests of its own",
  "src/import/shared-rest.ts": "what other processes learned, apart from what this one does",
  "src/import/write-back/own-cancelled.ts":
    "which order is a held row's own, apart from what is written of it",
  "src/import/write-back/standing-orders.ts": "orders that equal a row, apart from its own",
  "src/mirror/folded.ts": "how an answer is stored, and nothing of what it says",
  "src/mirror/order-number.ts": "where a new order stands among all, and nothing of its answers",
  "src/orders/code-128.ts": "the one file that loads jsbarcode",
  "src/postgres/password-file.ts": "the one file that loads pgpass",
  "src/sandbox/apply-fault.ts": "the plan takes other faults from tests",
  "src/sandbox/control.ts": "changes the sandbox where no server runs",
  "src/sandbox/seed-words.ts": "a table of words",
  "src/sheets/formula-texts.ts": "repairs a text before it is parsed, and knows nothing of rows",
  "src/sqlite/lock.ts": "a lock that ends with its process: the config has one, and nothing of it",
  "src/sqlite/other-names.ts": "paths of a file, and nothing of what is in it",
  "src/terminal/grid.ts": "the one file that loads cli-table3",
  "src/terminal/theme.ts": "the one file that loads chalk",
  "src/track/failure-notes.ts": "which failures of a watch were already shown",
};

const entry = "src/main.ts";
/** Where a run starts: main.ts loads it on demand, so that the Tab key does not. */
const runEntry = "src/cli/run.ts";
/** The answer to the Tab key, which cannot wait for any package. */
const tabEntry = "src/cli/complete.ts";
const bannedNames = ["utils", "helpers", "common", "types", "index", "manager", "misc"];

interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `type` leaves no trace at run time, `dynamic` loads on demand, `static` loads at once. */
  readonly kind: "static" | "type" | "dynamic";
  /** `import "…"`: only for what the file does on load. */
  readonly isBare: boolean;
}

interface Module extends SourceFile {
  readonly imports: readonly Import[];
  /** What stands outside all functions, without the types. */
  readonly statements: Program["body"];
}

function readModule(file: SourceFile): Module {
  const { code } = transformSync(file.text, { loader: "ts", target: "esnext" });
  const { body } = parseAst(code) as Program;
  return { ...file, imports: findImports(file.text), statements: body };
}

function findImports(text: string): Import[] {
  return parse(text)[0].flatMap((found) => {
    if (found.specifier === null || found.specifier === undefined) return [];
    const isDynamic = found.type === "dynamic";
    const isType = isDynamic ? found.probablyTypeOnly : found.typeOnly;
    return {
      specifier: found.specifier,
      line: text.slice(0, found.start).split("\n").length,
      kind: isType ? "type" : isDynamic ? "dynamic" : "static",
      isBare: !isDynamic && /^import\s*["']/.test(text.slice(found.importStart)),
    };
  });
}

/** Every breach of the rules among the files of src/, in the order of the rules. */
export function findBreaches(files: readonly SourceFile[]): Breach[] {
  const modules = files.filter(({ path }) => !path.endsWith(".d.ts")).map(readModule);
  return [
    ...modules.flatMap((module) => fileRules.flatMap((rule) => rule(module))),
    ...findCycles(modules),
    ...findEagerPackages(modules, [entry, runEntry], (name) => lazyPackages.includes(name)),
    ...findEagerPackages(modules, [tabEntry], () => true),
  ];
}

/** Rows of the table of owners whose package is not imported by its owner any more. */
export function findIdleOwners(files: readonly SourceFile[]): string[] {
  const used = new Set(
    files.flatMap(({ path, text }) =>
      findImports(text).map(({ specifier }) => `${packageName(specifier)} in ${path}`),
    ),
  );
  return Object.entries(owners)
    .map(([name, owner]) => `${name} in ${owner}`)
    .filter((row) => !used.has(row));
}

const smallestWithoutReason = 60;

/** The platform's form is all that such a file has. */
const presetFolder = "src/import/presets/";

/** Files below that size which one other file imports, the table of commands and the presets apart. */
export function findSmallFiles(files: readonly SourceFile[]): string[] {
  const users = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const { specifier } of findImports(text)) {
      const target = resolve(path, specifier);
      if (target !== undefined) users.set(target, (users.get(target) ?? new Set()).add(path));
    }
  }
  return files
    .filter(({ path, text }) => {
      const [user, ...others] = users.get(path) ?? [];
      const isAlone =
        user !== undefined &&
        others.length === 0 &&
        user !== "src/cli/program.ts" &&
        !path.startsWith(presetFolder);
      return isAlone && text.split("\n").length <= smallestWithoutReason;
    })
    .map(({ path }) => path);
}

type FileRule = (module: Module) => Breach[];

const checkLayers: FileRule = (module) => {
  const own = layerOf(module.path);
  if (own.row < 0) {
    return [{ rule: "layers", file: module.path, line: 1, detail: `${own.folder} belongs to no layer` }];
  }
  return module.imports.flatMap(({ specifier, line }) => {
    const target = resolve(module.path, specifier);
    if (target === undefined) return [];
    const other = layerOf(target);
    if (other.folder === own.folder || (other.row >= 0 && other.row < own.row)) return [];
    return [{ rule: "layers", file: module.path, line, detail: `${own.folder} imports ${other.folder}` }];
  });
};

const checkOwners: FileRule = ({ path, imports }) =>
  imports.flatMap(({ specifier, line }) => {
    const name = packageName(specifier);
    if (name === undefined || owners[name] === path || lazyParts[name] === path) return [];
    const detail = `${name} belongs to ${owners[name] ?? "no file"}`;
    return [{ rule: "package owner", file: path, line, detail }];
  });

const checkFileName: FileRule = ({ path }) => {
  const banned = path.split("/").find((part) => bannedNames.includes(part.replace(/\..*$/, "")));
  return banned === undefined
    ? []
    : [{ rule: "file name", file: path, line: 1, detail: `${banned} owns nothing` }];
};

const checkLoadEffects: FileRule = (module) => {
  if (module.path === entry) return [];
  const bare = module.imports
    .filter(({ isBare }) => isBare)
    .map(({ line }) => breach("load effect", module, line, "imports nothing by name"));
  const effects = module.statements
    .filter(({ type }) => !/^(?:Import|Export|Function|Class|Variable)\w*Declaration$/.test(type))
    .map(({ type }) => breach("load effect", module, 1, type));
  return [
    ...bare,
    ...effects,
    ...declarations(module, "load effect", ({ init }) => init?.type === "AwaitExpression"),
  ];
};

/** A variable, or a collection that is empty at first: both are there to be changed. */
const checkModuleState: FileRule = (module) =>
  module.path === entry
    ? []
    : declarations(
        module,
        "module state",
        ({ init }, kind) =>
          kind !== "const" ||
          (init?.type === "NewExpression" &&
            init.arguments.length === 0 &&
            init.callee.type === "Identifier" &&
            /^(?:Weak)?(?:Map|Set)$/.test(init.callee.name)),
      );

const checkHeader: FileRule = ({ path, text }) => {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  if (/\w[\s\S]*[.:?!]/.test(comment)) return [];
  return [{ rule: "header", file: path, line: 1, detail: "does not open with a sentence on what it is" }];
};

const fileRules: readonly FileRule[] = [
  checkLayers,
  checkOwners,
  checkFileName,
  checkLoadEffects,
  checkModuleState,
  checkHeader,
];

/** One breach for each cycle of imports, at the import that leaves its first file by name. */
function findCycles(modules: readonly Module[]): Breach[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const reported = new Set<string>();
  const done = new Set<string>();
  const breaches: Breach[] = [];

  function visit(module: Module, trail: readonly Module[]) {
    const start = trail.indexOf(module);
    if (start >= 0) return report(trail.slice(start));
    if (done.has(module.path)) return;
    for (const { specifier } of module.imports) {
      const target = byPath.get(resolve(module.path, specifier) ?? "");
      if (target) visit(target, [...trail, module]);
    }
    done.add(module.path);
  }

  function report(cycle: readonly Module[]) {
    const first = cycle.reduce((a, b) => (a.path < b.path ? a : b));
    const at = cycle.indexOf(first);
    const ordered = [...cycle.slice(at), ...cycle.slice(0, at), first];
    const detail = ordered.map(({ path }) => path).join(" → ");
    if (reported.has(detail)) return;
    reported.add(detail);
    const next = ordered[1]?.path;
    const line = first.imports.find(({ specifier }) => resolve(first.path, specifier) === next)?.line ?? 1;
    breaches.push({ rule: "cycle", file: first.path, line, detail });
  }

  for (const module of modules) visit(module, []);
  return breaches;
}

/** Lazy packages that are loaded with src/main.ts, because only static imports lie between. */
function findEagerPackages(
  modules: readonly Module[],
  entries: readonly string[],
  isLazy: (name: string) => boolean,
): Breach[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const trails = new Map(entries.map((path) => [path, path]));
  const breaches: Breach[] = [];
  for (const [path, trail] of trails) {
    const module = byPath.get(path);
    for (const { specifier, line } of module?.imports.filter(isStatic) ?? []) {
      const name = packageName(specifier);
      if (name !== undefined && isLazy(name)) {
        breaches.push({ rule: "lazy package", file: path, line, detail: `${trail} → ${name}` });
      }
      const target = resolve(path, specifier);
      // A map's iteration goes on to entries that are added on the way.
      if (target !== undefined && !trails.has(target)) trails.set(target, `${trail} → ${target}`);
    }
  }
  return breaches;
}

function isStatic({ kind }: Import): boolean {
  return kind === "static";
}

function breach(rule: Rule, { path }: Module, line: number, detail: string): Breach {
  return { rule, file: path, line, detail };
}

/** What a module declares at its top level, if `isBreach` says so. */
function declarations(
  module: Module,
  rule: Rule,
  isBreach: (declarator: VariableDeclarator, kind: string) => boolean,
): Breach[] {
  return module.statements
    .map((statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement))
    .flatMap((statement) => (statement?.type === "VariableDeclaration" ? [statement] : []))
    .flatMap(({ kind, declarations: all }) => all.filter((each) => isBreach(each, kind)))
    .map(({ id }) => breach(rule, module, 1, id.type === "Identifier" ? id.name : id.type));
}

/** `src/core/errors.ts` lies in the folder `core`; a file directly in src/ stands for itself. */
function layerOf(path: string): { folder: string; row: number } {
  const folder = path.startsWith("src/") ? (path.split("/")[1] ?? path) : path;
  return { folder, row: layers.findIndex((row) => row.includes(folder)) };
}

/** The file that a relative specifier names; undefined for a package. */
function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/").replace(/\.js$/, ".ts");
}

/** `zod` for `zod/mini`, `@inquirer/prompts` for itself; undefined for project files and Node's own modules. */
function packageName(specifier: string): string | undefined {
  if (/^(?:\.|node:|bun:)/.test(specifier)) return undefined;
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
