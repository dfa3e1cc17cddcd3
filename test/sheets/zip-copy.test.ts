/** A zip file in which one part is another: the others are the same bytes, however the file was put together. */

import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { packPart, replacePart } from "../../src/sheets/zip-copy.ts";
import { openZip } from "../../src/sheets/zip-parts.ts";
import { writeZip } from "../support/workbooks.ts";

const names = ["a.xml", "xl/Sheet1.xml", "b.bin"];
const contents = ["first ".repeat(50), "old", "last"].map((text) => Buffer.from(text));

async function* textOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text.slice(0, 2));
  yield Buffer.from(text.slice(2));
}

async function replaced(zip: Buffer): Promise<Buffer> {
  return Buffer.concat([
    ...replacePart(zip, await packPart("xl/sheet1.xml", textOf("new text")), "book.xlsx"),
  ]);
}

async function readAll(bytes: Buffer): Promise<string[]> {
  const zip = await openZip(bytes, "book.xlsx");
  const texts: string[] = [];
  for (const name of zip.names) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of zip.read(name)) chunks.push(chunk); // which checks sizes and checksums
    texts.push(`${name}: ${Buffer.concat(chunks)}`);
  }
  return texts;
}

const expected = [`a.xml: ${contents[0]}`, "xl/Sheet1.xml: new text", "b.bin: last"];

/**
 * As programs write that do not know a size before it: with a record of the sizes behind each part, sizes of 64 bits
 * where they are not needed, a comment, and the list in another order than the parts.
 */
function writeOddly(): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [index, name] of names.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    const packed = deflateRawSync(content);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(45, 4);
    header.writeUInt16LE(0x0808, 6);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(name.length, 26);
    const behind = Buffer.alloc(16);
    behind.writeUInt32LE(0x08074b50, 0);
    behind.writeUInt32LE(crc32(content), 4);
    behind.writeUInt32LE(packed.length, 8);
    behind.writeUInt32LE(content.length, 12);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(45, 6);
    record.writeUInt16LE(0x0808, 8);
    record.writeUInt16LE(8, 10);
    record.writeUInt32LE(crc32(content), 16);
    record.writeUInt32LE(0xffffffff, 20);
    record.writeUInt32LE(0xffffffff, 24);
    record.writeUInt16LE(name.length, 28);
    record.writeUInt16LE(34, 30);
    record.writeUInt16LE(2, 32);
    record.writeUInt32LE(0xffffffff, 42);
    const extra = Buffer.alloc(34);
    extra.writeUInt16LE(0x5455, 0); // of a time, which stays
    extra.writeUInt16LE(2, 2);
    extra.writeUInt16LE(1, 6);
    extra.writeUInt16LE(24, 8);
    extra.writeBigUInt64LE(BigInt(content.length), 10);
    extra.writeBigUInt64LE(BigInt(packed.length), 18);
    extra.writeBigUInt64LE(BigInt(offset), 26);
    list.unshift(Buffer.concat([record, Buffer.from(name), extra, Buffer.from("hi")]));
    const whole = Buffer.concat([header, Buffer.from(name), packed, behind]);
    parts.push(whole);
    offset += whole.length;
  }
  const directory = Buffer.concat(list);
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeBigUInt64LE(BigInt(list.length), 24);
  wide.writeBigUInt64LE(BigInt(list.length), 32);
  wide.writeBigUInt64LE(BigInt(directory.length), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  const pointer = Buffer.alloc(20);
  pointer.writeUInt32LE(0x07064b50, 0);
  pointer.writeBigUInt64LE(BigInt(offset + directory.length), 8);
  pointer.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(0xffff, 8);
  end.writeUInt16LE(0xffff, 10);
  end.writeUInt32LE(0xffffffff, 12);
  end.writeUInt32LE(0xffffffff, 16);
  end.writeUInt16LE(4, 20);
  return Buffer.concat([...parts, directory, wide, pointer, end, Buffer.from("note")]);
}

test("a part with the same content stays as it is packed", async () => {
  const text = "the same text ".repeat(40);
  const zip = writeZip([
    { name: "a.xml", content: Buffer.from("first") },
    { name: "xl/sheet1.xml", content: Buffer.from(text) },
  ]);
  const part = await packPart("xl/sheet1.xml", textOf(text));
  const packed = deflateRawSync(Buffer.from(text), { level: 0 });
  expect(Buffer.concat([...replacePart(zip, { ...part, packed }, "book.xlsx")]).equals(zip)).toBe(true);
});

describe("a copy of a zip file", () => {
  test("has the new part, and the bytes of all others", async () => {
    const zip = writeZip(names.map((name, index) => ({ name, content: contents[index] ?? Buffer.alloc(0) })));
    const copy = await replaced(zip);
    expect(await readAll(copy)).toEqual(expected);
    const first = zip.indexOf("PK\u0003\u0004", 4);
    expect(copy.subarray(0, first).equals(zip.subarray(0, first))).toBe(true);
    expect(copy.includes("old")).toBe(false);
  });

  test("of a file with sizes of 64 bits, sizes behind the parts, and comments", async () => {
    const zip = writeOddly();
    expect((await readAll(zip)).sort()).toContain("xl/Sheet1.xml: old");
    const copy = await replaced(zip);
    expect((await readAll(copy)).sort()).toEqual([...expected].sort());
    expect(copy.subarray(-4).toString()).toBe("note");
    expect(copy.toString("latin1").split("hi").length).toBeGreaterThan(3);
    const first = zip.indexOf("PK\u0003\u0004", 4);
    expect(copy.subarray(0, first).equals(zip.subarray(0, first))).toBe(true);
  });

  test("has the part, too, where its name is written with a backslash", async () => {
    const zip = writeZip(names.map((name, index) => ({ name, content: contents[index] ?? Buffer.alloc(0) })));
    const text = zip.toString("latin1").replace(/xl\/(?=sheet)/gi, "xl\\");
    const copy = await replaced(Buffer.from(text, "latin1"));
    expect(await readAll(copy)).toEqual(expected);
  });

  test("is refused where the file is damaged, or lacks the part", async () => {
    const zip = writeZip([{ name: "a.xml", content: Buffer.from("x") }]);
    await expect(replaced(zip)).rejects.toThrow("the part xl/sheet1.xml is missing");
    await expect(replaced(zip.subarray(0, -3))).rejects.toThrow("its end is missing");
  });
});
