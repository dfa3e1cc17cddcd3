/** What the columns of an unknown header hold, as a person decided it, found again by the header as a whole. */

import { createHash } from "node:crypto";
import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { ensureKnown, findSaved } from "./saved-names.ts";
import type { Config, ConfigStore, HeaderMap } from "./store.ts";

/** Equal for the same names of columns, in whatever order; a file of rejects has one more, `error`. */
export function digestOf(headers: readonly string[]): string {
  const names = headers.map((header) => header.trim()).filter((name) => name !== "" && name !== "error");
  return createHash("sha256").update(JSON.stringify(names.sort())).digest("hex").slice(0, 32);
}

/** The decision for a header, and its name. */
export function findHeaderMap(
  { header_maps = {} }: Config,
  headers: readonly string[],
): ({ readonly name: string } & Pick<HeaderMap, "columns" | "platform">) | undefined {
  const digest = digestOf(headers);
  const found = Object.entries(header_maps).find(([, { header }]) => header === digest);
  return found && { name: found[0], columns: found[1].columns, platform: found[1].platform };
}

/** Saves the decision for a header, under a name made of the file's name. Returns the name. */
export async function saveHeaderMap(
  store: ConfigStore,
  file: string,
  headers: readonly string[],
  decided: Pick<HeaderMap, "columns" | "platform">,
): Promise<string> {
  let name = "";
  await store.update((config) => {
    const { maps, header_maps = {} } = config;
    name = findHeaderMap(config, headers)?.name ?? nameFor(file, [maps, header_maps]);
    const saved = { header: digestOf(headers), ...decided };
    return { ...config, header_maps: { ...header_maps, [name]: saved } };
  });
  return name;
}

function nameFor(file: string, taken: readonly Readonly<Record<string, unknown>>[]): string {
  const stem = (file.split(/[\\/]/).at(-1) ?? "")
    .replace(/\.[^.]*$/, "")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[^\p{L}\p{N}]+|-+$/gu, "")
    .slice(0, 40);
  const base = stem === "" ? "file" : stem;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (taken.every((saved) => findSaved(saved, name) === undefined)) return name;
  }
}

/**
 * Forgets saved column names, of a header or of `--save-map`. Throws where they are no longer `known`, and a usage error
 * for an unknown name.
 */
export async function removeMap(
  store: ConfigStore,
  name: string,
  known: HeaderMap["columns"],
): Promise<void> {
  await store.update((config) => {
    ensureKnown(`the column map “${name}”`, findColumns(config, name), known);
    const { [name]: _named, ...maps } = config.maps;
    const { [name]: _ofHeader, ...header_maps } = config.header_maps ?? {};
    const { [name]: _shop, ...shops } = config.shops ?? {};
    return { ...config, maps, header_maps, shops };
  });
}

/** The column names of a name. Throws a usage error that names the nearest one. */
export function findColumns({ maps, header_maps = {} }: Config, name: string): HeaderMap["columns"] {
  const found = findSaved(maps, name) ?? findSaved(header_maps, name)?.columns;
  if (found) return found;
  const known = [...Object.keys(maps), ...Object.keys(header_maps)];
  const nearest = suggest(name, known);
  throw usageError(
    `no column names are saved as ${name}`,
    nearest
      ? `did you mean ${nearest}?`
      : `saved: ${known.join(", ") || "none yet; to save some: courier orders import FILE --map COLUMN=FIELD --save-map NAME"}`,
  );
}
