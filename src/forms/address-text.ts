/** Splits a pasted address into the fields of a party; adds and drops nothing. */

import { joinLines } from "../core/blanks.ts";
import type { DraftParty } from "../model/draft.ts";
import type { Divisions } from "./address-divisions.ts";
import { findExtras, withTail } from "./address-extras.ts";
import { findLabels, type Label } from "./address-labels.ts";
import { findName } from "./address-names.ts";
import { choosePhone, findLikelyPhone, findPhones } from "./address-phones.ts";
import { type CharClass, type FoundPlace, findPlace } from "./address-places.ts";
import { findWords, isSeparator, type Piece, type Span, tile } from "./address-spans.ts";
import { normalizeForMatch, stripInvisible } from "./normalize-for-match.ts";
import { cutWesternAddress, withCellsAsLines } from "./western-address.ts";

/** The result of splitting a pasted text. */
export interface AddressGuess {
  /** Parts that were not found are absent. */
  readonly party: DraftParty;
  /** The text has exactly one telephone number. Everything else is a suggestion. */
  readonly isPhoneCertain: boolean;
  /** Texts that no field holds, as they were written: a postcode of the mainland, a nickname. */
  readonly leftOut: readonly string[];
  /** The text names two places, and either may be meant. */
  readonly hasOtherPlace?: boolean | undefined;
}

/**
 * `sheet` is how imports split cells. A row that is split in another way looks like another order, and would be shipped
 * again: where it changes, `former sheet` is how earlier versions split them, and `first sheet` how the first ones did.
 */
export type AddressReading = "form" | "sheet" | "former sheet" | "first sheet";

const formerReadings = ["former sheet", "first sheet"] as const;

/**
 * Splits one or several lines (`张三 13800138000 广东省深圳市南山区科技园1号楼`, with labels or without) into the
 * fields of a party (specification, 2.2). Every character of the text but separators and labels is in exactly
 * one field, or left out, as it was written; what cannot be placed is in `detail`. Loads the names of divisions on
 * first use.
 */
export async function understandAddress(text: string): Promise<AddressGuess> {
  const { readDivisions } = await import("./address-divisions.ts");
  return splitAddress(text, readDivisions());
}

export interface PartyGuess extends AddressGuess {
  /** The text has labels of a receiver and of a sender, and each part may be either person's. */
  readonly isOfTwo: boolean;
}

export const municipality = /^(?:北京|天津|上海|重[庆慶])市?$/;

const receiverLabel = /收|recipient|receiver|consignee/i;
/** 邮寄地址 and 寄往 are where the parcel goes. */
const senderLabel = /(?<!邮)寄(?!往)|发(?!往)|sender/i;

/** The party in a text. A municipality without a city is its own city, as services expect it (2.2). */
export async function understandParty(text: string): Promise<PartyGuess> {
  const guess = await understandAddress(text);
  return { ...guess, party: withOwnCity(guess.party), isOfTwo: isOfTwo(normalizeForMatch(text)) };
}

function isOfTwo(normalized: string): boolean {
  const hasBoth = (words: string) => receiverLabel.test(words) && senderLabel.test(words);
  if (!hasBoth(normalized)) return false;
  const labels = findLabels(normalized, []);
  return hasBoth(labels.map(({ start, end }) => normalized.slice(start, end)).join());
}

function withOwnCity(party: DraftParty): DraftParty {
  const { province, city } = party;
  return city === undefined && municipality.test(province ?? "") ? { ...party, city: province } : party;
}

/**
 * Splits an address without a person, as the service shows it: all that names no division is in `detail`, as it was
 * written. Only what separates divisions, and blanks and commas around them, are in no field.
 */
export async function understandPlace(text: string): Promise<DraftParty> {
  const { readDivisions } = await import("./address-divisions.ts");
  const { steps } = findPlaceIn(normalizeForMatch(text), readDivisions());
  const party: DraftParty = {};
  for (const { start, end, level } of steps) party[levels[level]] = joinLines(text.slice(start, end));
  const before = text.slice(0, steps[0]?.start ?? 0).replace(/[\s,，]+$/, "");
  const behind = text.slice(steps.at(-1)?.end ?? 0).replace(/^[\s,，]+/, "");
  const detail = joinLines([before, behind].filter(Boolean).join(" "));
  return withOwnCity(detail === "" ? party : { ...party, detail });
}

/** What a cell of a sheet holds. */
export interface SplitText {
  readonly party: DraftParty;
  /** As earlier versions of courier split it, in the order of `formerReadings`, where that is something else. */
  readonly former?: readonly DraftParty[] | undefined;
  /** As in `AddressGuess`. */
  readonly hasOtherPlace?: boolean | undefined;
}

/** Splits the cells of a sheet: the names of divisions are read once. */
export interface AddressSplitter {
  /** A whole party. */
  party(text: string): SplitText & Pick<AddressGuess, "isPhoneCertain">;
  /** An address without a person: only province, city and district are taken out of it. */
  place(text: string, reading?: AddressReading): SplitText & Pick<FoundPlace, "isReadAnew">;
}

export async function createAddressSplitter(): Promise<AddressSplitter> {
  const { readDivisions } = await import("./address-divisions.ts");
  const divisions = readDivisions();
  return {
    party(text) {
      const normalized = normalizeForMatch(text);
      const read = (reading: AddressReading) => {
        const { pieces, ...rest } = cutAddress(text, divisions, reading);
        return { ...rest, party: withOwnCity(joinPieces(text, pieces)) };
      };
      const { place, party, isPhoneCertain } = read("sheet");
      const isReadAnew = place.isReadAnew || roomOrPhone.test(normalized);
      return {
        ...(isReadAnew ? withFormer(party, (reading) => read(reading).party) : { party }),
        hasOtherPlace: place.hasOther,
        isPhoneCertain: isPhoneCertain && !isOfTwo(normalized), // it may be the other person's
      };
    },
    place: (text, reading = "sheet") => splitPlace(text, normalizeForMatch(text), divisions, reading),
  };
}

/** Earlier versions took a room for the beginning of a phone. */
const roomOrPhone = /1\d{3}[ -]\d/;

/** With what the former readings give, where any of them is something else. */
export function withFormer(
  party: DraftParty,
  read: (reading: AddressReading) => DraftParty | undefined,
): SplitText {
  const former = formerReadings.map((reading) => read(reading) ?? party);
  const isSame = former.every((each) => JSON.stringify(each) === JSON.stringify(party));
  return isSame ? { party } : { party, former };
}

function splitPlace(
  text: string,
  normalized: string,
  divisions: Divisions,
  reading: AddressReading,
): ReturnType<AddressSplitter["place"]> {
  if (text.length > longestText) return { party: { detail: text }, isReadAnew: false };
  const { steps, hasOther, isReadAnew } = findPlaceIn(normalized, divisions, reading);
  const pieces = steps.map(({ start, end, level }): Piece => ({ kind: levels[level], start, end }));
  return {
    party: withOwnCity(joinPieces(text, tile(normalized, pieces))),
    hasOtherPlace: hasOther,
    isReadAnew,
  };
}

const noPlace: FoundPlace = { steps: [], hasOther: false, isReadAnew: false };

function findPlaceIn(normalized: string, divisions: Divisions, reading?: AddressReading): FoundPlace {
  if (normalized.length > longestText) return noPlace;
  return findPlace({ normalized, divisions, classes: classify(normalized, [], []), ...ageOf(reading) });
}

function ageOf(reading: AddressReading | undefined): { isFormer: boolean; isFirst: boolean } {
  return { isFormer: formerReadings.some((each) => each === reading), isFirst: reading === "first sheet" };
}

export function splitAddress(
  text: string,
  divisions: Divisions,
  reading: AddressReading = "form",
): AddressGuess {
  const { pieces, isPhoneCertain, place } = cutAddress(text, divisions, reading);
  const extras = pieces.filter(({ kind }) => kind === "extra");
  const leftOut = extras.map(({ start, end }) => joinLines(text.slice(start, end)));
  const hasOtherPlace = place.hasOther || undefined;
  return { party: joinPieces(text, pieces), isPhoneCertain, leftOut, hasOtherPlace };
}

const levels = ["province", "city", "district"] as const;

/** In units; what is longer is no address, and is all detail. */
const longestText = 5_000;

/** The pieces that the text consists of, without gap or overlap. */
export function cutAddress(
  text: string,
  divisions: Divisions,
  reading: AddressReading = "form",
): { pieces: Piece[]; isPhoneCertain: boolean; place: FoundPlace } {
  const plain = normalizeForMatch(text);
  if (text.length > longestText) return { pieces: tile(plain, []), isPhoneCertain: false, place: noPlace };
  const isForm = reading === "form";
  const isWestern = isForm && !/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(plain);
  const normalized = isWestern ? withCellsAsLines(plain, text) : plain;
  const age = ageOf(reading);
  const written = findPhones(normalized, isWestern, age.isFormer);
  const sure = isForm ? written.map((phone) => withTail(normalized, phone)) : written;
  const apart = isForm ? findExtras(normalized, sure, isChinese(normalized)) : [];
  const labels = findLabels(normalized, [...sure, ...apart]);
  const likely = sure.length > 0 ? undefined : findLikelyPhone(normalized, labels);
  // Six digits behind 电话 are meant as a phone, although they could be a postcode.
  const extras = likely
    ? apart.filter(({ start, end }) => end <= likely.start || start >= likely.end)
    : apart;
  const phone = likely ?? choosePhone(normalized, sure, labels);
  const phones = likely ? [likely] : sure;
  const place = findPlace({
    normalized,
    divisions,
    classes: classify(normalized, labels, phones, extras),
    ...age,
  });
  const { steps } = place;
  const taken = [...labels, ...phones, ...steps, ...extras];
  const words = findWords(normalized, taken);
  const found = findName(normalized, words, {
    labels,
    phones,
    place: steps,
    isChinese: isChinese(normalized),
  });
  const name = found && isForm ? withTail(normalized, found) : found;
  const pieces = tile(normalized, [
    ...labels.map(({ start, end }): Piece => ({ kind: "label", start, end })),
    ...extras.map(({ start, end }): Piece => ({ kind: "extra", start, end })),
    ...steps.map(({ start, end, level }): Piece => ({ kind: levels[level], start, end })),
    ...(phone ? [{ kind: "phone", start: phone.start, end: phone.end } as const] : []),
    ...(isWestern
      ? cutWesternAddress(normalized, taken, name)
      : name
        ? [{ kind: "name", ...name } as const]
        : []),
  ]);
  return { pieces, isPhoneCertain: sure.length === 1 || likely?.isLabelled === true, place };
}

/** Each field is cut from the text; only line breaks become blanks, and invisible characters leave the number. */
function joinPieces(text: string, pieces: readonly Piece[]): DraftParty {
  const party: DraftParty = {};
  const rest: string[] = [];
  for (const { kind, start, end } of pieces) {
    const part = text.slice(start, end);
    if (kind === "rest") rest.push(joinLines(part));
    else if (kind === "phone") party.phone = stripInvisible(part);
    else if (kind !== "separator" && kind !== "label" && kind !== "extra") party[kind] = joinLines(part);
  }
  if (rest.length > 0) party.detail = rest.join(" ");
  return party;
}

/** Texts in Japanese or Korean hold Chinese characters too, but not Chinese names and places. */
function isChinese(normalized: string): boolean {
  return /\p{sc=Han}/u.test(normalized) && !/[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(normalized);
}

/** The class of each character, for the search for the place. */
function classify(
  normalized: string,
  labels: readonly Label[],
  phones: readonly Span[],
  extras: readonly Span[] = [],
): readonly CharClass[] {
  const classes = Array.from({ length: normalized.length }, (_, index): CharClass => {
    return isSeparator(normalized.charAt(index)) ? "gap" : "text";
  });
  for (const { start, end } of [...labels, ...extras]) classes.fill("gap", start, end);
  for (const { start, end } of phones) classes.fill("barrier", start, end);
  if (!labels.some(({ kind }) => kind === "address")) return classes;
  for (const label of labels) {
    let index = label.end;
    while (label.kind === "name" && classes[index] === "gap") index += 1;
    // The company that receives a parcel is no part of its address, whatever city it is named after.
    while (label.kind === "name" && classes[index] === "text") classes[index++] = "closed";
  }
  return classes;
}
