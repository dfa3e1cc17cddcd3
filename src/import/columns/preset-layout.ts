/** How the columns of a known platform's file are read. */

import { fileError, usageError } from "../../core/errors.ts";
import { listed } from "../../core/wording.ts";
import type { Preset } from "../presets/preset.ts";
import { type ColumnMap, ensureNoOrder, howToRename, isNoColumn, unusedMark } from "./columns.ts";
import { isSame, type Layout, nameColumns } from "./layout.ts";
import { compareAs, noPlatform } from "./platforms.ts";
import { readByWords, type WordsRead } from "./preset-words.ts";
import { choicesOf, joinColumns, joinStreets, type LayoutField, maySeveral } from "./several-columns.ts";
import { columnPaths } from "./title-words.ts";

/** The columns of a platform's file. */
export interface PresetRead {
  readonly preset: Preset;
  readonly mapping: ReadonlyMap<string, string>;
  /** The columns of a name. `--map` takes a column away. */
  find(name: string): readonly number[];
  choose(choices: Preset["fields"][string]): readonly (readonly number[])[];
  /** Those of the preset and of the map. */
  readonly own: readonly LayoutField[];
  /** What words say of the others; undefined where they are not read. */
  readonly words: WordsRead | undefined;
  /** The file has what such files may lack. */
  readonly isWhole: boolean;
}

/** `isPlaceRead`: no address needs a column of its place. */
export function readPreset(
  headers: readonly string[],
  preset: Preset,
  mapping: ReadonlyMap<string, string>,
  isPlaceRead = false,
): PresetRead {
  const read = readOwnColumns(headers, preset, mapping);
  const { lacks } = preset;
  const has = lacks?.columns.some((name) => read.find(name).length > 0) ?? true;
  const isRead = lacks?.fields.some((path) => read.own.some((field) => field.path === path)) ?? true;
  if (!preset.isCopied && has && isRead) return { ...read, words: undefined, isWhole: true };
  const own = joinStreets(read.own);
  const words = readByWords(headers, own, mapping, isPlaceRead);
  const isNamed = lacks?.fields.some((path) => words.map.paths.includes(path));
  const isWhole = has || isNamed || [...mapping.values()].some(Boolean);
  return { ...read, own, words: isWhole ? words : undefined, isWhole };
}

export function readOwnColumns(
  headers: readonly string[],
  preset: Preset,
  mapping: ReadonlyMap<string, string>,
): Omit<PresetRead, "words" | "isWhole"> {
  const names = headers.map((header) => header.trim());
  const compared = headers.map(compareAs);
  for (const [header, path] of mapping) {
    if (!names.includes(header))
      throw usageError(`--map: the file has no column “${header}”`, `its columns: ${listed(names)}`);
    if (path !== unusedMark && names.indexOf(header) !== names.lastIndexOf(header))
      throw usageError(`two columns have the name ${header}`, howToRename(header));
  }
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
    if (given.length > 1 && !maySeveral(path))
      throw usageError(
        `the columns ${given.map((index) => names[index]).join(" and ")} both match ${path}`,
        "give one of them to --map",
      );
    const dotted = names.indexOf(path);
    const own = given.length > 0 ? given : dotted >= 0 && !mapping.has(path) ? [dotted] : [];
    const choices = own.length > 0 ? choicesOf(path, own, names) : choose(preset.fields[path] ?? []);
    if (choices.length > 0) fields.push({ path, choices });
  }
  const own = joinColumns(withOneAddress(fields, new Set(mapping.values())), names);
  return { preset, mapping, find, choose, own };
}

export function layoutOfPreset(
  headers: readonly string[],
  { preset, find, choose, own, words, isWhole }: PresetRead,
  former: ColumnMap | undefined,
  file: string,
): Layout {
  const { lacks } = preset;
  if (lacks && !isWhole)
    throw fileError(`${file} is ${preset.title}: it ${lacks.problem}`, { hint: lacks.hint });
  const used = joinColumns([...own, ...(words?.further ?? [])], headers);
  const columns = new Set(used.flatMap(({ choices }) => choices.flat()));
  if (
    !words &&
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
