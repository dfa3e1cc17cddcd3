/** Writes an .xlsx workbook of one sheet as a stream, row by row (ECMA-376, part 1, 18; owner of yazl). */

import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { fileError } from "../core/errors.ts";
import { parseInstant } from "../core/time.ts";
import { isPlainDecimal } from "../model/decimal.ts";
import { mostRows, nameColumn } from "./cell-address.ts";

/**
 * A value as it is written elsewhere. `number`: a decimal; `time`: an instant of ISO 8601. What a cell cannot hold exactly as
 * such is written as text. Undefined: an empty cell.
 */
export type WrittenCell = { readonly as: "text" | "number" | "time"; readonly text: string } | undefined;

export interface WrittenColumn {
  readonly title: string;
  /** In characters. */
  readonly width: number;
}

export interface WrittenSheet {
  readonly name: string;
  readonly columns: readonly WrittenColumn[];
  /** Printed at the end of each page. */
  readonly footer: string | undefined;
  readonly rows: AsyncGenerator<readonly WrittenCell[], void>;
}

const mostCharacters = 32_767;
/** A spreadsheet keeps so many digits of a number. */
const mostDigits = 15;
/** zlib is called for each piece, which takes longer than to pack a row. */
const chunkLength = 65_536;
const dayMs = 86_400_000;
/** Days are counted from 1899-12-30, if the day is not one of the first sixty, which spreadsheets count otherwise. */
const firstDay = 25_569;
const firstSafeDay = 61;
const endOfDays = 2_958_466;

/** The styles of cells by their place in the list of `xl/styles.xml`; numbers with N decimals follow. */
const styles = { header: 1, text: 2, time: 3, number: 4 } as const;
const firstFormat = 164;

/** The bytes of the file. Throws a file error for what no sheet holds, and what `rows` throws. */
export async function* writeWorkbook(sheet: WrittenSheet, nowMs: number): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile();
  const facts = { mtime: new Date(nowMs) };
  const output = zip.outputStream as Readable;
  for (const [name, content] of Object.entries(fixedParts(sheet.name)))
    zip.addBuffer(Buffer.from(declaration + content), name, facts);
  const source = Readable.from(drawSheet(sheet), { objectMode: false });
  // The package leaves it to its user.
  source.on("error", (error) => output.destroy(error));
  zip.addReadStream(source, "xl/worksheets/sheet1.xml", facts);
  zip.end();
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    source.destroy();
  }
}

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packages = "http://schemas.openxmlformats.org/package/2006";
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

function fixedParts(name: string): Readonly<Record<string, string>> {
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const override = (part: string, kind: string) =>
    `<Override PartName="/${part}" ContentType="${type}.${kind}+xml"/>`;
  const relation = (id: string, kind: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`;
  const relations = (...all: string[]) =>
    `<Relationships xmlns="${packages}/relationships">${all.join("")}</Relationships>`;
  return {
    "[Content_Types].xml":
      `<Types xmlns="${packages}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      override("xl/workbook.xml", "sheet.main") +
      override("xl/worksheets/sheet1.xml", "worksheet") +
      override("xl/styles.xml", "styles") +
      "</Types>",
    "_rels/.rels": relations(relation("rId1", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${office}"><bookViews><workbookView/></bookViews><sheets><sheet name="${escapeText(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      relation("rId1", "worksheet", "worksheets/sheet1.xml"),
      relation("rId2", "styles", "styles.xml"),
    ),
    "xl/styles.xml": drawStyles(),
  };
}

function drawStyles(): string {
  const decimals = Array.from({ length: mostDigits + 1 }, (_, places) =>
    places === 0 ? "0" : `0.${"0".repeat(places)}`,
  );
  const codes = ["yyyy\\-mm\\-dd\\ hh:mm:ss", ...decimals];
  const format = (id: number, font = 0) =>
    `<xf numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
  const font = (inside: string) => `<font>${inside}<sz val="11"/><name val="Calibri"/></font>`;
  const xfs = [format(0), format(49, 1), format(49), ...codes.map((_, index) => format(firstFormat + index))];
  return [
    `<styleSheet xmlns="${main}"><numFmts count="${codes.length}">`,
    ...codes.map((code, index) => `<numFmt numFmtId="${firstFormat + index}" formatCode="${code}"/>`),
    `</numFmts><fonts count="2">${font("")}${font("<b/>")}</fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    `<cellXfs count="${xfs.length}">${xfs.join("")}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join("");
}

async function* drawSheet({ columns, footer, rows }: WrittenSheet): AsyncGenerator<string, void> {
  const names = columns.map((_, index) => nameColumn(index));
  const widths = columns.map(
    ({ width }, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  const titles = columns.map(({ title }, index) => drawText(title, `${names[index]}1`, styles.header));
  const top = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  yield `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">${top}</sheetView></sheetViews>` +
    `<cols>${widths.join("")}</cols><sheetData><row r="1">${titles.join("")}</row>`;
  let number = 1;
  let waiting = "";
  for await (const cells of rows) {
    number += 1;
    if (number > mostRows)
      throw fileError(`a sheet holds ${mostRows - 1} rows below its header, and there are more`, {
        hint: "use -o all.csv, or narrow it with --from and --to",
      });
    const drawn = cells.map((cell, index) => {
      if (cell === undefined || cell.text === "") return "";
      if (cell.text.length > mostCharacters) throw tooLong(number, columns[index]?.title ?? "");
      return drawCell(cell, `${names[index]}${number}`);
    });
    waiting += `<row r="${number}">${drawn.join("")}</row>`;
    if (waiting.length < chunkLength) continue;
    yield waiting;
    waiting = "";
  }
  const end = footer === undefined ? "" : drawFooter(footer);
  const all = `A1:${names.at(-1)}${number}`;
  // Without it, a spreadsheet marks each id and phone as a mistake.
  const marks = `<ignoredErrors><ignoredError sqref="${all}" numberStoredAsText="1"/></ignoredErrors>`;
  yield `${waiting}</sheetData>${end}${marks}</worksheet>`;
}

function drawFooter(text: string): string {
  const safe = escapeText(text.replaceAll("&", "&&"));
  return `<headerFooter><oddFooter>&amp;L${safe}&amp;R&amp;P / &amp;N</oddFooter></headerFooter>`;
}

function tooLong(row: number, title: string) {
  return fileError(`row ${row}: ${title} has more than 32,767 characters, the most that a cell holds`, {
    hint: "use -o all.csv",
  });
}

function drawCell({ as, text }: NonNullable<WrittenCell>, place: string): string {
  if (as === "number" && keepsDigits(text)) {
    const decimals = text.split(".")[1]?.length ?? 0;
    return `<c r="${place}" s="${styles.number + decimals}"><v>${text}</v></c>`;
  }
  const day = as === "time" ? dayOf(text) : undefined;
  if (day !== undefined) return `<c r="${place}" s="${styles.time}"><v>${day}</v></c>`;
  return drawText(text, place, styles.text);
}

/** Text in the cell itself is never a formula, and needs no list of all texts in memory. */
function drawText(text: string, place: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

/** True where a spreadsheet shows the same digits: it keeps fifteen, and writes no exponent of its own. */
function keepsDigits(text: string): boolean {
  if (!isPlainDecimal(text)) return false;
  const [whole = "", decimals = ""] = text.replace("-", "").split(".");
  const digits = `${whole}${decimals}`.replace(/^0+/, "");
  return digits.length <= mostDigits && decimals.length <= mostDigits;
}

/** Days and their part in this machine's zone; undefined for what names no instant, or one that sheets count otherwise. */
function dayOf(text: string): number | undefined {
  const instantMs = parseInstant(text);
  if (instantMs === undefined) return undefined;
  const at = new Date(instantMs);
  const clock = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes());
  const day = firstDay + (clock + at.getSeconds() * 1_000 + at.getMilliseconds()) / dayMs;
  return day >= firstSafeDay && day < endOfDays ? day : undefined;
}

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML cannot hold are written as _x001B_ (22.9.2.19), and a text that looks like that is, too. */
function escapeText(text: string): string {
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
      return `_x${code}_`;
    })
    .replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
