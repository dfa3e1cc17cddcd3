/** The columns of a platform's file that its preset does not know, read by the words of the header. */

import {
  type ColumnDoubt,
  type ColumnMap,
  guessColumns,
  isNoColumn,
  isTwice,
  unusedMark,
} from "./columns.ts";
import type { LayoutField } from "./several-columns.ts";
import { createTitleReader, shortField } from "./title-words.ts";

export interface WordsRead {
  /** With the fields of all columns: a whole address is the street where columns beside it may have its place. */
  readonly map: ColumnMap;
  readonly doubts: readonly ColumnDoubt[];
  /** The fields of columns that only words name, without those in doubt. */
  readonly further: readonly LayoutField[];
}

type Mapping = ReadonlyMap<string, string>;

const places = ["province", "city", "district", "region"];
const isDivision = (field: string | undefined) => field !== undefined && places.includes(field);

/**
 * Reads what the preset left over; `fields` are those of its columns and of `mapping`, which are not read in another way.
 * `isPlaceRead`: no address needs a column of its place. Throws a usage error where a column has the name of another one.
 */
export function readByWords(
  headers: readonly string[],
  fields: readonly LayoutField[],
  mapping: Mapping,
  isPlaceRead = false,
): WordsRead {
  const own: (string | undefined)[] = headers.map(() => undefined);
  const whole = new Map<number, string>();
  const given = new Map(mapping);
  for (const { path, choices } of fields)
    for (const [at, index] of choices.flat().entries()) {
      whole.set(index, path);
      own[index] = path.replace(/\.address$/, ".detail");
      given.set(headers[index]?.trim() ?? "", at === 0 ? own[index] : unusedMark);
    }
  const { fieldOf } = createTitleReader();
  const names = headers.map((each) => each.trim());
  const isAlone = (header: string) => names.indexOf(header) === names.lastIndexOf(header);
  /**
   * It would take the place of what the preset reads, or is a service level of another courier. Another order number may be
   * that of several rows, and of goods no parcel needs one of two equal columns.
   */
  const isSurplus = (header: string, path = fieldOf(header), short = shortField(header)) =>
    (path !== undefined && (path === "service_type" || path === "ref" || isTwice(path, new Set(own)))) ||
    (path?.startsWith("item.") && !isAlone(header)) ||
    (short !== undefined && own.includes("receiver.text")) ||
    (isPlaceRead && isDivision(short));
  for (const header of names) if (!given.has(header) && isSurplus(header)) given.set(header, unusedMark);

  const { map, doubts } = guessColumns(headers, given);
  const sure = readSure(headers, given, { map, doubts });
  const paths = [...own, ...sure.paths];
  const hasPlace = (part: string) => paths.some((path) => places.some((name) => path === `${part}.${name}`));
  const further = sure.paths.flatMap((path, index) => {
    if (path === undefined || own[index] !== undefined) return [];
    const [part = "", field] = path.split(".");
    // As in the preset, an address without a column of its place is a whole one.
    const isWhole = field === "detail" && !hasPlace(part);
    return [{ path: isWhole ? `${part}.address` : path, choices: [[index]] }];
  });
  return {
    map: {
      paths: headers.map((_, index) => (isPlaceRead ? whole.get(index) : own[index]) ?? map.paths[index]),
      unused: map.unused.filter((header) => !given.has(header.trim()) && !isNoColumn(header)),
    },
    doubts,
    further,
  };
}

/** The map without the columns that are in doubt. */
function readSure(
  headers: readonly string[],
  given: Mapping,
  { map, doubts }: Pick<WordsRead, "map" | "doubts">,
): ColumnMap {
  if (doubts.length === 0) return map;
  const open = doubts.flatMap(({ guesses }) =>
    [...guesses.keys()].map((header) => [header, unusedMark] as const),
  );
  const left = new Map([...given, ...open]);
  return readSure(headers, left, guessColumns(headers, left));
}
