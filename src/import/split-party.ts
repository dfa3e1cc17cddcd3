/** Splits a cell that holds a whole address, or a whole party, into the fields of a party. */

import { createAddressSplitter, type SplitText } from "../forms/address-text.ts";
import type { DraftParty } from "../model/draft.ts";
import type { PartyField } from "../model/fields.ts";

export type SplitCell = SplitText | { readonly message: string };

export interface PartySplitter {
  /** Undefined for a field that is not split; `cells` are the other fields of the row. */
  split(
    path: string,
    text: string,
    cells: ReadonlyMap<string, { readonly text: string }>,
  ): SplitCell | undefined;
}

/** `张三，86-13800000000，广东省 深圳市 …`, as newer files of Taobao write an address. */
const withPerson = /^([^，,\d]{1,30})[，,]\s*(\+?[\d-]{7,20})[，,]\s*(.+)$/s;
/** Places that have no city below them. */
const withoutCity = /^(?:香港|澳门|台湾)/;
const wayOut = "write it into columns of its own, or fix the text";

/** A row is read in several ways (former-reading.ts), with the same texts. */
const keptTexts = 100;

export async function createPartySplitter(): Promise<PartySplitter> {
  const { place, party } = await createAddressSplitter();
  const splitter = { party, place: withMemory(place) };

  function splitText(text: string): SplitCell {
    const { isPhoneCertain, ...split } = splitter.party(text);
    const { party } = split;
    const missing = [
      ...(party.name === undefined ? ["name"] : []),
      ...(party.phone === undefined || !isPhoneCertain ? ["telephone number"] : []),
      ...missingPlace(party),
    ];
    if (missing.length === 0) return split;
    return { message: `not understood: no certain ${missing.join(", ")}; ${wayOut}` };
  }

  function splitAddress(
    part: string,
    text: string,
    cells: ReadonlyMap<string, { readonly text: string }>,
  ): SplitCell {
    const [, name, phone, rest = text] = withPerson.exec(text) ?? [];
    const alone = splitter.place(rest);
    const split = hasCity(alone.party) ? alone : (placeBeside(part, rest, cells) ?? alone);
    const { party, former } = split;
    const missing = missingPlace(party);
    if (missing.length > 0) return { message: `not understood: no ${missing.join(", ")}; ${wayOut}` };
    if (name === undefined || phone === undefined) return split;
    const person: Partial<Record<PartyField, string>> = {};
    for (const [field, found] of [
      ["name", name.trim()],
      ["phone", phone],
    ] as const) {
      const own = cells.get(`${part}.${field}`)?.text;
      if (own === undefined) person[field] = found;
      else if (!isSame(own, found))
        return { message: `names another ${field} than the row: ${found}, not ${own}` };
    }
    return { party: { ...person, ...party }, ...(former ? { former: { ...person, ...former } } : {}) };
  }

  /** An address without its city, whose place is in columns of its own. */
  function placeBeside(
    part: string,
    street: string,
    cells: ReadonlyMap<string, { readonly text: string }>,
  ): SplitText | undefined {
    const textOf = (name: string) => cells.get(`${part}.${name}`)?.text;
    const place: DraftParty = {};
    for (const name of ["province", "city", "district"] as const) {
      const text = textOf(name);
      if (text !== undefined) place[name] = text;
    }
    if (place.city !== undefined) return { party: { ...place, detail: street } };
    const split = splitRegion(textOf("region") ?? Object.values(place).join(""), street);
    return "party" in split ? split : undefined;
  }

  /** The street may begin with the district, or with all of the region. */
  function splitRegion(text: string, street: string | undefined): SplitCell {
    const { party: region } = splitter.place(text);
    if (!hasCity(region)) return { message: `not understood: no city; ${wayOut}` };
    if (street === undefined) return splitter.place(text);
    const { party: whole } = splitter.place(street);
    if (whole.city !== undefined && whole.city === region.city && whole.detail !== undefined)
      return { party: { ...region, ...whole } };
    const { district = "" } = region;
    const rest = district !== "" && street.startsWith(district) ? street.slice(district.length) : street;
    return splitter.place(`${text} ${rest}`);
  }

  return {
    split(path, text, cells) {
      const [part = "", name] = path.split(".");
      if (name === "text") return splitText(text);
      if (name === "region") return splitRegion(text, cells.get(`${part}.detail`)?.text);
      return name === "address" ? splitAddress(part, text, cells) : undefined;
    },
  };
}

/** Keeps the results of the last texts. */
function withMemory<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    if (known.size >= keptTexts) known.clear();
    const found = read(text);
    known.set(text, found);
    return found;
  };
}

/** The same text, or the same telephone number with or without the country. */
function isSame(one: string, other: string): boolean {
  const bare = (text: string) => text.replace(/^\+?86[- ]?(?=1\d{10}$)/, "");
  return bare(one) === bare(other);
}

function missingPlace(party: DraftParty): string[] {
  return [...(hasCity(party) ? [] : ["city"]), ...(party.detail === undefined ? ["street address"] : [])];
}

function hasCity({ province, city }: DraftParty): boolean {
  return city !== undefined || withoutCity.test(province ?? "");
}
