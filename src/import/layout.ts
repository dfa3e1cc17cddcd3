/** How the rows of a sheet are read: by the columns of a known platform, or by the words of its header. */

import { fileError, usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { listed } from "../core/wording.ts";
import { type ColumnMap, ensureNoOrder, isNoColumn, mapColumns } from "./columns.ts";
import { firstMap, formerMaps, isLater, secondMaps } from "./former-maps.ts";
import { readByWords, type WordsRead } from "./preset-words.ts";
import type { Preset, SkipRule } from "./presets/preset.ts";
import { presets } from "./presets/presets.ts";
import { choicesOf, joinColumns, type LayoutField, maySeveral } from "./several-columns.ts";
import { columnPaths } from "./title-words.ts";
import { isAskedLately, isAskedToday } from "./unclear-columns.ts";

export interface Layout {
  readonly names: readonly string[];
  readonly preset: Preset | undefined;
  readonly fields: readonly LayoutField[];
  /** The column that a message names for a field. */
  readonly columns: ReadonlyMap<string, string>;
  readonly unused: readonly string[];
  readonly skips: readonly (SkipRule & { readonly index: number })[];
  /** Columns of states, and whether the state of an order that is sent says that it is to be. */
  readonly states: readonly { readonly index: number; readonly isKnown: (text: string) => boolean }[];
  /** The column of the pieces that were refunded. */
  readonly refunded: number | undefined;
  readonly orderKey: LayoutField | undefined;
  /** Columns that are all blank in a row that sums up an order; empty where the file has none of them. */
  readonly summary: readonly number[];
  /** An order without an address is picked up where one of these is filled; otherwise, its first row is missing. */
  readonly firstRowOnly: readonly number[];
  readonly mustBeBlank: ReadonlyMap<number, string>;
  /** How earlier versions read the columns; undefined where they refused the file. */
  readonly former: ColumnMap | undefined;
  /** They read each field from the same column. */
  readonly isReadAsBefore: boolean;
  /** How versions 2 and 3 may have read the columns, where that is another way. */
  readonly earlier: readonly EarlierLayout[];
}

export interface EarlierLayout {
  readonly reading: 2 | 3;
  readonly layout: Layout;
}

export interface LayoutChoice {
  readonly mapping: ReadonlyMap<string, string>;
  /** The name of a platform, or `none`; without one, the header decides. */
  readonly platform?: string | undefined;
  /** Of the reading (former-reading.ts). */
  readonly version?: number;
}

export const noPlatform = "none";
export const platformNames: readonly string[] = [...presets.map(({ name }) => name), noPlatform];

export function parsePlatform(text: string): string {
  const name = text.toLowerCase();
  if (platformNames.includes(name)) return name;
  const nearest = suggest(name, platformNames);
  throw usageError(
    `--platform: unknown platform “${text}”`,
    nearest ? `did you mean ${nearest}?` : `platforms: ${platformNames.join(", ")}`,
  );
}

/** Names of columns as presets compare them. */
function compareAs(header: string): string {
  return header
    .normalize("NFKC")
    .replace(/^="?|[\uFEFF\u200b"'“”*\s]|[([【](?:必填|选填|可选|required|optional)[)\]】]/gi, "")
    .toLowerCase();
}

/** The platform that writes such a header. */
export function findPreset(headers: readonly string[]): Preset | undefined {
  const found = new Set(headers.map(compareAs));
  return presets.find(({ keys }) => keys.some((all) => all.every((key) => found.has(compareAs(key)))));
}

/** The preset with which a file is read, by the name of a platform or by its header. */
export function choosePreset(headers: readonly string[], platform: string | undefined): Preset | undefined {
  return platform === undefined ? findPreset(headers) : presets.find(({ name }) => name === platform);
}

/**
 * Throws a usage error, or a file error for a file that holds no orders to send. `before` are the titles as version 2 read
 * them.
 */
export function readLayout(
  headers: readonly string[],
  choice: LayoutChoice,
  file: string,
  before: readonly string[] = headers,
): Layout {
  const { mapping, platform } = choice;
  const preset = choosePreset(headers, platform);
  const former = readFormer(headers, firstMap(mapping));
  if (preset) {
    const read = readPreset(headers, preset, mapping);
    const layout = layoutOfPreset(headers, read, former, file);
    return { ...layout, earlier: read.words ? readEarlierOfPreset(headers, before, read, layout) : [] };
  }
  const map = mapColumns(headers, mapping);
  const layout = layoutOfWords(headers, map, former);
  return { ...layout, earlier: readEarlier(headers, before, mapping, map, layout) };
}

function layoutOfWords(headers: readonly string[], map: ColumnMap, former: ColumnMap | undefined): Layout {
  const fields = joinColumns(
    map.paths.flatMap((path, index) => (path === undefined ? [] : [{ path, choices: [[index]] }])),
    headers,
  );
  return {
    names: headers,
    preset: undefined,
    fields,
    columns: nameColumns(headers, fields),
    unused: map.unused,
    skips: [],
    states: [],
    refunded: undefined,
    orderKey: undefined,
    summary: [],
    firstRowOnly: [],
    mustBeBlank: new Map(),
    former,
    isReadAsBefore: isSame(fields, former),
    earlier: [],
  };
}

function isSame(fields: readonly LayoutField[], former: ColumnMap | undefined): boolean {
  const before = former?.paths.filter((path) => path !== undefined) ?? [];
  return (
    before.length === fields.length &&
    fields.every(({ path, choices }) => {
      const [index, ...others] = choices.flat();
      return index !== undefined && others.length === 0 && former?.paths[index] === path;
    })
  );
}

function readFormer(
  headers: readonly string[],
  mapping: ReadonlyMap<string, string>,
  version = 1,
): ColumnMap | undefined {
  try {
    return mapColumns(headers, mapping, { version });
  } catch {
    return undefined;
  }
}

/**
 * How earlier versions may have read the columns. Version 2 read them with this map, or without columns that only
 * today's version asks about: it sent orders without what those hold. At first, version 3 asked about
 * fields that it did not know, took one column for a phone or a street, and left out what `isAskedLately` says.
 */
function readEarlier(
  headers: readonly string[],
  before: readonly string[],
  mapping: ReadonlyMap<string, string>,
  map: ColumnMap,
  today: Layout,
): readonly EarlierLayout[] {
  const names = new Set(before.map((header) => header.trim()));
  const own = [...mapping].filter(([header]) => names.has(header));
  const decided = headers.flatMap((header, index) => {
    const path = map.paths[index];
    return path === undefined ? [] : [[header.trim(), path] as const];
  });
  const second = [own, own.filter(([header]) => !isAskedToday(header))].flatMap((given) =>
    secondMaps(new Map(given)).map((former) => readFormer(before, former, 2)),
  );
  // What the words of a title say for certain was never decided in another way.
  const isOpen = ([header, path]: readonly [string, string]) => mapping.has(header) || isLater(path);
  const sure = decided.filter((each) => !isOpen(each));
  const open = [...decided.filter(isOpen), ...mapping];
  const third = [open, open.filter(([header]) => !isAskedLately(header))].flatMap((given) =>
    formerMaps(new Map(given)).map((former) => readFormer(headers, new Map([...sure, ...former]), 3)),
  );
  return [
    ...unlike(second, today, headers).map((each) => ({ reading: 2 as const, layout: each })),
    ...unlike(third, today, headers).map((each) => ({ reading: 3 as const, layout: each })),
  ];
}

const mostParts = 8;

/** The map without its last, or its first, columns: those that a hint or a person added later. */
function partsOf(mapping: ReadonlyMap<string, string>): readonly ReadonlyMap<string, string>[] {
  const all = [...mapping];
  if (all.length > mostParts) return [mapping, new Map()];
  return [...all.keys(), all.length].flatMap((at) => [new Map(all.slice(at)), new Map(all.slice(0, at))]);
}

/** Earlier versions read the preset's columns and those of a map alone, and perhaps without a part of this map. */
function readEarlierOfPreset(
  headers: readonly string[],
  before: readonly string[],
  { preset, mapping }: PresetRead,
  today: Layout,
): readonly EarlierLayout[] {
  const { formerFields: fields = preset.fields } = preset;
  const maps = [...formerMaps(mapping), ...partsOf(mapping)];
  const read = (titles: readonly string[]) =>
    maps.flatMap((given) => {
      try {
        const read = readOwnColumns(titles, { ...preset, fields }, given);
        return [read.own, joinStreets(read.own)].map((own) =>
          layoutOfPreset(headers, { ...read, own, words: undefined, isWhole: true }, undefined, ""),
        );
      } catch {
        return [];
      }
    });
  const unlikeToday = (layouts: readonly Layout[]) => {
    const found = new Map(layouts.map((each) => [JSON.stringify(each.fields), each]));
    found.delete(JSON.stringify(today.fields));
    return [...found.values()];
  };
  return [
    ...unlikeToday(read(before)).map((layout) => ({ reading: 2 as const, layout })),
    ...unlikeToday(read(headers)).map((layout) => ({ reading: 3 as const, layout })),
  ];
}

/** The layouts of maps that read other fields than today's. */
function unlike(
  maps: readonly (ColumnMap | undefined)[],
  today: Layout,
  headers: readonly string[],
): readonly Layout[] {
  const others = maps.filter((map) => map && !isSame(today.fields, map)) as ColumnMap[];
  const found = new Map(others.map((map) => [map.paths.join(), map]));
  return [...found.values()].map((map) => layoutOfWords(headers, map, undefined));
}

/** The columns of a platform's file. */
interface PresetRead {
  readonly preset: Preset;
  readonly mapping: ReadonlyMap<string, string>;
  /** The columns of a name. `--map` takes a column away. */
  find(name: string): readonly number[];
  choose(choices: Preset["fields"][string]): readonly (readonly number[])[];
  /** Those of the preset and of the map. */
  readonly own: readonly LayoutField[];
  /** What words say of the others; undefined where they are not read. */
  readonly words: WordsRead | undefined;
  /** The file has what such files may lack. */
  readonly isWhole: boolean;
}

/** `isPlaceRead`: no address needs a column of its place. */
export function readPreset(
  headers: readonly string[],
  preset: Preset,
  mapping: ReadonlyMap<string, string>,
  isPlaceRead = false,
): PresetRead {
  const read = readOwnColumns(headers, preset, mapping);
  const { lacks } = preset;
  const has = lacks?.columns.some((name) => read.find(name).length > 0) ?? true;
  const isRead = lacks?.fields.some((path) => read.own.some((field) => field.path === path)) ?? true;
  if (!preset.isCopied && has && isRead) return { ...read, words: undefined, isWhole: true };
  const own = joinStreets(read.own);
  const words = readByWords(headers, own, mapping, isPlaceRead);
  const isNamed = lacks?.fields.some((path) => words.map.paths.includes(path));
  const isWhole = has || isNamed || [...mapping.values()].some(Boolean);
  return { ...read, own, words: isWhole ? words : undefined, isWhole };
}

/** A part of the street that a map names is joined to a whole address, and split with it. */
function joinStreets(fields: readonly LayoutField[]): readonly LayoutField[] {
  const streetOf = (path: string) =>
    fields.find((field) => field.path === path.replace(/address$/, "detail"));
  const isJoined = ({ path }: LayoutField) => path.endsWith(".address") && streetOf(path);
  const joined = fields.filter(isJoined);
  return fields.flatMap((field) => {
    const { path, choices } = field;
    if (joined.some((each) => each !== field && streetOf(each.path) === field)) return [];
    const street = joined.includes(field) ? (streetOf(path)?.choices.flat() ?? []) : [];
    return [
      street.length > 0 ? { ...field, choices: choices.map((choice) => [...choice, ...street]) } : field,
    ];
  });
}

function readOwnColumns(
  headers: readonly string[],
  preset: Preset,
  mapping: ReadonlyMap<string, string>,
): Omit<PresetRead, "words" | "isWhole"> {
  const names = headers.map((header) => header.trim());
  const compared = headers.map(compareAs);
  for (const header of mapping.keys())
    if (!names.includes(header))
      throw usageError(`--map: the file has no column “${header}”`, `its columns: ${listed(names)}`);
  ensureNoOrder(names, `use --platform ${noPlatform} and --map`);

  /** The columns of a name, which may end in `*`. `--map` takes a column away. */
  const find = (name: string): number[] => {
    const wanted = compareAs(name.replace(/\*$/, ""));
    const isIt = name.endsWith("*")
      ? (each: string) => each.startsWith(wanted)
      : (each: string) => each === wanted;
    const found = compared.flatMap((each, index) =>
      isIt(each) && !mapping.has(names[index] ?? "") ? [index] : [],
    );
    if (found.length > 1 && !name.endsWith("*"))
      throw usageError(`two columns have the name ${name}`, "rename one of them in the file");
    return found;
  };
  const choose = (choices: Preset["fields"][string]) =>
    choices
      .map((choice) => (typeof choice === "string" ? [choice] : choice).flatMap(find))
      .filter((columns) => columns.length > 0);

  const fields: LayoutField[] = [];
  const paths = new Set([...Object.keys(preset.fields), ...columnPaths]);
  for (const path of paths) {
    const given = [...mapping].flatMap(([header, each]) => (each === path ? [names.indexOf(header)] : []));
    if (given.length > 1 && !maySeveral(path))
      throw usageError(
        `the columns ${given.map((index) => names[index]).join(" and ")} both match ${path}`,
        "give one of them to --map",
      );
    const dotted = names.indexOf(path);
    const own = given.length > 0 ? given : dotted >= 0 && !mapping.has(path) ? [dotted] : [];
    const choices = own.length > 0 ? choicesOf(path, own, names) : choose(preset.fields[path] ?? []);
    if (choices.length > 0) fields.push({ path, choices });
  }
  const own = joinColumns(withOneAddress(fields, new Set(mapping.values())), names);
  return { preset, mapping, find, choose, own };
}

function layoutOfPreset(
  headers: readonly string[],
  { preset, find, choose, own, words, isWhole }: PresetRead,
  former: ColumnMap | undefined,
  file: string,
): Layout {
  const { lacks } = preset;
  if (lacks && !isWhole)
    throw fileError(`${file} is ${preset.title}: it ${lacks.problem}`, { hint: lacks.hint });
  const used = joinColumns([...own, ...(words?.further ?? [])], headers);
  const columns = new Set(used.flatMap(({ choices }) => choices.flat()));
  if (
    !words &&
    !Object.values(preset.fields)
      .flat(2)
      .some((name) => find(name).length > 0)
  )
    throw usageError(
      `${file} has none of the columns of ${preset.title}`,
      `leave --platform out, or use --platform ${noPlatform}`,
    );
  const summary = (preset.blankInSummary ?? []).flatMap(find);
  const orderKey = choose(preset.orderKey ?? []);
  const skips = (preset.skips ?? [])
    .filter(({ unless }) => unless === undefined || find(unless).length === 0)
    .flatMap((rule) => find(rule.column).map((index) => ({ ...rule, index })));
  const states = Object.entries(preset.sent ?? {}).flatMap(([name, known]) => {
    const rules = (preset.skips ?? []).filter(({ column }) => column === name);
    const words = [known, ...rules.map(({ is }) => is)];
    return find(name).map((index) => ({
      index,
      isKnown: (text: string) => words.some((word) => word.test(text)),
    }));
  });
  const refunded = preset.refundedPieces === undefined ? [] : find(preset.refundedPieces);
  for (const index of [...summary, ...orderKey.flat(), ...skips.map((rule) => rule.index), ...refunded])
    columns.add(index);
  return {
    names: headers,
    preset,
    fields: used,
    columns: nameColumns(headers, used),
    unused: headers.filter((header, index) => !columns.has(index) && !isNoColumn(header)),
    skips,
    states,
    refunded: refunded[0],
    orderKey: orderKey.length > 0 ? { path: "ref", choices: orderKey } : undefined,
    summary,
    firstRowOnly: (preset.isPickUpWithoutAddress?.filledInFirstRow ?? []).flatMap(find),
    mustBeBlank: new Map(
      Object.entries(preset.mustBeBlank ?? {}).flatMap(([name, reason]) =>
        find(name).map((index) => [index, reason] as const),
      ),
    ),
    former,
    isReadAsBefore: isSame(used, former),
    earlier: [],
  };
}

/**
 * With a column for the city, the address is the street; without one, it is split. A column that `--map` makes the
 * whole address, or the whole party, replaces the platform's columns of its parts.
 */
function withOneAddress(fields: readonly LayoutField[], given: ReadonlySet<string>): readonly LayoutField[] {
  const has = (path: string) => fields.some((field) => field.path === path);
  return fields.filter(({ path }) => {
    const [part = "", name] = path.split(".");
    if (given.has(path)) return true;
    if (given.has(`${part}.text`)) return false;
    if (name === "name" && ["first_name", "last_name"].some((each) => given.has(`${part}.${each}`)))
      return false;
    if (given.has(`${part}.address`)) return name === "name" || name === "phone" || part === "item";
    if (given.has(`${part}.region`)) return !["province", "city", "district", "address"].includes(name ?? "");
    const isSplit = !has(`${part}.province`) && !has(`${part}.city`);
    if (name === "address") return isSplit || !has(`${part}.detail`);
    return name !== "detail" || !isSplit || !has(`${part}.address`);
  });
}

function nameColumns(headers: readonly string[], fields: readonly LayoutField[]): Map<string, string> {
  const columns = new Map<string, string>();
  for (const { path, choices } of fields) {
    const name = headers[choices[0]?.[0] ?? -1];
    if (name === undefined) continue;
    columns.set(path, name);
    const [part = "", whole] = path.split(".");
    const parts =
      whole === "text"
        ? ["name", "phone", "province", "city", "district", "detail"]
        : whole === "address"
          ? ["province", "city", "district", "detail"]
          : whole === "region"
            ? ["province", "city", "district"]
            : [];
    for (const each of parts) columns.set(`${part}.${each}`, name);
    if (path === "item.list") for (const each of ["name", "quantity"]) columns.set(`item.${each}`, name);
  }
  return columns;
}

/** Whether several lines can be one order. */
export function hasLines({ preset, fields, orderKey }: Layout): boolean {
  return preset
    ? preset.hasLines === true
    : orderKey !== undefined || fields.some(({ path }) => path === "ref");
}
