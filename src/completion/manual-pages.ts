/** Links the package's manual pages where `man` finds them: npm did so before version 12. */

import { mkdir, readdir, readlink, realpath, rm, symlink } from "node:fs/promises";
import path from "node:path";
import type { RuntimeInfo } from "../command/runtime-info.ts";
import { systemCode } from "../core/errors.ts";

type Env = RuntimeInfo["env"];

interface Manual {
  /** Where the package has its pages. */
  readonly source: string;
  readonly pages: readonly string[];
  /** Where `man` looks for them, below the prefix of the `courier` in PATH. */
  readonly target: string;
}

/**
 * Makes the links that npm would have made, which `npm uninstall` of every version deletes. Gives back their directory;
 * undefined without pages or a prefix, as for an executable or in a clone. Throws the system's errors.
 */
export async function linkManualPages(env: Env): Promise<string | undefined> {
  const manual = await findManual(env);
  if (manual === undefined) return undefined;
  const { source, pages, target } = manual;
  await mkdir(target, { recursive: true });
  const directory = await realpath(target);
  for (const link of await findLinks(directory, source))
    if (!pages.includes(path.basename(link))) await rm(link);
  for (const page of pages) {
    const link = path.join(directory, page);
    await symlink(path.relative(directory, path.join(source, page)), link).catch(ignoreExisting);
  }
  return target;
}

/** Deletes those links; gives back their directory if there were any. */
export async function unlinkManualPages(env: Env): Promise<string | undefined> {
  const manual = await findManual(env);
  if (manual === undefined) return undefined;
  const links = await findLinks(manual.target, manual.source);
  for (const link of links) await rm(link);
  return links.length === 0 ? undefined : manual.target;
}

async function findManual(env: Env): Promise<Manual | undefined> {
  const source = path.join(import.meta.dirname, "man");
  const pages = await readdir(source).catch(() => []);
  const launcher = await orMissing(realpath(path.join(import.meta.dirname, "../bin/courier.cjs")));
  if (pages.length === 0 || launcher === undefined) return undefined;
  for (const directory of (env.PATH ?? "").split(path.delimiter)) {
    if (path.basename(directory) !== "bin") continue;
    const program = await orMissing(realpath(path.join(directory, "courier")));
    if (program !== launcher) continue;
    const target = path.join(path.dirname(path.resolve(directory)), "share/man/man1");
    return { source: await realpath(source), pages, target };
  }
  return undefined;
}

/** The links into this package, also those to pages that an earlier version had. */
async function findLinks(directory: string, source: string): Promise<readonly string[]> {
  const real = await orMissing(realpath(directory));
  const names = real === undefined ? [] : await readdir(real);
  const links: string[] = [];
  for (const name of names.filter((each) => each.startsWith("courier"))) {
    const link = path.join(real ?? directory, name);
    const text = await orMissing(readlink(link));
    if (text !== undefined && path.dirname(path.resolve(path.dirname(link), text)) === source)
      links.push(link);
  }
  return links;
}

async function orMissing<T>(finding: Promise<T>): Promise<T | undefined> {
  return finding.catch(() => undefined);
}

/** A page of another package stays. */
function ignoreExisting(error: unknown): void {
  if (systemCode(error) !== "EEXIST") throw error;
}
