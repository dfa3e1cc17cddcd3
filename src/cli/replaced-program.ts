/** An update that replaces the program's files during a run: parts of another version do not fit, and are not loaded. */

import { readFileSync, statSync } from "node:fs";
import { loading } from "./compiled-code.ts";

/** True where the file of this code has other code by now. */
export function isProgramReplaced(): boolean {
  if (typeof __COURIER_CONTENT__ !== "string") return false;
  try {
    return !readFileSync(import.meta.filename, "latin1").includes(__COURIER_CONTENT__);
  } catch {
    return false;
  }
}

/** From now on, loading a part of the program fails once they are replaced. The file is read only where its facts are others. */
export function refuseOtherVersions(): void {
  const facts = () => {
    const found = statSync(import.meta.filename, { throwIfNoEntry: false });
    return found && `${found.ino} ${found.size} ${found.ctimeMs}`;
  };
  let known = facts();
  let isReplaced = false;
  loading.check = () => {
    const now = facts();
    if (now !== known) isReplaced ||= isProgramReplaced();
    known = now;
    if (isReplaced) throw Object.assign(new Error("replaced"), { code: "MODULE_NOT_FOUND" });
  };
}
