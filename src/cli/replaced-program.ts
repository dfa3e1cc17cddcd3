/** An update that replaces the program's files while it starts or runs. */

import path from "node:path";
import { CourierError, systemCode } from "../core/errors.ts";

/** The error where a part of the program is missing, or of another version; else undefined. */
export function asReplaced(error: unknown): CourierError | undefined {
  const { path: file } = Object(error) as { readonly path?: unknown };
  const isOurs = typeof file === "string" && path.dirname(file) === import.meta.dirname;
  if (systemCode(error) !== "MODULE_NOT_FOUND" && !isOurs) return undefined;
  return new CourierError("unwritten", 5, "the files of courier were removed or replaced during the run", {
    hint: "see what was done, once courier is installed again: courier log",
    cause: error,
  });
}
