/** The lines at the bottom of a screen that name its keys. */

import { type Block, line, type Span, styled } from "./blocks.ts";
import { displayWidth } from "./width.ts";

/** The first are the most important ones. */
export type NamedKeys = readonly (readonly [key: string, does: string])[];

/** As many keys as fit on so many lines. */
export function keyLines(keys: NamedKeys, columns: number, mostLines: number): readonly Block[] {
  const rows: Span[][] = [];
  let width = columns;
  for (const [key, does] of keys) {
    const taken = displayWidth(`${key} ${does}`);
    if (width + 2 + taken > columns) {
      if (rows.length === mostLines) break;
      rows.push([]);
      width = -2;
    }
    width += 2 + taken;
    rows.at(-1)?.push(width === taken ? "" : "  ", styled("strong", key), ` ${does}`);
  }
  return rows.map((row) => line(...row));
}
