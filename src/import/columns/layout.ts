/** What each column of a sheet holds. */

import type { Preset, SkipRule } from "../presets/preset.ts";
import type { ColumnMap } from "./columns.ts";
import { joinColumns, joinStreets, type LayoutField } from "./several-columns.ts";

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

/** The layout of a header whose words say what its columns hold. */
export function layoutOfWords(
  headers: readonly string[],
  map: ColumnMap,
  former: ColumnMap | undefined,
): Layout {
  const fields = joinStreets(
    joinColumns(
      map.paths.flatMap((path, index) => (path === undefined ? [] : [{ path, choices: [[index]] }])),
      headers,
    ),
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

/** Whether the earliest versions read each field from the same column. */
export function isSame(fields: readonly LayoutField[], former: ColumnMap | undefined): boolean {
  const before = former?.paths.filter((path) => path !== undefined) ?? [];
  return (
    before.length === fields.length &&
    fields.every(({ path, choices }) => {
      const [index, ...others] = choices.flat();
      return index !== undefined && others.length === 0 && former?.paths[index] === path;
    })
  );
}

export function nameColumns(headers: readonly string[], fields: readonly LayoutField[]): Map<string, string> {
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
