/** The maps that a person may have given to earlier versions, which knew fewer fields (former-reading.ts). */

import { unusedMark } from "./columns.ts";
import { maySeveral } from "./several-columns.ts";

type Mapping = ReadonlyMap<string, string>;

/**
 * Fields that no version before the third knew, as a person may have named them; what has none was left out. A whole address
 * was guessed to be the street.
 */
const formerPaths: Readonly<Record<string, string>> = {
  address: "detail",
  region: "province",
  first_name: "name",
  last_name: "",
};

/** With former fields, or without the columns. */
function withFormerPaths(mapping: Mapping, isLeftOut: boolean): Mapping {
  return new Map(
    [...mapping].map(([header, path]) => {
      const [part, field = ""] = path.split(".");
      const former = formerPaths[field];
      if (former === undefined) return [header, path];
      return [header, isLeftOut || former === "" ? unusedMark : `${part}.${former}`];
    }),
  );
}

/** The maps that give each field one column only. */
function withOneColumn(mapping: Mapping): readonly Mapping[] {
  const several = [...mapping].filter(([, path]) => maySeveral(path));
  const twice = several.find(([, path], at) => several.findIndex((each) => each[1] === path) < at);
  if (!twice) return [mapping];
  return several.flatMap(([kept, path]) => {
    if (path !== twice[1]) return [];
    const entries = [...mapping].map(([header, each]): readonly [string, string] =>
      each === path && header !== kept ? [header, unusedMark] : [header, each],
    );
    return withOneColumn(new Map(entries));
  });
}

export function formerMaps(mapping: Mapping): readonly Mapping[] {
  const ways = [mapping, withFormerPaths(mapping, true), withFormerPaths(mapping, false)];
  return ways.flatMap(withOneColumn);
}

/** The map of the first version. */
export function firstMap(mapping: Mapping): Mapping {
  const [first = mapping] = withOneColumn(withFormerPaths(mapping, true));
  return first;
}
