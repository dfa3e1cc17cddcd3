/** Splits a cell that holds a whole address, or a whole party, into the fields of a party. */

import {
  type AddressReading,
  createAddressSplitter,
  municipality,
  type SplitText,
  withFormer,
} from "../forms/address-text.ts";
import { normalizeForMatch } from "../forms/normalize-for-match.ts";
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
/** What lists of divisions write for a city where there is none. */
const noCity = /^(?:市辖区|县)$|直辖/;
const wayOut = "write it into columns of its own, or fix the text";
const ofTwoPlaces = `not understood: names two places; ${wayOut}`;

/** A row is read in several ways (former-reading.ts), with the same texts. */
const keptTexts = 100;

export async function createPartySplitter(): Promise<PartySplitter> {
  const splitter = await createAddressSplitter();
  const placeToday = withMemory((text: string) => splitter.place(text));
  const place = (text: string, reading?: AddressReading) => {
    const found = placeToday(text);
    return reading && found.isReadAnew ? splitter.place(text, reading) : found;
  };

  function splitText(text: string): SplitCell {
    const { isPhoneCertain, ...split } = splitter.party(text);
    const party = withCountyCity(split.party);
    const missing = [
      ...(party.name === undefined ? ["name"] : []),
      ...(party.phone === undefined || !isPhoneCertain ? ["telephone number"] : []),
      ...missingPlace(party),
    ];
    if (missing.length > 0) return { message: `not understood: no certain ${missing.join(", ")}; ${wayOut}` };
    return split.hasOtherPlace || hasCityInDistrict(party) ? { message: ofTwoPlaces } : { ...split, party };
  }

  function splitAddress(
    part: string,
    text: string,
    cells: ReadonlyMap<string, { readonly text: string }>,
  ): SplitCell {
    const [, name, phone, rest = text] = withPerson.exec(text) ?? [];
    const alone = place(rest);
    const columns = columnsOfPlace(part, cells);
    const other = findOtherPlace(alone.party, columns);
    const { city, province } = alone.party;
    if (alone.hasOtherPlace && columns.city === undefined && columns.region === undefined)
      return { message: ofTwoPlaces };
    const isName = other !== undefined && mayBeName(alone.party);
    const lacksCity = other === undefined && !hasCity(alone.party);
    const beside = isName || lacksCity ? placeBeside(columns, rest) : undefined;
    if (other !== undefined && !beside)
      return { message: `names another place than the row: ${city ?? province}, not ${other}` };
    const party = beside ?? withCountyCity(alone.party);
    const missing = missingPlace(party);
    if (missing.length > 0) return { message: `not understood: no ${missing.join(", ")}; ${wayOut}` };
    if (beside === undefined && hasCityInDistrict(party)) return { message: ofTwoPlaces };
    const split = withFormer(party, (reading) => addressBefore(columns, rest, reading));
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
    return { party: { ...person, ...party }, former: split.former?.map((each) => ({ ...person, ...each })) };
  }

  /** As earlier versions did. The first ones took a building for a place: 香港新世界大厦. */
  function addressBefore(
    columns: PlaceColumns,
    street: string,
    reading: AddressReading,
  ): DraftParty | undefined {
    const { party } = place(street, reading);
    const isName =
      reading !== "first sheet" && mayBeName(party) && findOtherPlace(party, columns) !== undefined;
    return isName || !hasCity(party) ? placeBeside(columns, street, reading) : party;
  }

  /** An address without its city, whose place is in columns of its own. */
  function placeBeside(
    { region, ...columns }: PlaceColumns,
    street: string,
    reading?: AddressReading,
  ): DraftParty | undefined {
    if (columns.city !== undefined) return { ...columns, detail: street };
    const text = region ?? Object.values(columns).join("");
    if (reading) return regionBefore(text, street, reading);
    const split = splitRegion(text, street);
    return "party" in split ? split.party : undefined;
  }

  /** What the columns name, where it is not the place that the address begins with. */
  function findOtherPlace(address: DraftParty, columns: PlaceColumns): string | undefined {
    const { region = "", province = "", city = "", district = "" } = columns;
    const hasNoCity = noCity.test(city);
    const named = [region, province, hasNoCity ? "" : city].join(" ").trim();
    const here = place(named).party;
    const own = cityOf(here) ?? (hasNoCity ? district : city.replace(here.province ?? "", ""));
    const { province: area = "" } = address;
    const found = cityOf(address) ?? "";
    const isIn = (text: string, place: string) => normalizeForMatch(text).includes(startOf(place));
    if (withoutCity.test(area) && isIn(named, area)) return undefined;
    if (mayBeName(address)) return own || named || undefined;
    // Before the cities, which share names with districts and provinces: 朝阳市 and 朝阳区, 海南州 and 海南省.
    const isPlace = area !== "" && (found !== "" || address.district !== undefined);
    if (isPlace && startOf(here.province ?? area) !== startOf(area)) return own || here.province;
    if (found === "") return undefined;
    const isSame = isIn(`${own} ${city}`, found) || isCityOf(own, address) || isCityOf(found, { district });
    return isSame || !/\p{sc=Han}/u.test(own) ? undefined : own;
  }

  /** The street may begin with the district, or with all of the region. */
  function splitRegion(text: string, street: string | undefined): SplitCell {
    const { party: read } = place(text);
    const region = withCountyCity(read);
    if (!hasCity(region)) return { message: `not understood: no city; ${wayOut}` };
    const before = (reading: AddressReading) => regionBefore(text, street, reading);
    if (street === undefined) return withFormer(region, before);
    const { city = "" } = region;
    const isCounty = region !== read;
    const alone = place(street).party;
    const whole = isCounty ? withCountyCity(alone) : alone;
    const columns = isCounty ? { region: text, city } : { region: text };
    const other = mayBeName(whole) ? undefined : findOtherPlace(whole, columns);
    if (other !== undefined)
      return { message: `names another place than the row: ${whole.city ?? whole.province}, not ${other}` };
    const isSame = isSameCity(whole, region) || (isCounty && isCityOf(city, whole));
    if (whole.city !== undefined && whole.detail !== undefined && isSame)
      return withFormer({ ...region, ...whole }, before);
    const rest = isCounty ? street : withoutDistrict(street, region.district);
    return withFormer(withCountyCity(place(`${text} ${rest}`).party), before);
  }

  /** A district that is unknown may be another city with its own: 北京市上海市浦东新区. */
  function hasCityInDistrict(party: DraftParty): boolean {
    const read = place(party.district ?? "").party;
    const [own, other] = [cityOf(party), cityOf(read)];
    const isOther = own !== undefined && other !== undefined && startOf(other) !== startOf(own);
    return isOther && read.district !== undefined;
  }

  /** A city of a county's level, where none above it is named: 浙江省义乌市. */
  function withCountyCity(party: DraftParty): DraftParty {
    const { district = "", detail = "", ...rest } = party;
    if (hasCity(party) || !district.endsWith("市") || hasCity(place(detail).party)) return party;
    return { ...rest, city: district, ...(detail !== "" && { detail }) };
  }

  /** As earlier versions did. */
  function regionBefore(text: string, street: string | undefined, reading: AddressReading): DraftParty {
    const { party: region } = place(text, reading);
    if (street === undefined) return region;
    const { party: whole } = place(street, reading);
    if (whole.city !== undefined && whole.detail !== undefined && whole.city === region.city)
      return { ...region, ...whole };
    const { district = "" } = region;
    const rest = street.startsWith(district) ? street.slice(district.length) : street;
    return place(`${text} ${rest}`, reading).party;
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

type PlaceColumns = Partial<Record<"province" | "city" | "district" | "region", string>>;

function columnsOfPlace(part: string, cells: ReadonlyMap<string, { readonly text: string }>): PlaceColumns {
  const columns: PlaceColumns = {};
  for (const name of ["province", "city", "district", "region"] as const) {
    const text = cells.get(`${part}.${name}`)?.text;
    if (text !== undefined) columns[name] = text;
  }
  return columns;
}

/** Tells a place from the others, without 市 or 自治州, which some leave out. */
function startOf(place: string): string {
  return normalizeForMatch(place).slice(0, place.startsWith("张家") ? 3 : 2);
}

/** A road may have the district's name: 南山大道. */
function withoutDistrict(street: string, district = ""): string {
  if (district === "" || !street.startsWith(district)) return street;
  const rest = street.slice(district.length);
  if (/(?:[区县市旗镇乡]|街道)$/.test(district)) return rest;
  return /^(?:[区县旗]|市(?!场))/.test(rest) ? rest.slice(1) : street;
}

/** Some write a district, or a city of a county's level, where others write the city above it. */
function isCityOf(city: string, { district = "" }: DraftParty): boolean {
  const bare = (text: string) => normalizeForMatch(text).replace(/市$/, "");
  return district !== "" && bare(city) === bare(district);
}

function isSameCity(one: DraftParty, other: DraftParty): boolean {
  const [first = "", second = ""] = [cityOf(one), cityOf(other)];
  return municipality.test(first) ? startOf(first) === startOf(second) : one.city === other.city;
}

/** A municipality is its own city, also where lists of divisions write 市辖区. */
function cityOf({ province = "", city }: DraftParty): string | undefined {
  return municipality.test(province) ? province : city;
}

function missingPlace(party: DraftParty): string[] {
  return [...(hasCity(party) ? [] : ["city"]), ...(party.detail === undefined ? ["street address"] : [])];
}

/** It may begin with the name of a building: 香港新世界大厦. */
function mayBeName({ province, city }: DraftParty): boolean {
  return city === undefined && withoutCity.test(province ?? "");
}

function hasCity({ province, city }: DraftParty): boolean {
  return city !== undefined || withoutCity.test(province ?? "");
}
