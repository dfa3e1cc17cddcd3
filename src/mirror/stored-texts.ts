/** The texts that a search looks in, read from stored answers without making the order of them. */

import { isJsonObject, type Json, parseOwnJson } from "../model/json.ts";
import { answerKinds, hidesKnown, normaliseAll, searchablePaths } from "./mirrored-order.ts";

export interface StoredRow {
  readonly kind: number;
  readonly shape: number;
  readonly leaves: string;
  readonly seenAtMs: number;
}

/** A place among the leaves, and the searchable path whose text it has. */
type Place = readonly [leaf: number, path: number];

const draft = answerKinds.indexOf("draft");
const tracking = answerKinds.indexOf("tracking");
const ids = new Map(searchablePaths.map((path, index) => [path.join("."), index]));
const containers = new Set(searchablePaths.filter(({ length }) => length > 1).map(([first]) => first));

/** `shapeText` gives a shape by its number. */
export function createStoredTexts(shapeText: (number: number) => string) {
  const known = new Map<string, readonly Place[] | undefined>();
  const knownOfTracking = new Map<string, readonly Place[] | undefined>();

  function placesOf({ kind, shape }: StoredRow): readonly Place[] | undefined {
    const [all, prefix] = kind === tracking ? [knownOfTracking, "tracking."] : [known, ""];
    const text = shapeText(shape);
    const before = all.get(text);
    if (before !== undefined || all.has(text)) return before;
    const places = findPlaces(parseOwnJson(text), prefix);
    all.set(text, places);
    return places;
  }

  return {
    /** Undefined where only the order itself tells. */
    read(id: string, ref: string | undefined, rows: readonly StoredRow[]): string[] | undefined {
      const values: (string | undefined)[] = [];
      const rank = ({ kind, seenAtMs }: StoredRow) => (kind === draft ? 0 : seenAtMs);
      for (const row of rows.length > 1 ? [...rows].sort((a, b) => rank(a) - rank(b)) : rows) {
        const places = placesOf(row);
        if (places === undefined) return undefined;
        const leaves = JSON.parse(row.leaves) as readonly unknown[];
        for (const [leaf, path] of places) {
          const value = leaves[leaf];
          if (typeof value === "number") return undefined; // its digits may be more than a number holds
          if (!hidesKnown(value, values[path]))
            values[path] = typeof value === "string" && value !== "" ? value : undefined;
        }
      }
      return normaliseAll(id, ref, values);
    },
  };
}

/** Undefined for an unusual answer, such as one with a text where an object is expected. */
function findPlaces(shape: Json, prefix: string): readonly Place[] | undefined {
  if (!isJsonObject(shape)) return undefined;
  const places: Place[] = [];
  let leaf = 0;
  let isUsual = true;
  const walk = (part: Json | undefined, path: string) => {
    if (isJsonObject(part)) {
      if (ids.has(path)) isUsual = false;
      for (const [key, inner] of Object.entries(part)) {
        if (key.includes(".")) isUsual = false;
        walk(inner, path === "" || path.endsWith(".") ? `${path}${key}` : `${path}.${key}`);
      }
      return;
    }
    if (containers.has(path)) isUsual = false;
    const place = ids.get(path);
    if (place !== undefined) places.push([leaf, place]);
    leaf += 1;
  };
  walk(shape, prefix);
  return isUsual ? places : undefined;
}
