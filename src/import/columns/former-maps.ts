/** The maps that a person may have given before, for the same header (former-reading.ts). */

import { unusedMark } from "./columns.ts";
import { isPhone, isStreet } from "./several-columns.ts";
import { readTitle } from "./unclear-columns.ts";

type Mapping = ReadonlyMap<string, string>;

/** A field that came after the first days of version 3. */
export const isLater = (path: string) => /\.(?:region|first_name|last_name)$/.test(path);

const places = ["region", "province", "city", "district"];
const names = ["first_name", "last_name", "name"];
/** Of very many columns that were decided, not all combinations are tried. */
const mostMaps = 18;

const isAddress = (title: string) => /地址|住址|address/i.test(title);

/**
 * What a column may have been, today's field first: the answers to questions differ from day to day, and from version to
 * version. At first, a region was taken for another part of the place or for the street, a whole address for the street, and
 * of two phones or parts of a street or a name one was left out.
 */
function alternativesOf(header: string, path: string, mapping: Mapping): readonly string[] {
  const title = readTitle(header);
  const [part = "", field = ""] = path === unusedMark ? [title?.part, title?.fields[0]] : path.split(".");
  const of = (fields: readonly string[]) => fields.map((each) => `${part}.${each}`);
  const isOneOfSeveral = [...mapping.values()].filter((each) => each === path).length > 1;
  const all = () => {
    if (field === "region") return [...of([...places, "detail"]), unusedMark];
    if (places.includes(field) && title) return [...of(places), unusedMark];
    if (field === "address") return of(["address", "detail"]);
    if (isStreet(`.${field}`) && isAddress(header)) return [...of(["detail", "address"]), unusedMark];
    if (isStreet(`.${field}`) || isPhone(`.${field}`))
      return isOneOfSeveral || title ? [...of([field]), unusedMark] : [path];
    if (names.includes(field) && (field !== "name" || path === unusedMark))
      return [...of([field, "name"]), unusedMark];
    return [path];
  };
  return [...new Set([path, ...all()])];
}

/** Today's map is the first of them. */
export function formerMaps(mapping: Mapping): readonly Mapping[] {
  const choices = [...mapping].map(([header, path]) => alternativesOf(header, path, mapping));
  const headers = [...mapping.keys()];
  const count = choices.reduce((product, { length }) => product * length, 1);
  if (count > mostMaps)
    return [
      mapping,
      ...choices.flatMap((paths, at) =>
        paths.slice(1).map((path) => new Map([...mapping, [headers[at] ?? "", path]])),
      ),
      ...allAtOnce(mapping),
    ];
  return choices
    .reduce<readonly (readonly string[])[]>(
      (maps, paths) => maps.flatMap((map) => paths.map((path) => [...map, path])),
      [[]],
    )
    .map((paths) => new Map(paths.map((path, at) => [headers[at] ?? "", path])));
}

/** An earlier version guessed all columns at once: each region for another part, and one column of several. */
function allAtOnce(mapping: Mapping): readonly Mapping[] {
  const headersOf = (isMeant: (path: string) => boolean) =>
    [...mapping].flatMap(([header, path]) => (isMeant(path) ? [header] : []));
  let maps: readonly Mapping[] = [mapping];
  for (const header of headersOf((path) => path.endsWith(".region"))) {
    const others = alternativesOf(header, mapping.get(header) ?? unusedMark, mapping).slice(1);
    maps = maps.flatMap((map) => others.map((path) => new Map([...map, [header, path]])));
  }
  for (const path of new Set(mapping.values())) {
    const several = headersOf((each) => each === path);
    if (path === unusedMark || several.length < 2) continue;
    const keep = (map: Mapping, kept: string) =>
      new Map([...map, ...several.map((each) => [each, each === kept ? path : unusedMark] as const)]);
    maps = maps.flatMap((map) => several.map((kept) => keep(map, kept)));
  }
  return maps.slice(0, mostMaps * 2);
}

/** The maps of the second version. */
export function secondMaps(mapping: Mapping): readonly Mapping[] {
  const asNamed = [...mapping].map(
    ([header, path]) => [header, path.replace(/region$/, "province").replace(/first_name$/, "name")] as const,
  );
  return [firstMap(mapping), firstMap(new Map(asNamed))];
}

/** As the first version may have read it: one column for each field, and none that came later. */
export function firstMap(mapping: Mapping): Mapping {
  const taken = new Set<string>();
  return new Map(
    [...mapping].map(([header, path]) => {
      const kept = isLater(path) || taken.has(path) ? unusedMark : path;
      taken.add(path);
      return [header, kept];
    }),
  );
}
