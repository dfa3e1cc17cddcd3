/** Which columns of a header are in doubt, and what each of them may hold. */

import { partyParts } from "../../model/fields.ts";
import type { Preset } from "../presets/preset.ts";
import { type RowsOptions, readShownRows } from "../rows.ts";
import { createPartySplitter, type PartySplitter } from "../split-party.ts";
import { guessField, isRegion } from "./column-guesses.ts";
import {
  type ColumnDoubt,
  findPartyBefore,
  guessColumns,
  isTwice,
  mapColumns,
  unusedMark,
} from "./columns.ts";
import { readPreset } from "./preset-layout.ts";
import { isPhone, isStreet } from "./several-columns.ts";
import {
  cleanHeader,
  createTitleReader,
  numberedShortField,
  shortField,
  simplifyTitle,
} from "./title-words.ts";
import { findUnclear, type UnclearColumn } from "./unclear-columns.ts";

export type Mapping = ReadonlyMap<string, string>;
type Guessed = ReturnType<typeof guessColumns>;

/** The header of a sheet, some of its rows, and the columns that are decided. */
export interface Sheet {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly given: Mapping;
  /** It knows some of the titles. */
  readonly preset?: Preset | undefined;
  /** Its addresses need no columns of their place. */
  readonly isPlaceRead?: boolean;
}

/** A column that a person must decide about. */
export interface DoubtfulColumn {
  readonly header: string;
  readonly example: string;
  /** "" leaves it out. */
  readonly guess: string;
  /** Without a decision, the file is refused. */
  readonly isNeeded: boolean;
  /** It is clear: another column may have its field, too. */
  readonly isJoined: boolean;
}

export interface Doubtful {
  readonly columns: readonly DoubtfulColumn[];
  /** The message and the hint where one column is in doubt, and nothing is missing. */
  readonly only: Pick<ColumnDoubt, "message" | "hint"> | undefined;
  /** Parts of an order that no column has, with all guesses. */
  readonly missing: readonly string[];
}

const isPlace = (path: string) => /\.(?:province|city|district|region)$/.test(path);

/** The columns as the words of the header say, or the preset and these words. */
export function readHeader({ header, preset, isPlaceRead }: Sheet, given: Mapping): Guessed {
  const words = preset && readPreset(header, preset, given, isPlaceRead).words;
  return words ?? guessColumns(header, given);
}

/** The fields of all columns, where each that was in doubt is decided. */
export function shownPaths(
  { header, preset, isPlaceRead }: Sheet,
  decided: Mapping,
): readonly (string | undefined)[] {
  if (!preset) return mapColumns(header, decided).paths;
  const { own, words } = readPreset(header, preset, decided, isPlaceRead);
  const paths = [...(words?.map.paths ?? [])];
  for (const { path, choices } of [...own, ...(words?.further ?? [])]) {
    const [part = ""] = path.split(".");
    const hasPlace = paths.some((each) => each?.startsWith(part) && isPlace(each));
    if (path.endsWith(".address") && !hasPlace) for (const index of choices.flat()) paths[index] = path;
  }
  return paths;
}

/** Whether a title is one of an address, with a party or without. */
function createAddressTest(): (title: string) => boolean {
  const { fieldOf } = createTitleReader();
  return (title) => shortField(title) === "detail" || fieldOf(title)?.endsWith(".detail") === true;
}

/** Beside an address that a preset's column has, another whole one is none that a row lacks. */
export function besidePreset(
  { header, given, preset }: Sheet,
  columns: readonly UnclearColumn[],
): readonly UnclearColumn[] {
  if (!preset) return columns;
  const isAddress = createAddressTest();
  const streets = readPreset(header, preset, given).own.filter(({ path }) =>
    /\.(?:address|detail)$/.test(path),
  );
  return columns.map((column) => {
    const [part = ""] = column.field.split(".");
    const own = streets.filter(({ path }) => path.startsWith(part)).flatMap(({ choices }) => choices.flat());
    if (!isAddress(column.header)) return column;
    return {
      ...column,
      isLacking: (cells) => !own.some((index) => cells[index]?.trim()) && column.isLacking(cells),
    };
  });
}

/** Whether each address that a preset's column holds is whole, and of the place that columns beside it may name. */
export async function arePlacesRead(
  sheet: Sheet,
  preset: Preset,
  source: RowsOptions,
  above: number,
): Promise<boolean> {
  const { header, given } = sheet;
  const { own } = readPreset(header, preset, given);
  const addresses = own.filter(({ path }) => path.endsWith(".address"));
  const { map, doubts } = readHeader(sheet, given);
  const unclear = findUnclear(header, map.paths, given).map(
    ({ header: name, field }) => [name, field] as const,
  );
  const asked = [...doubts.flatMap(({ guesses }) => [...guesses]), ...unclear].filter(([, path]) =>
    isPlace(path),
  );
  if (addresses.length === 0 || asked.length === 0) return false;
  const splitter = await createPartySplitter();
  let left = above;
  for await (const { cells } of readShownRows(source)) {
    if (left-- > 0) continue;
    const textOf = (at: number) => cells[at]?.trim() ?? "";
    const beside = new Map(
      asked.flatMap(([name, path]) => {
        const text = textOf(header.indexOf(name));
        return text === "" ? [] : [[path, { text }] as const];
      }),
    );
    for (const { path, choices } of addresses) {
      const text = choices.flat().map(textOf).find(Boolean);
      if (text === undefined) continue;
      const split = splitter.split(path, text, new Map());
      const isOther = JSON.stringify(split) !== JSON.stringify(splitter.split(path, text, beside));
      if (isOther || (split && "message" in split)) return false;
    }
  }
  return true;
}

/** Without a receiver or goods, no row can be sent. A person is also asked for a name and an address. */
export function findMissing(paths: readonly (string | undefined)[], isAsked: boolean): string[] {
  const has = (...starts: readonly string[]) =>
    paths.some((path) => path !== undefined && starts.some((start) => path.startsWith(start)));
  const place = ["text", "address", "region", "detail", "city", "district", "province"].map(
    (name) => `receiver.${name}`,
  );
  const needs: readonly (readonly [field: string, isThere: boolean])[] = isAsked
    ? [
        ["receiver.name", has("receiver.name", "receiver.first_name", "receiver.last_name", "receiver.text")],
        ["receiver.address", has(...place)],
        ["item.name", has("item.name")],
      ]
    : [
        ["receiver.name", has("receiver.")],
        ["item.name", has("item.name", "item.description")],
      ];
  return needs.flatMap(([field, isThere]) => (isThere ? [] : [field]));
}

/** Those columns that hold something that a row lacks; the first rows of the sheet are above its table. */
export async function findLacking(
  columns: readonly UnclearColumn[],
  source: RowsOptions,
  above: number,
): Promise<readonly UnclearColumn[]> {
  const open = new Set(columns);
  let left = above;
  for await (const { cells } of open.size > 0 ? readShownRows(source) : []) {
    if (left-- > 0) continue;
    for (const column of open) if (column.isLacking(cells)) open.delete(column);
    if (open.size === 0) break;
  }
  return columns.filter((column) => !open.has(column));
}

export async function findDoubtful(
  { header, rows, given, preset }: Sheet,
  { map, doubts }: Guessed,
  unclear: readonly UnclearColumn[],
  isAsked: boolean,
): Promise<Doubtful> {
  const taken = new Set(map.paths);
  const isFilled = (name: string) => examplesOf(name, { header, rows }).length > 0;
  const guesses = new Map(doubts.flatMap((doubt) => [...preferFilled(doubt.guesses, isFilled)]));
  let missing = findMissing(map.paths, isAsked);
  const isSingle = doubts.length === 1 && guesses.size === 1 && unclear.length === 0;
  const [only] = isSingle && missing.length === 0 ? doubts : [];
  const splitter =
    doubts.length + missing.length + unclear.length > 0 ? await createPartySplitter() : undefined;
  if (splitter && (doubts.length > 0 || missing.length > 0)) {
    const twice = findEqual(header);
    for (const name of map.unused.map((each) => each.trim())) {
      if (given.has(name) || guesses.has(name) || twice.has(name)) continue;
      const examples = examplesOf(name, { header, rows });
      const paths = header.map((each, at) => guesses.get(each) || map.paths[at]);
      const before = numberedShortField(name) && findPartyBefore(header, paths, header.indexOf(name));
      const guess = guessField(simplifyTitle(cleanHeader(name)), examples, splitter, before);
      const isFree = guess !== undefined && !taken.has(guess) && !isTwice(guess, taken);
      if (isFree) {
        taken.add(guess);
        guesses.set(name, guess);
      } else if (missing.length > 0 && examples.length > 0) guesses.set(name, unusedMark);
    }
    missing = findMissing([...taken], isAsked);
  }
  const joined = new Set<string>();
  for (const { header: name, field: read, isPartOfStreet } of unclear) {
    if (guesses.get(name)) continue;
    const region = read.replace(/\.province$/, ".region");
    const field = splitter && isRegion(examplesOf(name, { header, rows }), splitter) ? region : read;
    const isJoined = isPhone(field) || (isStreet(field) && isPartOfStreet);
    // It is joined to a whole address, too.
    const whole = isJoined ? field.replace(/\.detail$/, ".address") : field;
    const isFree =
      (!taken.has(field) || isJoined) &&
      !isTwice(field, new Set([...taken].filter((path) => path !== whole)));
    if (isFree) taken.add(field);
    guesses.set(name, isFree ? field : unusedMark);
    // Beside a further column, a map has to name those that have the field, too.
    for (const [at, other] of header.entries())
      if (
        isFree &&
        isJoined &&
        [field, whole].includes(map.paths[at] ?? "") &&
        !given.has(other) &&
        !guesses.has(other)
      )
        joined.add(other);
  }
  for (const other of joined) guesses.set(other, map.paths[header.indexOf(other)] ?? unusedMark);
  if (splitter)
    for (const [name, path] of guessRegions({ header, rows, given }, map.paths, guesses, splitter))
      guesses.set(name, path);
  for (const [name, path] of guessNameParts({ header, rows, given }, map.paths, guesses, unclear))
    guesses.set(name, path);
  for (const [name, path] of guesses) {
    // As in the preset, an address without a column of its place is a whole one.
    const [part = "", field] = path.split(".");
    const isAlone = field === "detail" && ![...taken].some((each) => each?.startsWith(part) && isPlace(each));
    if (
      preset &&
      isAlone &&
      splitter &&
      areSplit(`${part}.address`, examplesOf(name, { header, rows }), splitter)
    )
      guesses.set(name, `${part}.address`);
  }
  const columns = [...new Set(header)].flatMap((name) => {
    const guess = guesses.get(name);
    if (guess === undefined) return [];
    const [example = ""] = examplesOf(name, { header, rows });
    const isNeeded =
      unclear.some((each) => each.header === name) || doubts.some((doubt) => doubt.guesses.has(name));
    return [{ header: name, example, guess, isNeeded, isJoined: joined.has(name) }];
  });
  return { columns, only, missing };
}

/** Of two columns of an address, one that has regions alone is the region, and the other one the street. */
function guessRegions(
  { header, rows, given }: Sheet,
  paths: readonly (string | undefined)[],
  guesses: Mapping,
  splitter: PartySplitter,
): readonly (readonly [header: string, path: string])[] {
  const isAddress = createAddressTest();
  return partyParts.flatMap((part) => {
    const street = `${part}.detail`;
    const region = header.find((name, at) => !given.has(name) && (guesses.get(name) || paths[at]) === street);
    if (
      region === undefined ||
      [...guesses.values(), ...paths].some((path) => path?.startsWith(part) && isPlace(path))
    )
      return [];
    const others = header.filter((name) => guesses.get(name) === unusedMark && isAddress(name));
    const [other] = others;
    const examples = examplesOf(region, { header, rows });
    if (other === undefined || others.length > 1 || examples.length === 0) return [];
    if (!isRegion(examples, splitter)) return [];
    return [[region, `${part}.region`] as const, [other, street] as const];
  });
}

const mayBeFirstName = /(?<!姓|full[ _]?)(?:name|名字?)$| first$/i;

/** Beside a last name, a column whose title may mean the first one has that, unless it has both. */
function guessNameParts(
  { header, rows, given }: Sheet,
  paths: readonly (string | undefined)[],
  guesses: Mapping,
  unclear: readonly UnclearColumn[],
): readonly (readonly [header: string, path: string])[] {
  return unclear.flatMap(({ header: last, field }) => {
    if (!field.endsWith(".last_name")) return [];
    const [part = ""] = field.split(".");
    const isName = (name: string, at: number) =>
      (guesses.get(name) || paths[at]) === `${part}.name` ||
      unclear.some((each) => each.header === name && each.field === `${part}.name`);
    const named = header.filter((name, at) => !given.has(name) && isName(name, at));
    const [first] = named;
    if (first === undefined || named.length > 1 || !mayBeFirstName.test(simplifyTitle(cleanHeader(first))))
      return [];
    const [firstAt, lastAt] = [header.indexOf(first), header.indexOf(last)];
    const isWhole = rows.some((cells) => {
      const lastName = cells[lastAt]?.trim();
      return lastName && cells[firstAt]?.includes(lastName);
    });
    const [ofFirst, ofLast] = isWhole ? [`${part}.name`, unusedMark] : [`${part}.first_name`, field];
    return [[first, ofFirst] as const, [last, ofLast] as const];
  });
}

function areSplit(path: string, examples: readonly string[], splitter: PartySplitter): boolean {
  const isSplit = (text: string) => "party" in (splitter.split(path, text, new Map()) ?? {});
  return examples.length > 0 && examples.every(isSplit);
}

/** Of several columns of one field, one that holds something is guessed. */
function preferFilled(guesses: Mapping, isFilled: (name: string) => boolean): Mapping {
  const [used, path] = [...guesses].find(([, each]) => each !== unusedMark) ?? [];
  const better = [...guesses.keys()].find((name) => guesses.get(name) === unusedMark && isFilled(name));
  if (used === undefined || path === undefined || better === undefined || isFilled(used)) return guesses;
  return new Map([...guesses, [used, unusedMark], [better, path]]);
}

/** Names that several columns have. */
export function findEqual(header: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(header.filter((name) => seen.size === seen.add(name).size));
}

const examplesUsed = 3;

export function examplesOf(
  name: string,
  { header, rows }: Pick<Sheet, "header" | "rows">,
): readonly string[] {
  const index = header.indexOf(name);
  const texts = rows.map((cells) => (cells[index] ?? "").trim()).filter((text) => text !== "");
  return [...new Set(texts)].slice(0, examplesUsed);
}

const longestExample = 24;

export function shorten(example: string): string {
  return example.length > longestExample ? `${example.slice(0, longestExample)}…` : example;
}
