/** Owns private copies: what is read more than once stays as it was when it was read first. */

import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeDirectory } from "../core/directory.ts";
import { explainSystemError, fileError } from "../core/errors.ts";

export interface PrivateCopy {
  /** The bytes from the first to the last, as often as it is called. */
  read(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

const chunkBytes = 65_536;

/**
 * Copies to a file that only its owner can read. It loses its name before anything is in it, so that whatever
 * ends the process leaves nothing behind. Throws a file error that names `name` where there is no room.
 */
export async function copyPrivately(
  input: AsyncIterable<Uint8Array>,
  name: string,
  directory: string,
): Promise<PrivateCopy> {
  const { handle, file } = await create(directory, name);
  const close = async () => {
    await handle.close();
    await rm(file, { force: true }); // where a file that is open keeps its name
  };
  try {
    for await (const chunk of input) {
      await handle.appendFile(chunk).catch((cause) => {
        throw fail(name, path.dirname(file), cause);
      });
    }
  } catch (error) {
    await close();
    throw error;
  }

  async function* read() {
    for (let position = 0; ; ) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  return { read, close };
}

/** In the directory, or where none can be there, in that for temporary files. */
async function create(directory: string, name: string): Promise<{ handle: FileHandle; file: string }> {
  let failure: unknown;
  for (const place of [directory, tmpdir()]) {
    const file = path.join(place, `input-${crypto.randomUUID()}`);
    try {
      if (place === directory) makeDirectory(place);
      const handle = await open(file, "wx+", 0o600);
      await rm(file, { force: true }).catch(() => {});
      return { handle, file };
    } catch (error) {
      failure ??= error;
    }
  }
  throw fail(name, directory, failure);
}

function fail(name: string, directory: string, cause: unknown) {
  const reason = explainSystemError(cause, "directory");
  return fileError(`cannot keep a copy of ${name} in ${directory} while it is imported: ${reason}`, {
    cause,
    hint: "choose another place with COURIER_STATE_DIR",
  });
}
