/** `courier addresses import`: reads addresses from a CSV or JSON file into the address book. */

import { confirmOrStop, defineCommand, document } from "../command/command.ts";
import { textArgument } from "../command/options.ts";
import { type Addresses, parseAlias, saveParties } from "../config/address-book.ts";
import { CourierError, fileError } from "../core/errors.ts";
import { byCount, counted, withArticle } from "../core/wording.ts";
import { type DraftParty, partySchema } from "../model/draft.ts";
import { partyFields } from "../model/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { parseUserJson } from "../model/json-text.ts";
import { check } from "../model/schema.ts";
import { findTextProblems } from "../model/text-problem.ts";
import { findLostText, lostTextError } from "../sheets/lost-text.ts";
import { createMojibakeTest, describeMojibake, findText } from "../sheets/mojibake.ts";
import { boundColumns } from "../sheets/row-limit.ts";
import { findDelimiter, readSheet, refuseJoined } from "../sheets/sheet.ts";
import { decodeSheet } from "../sheets/text-encoding.ts";
import { line } from "../terminal/blocks.ts";

const entrySchema = partySchema();

export const importAddresses = defineCommand({
  description:
    "The file is what courier addresses list --csv or --json prints: a header line with alias, name, phone,\n" +
    "province, city, district, detail (or 简称, 姓名, 电话, 省, 市, 区, 地址), or an array of objects with\n" +
    "these keys. Nothing is saved unless all of it is right; an address with a known alias takes the place of the old one.",
  arguments: { file: textArgument("a .csv or .json file; - for stdin", { values: "file" }) },
  options: {},
  confirms: true,
  examples: [{ line: "addresses import addresses.csv", note: "asks before it replaces anything" }],
  seeAlso: ["addresses list"],
  async run({ file }, context) {
    const name = file === "-" ? "stdin" : file;
    const parties = await parseAddresses(await context.readBytes(file, sizeLimit), name);
    let replaced: readonly string[] = [];
    let now: Addresses | undefined = (await context.config.read()).addresses;
    // What another process saves while the question is open is asked about, too.
    while (now) {
      const known: Addresses = now;
      replaced = Object.keys(parties).filter((alias) => Object.hasOwn(known, alias));
      if (replaced.length > 0)
        await confirmOrStop(context, `Replace ${replaced.map((alias) => `@${alias}`).join(", ")}?`);
      now = await saveParties(context.config, parties, known);
    }
    const count = Object.keys(parties).length;
    return document({ imported: count, replaced }, () => [
      line(
        `Imported ${count} ${byCount(count, "address", "addresses")}; ${replaced.length} replaced older ones`,
      ),
    ]);
  },
});

/** More than an address book of a hundred thousand entries has. */
const sizeLimit = { bytes: 16 * 2 ** 20, hint: "split it into several files" };

interface AddressEntry {
  readonly where: string;
  readonly value: Json;
  /** What is wrong with it already. */
  readonly problem?: string | undefined;
}

const problemsShown = 10;
/** With so many it may be another file. */
const mostProblems = 100;

/** All addresses of the file by alias. Throws a file error that names the first wrong lines or indexes. */
async function parseAddresses(bytes: Uint8Array, name: string): Promise<Record<string, DraftParty>> {
  const { text, isGuessed } = decodeSheet(bytes, name);
  const isMojibake = isGuessed ? createMojibakeTest() : () => false;
  const entries = /^\s*[[{]/.test(text.replace(/^\uFEFF/, ""))
    ? jsonEntries(text, name)
    : sheetEntries(text, name);
  const parties: Record<string, DraftParty> = {};
  const problems: string[] = [];
  for await (const { where, value, problem } of entries) {
    if (problems.length === mostProblems) break;
    const lost = findLostText(value);
    if (lost) throw lostTextError(name, `${where} has “${lost.text}”`);
    const wrong = findText(value, isMojibake);
    if (wrong) {
      throw fileError(describeMojibake(name, where, wrong), {
        hint: "save it as “CSV UTF-8” and try again; nothing was saved in the address book",
      });
    }
    try {
      if (problem !== undefined) throw new CourierError("file", 2, problem);
      const { alias, party } = parseEntry(value);
      if (Object.hasOwn(parties, alias))
        throw new CourierError("file", 2, `the alias ${alias} appears twice`);
      parties[alias] = party;
    } catch (error) {
      if (!(error instanceof CourierError)) throw error;
      problems.push(`${where}: ${error.message}`);
    }
  }
  if (problems.length === 0) return parties;
  const left = problems.length - problemsShown;
  const others = problems.length === mostProblems ? "and more" : `and ${counted(left, "other")}`;
  const shown = left > 0 ? [...problems.slice(0, problemsShown), others] : problems;
  throw fileError(`${name}: ${shown.join("; ")}`, { hint: "nothing was saved" });
}

/** Usual names of the columns. Any other name is the field's own, or is reported as unknown. */
const columnWords: Readonly<Record<string, readonly string[]>> = {
  alias: ["简称", "别名", "代号"],
  name: ["姓名", "名字", "联系人", "收件人", "寄件人"],
  phone: ["电话", "手机", "手机号", "手机号码", "联系电话", "电话号码"],
  province: ["省", "省份"],
  city: ["市", "城市"],
  district: ["区", "区县", "区/县"],
  detail: ["地址", "详细地址", "街道地址"],
};

function fieldOf(header: string): string {
  const text = header.trim();
  const found = Object.entries(columnWords).find(([, words]) => words.includes(text));
  return found?.[0] ?? text.toLowerCase();
}

async function* sheetEntries(text: string, name: string): AsyncGenerator<AddressEntry> {
  let columns: readonly Column[] | undefined;
  const delimiter = findDelimiter(text.slice(0, 4096));
  for await (const row of readSheet(inPieces(text), { delimiter }, name)) {
    const { line: number, cells } = row;
    refuseJoined(row, [columns?.length ?? cells.length], delimiter, name);
    if (!columns) {
      boundColumns(cells, name, number);
      columns = cells.map((title) => ({ title: title.trim(), field: fieldOf(title) }));
      if (!columns.some(({ field }) => field === "alias"))
        throw fileError(`${name}, line ${number}: the header has no column alias (or 简称)`, {
          hint: "add a column with a short name for each address; nothing was saved",
        });
      continue;
    }
    if (cells.length !== columns.length) {
      const counts = `${counted(cells.length, "cell")}, but the header ${columns.length}`;
      throw fileError(`${name}, line ${number} has ${counts}; a cell with a delimiter in it needs quotes`);
    }
    yield { where: `line ${number}`, ...readCells(columns, cells) };
  }
  if (!columns) throw fileError(`${name} is empty`, { hint: "begin it with a header: alias,name,phone" });
}

interface Column {
  readonly title: string;
  readonly field: string;
}

/** Several columns may be one field, such as 电话 and 手机, but not with different values. */
function readCells(columns: readonly Column[], cells: readonly string[]): Omit<AddressEntry, "where"> {
  const filled = new Map<string, { readonly title: string; readonly cell: string }>();
  let problem: string | undefined;
  for (const [index, { title, field }] of columns.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "") continue;
    const other = filled.get(field);
    if (other && other.cell !== cell)
      problem ??= `the columns ${other.title} and ${title} are both the ${field}: “${other.cell}” and “${cell}”`;
    filled.set(field, { title, cell });
  }
  const value = Object.fromEntries([...filled].map(([field, { cell }]) => [field, cell]));
  return { value, problem };
}

/** The parser holds all rows of a piece. */
async function* inPieces(text: string): AsyncGenerator<string> {
  for (const [piece] of text.matchAll(/.{1,65536}/gsu)) yield piece;
}

function jsonEntries(text: string, name: string): AddressEntry[] {
  const content = parseUserJson(text, name);
  if (!Array.isArray(content)) throw fileError(`${name} should hold an array of addresses`);
  return content.map((value, index) => ({ where: `[${index}]`, value }));
}

function parseEntry(value: Json): { alias: string; party: DraftParty } {
  if (!isJsonObject(value) || typeof value.alias !== "string")
    throw new CourierError("file", 2, "it has no alias");
  const { alias, default: _shownByList, ...given } = value;
  const fields = Object.fromEntries(
    Object.entries(given).filter(([, text]) => typeof text !== "string" || text.trim() !== ""),
  );
  const checked = check(entrySchema, fields);
  if ("mismatches" in checked) {
    const [first] = checked.mismatches;
    const known = `alias, ${partyFields.join(", ")}`;
    const problem =
      first?.expected === "no such key"
        ? `${first.path} is no field of an address (${known})`
        : `${first?.path} must be ${withArticle(first?.expected ?? "")}, but is ${first?.received}`;
    throw new CourierError("file", 2, problem);
  }
  if (Object.keys(checked.value).length === 0) throw new CourierError("file", 2, "the address is empty");
  const [wrong] = findTextProblems(checked.value);
  if (wrong) throw new CourierError("file", 2, `${wrong.path} “${wrong.value}” ${wrong.message}`);
  return { alias: parseAlias(alias), party: checked.value };
}
