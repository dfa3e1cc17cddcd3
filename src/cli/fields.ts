/** `--fields`: which fields of a result are shown. */

import type { Items, RowsOutput } from "../command/command.ts";
import { suggest } from "../core/suggest.ts";
import { isJsonObject, type Json, valueAt } from "../model/json.ts";
import { type Block, type Column, fields, show } from "../terminal/blocks.ts";

/** The columns of `--fields`; a path that the table does not know becomes a column of its own. */
export function chooseColumns(
  columns: readonly Column<never>[],
  paths: readonly string[],
): readonly Column<never>[] {
  return paths.map((path): Column<never> => {
    const known = columns.find((column) => column.path === path);
    const title = path.toUpperCase();
    if (known) return { path, title, cell: known.cell, ...(known.align ? { align: known.align } : {}) };
    return { path, title, cell: (row) => show(valueAt(row, path)) };
  });
}

/** What a person sees of the chosen fields of one object. */
export function chosenFields(value: Json, paths: readonly string[]): Block {
  return fields(...paths.map((path) => [path, show(valueAt(value, path))] as const));
}

/** The dotted paths of the values of an object, in their order. A list is one value. */
export function leafPaths(value: Json, above = ""): readonly string[] {
  if (!isJsonObject(value)) return above === "" ? [] : [above];
  return Object.entries(value).flatMap(([key, inner]) =>
    leafPaths(inner ?? null, above === "" ? key : `${above}.${key}`),
  );
}

/** The same object with the chosen fields only, nested as they were. */
export function pickFields(value: Json, paths: readonly string[]): Json {
  const picked: Record<string, Json> = {};
  for (const path of paths) {
    const found = valueAt(value, path);
    if (found === undefined) continue;
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let target = picked;
    for (const key of keys) {
      target[key] = isJsonObject(target[key]) ? target[key] : {};
      target = target[key] as Record<string, Json>;
    }
    target[last] = found;
  }
  return picked;
}

/** The service may have fields that courier does not know, so a misspelt one shows only once no row has it. */
export function watchFields(
  { rows, columns, ...rest }: RowsOutput,
  fields: readonly string[],
  warn: (text: string) => void,
): RowsOutput {
  const known = columns.map(({ path }) => path);
  const unseen = new Set(fields.filter((path) => !known.includes(path)));
  async function* watched(): Items {
    let count = 0;
    const failure = yield* each(rows, (row) => {
      count += 1;
      for (const path of unseen) if (valueAt(row, path) !== undefined) unseen.delete(path);
    });
    for (const path of count > 0 ? unseen : []) {
      const nearest = suggest(path, known);
      warn(`no row has the field “${path}”${nearest ? `; did you mean ${nearest}?` : ""}`);
    }
    return failure;
  }
  return { ...rest, columns, rows: watched() };
}

async function* each(stream: Items, see: (item: Json) => void): Items {
  try {
    for (;;) {
      const next = await stream.next();
      if (next.done) return next.value;
      see(next.value);
      yield next.value;
    }
  } finally {
    await stream.return(undefined);
  }
}
