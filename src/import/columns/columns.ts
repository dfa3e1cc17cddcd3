/** Maps the columns of a spreadsheet to the fields of an order. */

import { usageError } from "../../core/errors.ts";
import { inQuotes } from "../../core/shell-quote.ts";
import { suggest } from "../../core/suggest.ts";
import { listed } from "../../core/wording.ts";
import { readingVersion } from "../../ledger/row-to-send.ts";
import {
  type ItemField,
  itemWords,
  type PartyField,
  type PartyPart,
  partyFields,
  partyParts,
  partyWords,
} from "../../model/fields.ts";
import { isWrittenTitle } from "../write-back/titles.ts";
import { isPhone, isStreet, maySeveral } from "./several-columns.ts";
import {
  cellPaths,
  cleanHeader,
  columnPaths,
  dispatchHeaders,
  firstHeaders,
  furtherHeaders,
  isInOtherUnit,
  laterParties,
  normalizeForMatch,
  partialWords,
  parties,
  partyHeaders,
  shortField,
  simplifyTitle,
  thirdHeaders,
} from "./title-words.ts";

export interface ColumnMap {
  /** The field of each column in order; undefined for one that is not used. */
  readonly paths: readonly (string | undefined)[];
  readonly unused: readonly string[];
}

/** Columns of `orders export` that an order gets only when it is created. */
const ofOrders: readonly string[] = ["id", "order_no", "tracking_number"];

/**
 * Throws a usage error for a file of existing orders. `howToLeaveOut` is the hint for a person who means to create
 * them again.
 */
export function ensureNoOrder(names: readonly string[], howToLeaveOut: string): void {
  if (!ofOrders.every((name) => names.includes(name))) return;
  throw usageError(
    `the file lists existing orders: it has the columns ${ofOrders.join(", ")} of orders export`,
    `to create all of them again, ${howToLeaveOut}`,
  );
}

/** Columns that a person must decide about, with the program's guess for each: "" leaves a column out. */
export interface ColumnDoubt {
  readonly guesses: ReadonlyMap<string, string>;
  readonly message: string;
  readonly hint: string;
}

/**
 * Maps a header row; `given` are the pairs of `--map`, `version` is that of the reading (former-reading.ts). Throws a
 * usage error for a header that seems misspelt or may belong to the sender or the receiver, for two columns of one field
 * (but for phones of which each is given), for a given header that is missing, and for a list of existing orders.
 */
export function mapColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  choice: { readonly version?: number } = {},
): ColumnMap {
  const read = readColumns(headers, given, choice);
  if ("message" in read) throw usageError(read.message, read.hint);
  return read;
}

/** The map of a header, with all doubts about it at once, as if each guess were given. Throws for what is no doubt. */
export function guessColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
): { readonly map: ColumnMap; readonly doubts: readonly ColumnDoubt[] } {
  const doubts: ColumnDoubt[] = [];
  const guessed = new Map(given);
  for (;;) {
    const read = readColumns(headers, guessed);
    if ("paths" in read) return { map: read, doubts };
    const open = [...read.guesses].filter(
      ([header]) => !given.has(header) && guessed.get(header) !== unusedMark,
    );
    if (open.length === 0) throw usageError(read.message, read.hint);
    // A guess that leads to another doubt is taken back.
    const isTaken = [...read.guesses.keys()].some((header) => guessed.has(header));
    const guesses = new Map(open.map(([header, path]) => [header, isTaken ? unusedMark : path]));
    doubts.push({ ...read, guesses });
    for (const [header, path] of guesses) guessed.set(header, path);
  }
}

function readColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  { version = readingVersion } = {},
): ColumnMap | ColumnDoubt {
  const names = new Set(headers.map((each) => each.trim()));
  for (const header of given.keys()) {
    if (!names.has(header)) {
      throw usageError(`--map: the file has no column “${header}”`, `its columns: ${listed(headers)}`);
    }
  }
  const unmapped = headers.map((header) => header.trim()).filter((header) => !given.has(header));
  ensureNoOrder(unmapped, 'leave such a column out: --map "tracking_number="');
  const first = firstHeaders();
  const isFormer = version === 1;
  const known = new Map([...(isFormer ? [] : furtherHeaders()), ...first]);
  const paths = choosePaths(headers, given, first);
  if (!isFormer) {
    const taken = new Set([...paths, ...given.values()]);
    for (const [index, header] of headers.entries()) {
      const name = header.trim();
      if (given.has(name)) continue;
      if (cellPaths.includes(name)) paths[index] = name;
      const path = known.get(normalizeForMatch(cleanHeader(header)));
      if (paths[index] === undefined && !taken.has(path)) paths[index] = path;
    }
    if (version >= 3) addLatest(headers, given, known, paths);
    const twice = findTwice(paths, headers, (header) => version >= 3 && given.has(header));
    if (twice) return twice;
  }
  for (const path of columnPaths) {
    const columns = headers.filter((_, index) => paths[index] === path);
    const duplicate = columns.find((header, index) =>
      columns.some((other, at) => at > index && other.trim() === header.trim()),
    );
    if (duplicate !== undefined)
      throw usageError(`two columns have the name ${duplicate.trim()}`, howToRename(duplicate.trim()));
    if (version >= 3 && maySeveral(path) && columns.every((header) => given.has(header.trim()))) continue;
    const isOfPhones = version >= 3 && isPhone(path);
    if (columns.length > 1) {
      const all = columns.map((header) => mapFlag(header.trim(), path)).join(" ");
      const choice = isOfPhones
        ? `use the first that is filled: ${all}`
        : `choose one: ${mapFlag(columns[0], path)}`;
      return {
        guesses: new Map(
          columns.map((header, index) => [header.trim(), isOfPhones || index === 0 ? path : unusedMark]),
        ),
        message: `the columns ${columns.join(" and ")} both match ${path}`,
        hint: `${choice}; ${mapFlag(columns[0])} leaves a column out`,
      };
    }
  }
  const unused = headers.filter((header, index) => paths[index] === undefined && !isNoColumn(header));
  for (const header of unused) {
    const before = findPartyBefore(headers, paths, headers.indexOf(header));
    const doubt = given.has(header.trim())
      ? undefined
      : findNeed(header.trim(), paths, known, version, before);
    if (doubt) return doubt;
  }
  return { paths, unused };
}

/** Another name that says nothing of the party would only be guessed. */
export function howToRename(title: string): string {
  if (shortField(title) === undefined) return "rename one of them in the file";
  const [one, other] = /[a-z]/i.test(title) ? ["Receiver ", "Sender "] : ["收件人", "寄件人"];
  return `name them by party in the file: ${one}${title} and ${other}${title}`;
}

/** Adds columns that version 2 left out, for fields that no other column has. */
function addLatest(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
  paths: (string | undefined)[],
): void {
  const add = (words: ReadonlyMap<string, string>) => {
    const taken = new Set([...paths, ...given.values()]);
    for (const [index, header] of headers.entries()) {
      if (given.has(header.trim()) || paths[index] !== undefined) continue;
      const path = words.get(normalizeForMatch(simplifyTitle(cleanHeader(header))));
      if (!taken.has(path)) paths[index] = path;
    }
  };
  add(new Map([...thirdHeaders(), ...known]));
  const taken = new Set([...paths, ...given.values()]);
  for (const part of partyParts)
    add(new Map([...partialWords(part)].filter(([, path]) => !isElsewhere(path, taken))));
  if (paths.includes("sender.name")) add(dispatchHeaders());
}

const divisions = ["province", "city", "district"] as const;
const nameParts = ["first_name", "last_name"] as const;
/** Fields that hold others in one cell, with those. */
const partsOf = {
  text: ["address", "region", ...nameParts, ...partyFields],
  address: ["region", ...divisions, "detail"],
  region: divisions,
  name: nameParts,
};

/** Another column has what the field holds, a part of it, or more. */
function isElsewhere(path: string, taken: ReadonlySet<string | undefined>): boolean {
  const [part, field = ""] = path.split(".");
  return Object.entries(partsOf).some(
    ([whole, parts]) =>
      (parts.some((each) => each === field) && taken.has(`${part}.${whole}`)) ||
      (whole === field && parts.some((each) => taken.has(`${part}.${each}`))),
  );
}

/** A column without a name, the one of a file of rejects, and those of a write-back. */
export function isNoColumn(header: string): boolean {
  const name = header.trim();
  return name === "" || name === "error" || isWrittenTitle(name);
}

/**
 * A column that holds a whole party, address, region or name, while another column holds a part of it. `isGiven`: a person
 * has named what the column holds: a street is then joined to the whole address.
 */
export function findTwice(
  paths: readonly (string | undefined)[],
  headers: readonly string[],
  isGiven: (header: string) => boolean = () => false,
): ColumnDoubt | undefined {
  for (const part of partyParts) {
    for (const [name, parts] of Object.entries(partsOf)) {
      const whole = `${part}.${name}`;
      const isJoined = (path: string, at: number) =>
        name === "address" && isStreet(path) && isGiven(headers[at]?.trim() ?? "");
      const isIn = (path: string | undefined, at: number) =>
        path !== undefined && parts.some((each) => path === `${part}.${each}`) && !isJoined(path, at);
      const twice = paths.includes(whole) ? paths.findIndex(isIn) : -1;
      if (twice < 0) continue;
      const surplus = headers[twice]?.trim() ?? "";
      return {
        guesses: new Map([[surplus, unusedMark]]),
        message: `column “${headers[paths.indexOf(whole)]}” is ${whole}, and “${surplus}” is ${paths[twice]}, a part of it`,
        hint: `leave one out: ${mapFlag(surplus)}`,
      };
    }
  }
  return undefined;
}

/** A whole party, address, region or name beside a part of it. */
export function isTwice(path: string, taken: ReadonlySet<string | undefined>): boolean {
  const paths = [...taken, path].flatMap((each) => each ?? []);
  return findTwice(paths, paths) !== undefined;
}

/** The flag that maps a column to a field; without a path, it leaves the column out. */
export function mapFlag(header: string | undefined, path = unusedMark): string {
  return `--map ${inQuotes(`${header}=${path}`)}`;
}

/**
 * The party that a title without one is probably of: that of the column directly to the left, over further such titles.
 * `titles` and `paths` are those of all columns.
 */
export function findPartyBefore(
  titles: readonly string[],
  paths: readonly (string | undefined)[],
  index: number,
): PartyPart | undefined {
  for (let at = index - 1; at >= 0; at--) {
    const part = partyParts.find((each) => paths[at]?.startsWith(`${each}.`));
    if (part || paths[at] !== undefined || shortField(titles[at] ?? "") === undefined) return part;
  }
  return undefined;
}

const alikeLetters = 3;
/** Shorter names resemble too many words. */
const shortestMisspelt = 6;

/** An unused column that looks like a field that no other column has. */
function findNeed(
  header: string,
  paths: readonly (string | undefined)[],
  known: ReadonlyMap<string, string>,
  version: number,
  before: PartyPart | undefined,
): ColumnDoubt | undefined {
  const word = normalizeForMatch(version >= 3 ? simplifyTitle(header) : header);
  const bare = Object.entries(partyHeaders).find(([, words]) =>
    words.some((each) => normalizeForMatch(each) === word),
  );
  const receivers = bare && word !== "" ? `receiver.${bare[0]}` : undefined;
  if (receivers !== undefined && !paths.includes(receivers)) {
    const senders = `sender.${bare?.[0]}`;
    const guess = before === "sender" && !paths.includes(senders) ? senders : receivers;
    return {
      guesses: new Map([[header, guess]]),
      message: `column “${header}”: sender or receiver?`,
      hint: `choose with ${mapFlag(header, guess)}; ${mapFlag(header)} leaves it out`,
    };
  }
  if (receivers !== undefined || word.length < shortestMisspelt || !/^[a-z/]+$/.test(word)) return undefined;
  const meant = suggest(word, [...known.keys()]) ?? "";
  const nearest = known.get(meant);
  if (nearest === undefined || paths.includes(nearest)) return undefined;
  // Country resembles “to county”, and Phone Number “to phone number”: a name that is misspelt begins alike.
  if (version >= 3 && !word.startsWith(meant.slice(0, alikeLetters))) return undefined;
  if (version > 1 && isOfOther(word, nearest)) return undefined;
  if (isInOtherUnit(nearest, header))
    return {
      guesses: new Map([[header, unusedMark]]),
      message: `column “${header}” looks like ${nearest} in another unit`,
      hint: `convert it to ${nearest === "item.weight" ? "kg" : "pieces"} in the file; ${mapFlag(header)} leaves it out`,
    };
  return {
    guesses: new Map([[header, nearest]]),
    message: `column “${header}” looks like ${nearest}`,
    hint: `use it: ${mapFlag(header, nearest)}; ${mapFlag(header)} leaves it out`,
  };
}

/** Behind the name of a party. */
const shortestField = 3;

/** Headers of shops that resemble a field, such as county, and are none. */
const noField =
  /^(?:country|company|companyname|email|zip|zipcode|postcode|postalcode|method|date|fee|cost|price)$/;

/**
 * True where a header names a party, and the field is not close to what it names of it. A name of one party never means
 * the other, and the billing address is of neither.
 */
function isOfOther(word: string, path: string): boolean {
  if (word.startsWith("billing")) return true;
  for (const part of partyParts) {
    const names = [...(parties[part] ?? []), ...(laterParties[part] ?? [])].map(normalizeForMatch);
    const name = names.sort((a, b) => b.length - a.length).find((each) => word.startsWith(each));
    if (name === undefined) continue;
    const rest = word.slice(name.length);
    const words = Object.values(partyHeaders).flat().map(normalizeForMatch);
    const isNear = rest.length >= shortestField && suggest(rest, words) !== undefined;
    return !path.startsWith(`${part}.`) || noField.test(rest) || !isNear;
  }
  return false;
}

/** `--map` comes before the known headers. */
function choosePaths(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, string>,
): (string | undefined)[] {
  const taken = new Set(given.values());
  // A sheet may have several order numbers: a column with the name ref is then the ref.
  if (headers.some((header) => header.trim() === "ref" && !given.has("ref"))) taken.add("ref");
  return headers.map((each) => {
    const header = each.trim();
    const own = given.get(header);
    if (own !== undefined) return own === unusedMark ? undefined : own;
    const path = known.get(normalizeForMatch(header));
    return path !== undefined && taken.has(path) && header !== "ref" ? undefined : path;
  });
}

/** Means in `--map` that a column is left out. */
export const unusedMark = "";

/** Parses `Ship Name=receiver.name`; `Ship Name=` leaves that column out. */
export function parseMapping(text: string): { header: string; path: string } {
  const at = text.lastIndexOf("=");
  const header = text.slice(0, Math.max(0, at)).trim();
  const path = text.slice(at + 1).trim();
  if (at > 0 && header !== "" && (path === unusedMark || columnPaths.includes(path))) return { header, path };
  const nearest = suggest(path, columnPaths);
  throw usageError(
    `--map takes a column and a field, for example "Ship Name=receiver.name", not “${text}”`,
    nearest && nearest !== path ? `did you mean ${nearest}?` : `fields: ${columnPaths.join(", ")}`,
  );
}

/** The words of a field of a row. */
export function describeField(path: string): string {
  if (path === unusedMark) return "not used";
  if (path === "ref") return "your order number";
  if (path === "service_type") return "service level";
  const [part = "", name = ""] = path.split(".");
  if (name === "text") return `${part}: name, phone and address in one cell`;
  if (name === "address") return `${part}: whole address in one cell`;
  if (name === "region") return `${part}: province, city and district in one cell`;
  if (name === "first_name" || name === "last_name") return `${part} ${name.replace("_", " ")}`;
  const label =
    part === "item" ? itemWords[name as ItemField].label.toLowerCase() : partyWords[name as PartyField].label;
  return part === "item" ? label : `${part} ${label}`;
}
