/** The compile cache of Node.js, so that the next run starts faster. */

import { existsSync } from "node:fs";
import path from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Has Node.js 22.8 and later keep compiled code in the user's cache: below the temporary directory, its own
 * choice, others could plant theirs. Where there is no such place, or it cannot be written, nothing is kept.
 */
export async function keepCompiledCode(env: Env): Promise<void> {
  const nodeModule = await import("node:module");
  const keep = (nodeModule as { enableCompileCache?: (directory: string) => unknown }).enableCompileCache;
  const cache = [env.XDG_CACHE_HOME, env.LOCALAPPDATA, env.HOME && path.join(env.HOME, ".cache")].find(
    (place) => place !== undefined && path.isAbsolute(place),
  );
  if (keep && cache !== undefined && existsSync(cache)) keep(path.join(cache, "courier"));
}
