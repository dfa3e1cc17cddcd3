/**
 * What earlier versions of courier read of a row: their orders are known by it, so that a row that is read in another
 * way today is not sent twice.
 *
 * The version is recorded with each operation (`readingVersion`). Version 1 knew fewer headers and no platforms, and took
 * cells as they are. Version 2 knew no titles in traditional characters and fewer words for the parties, and asked about fewer columns:
 * it sent orders without what such columns hold. Version 3 is the one of today; at first it knew no region
 * (`receiver.region`), no name in two columns, no phone or street in several, and read such columns as a person decided
 * (layout.ts). Of a platform's file, it read the columns that the preset knows. It counted a merged cell of goods once for
 * each line of an order (assemble-order.ts). A version that reads a cell in another way
 * adds the reading of version 3 here. Where only an address is split in another way, the splitter tells the former one
 * (forms/address-text.ts, split-party.ts).
 */

import type { Draft } from "../../model/draft.ts";
import type { Json } from "../../model/json.ts";
import { checkCell, setField } from "../order-fields.ts";
import type { ColumnMap } from "./columns.ts";

export interface FormerRecord {
  /** The first version has no number. */
  readonly reading?: number;
  readonly ref: string | undefined;
  readonly draft: Draft;
}

/** The row as version 1 read it; undefined where it refused the row. */
export function readFormerRecord(cells: readonly string[], { paths }: ColumnMap): FormerRecord | undefined {
  if (cells.length !== paths.length) return undefined;
  const draft: Record<string, Json> = {};
  let ref: string | undefined;
  for (const [index, text] of cells.entries()) {
    const path = paths[index];
    if (path === undefined || text === "") continue;
    if (checkCell(path, text) !== undefined) return undefined;
    if (path === "ref") ref = text;
    else setField(draft, path, text);
  }
  return { ref, draft: draft as Draft };
}
