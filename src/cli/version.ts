/** The version number: the build writes it into the bundle, the sources read it from package.json. */

import { readFileSync } from "node:fs";

/** The version of this package, such as `0.1.0`. */
export function readVersion(): string {
  if (typeof __COURIER_VERSION__ === "string") return __COURIER_VERSION__;
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
