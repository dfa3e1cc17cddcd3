/** How earlier versions may have read the columns of a file: rows that they sent are known again by that. */

import { type ColumnMap, mapColumns } from "./columns.ts";
import { formerMaps, isLater, secondMaps } from "./former-maps.ts";
import { type EarlierLayout, isSame, type Layout, layoutOfWords } from "./layout.ts";
import { layoutOfPreset, type PresetRead, readOwnColumns } from "./preset-layout.ts";
import { isPhone, joinStreets, type LayoutField } from "./several-columns.ts";
import { isAskedLately, isAskedToday } from "./unclear-columns.ts";

export function readFormer(
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
export function readEarlier(
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
  const layoutsOf = (maps: readonly (ColumnMap | undefined)[]) =>
    maps.flatMap((former) =>
      former === undefined || isSame(today.fields, former) ? [] : [layoutOfWords(headers, former, undefined)],
    );
  return [
    ...unlike(layoutsOf(second), today).map((layout) => ({ reading: 2 as const, layout })),
    ...unlike(layoutsOf(third), today).map((layout) => ({ reading: 3 as const, layout })),
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
export function readEarlierOfPreset(
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
        return [read.own, joinStreets(read.own), ...withOnePhone(read.own)].map((own) =>
          layoutOfPreset(headers, { ...read, own, words: undefined, isWhole: true }, undefined, ""),
        );
      } catch {
        return [];
      }
    });
  return [
    ...unlike(read(before), today).map((layout) => ({ reading: 2 as const, layout })),
    ...unlike(read(headers), today).map((layout) => ({ reading: 3 as const, layout })),
  ];
}

/** Of several phones of a party, one may have been decided for, and the others left out. */
function withOnePhone(fields: readonly LayoutField[]): readonly (readonly LayoutField[])[] {
  const several = fields.filter(({ path, choices }) => isPhone(path) && choices.length > 1);
  return several.flatMap((field) =>
    field.choices.map((choice) =>
      fields.map((each) => (each === field ? { ...field, choices: [choice] } : each)),
    ),
  );
}

/** The layouts that read other fields than today's, each once. */
function unlike(layouts: readonly Layout[], today: Layout): readonly Layout[] {
  const found = new Map(layouts.map((each) => [JSON.stringify(each.fields), each]));
  found.delete(JSON.stringify(today.fields));
  return [...found.values()];
}
