/** How the rows of a sheet are read: by the columns of a known platform, or by the words of its header. */

import { fileError, usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { listed } from "../core/wording.ts";
import { partyParts } from "../model/fields.ts";
import { type ColumnMap, ensureNoOrder, isNoColumn, mapColumns, unusedMark } from "./columns.ts";
import type { Preset, SkipRule } from "./presets/preset.ts";
import { presets } from "./presets/presets.ts";
import { columnPaths } from "./title-words.ts";
import { isAskedLately, isAskedToday } from "./unclear-columns.ts";

/** A field and its columns by index: the first choice that is filled counts; its columns are joined. */
export interface LayoutField {
  readonly path: string;
  readonly choices: readonly (readonly number[])[];
  /** Its columns are the first and the last name. */
  readonly isName?: boolean;
}

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
  const preset = platform === undefined ? findPreset(headers) : presets.find(({ name }) => name === platform);
  const former = readFormer(headers, withFormerPaths(mapping, true));
  if (preset) return layoutOfPreset(headers, preset, mapping, former, file);
  const map = mapColumns(headers, mapping);
  const layout = layoutOfWords(headers, map, former);
  return { ...layout, earlier: readEarlier(headers, before, mapping, map, layout) };
}

function layoutOfWords(headers: readonly string[], map: ColumnMap, former: ColumnMap | undefined): Layout {
  const fields = joinColumns(
    map.paths.flatMap((path, index) => (path === undefined ? [] : [{ path, choices: [[index]] }])),
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

/** Fields that no version before the third knew, as a person may have named them; what has none was left out. */
const formerPaths: Readonly<Record<string, string>> = {
  region: "province",
  first_name: "name",
  last_name: "",
};

/** The map as it may have been: with former fields, or without the columns. */
function withFormerPaths(mapping: ReadonlyMap<string, string>, isLeftOut: boolean): Map<string, string> {
  return new Map(
    [...mapping].map(([header, path]) => {
      const [part, field = ""] = path.split(".");
      const former = formerPaths[field];
      if (former === undefined) return [header, path];
      return [header, isLeftOut || former === "" ? unusedMark : `${part}.${former}`];
    }),
  );
}

/** The maps that there may have been, with one column of the street. */
function formerMaps(mapping: ReadonlyMap<string, string>): readonly Map<string, string>[] {
  return [false, true].flatMap((isLeftOut) => {
    const map = withFormerPaths(mapping, isLeftOut);
    const streets = partyParts.map((part) =>
      [...map.keys()].filter((header) => map.get(header) === `${part}.detail`),
    );
    const most = Math.max(1, ...streets.map((headers) => headers.length));
    return Array.from({ length: most }, (_, kept) => {
      const one = new Map(map);
      for (const headers of streets)
        for (const [index, header] of headers.entries())
          if (index !== Math.min(kept, headers.length - 1)) one.set(header, unusedMark);
      return one;
    });
  });
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
 * today's version asks about: it sent orders without what those hold. At first, version 3 asked about those of
 * `formerPaths`, read a street from one column, and left out what `isAskedLately` says.
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
    formerMaps(new Map(given)).map((map) => readFormer(before, map, 2)),
  );
  const all = [...decided, ...mapping];
  const third = [all, all.filter(([header]) => !isAskedLately(header))].flatMap((given) =>
    formerMaps(new Map(given)).map((former) => readFormer(headers, former, 3)),
  );
  return [
    ...unlike(second, today, headers).map((each) => ({ reading: 2 as const, layout: each })),
    ...unlike(third, today, headers).map((each) => ({ reading: 3 as const, layout: each })),
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

/** A name in two columns, and a street in several, are one field. */
function joinColumns(fields: readonly LayoutField[]): readonly LayoutField[] {
  return fields.flatMap(({ path, choices }) => {
    const [part = "", field = ""] = path.split(".");
    if (field === "detail") {
      const same = fields.filter((each) => each.path === path);
      if (same.length === 1) return [{ path, choices }];
      return same[0]?.choices === choices
        ? [{ path, choices: [same.flatMap((each) => each.choices.flat())] }]
        : [];
    }
    if (!/^(?:first|last)_name$/.test(field)) return [{ path, choices }];
    const both = ["first_name", "last_name"].flatMap((name) =>
      fields.filter((each) => each.path === `${part}.${name}`),
    );
    if (both[0]?.path !== path) return [];
    return [{ path: `${part}.name`, choices: [both.flatMap((each) => each.choices.flat())], isName: true }];
  });
}

function layoutOfPreset(
  headers: readonly string[],
  preset: Preset,
  mapping: ReadonlyMap<string, string>,
  former: ColumnMap | undefined,
  file: string,
): Layout {
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
    if (given.length > 1 && !path.endsWith(".detail"))
      throw usageError(
        `the columns ${given.map((index) => names[index]).join(" and ")} both match ${path}`,
        "give one of them to --map",
      );
    const dotted = names.indexOf(path);
    const own =
      given.length > 0
        ? given.toSorted((one, other) => one - other)
        : dotted >= 0 && !mapping.has(path)
          ? [dotted]
          : [];
    const choices = own.length > 0 ? [own] : choose(preset.fields[path] ?? []);
    if (choices.length > 0) fields.push({ path, choices });
  }
  const used = joinColumns(withOneAddress(fields, new Set(mapping.values())));
  const { lacks } = preset;
  const isGiven = lacks?.columns.some((name) => find(name).length > 0) || [...mapping.values()].some(Boolean);
  if (lacks && !isGiven)
    throw fileError(`${file} is ${preset.title}: it ${lacks.problem}`, { hint: lacks.hint });
  const columns = new Set(used.flatMap(({ choices }) => choices.flat()));
  if (
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
