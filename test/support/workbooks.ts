/** .xlsx workbooks of tests, written part by part, so that each can be as odd as a test needs it. */

import { crc32, deflateRawSync } from "node:zlib";
import { nameCell } from "../../src/sheets/cell-address.ts";

/** A cell: a text, a number, or attributes and content as they are written. */
export type TestCell =
  | string
  | number
  | boolean
  | null
  | { readonly attributes?: string; readonly xml: string };

export interface TestRow {
  readonly cells: readonly TestCell[];
  readonly attributes?: string;
}

export interface TestSheet {
  readonly name: string;
  readonly rows: readonly (readonly TestCell[] | TestRow)[];
  /** Of its `<sheet>`: `state="hidden"`. */
  readonly attributes?: string;
  /** Before and after the rows. */
  readonly before?: string;
  readonly after?: string;
}

export interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  /** Texts are kept in the cells, as some programs do. */
  readonly inline?: boolean;
  /** Codes of number formats: style 1 is the first. */
  readonly formats?: readonly (string | number)[];
  readonly properties?: string;
  /** Replaces parts, or adds them; null leaves one out. */
  readonly parts?: Readonly<Record<string, string | Buffer | null>>;
}

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function escapeXml(text: string): string {
  return text.replace(/[&<>"\r]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** One sheet with these rows. */
export function sheetOf(...rows: TestSheet["rows"]): Buffer {
  return writeWorkbook({ sheets: [{ name: "Orders", rows }] });
}

export function writeWorkbook({
  sheets,
  inline = false,
  formats = [],
  properties = "",
  parts = {},
}: TestWorkbook): Buffer {
  const strings = new Map<string, number>();
  const writeCell = (cell: TestCell, column: number, row: number): string => {
    if (cell === null) return "";
    const r = `r="${nameCell({ column, row })}"`;
    if (typeof cell === "number") return `<c ${r}><v>${cell}</v></c>`;
    if (typeof cell === "boolean") return `<c ${r} t="b"><v>${cell ? 1 : 0}</v></c>`;
    if (typeof cell === "object") return `<c ${r} ${cell.attributes ?? ""}>${cell.xml}</c>`;
    const text = `<t xml:space="preserve">${escapeXml(cell)}</t>`;
    if (inline) return `<c ${r} t="inlineStr"><is>${text}</is></c>`;
    const index = strings.get(text) ?? strings.size;
    strings.set(text, index);
    return `<c ${r} t="s"><v>${index}</v></c>`;
  };
  const written = sheets.map(({ rows, before = "", after = "" }) => {
    const all = rows.map((each, index) => {
      const { cells, attributes = "" } = "cells" in each ? each : { cells: each };
      const row = cells.map((cell, column) => writeCell(cell, column, index + 1)).join("");
      return `<row r="${index + 1}" ${attributes}>${row}</row>`;
    });
    return `${declaration}<worksheet ${main}>${before}<sheetData>${all.join("")}</sheetData>${after}</worksheet>`;
  });
  const codes = formats.map((code, index) =>
    typeof code === "number" ? "" : `<numFmt numFmtId="${200 + index}" formatCode="${escapeXml(code)}"/>`,
  );
  const styles = formats.map(
    (code, index) => `<xf numFmtId="${typeof code === "number" ? code : 200 + index}"/>`,
  );
  const tabs = sheets.map(
    ({ name, attributes = "" }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" ${attributes} r:id="rId${index + 1}"/>`,
  );
  const targets = sheets.map(
    (_, index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  const all: Record<string, string | Buffer | null> = {
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "xl/workbook.xml": `${declaration}<workbook ${main} xmlns:r="${office}"><workbookPr ${properties}/><sheets>${tabs.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.join("")}<Relationship Id="rIdS" Type="${office}/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="rIdT" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `${declaration}<styleSheet ${main}><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join("")}</cellXfs></styleSheet>`,
    "xl/sharedStrings.xml": `${declaration}<sst ${main}>${[...strings.keys()].map((text) => `<si>${text}<phoneticPr fontId="1"/></si>`).join("")}</sst>`,
    ...Object.fromEntries(written.map((xml, index) => [`xl/worksheets/sheet${index + 1}.xml`, xml])),
    ...parts,
  };
  return writeZip(
    Object.entries(all).flatMap(([name, content]) =>
      content === null ? [] : [{ name, content: Buffer.from(content) }],
    ),
  );
}

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
  /** Bit 0: encrypted. */
  readonly flags?: number;
  /** What the list of parts says of its size, where it lies. */
  readonly claimedBytes?: number;
}

export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, flags = 0, claimedBytes = content.length } of entries) {
    const packed = deflateRawSync(content);
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(flags | 0x0800, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(claimedBytes, 18);
    facts.writeUInt16LE(title.length, 22);
    const body = Buffer.concat([Buffer.from("PK\u0003\u0004"), facts, title, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    list.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), facts, rest, title]));
    bodies.push(body);
    offset += body.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, directory, Buffer.from("PK\u0005\u0006"), end]);
}
