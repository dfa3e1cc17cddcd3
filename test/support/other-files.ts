/** Files that are no text, or text that is not read, with the words that tell what they are. */

const utf32 = (text: string, isBig: boolean) => {
  const bytes = Buffer.alloc(text.length * 4);
  for (const [index, character] of [...text].entries()) {
    if (isBig) bytes.writeUInt32BE(character.codePointAt(0) ?? 0, index * 4);
    else bytes.writeUInt32LE(character.codePointAt(0) ?? 0, index * 4);
  }
  return bytes;
};
const table = "姓名,电话\n张三,13800138000\n";

export const otherFiles: readonly (readonly [string, Buffer])[] = [
  ["UTF-32", utf32(`\ufeff${table}`, false)],
  ["UTF-32", utf32(`\ufeff${table}`, true)],
  ["UTF-32", utf32(table, false)],
  ["UTF-32", utf32(table, true)],
  ["a PDF document", Buffer.from("%PDF-1.7\n%\u00e2\u00e3\n", "latin1")],
  ["a workbook such as Excel's .xlsx", Buffer.from("PK\u0003\u0004\u0014\u0000\u0006\u0000", "latin1")],
  ["a workbook such as Excel's .xls", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])],
  ["an image (PNG)", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])],
  ["an image (JPEG)", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46])],
  ["an image (GIF)", Buffer.from("GIF89a\u0001\u0000", "latin1")],
  ["an image (WebP)", Buffer.from("RIFF\u0024\u0000\u0000\u0000WEBPVP8 ", "latin1")],
  ["a gzip file", Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0, 0, 0, 0])],
  ["a 7z archive", Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0x00, 0x04])],
  ["a RAR archive", Buffer.from("Rar!\u001a\u0007\u0001\u0000", "latin1")],
  ["an SQLite database", Buffer.from("SQLite format 3\u0000\u0010\u0000", "latin1")],
];
