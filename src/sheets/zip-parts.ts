/** The parts of a zip file in memory, each unpacked as a stream and within limits (owner of yauzl). */

import { crc32 } from "node:zlib";
import yauzl, { type Entry } from "yauzl";
import { fileError, systemCode } from "../core/errors.ts";
import { damaged, isProtected, saveAnew, tooLarge } from "./workbook-errors.ts";

export interface ZipParts {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** The bytes of a part. Throws a file error where they are damaged, protected, or too many. */
  read(name: string): AsyncGenerator<Uint8Array>;
}

/** A workbook has a few dozen parts. */
const mostParts = 10_000;
/** A sheet of a million rows unpacks to about this. */
const mostPartBytes = 2 ** 30;
/** All that is read from one file, a part that is read twice counted twice. */
const mostBytesInAll = 4 * 2 ** 30;
/** Sheets pack to a tenth, empty cells without addresses 230 times, and a part that is made to fill the memory 1,000. */
const mostRatio = 500;
/** Below this size, any ratio is harmless. */
const harmlessBytes = 16 * 2 ** 20;

/**
 * Throws a file error for bytes that are no complete zip file. `name` is the file's, for messages; `signal` ends the
 * reading of a part.
 */
export async function openZip(bytes: Buffer, name: string, signal?: AbortSignal): Promise<ZipParts> {
  const zip = await yauzl.fromBufferPromise(bytes).catch((cause) => {
    throw damaged(name, "its end is missing", cause);
  });
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= mostParts) throw tooLarge(name, `it has more than ${mostParts} parts`);
      const key = keyOf(entry.fileName);
      // Two readers could then see two different files.
      if (entries.has(key)) throw damaged(name, `it has the part ${entry.fileName} twice`);
      entries.set(key, entry);
    }
  } catch (error) {
    throw explain(error, name, "its list of parts cannot be read");
  }
  let left = mostBytesInAll;

  async function* read(part: string): AsyncGenerator<Uint8Array> {
    const entry = entries.get(keyOf(part));
    if (!entry) throw damaged(name, `the part ${part} is missing`);
    if (entry.isEncrypted()) throw isProtected(name);
    if (!entry.canDecodeFileData())
      throw fileError(`${name} is packed in a way that courier does not read`, { hint: saveAnew });
    const { uncompressedSize, compressedSize } = entry;
    const isBomb = uncompressedSize > harmlessBytes && uncompressedSize > mostRatio * compressedSize;
    if (isBomb || uncompressedSize > mostPartBytes)
      throw tooLarge(name, `${part} unpacks to ${Math.round(uncompressedSize / 2 ** 20)} MB`);
    let sum = 0;
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        signal?.throwIfAborted();
        left -= chunk.length;
        if (left < 0) throw tooLarge(name, "its sheets unpack to more than 4 GB");
        sum = crc32(chunk, sum);
        yield chunk;
      }
    } catch (error) {
      throw explain(error, name, `${part} cannot be unpacked`);
    }
    if (sum !== entry.crc32) throw damaged(name, `${part} has another checksum`);
  }

  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    has: (part) => entries.has(keyOf(part)),
    read,
  };
}

/** Names of parts differ in more than case. */
function keyOf(name: string): string {
  return name.toLowerCase();
}

/** yauzl's errors have no code, and zlib's begin with Z_. An error of the reader of the bytes passes through. */
function explain(error: unknown, name: string, reason: string): unknown {
  const code = systemCode(error);
  const isOfZip =
    error instanceof Error && error.name === "Error" && (code === undefined || /^Z_/.test(code));
  return isOfZip ? damaged(name, reason, error) : error;
}
