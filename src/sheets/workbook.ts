/** An .xlsx workbook in memory: its sheets, and the rows of one of them (ECMA-376, part 1, 18). */

import { createHash } from "node:crypto";
import { posix } from "node:path";
import { fileError } from "../core/errors.ts";
import { type NumberFormat, readFormat } from "./number-format.ts";
import { type OnFirstRows, readTable, type SheetTable } from "./sheet-table.ts";
import { damaged, saveAnew, tooLarge } from "./workbook-errors.ts";
import {
  type CellValues,
  cleanText,
  decodeEscapes,
  isTrue,
  noFacts,
  readWorksheet,
  type WorksheetFacts,
  type WorksheetRow,
} from "./worksheet.ts";
import { attributeOf, readWholeXml, type XmlHandlers } from "./xml.ts";
import { openZip, type ZipParts } from "./zip-parts.ts";

export interface Worksheet {
  readonly name: string;
  /** Not shown among the tabs. */
  readonly isHidden: boolean;
  /** Its number among the tabs that are shown, also of charts, from 1; 0 where it is hidden. */
  readonly tab: number;
  /** The name of its XML in the zip file. */
  readonly part: string;
}

export interface Workbook {
  /** In the order of the tabs. */
  readonly sheets: readonly Worksheet[];
  /** Rows that are not empty, below the first one; counting stops at `most`. */
  countRows(sheet: Worksheet, most?: number): Promise<number>;
  /** `onFirstRows` is called once, with the first rows of a large sheet. */
  readTable(sheet: Worksheet, onFirstRows?: OnFirstRows): Promise<SheetTable>;
}

/** More tabs than any workbook of a shop has. */
const mostSheets = 1_000;
/** Each text counts as its length and this, which it takes in memory beside it. */
const textOverhead = 16;
const mostSharedText = 2 ** 28;
/** Excel has at most 65,490 styles, and 255 characters for a number format. */
const mostStyles = 100_000;
const longestFormat = 1_000;

/** `bytes` are a zip file's. Throws a file error for anything else than a readable .xlsx workbook. */
export async function openWorkbook(bytes: Buffer, name: string, signal?: AbortSignal): Promise<Workbook> {
  const zip = await openZip(bytes, name, signal);
  if (!zip.has(workbookPart)) throw await findOtherZip(zip, name);
  const partOf = (part: string) => ({ file: name, name: part, chunks: zip.read(part) });
  const readPart = (part: string, handlers: Partial<XmlHandlers>) =>
    readWholeXml(partOf(part), { open() {}, close() {}, text() {}, ...handlers });
  const targets = await readTargets();
  const { sheets, is1904 } = await readSheets();
  let values: Promise<CellValues> | undefined;

  /** Parts that the workbook names, by their ids. */
  async function readTargets(): Promise<ReadonlyMap<string, { part: string; kind: string }>> {
    const found = new Map<string, { part: string; kind: string }>();
    if (!zip.has(relationsPart)) throw damaged(name, `the part ${relationsPart} is missing`);
    await readPart(relationsPart, {
      open(element, { Id = "", Type = "", Target = "" }) {
        if (element !== "Relationship") return;
        const part = posix.join(Target.startsWith("/") ? "." : "xl", Target);
        found.set(Id, { part: part.replace(/^\//, ""), kind: Type.slice(Type.lastIndexOf("/") + 1) });
      },
    });
    return found;
  }

  async function readSheets(): Promise<{ sheets: readonly Worksheet[]; is1904: boolean }> {
    const found: Worksheet[] = [];
    let [is1904, tabs] = [false, 0];
    await readPart(workbookPart, {
      open(element, attributes) {
        if (element === "workbookPr") is1904 = isTrue(attributes.date1904);
        if (element !== "sheet") return;
        const target = targets.get(attributeOf(attributes, "id") ?? "");
        if (!target) throw damaged(name, `the sheet ${attributes.name} is missing`);
        const isHidden = /hidden$/i.test(attributes.state ?? "");
        if (!isHidden) tabs += 1;
        if (target.kind !== "worksheet") return; // a chart
        if (found.length >= mostSheets) throw tooLarge(name, `it has more than ${mostSheets} sheets`);
        const tab = isHidden ? 0 : tabs;
        found.push({ name: decodeEscapes(attributes.name ?? ""), isHidden, tab, part: target.part });
      },
    });
    return { sheets: found, is1904 };
  }

  function findTarget(kind: string): string | undefined {
    return [...targets.values()].find((target) => target.kind === kind && zip.has(target.part))?.part;
  }

  async function readValues(): Promise<CellValues> {
    const formats = await readStyles(findTarget("styles"));
    return {
      strings: await readStrings(findTarget("sharedStrings")),
      formatOf: (style) => formats[style] ?? { kind: "plain" },
      is1904,
    };
  }

  /** Texts of cells; how they are pronounced (`rPh`) is left out. */
  async function readStrings(part: string | undefined): Promise<readonly string[]> {
    const strings: string[] = [];
    if (part === undefined) return strings;
    let [text, size, phonetic, isText] = ["", 0, 0, false];
    const grow = (by: number) => {
      size += by;
      if (size > mostSharedText) throw tooLarge(name, "its texts have more than 256 million characters");
    };
    await readPart(part, {
      open(element) {
        if (element === "si") text = "";
        else if (element === "rPh") phonetic += 1;
        else if (element === "t") isText = phonetic === 0;
      },
      close(element) {
        if (element === "t") isText = false;
        else if (element === "rPh") phonetic -= 1;
        else if (element === "si") {
          grow(textOverhead);
          strings.push(cleanText(text));
        }
      },
      text(piece) {
        if (!isText) return;
        grow(piece.length);
        text += piece;
      },
    });
    return strings;
  }

  /** The number formats by the number of the style. */
  async function readStyles(part: string | undefined): Promise<readonly NumberFormat[]> {
    const codes = new Map<number, string>();
    const formats: NumberFormat[] = [];
    const byId = new Map<number, NumberFormat>();
    const checkCode = (code: string) => {
      if (code.length <= longestFormat) return code;
      throw tooLarge(name, `a number format has more than ${longestFormat} characters`);
    };
    let list = "";
    if (part === undefined) return formats;
    await readPart(part, {
      open(element, attributes) {
        if (
          element === "numFmts" ||
          element === "cellXfs" ||
          element === "cellStyleXfs" ||
          element === "dxfs"
        )
          list = element;
        else if (element === "numFmt" && list === "numFmts")
          codes.set(Number(attributes.numFmtId), checkCode(attributes.formatCode ?? ""));
        else if (element === "xf" && list === "cellXfs") {
          const id = Number(attributes.numFmtId ?? 0);
          const format = byId.get(id) ?? readFormat(id, codes.get(id));
          byId.set(id, format);
          if (formats.push(format) > mostStyles)
            throw tooLarge(name, `it has more than ${mostStyles} styles of cells`);
        }
      },
    });
    return formats;
  }

  async function* readRows(sheet: Worksheet, facts: WorksheetFacts): AsyncGenerator<readonly WorksheetRow[]> {
    values ??= readValues();
    yield* readWorksheet(partOf(sheet.part), await values, facts);
  }

  return {
    sheets,
    async countRows(sheet, most = Number.POSITIVE_INFINITY) {
      let count = -1;
      for await (const { length } of readRows(sheet, noFacts())) {
        count += length;
        if (count >= most) break;
      }
      return Math.max(0, count);
    },
    readTable(sheet, onFirstRows) {
      const facts = noFacts();
      return readTable({ file: name, sheet: sheet.name }, readRows(sheet, facts), facts, onFirstRows);
    },
  };
}

const workbookPart = "xl/workbook.xml";
const relationsPart = "xl/_rels/workbook.xml.rels";

/** Two sheets of a file are two inputs: the fingerprint of one covers its name too. */
export function fingerprintOf(bytes: Uint8Array, sheet: string): string {
  return createHash("sha256").update(bytes).update(`\0${sheet}`).digest("hex");
}

/** What a zip file is that is no .xlsx workbook. */
async function findOtherZip(zip: ZipParts, name: string) {
  const kind = otherZips.find(({ part }) => zip.has(part))?.kind;
  if (kind !== undefined)
    return fileError(`${name} is ${kind}, which courier does not read`, { hint: saveAnew });
  return fileError(`${name} is a zip file, but no .xlsx workbook`, {
    hint: "unpack it, and import the .xlsx or CSV file that it contains",
  });
}

const otherZips = [
  { part: "xl/workbook.bin", kind: "a binary workbook (.xlsb)" },
  { part: "word/document.xml", kind: "a Word document" },
  { part: "ppt/presentation.xml", kind: "a PowerPoint presentation" },
  { part: "Index/Document.iwa", kind: "a Numbers document" },
  { part: "META-INF/manifest.xml", kind: "an OpenDocument file such as .ods" },
] as const;
