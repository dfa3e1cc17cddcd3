/** A second name for a file whose place another one takes: `orders.csv.old`, or the next one that is free. */

import { link, lstat, readFile, realpath, stat, unlink } from "node:fs/promises";
import { systemCode } from "./errors.ts";
import { openDraft } from "./permissions.ts";
import { explainSystemError } from "./system-errors.ts";

export interface EarlierFile {
  readonly name: string;
  /** Takes the name away again, if it was made for this, and the file still has its own place. Warns where it cannot. */
  drop(): Promise<void>;
}

/** A file that has the same content already will do, a link will not. Throws the system's errors. */
export async function keepEarlier(
  file: string,
  ending: string,
  warn: (text: string) => void,
): Promise<EarlierFile> {
  const kept = await realpath(file);
  for (let number = 1; ; number++) {
    const name = `${file}${ending}${number === 1 ? "" : number}`;
    try {
      await link(kept, name).catch((error) => {
        if (systemCode(error) === "EEXIST") throw error;
        return copy(kept, name); // a file system without links, or a file that may only be read
      });
      const drop = async () => {
        if (!(await haveSameContent(file, name))) return;
        // A sticky directory takes a link to the file of another user, and lets neither of the two names go.
        await unlink(name).catch((error) =>
          warn(`${name}, a second name of ${file}, cannot be removed: ${explainSystemError(error)}`),
        );
      };
      return { name, drop };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      const isFile = (await lstat(name)).isFile();
      if (isFile && (await haveSameContent(file, name))) return { name, drop: async () => {} };
    }
  }
}

/** No one may read the copy who may not read the file. Throws where the name is taken. */
async function copy(file: string, name: string): Promise<void> {
  const { handle, share } = await openDraft(name, file, undefined);
  try {
    await handle.writeFile(await readFile(file));
    await share();
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(name).catch(() => {});
    throw error;
  }
}

/** False where one of them cannot be read. */
export async function haveSameContent(one: string, other: string): Promise<boolean> {
  try {
    const [size, otherSize] = (await Promise.all([stat(one), stat(other)])).map((each) => each.size);
    if (size !== otherSize) return false;
    const [bytes, otherBytes] = await Promise.all([readFile(one), readFile(other)]);
    return bytes.equals(otherBytes);
  } catch {
    return false;
  }
}
