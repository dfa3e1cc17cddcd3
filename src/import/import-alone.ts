/** Owns that the imports of one account take turns: what one compares with, no other is changing. */

import { hash } from "node:crypto";
import path from "node:path";
import type { Context } from "../command/command.ts";
import { makeWritableDirectory } from "../core/directory.ts";
import { explainSystemError, fileError } from "../core/errors.ts";
import type { JournalIdentity } from "./journal.ts";

/**
 * Lets no other import of the account begin on this machine until this run ends. `work` is what is told to
 * one that tries. Throws a file error where another has begun.
 */
export async function importAlone(
  identity: JournalIdentity,
  work: string,
  { journals, lock, defer }: Context,
): Promise<void> {
  const { account, base_url } = identity;
  const directory = path.dirname(journals.path);
  const title = `the imports of the account ${account}`;
  try {
    makeWritableDirectory(directory);
  } catch (error) {
    throw fileError(`cannot lock ${title} in ${directory}: ${explainSystemError(error, "directory")}`, {
      cause: error,
      hint: "choose another place with COURIER_STATE_DIR",
    });
  }
  const name = hash("sha256", JSON.stringify([account, base_url])).slice(0, 16);
  const release = await lock(path.join(directory, `import-${name}`), title, {
    work,
    onHeld(holder, hint) {
      const known = [holder?.work, holder?.pid && `process ${holder.pid}`].filter((text) => text);
      const which = known.length > 0 ? `: ${known.join(", ")}` : "";
      return fileError(`another import with the account ${account} is under way${which}`, {
        hint: `nothing was sent; ${hint}`,
      });
    },
  });
  defer(release);
}
