/** Owns where an import's rows come from: the file or stdin, the columns' names, the sender of rows without one. */

import type { Context } from "../command/command.ts";
import { defaultSender, findParty, parseAlias } from "../config/address-book.ts";
import { usageError } from "../core/errors.ts";
import { inspectSource, type NamedEncoding } from "../sheets/source.ts";
import type { RowsOptions } from "./rows.ts";

export interface SourceChoice {
  /** `-` for stdin. */
  readonly file: string;
  readonly map?: readonly { readonly header: string; readonly path: string }[] | undefined;
  readonly useMap?: string | undefined;
  readonly saveMap?: string | undefined;
  readonly sender?: string | undefined;
  readonly encoding?: NamedEncoding | undefined;
}

/** Throws a usage or file error for names that are not known and for a file that is not usable. */
export async function openSource(choice: SourceChoice, context: Context): Promise<RowsOptions> {
  const name = choice.file === "-" ? "stdin" : choice.file;
  const content = await context.keepCopy(choice.file, name);
  return {
    content,
    name,
    facts: await inspectSource(content, name, choice.encoding),
    mapping: await chooseMapping(choice, context),
    sender: await findSender(choice.sender, context),
  };
}

async function findSender(alias: string | undefined, context: Context) {
  if (alias === undefined) return defaultSender(await context.config.read());
  if (!alias.startsWith("@"))
    throw usageError(`--sender takes a name from the address book such as @shop, not “${alias}”`);
  return findParty(await context.config.read(), parseAlias(alias));
}

/** Saved column names, with those of `--map` over them. */
async function chooseMapping(
  { map = [], useMap, saveMap }: SourceChoice,
  context: Context,
): Promise<ReadonlyMap<string, string>> {
  const { maps } = await context.config.read();
  const saved = useMap !== undefined && Object.hasOwn(maps, useMap) ? maps[useMap] : undefined;
  if (useMap !== undefined && !saved) {
    throw usageError(
      `there are no column names saved as ${useMap}`,
      `saved: ${Object.keys(maps).join(", ") || "none yet"}`,
    );
  }
  const mapping = { ...saved, ...Object.fromEntries(map.map(({ header, path }) => [header, path])) };
  if (saveMap !== undefined) {
    const name = parseAlias(saveMap);
    await context.config.update((config) => ({ ...config, maps: { ...config.maps, [name]: mapping } }));
  }
  return new Map(Object.entries(mapping));
}
