/** What V8 made of the program's files, kept in the user's cache so that the next run starts faster. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import type { Script } from "node:vm";
import { nameDraft, replaceFileOnce } from "../core/replace-file.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The part of Node.js's modules that compiles one file. Its types leave it out. */
interface Compiler {
  _compile(this: NodeJS.Module, text: string, file: string): unknown;
}

/** A file of less is compiled as fast as what was kept of it is read, and each kept file is flushed once. */
const leastCharacters = 8_000;
/** Another build may run in turn with this one, and each would replace what the other kept. */
const leftAloneMs = 60_000;

/**
 * Compiles the program's files from what an earlier run kept, and keeps it at the end of a run where there is none.
 * Node.js's own cache (from 22.8 on) lacks the functions that are compiled when they are called, which are most.
 * Below the temporary directory others could plant theirs. Where there is no cache directory, nothing is kept.
 * From now on, no part of another version is loaded, which an update may put in place meanwhile.
 */
export async function keepCompiledCode(env: Env): Promise<void> {
  const content = typeof __COURIER_CONTENT__ === "string" ? __COURIER_CONTENT__ : undefined;
  const cache = findCache(env);
  if (content === undefined || process.versions.bun) return;
  const directory = path.join(cache ?? "", "courier", `${process.version}-${process.arch}`);
  const { default: Module } = await import("node:module");
  const vm = cache && (await import("node:vm"));
  const compiler = Module.prototype as unknown as Compiler;
  const compile = compiler._compile;
  const unkept = new Map<string, Script>();
  process.once("exit", (exit) => {
    if (exit === 0) for (const [file, script] of unkept) keep(file, content, script.createCachedData());
  });
  compiler._compile = function (text, file) {
    const isOurs = path.dirname(file) === import.meta.dirname;
    if (isOurs && !text.endsWith(content))
      throw Object.assign(new Error("replaced"), { code: "MODULE_NOT_FOUND" });
    if (!isOurs || !vm || text.length < leastCharacters) return compile.call(this, text, file);
    const kept = path.join(directory, path.basename(file));
    const cachedData = readKept(kept, content);
    const script = new vm.Script(Module.wrap(text), { filename: file, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) unkept.set(kept, script);
    const require = (name: string) => this.require(name);
    return script.runInThisContext()(this.exports, require, this, file, path.dirname(file));
  };
}

/** The user's directory for caches, where there is one. */
function findCache({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  const place = [XDG_CACHE_HOME, LOCALAPPDATA, HOME && path.join(HOME, ".cache")].find(
    (each) => each !== undefined && path.isAbsolute(each),
  );
  try {
    return place !== undefined && statSync(place).isDirectory() ? place : undefined;
  } catch {
    return undefined;
  }
}

/** What was kept by this content of the program; undefined where there is none, or it is damaged. */
function readKept(file: string, content: string): Buffer | undefined {
  try {
    if (process.getuid && statSync(file).uid !== process.getuid()) return undefined;
    const bytes = readFileSync(file);
    const start = content.length;
    const middle = start + (bytes.length - start) / 2;
    if (bytes.toString("latin1", 0, start) !== content) return undefined;
    // V8 runs what is damaged, and hangs. Two copies are compared faster than a checksum is loaded.
    const [first, second] = [bytes.subarray(start, middle), bytes.subarray(middle)];
    return first.equals(second) ? first : undefined;
  } catch {
    return undefined;
  }
}

/** A run is not worse off without it: where it cannot be written, nothing is said. */
function keep(file: string, content: string, data: Buffer): void {
  try {
    if (existsSync(file) && Date.now() - statSync(file).mtimeMs < leftAloneMs) return;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = nameDraft(file);
    try {
      writeDraft(draft, [Buffer.from(content), data, data]);
      replaceFileOnce(draft, file);
    } catch {
      rmSync(draft, { force: true }); // on a full disk it may have taken the last of it
    }
  } catch {
    // the next run tries again
  }
}

function writeDraft(draft: string, parts: readonly Buffer[]): void {
  const opened = openSync(draft, "wx", 0o600);
  try {
    for (const part of parts) writeSync(opened, part);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
