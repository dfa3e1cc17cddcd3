/** `courier maps`: the saved column names of imports are listed and removed. */

import { confirmOrStop, defineCommand, document, rows } from "../../command/command.ts";
import { findColumns, removeMap } from "../../config/header-maps.ts";
import { parseSavedName } from "../../config/saved-names.ts";
import type { MapRow } from "../../model/results.ts";
import { type Column, line, styled } from "../../terminal/blocks.ts";

export const listMaps = defineCommand({
  arguments: {},
  options: {},
  examples: [{ line: "maps list", note: "column names that imports know" }],
  seeAlso: ["orders import", "maps remove"],
  async run(_input, context) {
    const { maps, header_maps = {} } = await context.config.read();
    const list = [
      ...Object.entries(maps).map(([map, columns]): MapRow => ({ map, applies: "with --use-map", columns })),
      ...Object.entries(header_maps).map(
        ([map, { columns }]): MapRow => ({ map, applies: "to files with this header", columns }),
      ),
    ];
    return rows(list, mapColumns, "There are none; orders import --save-map NAME saves some");
  },
});

const mapColumns: readonly Column<MapRow>[] = [
  { path: "map", title: "MAP", cell: ({ map }) => styled("strong", map) },
  { path: "applies", title: "APPLIES", cell: ({ applies }) => applies, spare: 1 },
  { path: "columns", title: "COLUMNS", cell: ({ columns }) => describeColumns(columns), flexible: true },
];

/** `客户 = receiver.name, 备注`. */
function describeColumns(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([header, path]) => (path === "" ? `${header} not used` : `${header} = ${path}`))
    .join(", ");
}

export const removeSavedMap = defineCommand({
  arguments: {
    name: {
      summary: "the map's name",
      parse: (text: string) => parseSavedName(text, "column names"),
      values: "column names",
    },
  },
  options: {},
  confirms: true,
  examples: [
    { line: "maps remove orders", note: "asks first; the next import asks about the columns again" },
  ],
  seeAlso: ["maps list", "orders import"],
  async run({ name }, context) {
    const known = findColumns(await context.config.read(), name);
    await confirmOrStop(context, `Forget the column names ${name}?`);
    await removeMap(context.config, name, known);
    return document({ map: name, removed: true }, () => [line(`The column names ${name} are forgotten`)]);
  },
});
