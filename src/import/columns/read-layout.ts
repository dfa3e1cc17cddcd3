/** How the rows of a sheet are read: by the columns of a known platform, or by the words of its header. */

import { mapColumns } from "./columns.ts";
import { readEarlier, readEarlierOfPreset, readFormer } from "./earlier-layouts.ts";
import { firstMap } from "./former-maps.ts";
import { type Layout, layoutOfWords } from "./layout.ts";
import { choosePreset } from "./platforms.ts";
import { layoutOfPreset, readPreset } from "./preset-layout.ts";

export interface LayoutChoice {
  readonly mapping: ReadonlyMap<string, string>;
  /** The name of a platform, or `none`; without one, the header decides. */
  readonly platform?: string | undefined;
  /** Of the reading (former-reading.ts). */
  readonly version?: number;
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
