/** The files of mirrors: whether there are any, and deleting them, without opening one. */

import { readdirSync } from "node:fs";
import path from "node:path";
import { CourierError, systemCode } from "../core/errors.ts";
import { allowMoreFiles, explainSystemError, isFileLimit } from "../core/system-errors.ts";
import { hasDatabase } from "../sqlite/private-file.ts";
import { ensureNoLinkToNothing, removeFile } from "../sqlite/remove-file.ts";
import { type MirrorOwner, mirrorDirectory, mirrorPath, mirrorPrefix } from "./mirror-path.ts";

const title = "mirror";

export function hasMirror(stateDirectory: string, owner: MirrorOwner): boolean {
  return hasDatabase(mirrorPath(stateDirectory, owner));
}

/** Deletes a mirror, also one that cannot be opened. Throws `database`, exit 5, where it is a link to nothing. */
export function deleteMirror(stateDirectory: string, owner: MirrorOwner): void {
  removeFile(mirrorPath(stateDirectory, owner), title);
}

/** Deletes the mirrors of an account, of any service. Throws `database`, exit 5, where they cannot be listed, and as above. */
export function deleteMirrors(stateDirectory: string, account: string): void {
  const directory = mirrorDirectory(stateDirectory);
  ensureNoLinkToNothing(path.join(directory, "any"), title);
  for (const name of namesIn(directory)) {
    if (name.startsWith(mirrorPrefix(account))) removeFile(path.join(directory, name), title);
  }
}

/** The mirrors of a state directory, of all accounts. Throws `database`, exit 5, where they cannot be listed. */
export function mirrorFiles(stateDirectory: string): readonly string[] {
  const directory = mirrorDirectory(stateDirectory);
  return namesIn(directory).map((name) => path.join(directory, name));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw new CourierError(
      "database",
      5,
      `the mirrors in ${directory} cannot be read: ${explainSystemError(error, "directory")}`,
      {
        cause: error,
        hint: isFileLimit(systemCode(error))
          ? allowMoreFiles
          : `${directory} must be a directory that your user can read`,
      },
    );
  }
}
