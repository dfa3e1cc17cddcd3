/** The rules that keep src/ in its shape (docs/architecture.md), as one function over the files' texts. */

import { type Import, lineAt, type Scan, scanSource } from "./source-scan.ts";

export interface SourceFile {
  /** From the package's root, with slashes: `src/core/errors.ts`. */
  readonly path: string;
  readonly text: string;
}

export type Rule =
  | "layers"
  | "package owner"
  | "process"
  | "exit"
  | "default export"
  | "barrel"
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
  "history",
  "import",
  "orders",
  "raw-calls",
  "sandbox",
  "schema",
  "templates",
  "track",
] as const;

/** From the bottom up: a folder imports itself and the rows below its own, never a neighbour in its row. */
export const layers: readonly (readonly string[])[] = [
  ["core"],
  ["model", "sqlite"],
  ["api", "config", "forms", "ledger", "sheets", "terminal"],
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
  "cli-table3": "src/terminal/table.ts",
  commander: "src/cli/parser.ts",
  conf: "src/config/whole-file.ts",
  "csv-parse": "src/sheets/sheet.ts",
  "csv-stringify": "src/terminal/csv.ts",
  "env-paths": "src/cli/directories.ts",
  "fastest-levenshtein": "src/core/suggest.ts",
  "lossless-json": "src/model/json.ts",
  shlex: "src/config/key-command.ts",
  "string-width": "src/terminal/width.ts",
  undici: "src/api/transport.ts",
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
  "shlex",
  "undici",
];

const entry = "src/main.ts";
/** Where a run starts: main.ts loads it on demand, so that the Tab key does not. */
const runEntry = "src/cli/run.ts";
/** The answer to the Tab key, which cannot wait for any package. */
const tabEntry = "src/cli/complete.ts";
const processFiles = [entry, "src/cli/context.ts"];
const bannedNames = ["utils", "helpers", "common", "types", "index", "manager", "misc"];

interface Module extends SourceFile, Scan {}

/** Every breach of the rules among the files of src/, in the order of the rules. */
export function findBreaches(files: readonly SourceFile[]): Breach[] {
  const modules = files
    .filter(({ path }) => !path.endsWith(".d.ts"))
    .map((file): Module => ({ ...file, ...scanSource(file.text) }));
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
      scanSource(text).imports.map(({ specifier }) => `${packageName(specifier)} in ${path}`),
    ),
  );
  return Object.entries(owners)
    .map(([name, owner]) => `${name} in ${owner}`)
    .filter((row) => !used.has(row));
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

const checkProcess: FileRule = (module) => {
  if (processFiles.includes(module.path)) return [];
  const imported = module.imports
    .filter(({ specifier }) => /^(?:node:)?process$/.test(specifier))
    .map(({ line }): Breach => ({ rule: "process", file: module.path, line, detail: "imports process" }));
  // Not a member's name (`.process`, `{ process: … }`, `process?: …`).
  const used = matches(
    module,
    "process",
    /(?<!(?<!\.\.)\.\s*)(?<![\w$#])process\b(?!\s*\??\s*:)|(?<=\?\s+)process\b|\bglobalThis\s*(?:\?\.\s*)?(?:\.\s*process\b|\[)|\bimport\s*\.\s*meta\s*\.\s*env\b/g,
  );
  return [...imported, ...used];
};

const checkExit: FileRule = (module) =>
  module.path === entry ? [] : matches(module, "exit", /\.\s*exit\s*(?:\?\.\s*)?\(/g);

const checkDefaultExport: FileRule = (module) =>
  matches(module, "default export", /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/g);

const checkBarrel: FileRule = ({ path, outline }) => {
  if (!/^export\s*(?:type\s*)?[{*]/m.test(outline)) return [];
  const rest = outline.replace(/^(?:import|export\s*(?:type\s*)?[{*])[^;]*;/gm, "").trim();
  return rest === "" ? [{ rule: "barrel", file: path, line: 1, detail: "holds nothing of its own" }] : [];
};

const checkFileName: FileRule = ({ path }) => {
  const banned = path.split("/").find((part) => bannedNames.includes(part.replace(/\..*$/, "")));
  return banned === undefined
    ? []
    : [{ rule: "file name", file: path, line: 1, detail: `${banned} owns nothing` }];
};

/** What the formatter leaves at the start of a line and outside brackets begins a statement. */
const statement =
  /^(?!(?:import|export|const|let|var|function|async function|class|abstract class|interface|type|enum|declare|namespace)\b)[\w$("'[].*/gm;

const checkLoadEffects: FileRule = (module) => {
  if (module.path === entry) return [];
  const bare = module.imports
    .filter(({ isBare }) => isBare)
    .map(
      ({ line }): Breach => ({
        rule: "load effect",
        file: module.path,
        line,
        detail: "imports nothing by name",
      }),
    );
  const awaited = matches(
    module,
    "load effect",
    /^(?:export\s+)?const\b[^;\n]*=\s*await\b.*/gm,
    module.outline,
  );
  return [...bare, ...awaited, ...matches(module, "load effect", statement, module.outline)];
};

const checkModuleState: FileRule = (module) => {
  const variables = matches(module, "module state", /^(?:export\s+)?(?:let|var)\b.*/gm, module.outline);
  const collections = matches(
    module,
    "module state",
    /^(?:export\s+)?const\b[^;\n]*?=\s*new\s+(?:Weak)?(?:Map|Set)\b[^;\n]*\(\s*\)/gm,
  );
  return [...variables, ...collections];
};

const checkHeader: FileRule = ({ path, text }) => {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "";
  if (/\w[\s\S]*[.:?!]/.test(comment)) return [];
  return [{ rule: "header", file: path, line: 1, detail: "does not open with a sentence on what it owns" }];
};

const fileRules: readonly FileRule[] = [
  checkLayers,
  checkOwners,
  checkProcess,
  checkExit,
  checkDefaultExport,
  checkBarrel,
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

function matches(module: Module, rule: Rule, pattern: RegExp, text = module.code): Breach[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    rule,
    file: module.path,
    line: lineAt(text, index),
    detail: found.trim().replace(/\s+/g, " "),
  }));
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
