/** A copy of a zip file in which one part is another: all others stay as they are packed, byte for byte (APPNOTE 6.3.10). */

import { crc32 } from "node:zlib";
import { damaged } from "./workbook-errors.ts";

/** A part that is packed already. */
export interface PackedPart {
  readonly name: string;
  /** Deflated. */
  readonly packed: Buffer;
  readonly crc: number;
  readonly sizeBytes: number;
}

interface ListedPart {
  /** Its record in the list at the end of the file. */
  readonly record: Buffer;
  readonly name: string;
  /** Where its own header is. */
  readonly offset: number;
}

const [headerSize, recordSize, endSize] = [30, 46, 22];
const [headerMark, recordMark, endMark, wideEndMark] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50];
/** A field with this value is in the extra field of 64-bit sizes. */
const isInWide = 0xffffffff;
const wideTag = 0x0001;
const deflated = 8;
/** Of the flags, only whether names are UTF-8. */
const utf8Flag = 0x0800;

/** The new file in pieces. Throws a file error for a file that is put together in another way than zip files of sheets. */
export function* replacePart(bytes: Buffer, part: PackedPart, file: string): Generator<Buffer> {
  const fail = (reason: string) => damaged(file, reason);
  const end = findEnd(bytes);
  if (end === undefined) throw fail("its end is missing");
  const list = findList(bytes, end);
  const parts = readList(bytes, list, fail);
  const inOrder = [...parts].sort((a, b) => a.offset - b.offset);
  const isNamed = ({ name }: ListedPart) => name.toLowerCase() === part.name.toLowerCase();
  const [replacedPart, ...further] = parts.filter(isNamed);
  if (!replacedPart || further.length > 0) throw fail(`the part ${part.name} is missing`);
  // Programs pack the same content in different ways: it stays as it is packed, too.
  if (hasContentOf(replacedPart, part)) return yield bytes;

  const offsets = new Map<ListedPart, number>();
  yield bytes.subarray(0, inOrder[0]?.offset ?? 0);
  let at = inOrder[0]?.offset ?? 0;
  for (const [index, each] of inOrder.entries()) {
    const next = inOrder[index + 1]?.offset ?? list.offset;
    if (bytes.readUInt32LE(each.offset) !== headerMark || next < each.offset + headerSize)
      throw fail("its parts overlap");
    offsets.set(each, at);
    const pieces = isNamed(each)
      ? [headerOf(each.record, part), part.packed]
      : [bytes.subarray(each.offset, next)];
    for (const piece of pieces) {
      at += piece.length;
      yield piece;
    }
  }
  const listOffset = at;
  for (const each of parts) {
    const record = recordOf(each, offsets.get(each) ?? 0, isNamed(each) ? part : undefined);
    at += record.length;
    yield record;
  }
  if (at > isInWide) throw fail("it would be larger than 4 GB");
  const tail = Buffer.from(bytes.subarray(end));
  tail.writeUInt16LE(parts.length, 8);
  tail.writeUInt16LE(parts.length, 10);
  tail.writeUInt32LE(at - listOffset, 12);
  tail.writeUInt32LE(listOffset, 16);
  yield tail;
}

function hasContentOf({ record }: ListedPart, { crc, sizeBytes }: PackedPart): boolean {
  return record.readUInt32LE(16) === crc && record.readUInt32LE(24) === sizeBytes;
}

/** The record at the end, which a comment of any length may follow. */
function findEnd(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - endSize - 0xffff);
  for (let at = bytes.length - endSize; at >= first; at--)
    if (bytes.readUInt32LE(at) === endMark && at + endSize + bytes.readUInt16LE(at + 20) === bytes.length)
      return at;
  return undefined;
}

interface PartList {
  readonly offset: number;
  readonly count: number;
}

/** Files with sizes of 64 bits have a second record before the end, and a pointer to it. */
function findList(bytes: Buffer, end: number): PartList {
  const [count, offset] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16)];
  if (offset !== isInWide && count !== 0xffff) return { count, offset };
  const wide = end >= 20 ? Number(bytes.readBigUInt64LE(end - 20 + 8)) : bytes.length;
  if (wide + 56 > bytes.length || bytes.readUInt32LE(wide) !== wideEndMark) return { count, offset };
  return {
    count: Number(bytes.readBigUInt64LE(wide + 32)),
    offset: Number(bytes.readBigUInt64LE(wide + 48)),
  };
}

function readList(bytes: Buffer, { offset, count }: PartList, fail: (reason: string) => Error): ListedPart[] {
  const parts: ListedPart[] = [];
  let at = offset;
  for (let index = 0; index < count; index++) {
    if (at + recordSize > bytes.length || bytes.readUInt32LE(at) !== recordMark)
      throw fail("its list of parts cannot be read");
    const nameLength = bytes.readUInt16LE(at + 28);
    const length = recordSize + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const record = bytes.subarray(at, at + length);
    // Some programs for Windows write backslashes; yauzl reads them as slashes, too.
    const name = record
      .subarray(recordSize, recordSize + nameLength)
      .toString()
      .replaceAll("\\", "/");
    parts.push({ record, name, offset: offsetOf(record) });
    at += length;
  }
  return parts;
}

/** Of the sizes and the offset, those that do not fit are in the extra field, in this order. */
function offsetOf(record: Buffer): number {
  const offset = record.readUInt32LE(42);
  if (offset !== isInWide) return offset;
  const wide = findExtra(record, wideTag);
  const before = [24, 20].filter((at) => record.readUInt32LE(at) === isInWide).length;
  return wide && wide.length >= (before + 1) * 8 ? Number(wide.readBigUInt64LE(before * 8)) : offset;
}

function* extrasOf(record: Buffer): Generator<{ tag: number; data: Buffer; whole: Buffer }> {
  let at = recordSize + record.readUInt16LE(28);
  const end = at + record.readUInt16LE(30);
  while (at + 4 <= end) {
    const next = Math.min(end, at + 4 + record.readUInt16LE(at + 2));
    yield {
      tag: record.readUInt16LE(at),
      data: record.subarray(at + 4, next),
      whole: record.subarray(at, next),
    };
    at = next;
  }
}

function findExtra(record: Buffer, tag: number): Buffer | undefined {
  for (const extra of extrasOf(record)) if (extra.tag === tag) return extra.data;
  return undefined;
}

/** The header before the new part: its name and time are those of the old one. */
function headerOf(record: Buffer, { packed, crc, sizeBytes }: PackedPart): Buffer {
  const name = record.subarray(recordSize, recordSize + record.readUInt16LE(28));
  const header = Buffer.alloc(headerSize);
  header.writeUInt32LE(headerMark, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(record.readUInt16LE(8) & utf8Flag, 6);
  header.writeUInt16LE(deflated, 8);
  record.copy(header, 10, 12, 16);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(sizeBytes, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

/** The part's record in the list: with its new place, and with 32 bits, which are enough now. */
function recordOf({ record }: ListedPart, offset: number, part: PackedPart | undefined): Buffer {
  const nameLength = record.readUInt16LE(28);
  const extraLength = record.readUInt16LE(30);
  const start = Buffer.from(record.subarray(0, recordSize + nameLength));
  const comment = record.subarray(recordSize + nameLength + extraLength);
  const wide = part ? undefined : findExtra(record, wideTag);
  let extra = record.subarray(recordSize + nameLength, recordSize + nameLength + extraLength);
  if (part) {
    start.writeUInt16LE(record.readUInt16LE(8) & utf8Flag, 8);
    start.writeUInt16LE(deflated, 10);
    start.writeUInt32LE(part.crc, 16);
    start.writeUInt32LE(part.packed.length, 20);
    start.writeUInt32LE(part.sizeBytes, 24);
  }
  const isWide = [20, 24, 42].some((at) => record.readUInt32LE(at) === isInWide);
  if (isWide) {
    let field = 0;
    for (const at of [24, 20])
      if (wide && record.readUInt32LE(at) === isInWide)
        start.writeUInt32LE(Number(wide.readBigUInt64LE(8 * field++)), at);
    extra = Buffer.concat(
      [...extrasOf(record)].flatMap(({ tag, whole }) => (tag === wideTag ? [] : [whole])),
    );
    start.writeUInt16LE(extra.length, 30);
  }
  start.writeUInt32LE(offset, 42);
  return Buffer.concat([start, extra, comment]);
}

/** Packs a part while it is made. */
export async function packPart(name: string, pieces: AsyncIterable<Buffer>): Promise<PackedPart> {
  const { createDeflateRaw } = await import("node:zlib");
  const { pipeline } = await import("node:stream/promises");
  let [crc, sizeBytes] = [0, 0];
  const packed: Buffer[] = [];
  async function* counted() {
    for await (const piece of pieces) {
      crc = crc32(piece, crc);
      sizeBytes += piece.length;
      yield piece;
    }
  }
  await pipeline(counted, createDeflateRaw(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) packed.push(chunk);
  });
  return { name, packed: Buffer.concat(packed), crc, sizeBytes };
}
