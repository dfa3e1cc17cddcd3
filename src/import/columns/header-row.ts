/** Finds the header of a sheet among its first rows, and joins one that is written in two rows. */

import { usageError } from "../../core/errors.ts";
import { headerWithin, type SheetRow } from "../../sheets/sheet.ts";
import { isWrittenTitle } from "../write-back/titles.ts";
import { mapColumns, mapFlag } from "./columns.ts";
import { findPreset } from "./platforms.ts";
import type { LayoutChoice } from "./read-layout.ts";
import {
  cleanHeader,
  columnPaths,
  createTitleReader,
  longestTitle,
  type TitleGroup,
  type TitleReader,
} from "./title-words.ts";

type Row = readonly string[];

export interface HeaderRow {
  readonly index: number;
  readonly titles: Row;
  /** The row above holds titles of its columns, or of groups of them. */
  readonly isInTwoRows: boolean;
  /** Two rows of which each may be the header. */
  readonly unclear?: readonly [number, number];
}

/**
 * The header among the first rows: where the rows above it, such as titles and notes, name no column, or name groups of
 * its columns. Throws a usage error for a map that gives one party's group to the other party.
 */
export function findHeader(rows: readonly SheetRow[], choice: LayoutChoice): HeaderRow {
  const found = findTitles(rows, choice);
  if (found.unclear) return found;
  const { index, titles } = found;
  const above = rows.slice(0, found.isInTwoRows ? index - 1 : index);
  const order = above.findIndex(({ cells }) => mayBeOrder(cells, titles));
  if (order >= 0) return { ...found, unclear: [order, index] };
  const [row, below] = rows.slice(index, index + 2);
  const isUpper = row && below && mayNameGroups({ ...row, cells: titles }, below.cells, choice);
  return isUpper ? { ...found, unclear: [index, index + 1] } : found;
}

function findTitles(rows: readonly SheetRow[], choice: LayoutChoice): HeaderRow {
  const reader = createTitleReader(choice.version);
  const single = (index: number) => ({ index, titles: rows[index]?.cells ?? [], isInTwoRows: false });
  const first = findFirst(rows, choice, reader);
  const header = rows[first];
  if (!header) return single(0);
  const above = rows[first - 1];
  // The row above may name groups that are no names of columns.
  const hasGroup = above?.cells.some((cell) => reader.groupOf(cell)?.part !== undefined);
  const fromAbove = above && hasGroup && joinTitles(above, header.cells, choice, reader);
  let found = fromAbove ? asHeader(first, fromAbove, header.cells) : undefined;
  for (let index = first; ; index++) {
    const [row, below] = rows.slice(index, index + 2);
    if (!row || !below || !isTitleRow(below.cells, reader) || !hasGap(row.cells, below.cells)) break;
    const titles = joinTitles(row, below.cells, choice, reader);
    if (!titles) return { ...single(index), unclear: [index, index + 1] };
    found = asHeader(index + 1, titles, below.cells);
  }
  const isCertain = isHeader(header.cells, choice) || countTitles(header.cells, reader) >= manyTitles;
  return found ?? single(first > 0 && isCertain ? first : 0);
}

function asHeader(index: number, titles: Row, own: Row): HeaderRow {
  return { index, titles, isInTwoRows: titles.some((title, at) => title !== own[at]) };
}

/** The first row that names a column, or has titles of columns; -1 where none does. */
function findFirst(rows: readonly SheetRow[], choice: LayoutChoice, reader: TitleReader): number {
  return rows
    .slice(0, headerWithin)
    .findIndex(({ cells }) => namesColumn(cells, choice) || isTitleRow(cells, reader));
}

/** Whether the row below these first rows may be the header. */
export function isHeaderBelow(rows: readonly SheetRow[], choice: LayoutChoice): boolean {
  if (rows.length < 2) return true;
  const reader = createTitleReader();
  const first = findFirst(rows, choice, reader);
  if (first < 0) return rows.length < headerWithin;
  return rows.length <= headerWithin && rows.slice(first + 1).every(({ cells }) => isTitleRow(cells, reader));
}

/** The error for a sheet of which two rows may be the header. */
export function unclearHeader(
  rows: readonly SheetRow[],
  [one, other]: readonly [number, number],
  { name, table }: { readonly name: string; readonly table?: unknown },
): Error {
  const line = table ? "row" : "line";
  return usageError(
    `${name}: it is not clear which ${line} is the header: ${line} ${rows[one]?.line} or ${line} ${rows[other]?.line}`,
    `write all titles of columns into one ${line}, delete what is above it, and run the same command again`,
  );
}

const mobile = /(?<!\d)1[3-9]\d{9}(?!\d)/;
/** A number of another kind, as a whole cell. */
const phone = /^(?:\+\d[\d -]{7,}|0\d{2,3}-\d{7,8}(?:-\d+)?|\d{3,4}-\d{4})$/;
/** 朝阳区建国路1号. */
const place = /[省市区县旗].*\d\s*(?:号|號|弄|室|楼|樓|栋|棟)/;
/** A number that is no date, also with letters: 3, A0. */
const amount = /^[A-Za-z]*[-_]?\d+(?:\.\d+)?$/;
const fewestCells = 3;

/** Notes above a header are narrower than it, or have no number, and hardly a phone or an address beside other cells. */
function mayBeOrder(row: Row, titles: Row): boolean {
  const filled = row.filter(isFilled);
  const isAddress = (cell: string) => cell.length <= longestTitle && place.test(cell);
  if (filled.some((cell) => mobile.test(cell) || isAddress(cell))) return filled.length > 1;
  if (filled.length < fewestCells) return false;
  if (filled.some((cell) => phone.test(cell.trim()))) return true;
  return (
    filled.length >= titles.filter(isFilled).length - 1 && filled.some((cell) => amount.test(cell.trim()))
  );
}

const isFilled = (cell: string) => cell.trim() !== "" && !isWrittenTitle(cell);
const fewestTitles = 2;
/** So many make a row of titles, whatever its other cells are. */
const manyTitles = 3;

/** True for a row of which many cells are names of columns, alone or below the title of a group. No order looks like that. */
export function isTitleRow(row: Row, reader: TitleReader): boolean {
  const filled = row.filter(isFilled);
  if (filled.some((cell) => isNumber.test(cell.trim()))) return false;
  const titles = countTitles(row, reader);
  return titles >= manyTitles || (titles >= fewestTitles && 2 * titles >= filled.length);
}

/** A quantity, a phone or another number of an order. */
const isNumber = /^\+?\d[\d .,-]*$/;

function countTitles(row: Row, { fieldOf, isShort }: TitleReader): number {
  return row.filter((cell) => isFilled(cell) && (fieldOf(cell) !== undefined || isShort(cell))).length;
}

/** True where the lower row has a cell below an empty one: else it is a header again. */
export function hasGap(row: Row, below: Row): boolean {
  return below.some((cell, index) => isFilled(cell) && (row[index] ?? "").trim() === "");
}

/**
 * Whether the row below may be titles of columns that are not known, such as 联系人 below 收货人: a group's title, or one
 * that is merged over several columns, has more than one text below it, and no cell holds a number, as an order does.
 */
function mayNameGroups({ cells, across }: SheetRow, below: Row, { version }: LayoutChoice): boolean {
  if (cells.filter(isFilled).length < fewestTitles || below.some(holdsNumber)) return false;
  const { groupOf } = createTitleReader(version);
  return cells.some((title, index) => {
    const isWide = (cells[index + 1] ?? "").trim() === "" && isFilled(below[index + 1] ?? "");
    return isWide && isFilled(title) && (across?.has(index) || groupOf(title) !== undefined);
  });
}

/** What titles have, too: 地址2, 手机号(11位). */
const numberOfTitle = /\([^()]*\)|(?<=[\p{L} ]{2})[1-9]$/gu;
const holdsNumber = (cell: string) =>
  /\d/.test(cell.length > longestTitle ? cell : cleanHeader(cell).replace(numberOfTitle, ""));

/**
 * The titles of two rows where the upper one names groups, such as 收件人 over 姓名 and 电话: a cell that is empty in the
 * lower row has its title in the upper one, as merged cells have. Undefined where a cell of the upper row may be something
 * else, such as a label with its value. Throws a usage error for a map that gives one party's group to the other party.
 */
function joinTitles(
  { cells: row, across }: SheetRow,
  below: Row,
  { mapping }: LayoutChoice,
  { fieldOf, isShort, groupOf }: TitleReader,
): Row | undefined {
  const titles: string[] = [];
  const all: Group[] = [];
  let group: Group | undefined;
  for (const [index, cell] of below.entries()) {
    const above = row[index]?.trim() ?? "";
    // Cells that are merged over both rows have one text.
    const title = cell.trim() === above ? "" : cell.trim();
    const own = fieldOf(title);
    if (above !== "") {
      const end = across ? (across.get(index) ?? index) : Number.POSITIVE_INFINITY;
      const named = groupOf(above) ?? groupByColumn(above, fieldOf(join(above, title)));
      if (title !== "" && !named && fieldOf(above) === undefined && !across?.has(index)) return undefined;
      group =
        title !== "" && named ? { ...named, title: above, end, joined: [], hasOther: false } : undefined;
      if (group) all.push(group);
    }
    if (group && index > group.end) group = undefined;
    if (group && own !== undefined && isOfPart(own) && !own.startsWith(`${group.part}.`)) {
      group.hasOther ||= isOfParty(own);
      if (!across) group = undefined; // where no cells are merged, a column of something else ends the group
    }
    const both = group && title !== "" ? join(group.prefix, title) : "";
    const isMapped = mapping.has(title) && below.filter((each) => each.trim() === title).length === 1;
    const given = isMapped && !mapping.has(both) ? mapping.get(title) : undefined;
    if (group && given !== undefined && !isOfParty(own ?? "") && isOfOther(given, group)) {
      // Where no cells are merged, the group may have ended before a title that is not known.
      if (!across && above === "" && !isShort(title)) group = undefined;
      else
        throw usageError(
          `column “${title}” is below “${group.title}”, and a map makes it ${given}`,
          `leave it out, or name it by both titles: ${mapFlag(both, given)}`,
        );
    }
    const joined = own === undefined && !isMapped ? both : "";
    const path = fieldOf(joined) ?? (group ? own : undefined);
    if (title !== "") group?.joined.push({ path, isShort: own === undefined && path !== undefined });
    if (title === "") titles.push(above);
    else titles.push(mapping.has(both) ? both : fieldOf(joined) === undefined ? cell : joined);
  }
  const isLost = (key: string) => row.some((cell) => cell.trim() === key) && !titles.includes(key);
  return all.some((each) => mayBeTitle(each, across !== undefined)) || [...mapping.keys()].some(isLost)
    ? undefined
    : titles;
}

/** A group's title, with the columns that it has. */
interface Group extends TitleGroup {
  /** As it is written. */
  readonly title: string;
  /** The last column that it may have. */
  readonly end: number;
  readonly joined: { readonly path: string | undefined; readonly isShort: boolean }[];
  /** A column of another party is among them. */
  hasOther: boolean;
}

/** True for what may be the title of the sheet, and would give a customer's columns to another party. */
function mayBeTitle({ part, joined, hasOther }: Group, isMerged: boolean): boolean {
  if ((part !== "sender" && part !== "receiver") || !joined.some(({ isShort }) => isShort)) return false;
  // A name that is not known may be the party's.
  const hasName = joined.some(({ path = `${part}.name` }) => [`${part}.name`, `${part}.text`].includes(path));
  return !hasName || (isMerged && hasOther);
}

const isOfPart = (path: string) => /^(?:sender|receiver|item)\./.test(path);
const isOfParty = (path: string) => /^(?:sender|receiver)\./.test(path);
/** Of the sender, in a group of the receiver, or the other way round. */
const isOfOther = (path: string, { part }: TitleGroup) =>
  isOfParty(path) && isOfParty(`${part}.`) && !path.startsWith(`${part}.`);

function join(group: string, title: string): string {
  return /[a-z]$/i.test(group) ? `${group} ${title}` : `${group}${title}`;
}

/** 订单 over 编号. */
function groupByColumn(prefix: string, path: string | undefined): TitleGroup | undefined {
  return path === undefined ? undefined : { prefix, part: undefined };
}

function namesColumn(row: Row, { mapping }: LayoutChoice): boolean {
  return row.some((cell) => mapping.has(cell.trim())) || findPreset(row) !== undefined || countKnown(row) > 0;
}

const leastKnown = 3;

function isHeader(row: Row, { mapping }: LayoutChoice): boolean {
  const names = new Set(row.map((cell) => cell.trim()));
  if (mapping.size > 0 && [...mapping.keys()].every((name) => names.has(name))) return true;
  return findPreset(row) !== undefined || countKnown(row) >= leastKnown;
}

export function countKnown(row: Row): number {
  try {
    return mapColumns(row.map(cleanHeader), new Map()).paths.filter((path) => path !== undefined).length;
  } catch {
    return row.some((cell) => columnPaths.includes(cell.trim())) ? 1 : 0;
  }
}
