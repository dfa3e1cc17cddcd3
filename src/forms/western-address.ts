/** Finds the name and the city of an address in Latin or Cyrillic letters, by its lines and commas. */

import { findGaps, type Piece, type Span } from "./address-spans.ts";

interface Line extends Span {
  readonly text: string;
}

const nameWord = /^\p{L}[\p{L}\p{M}.'’-]*$|^&$/u;
/** Words of a street or a house, whole or at the end of a word: Hauptstraße. */
const streetWord =
  /(?<![\p{L}])(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|court|ct|place|pl|plaza|square|sq|boulevard|blvd|terrace|close|crescent|parkway|pkwy|highway|hwy|house|building|bldg|cottage|farm|rectory|hall|tower|floor|flat|apartment|apt|suite|unit|room|p\.?o\.? ?box|c\/o|rue|quai|chemin|allée|impasse|via|viale|piazza|corso|calle|avenida|paseo|rua|ulica|ul|улица|ул|проспект|просп|дом|кв)(?![\p{L}])|(?:stra(?:ß|ss)e|str\.?|weg|platz|gasse|allee|straat|laan|plein|gatan|vägen|veien|gade|katu)(?![\p{L}])/iu;
const noName =
  /(?<![\p{L}])(?:the|my|our|your|please|hi|hello|dear|thanks|address|send|ship|shipping|deliver|delivery|order|phone|tel|email)(?![\p{L}])/iu;
const country =
  /^(?:u\.?k\.?|united kingdom|great britain|england|scotland|wales|northern ireland|ireland|u\.?s\.?(?:a\.?)?|united states(?: of america)?|canada|australia|new zealand|germany|deutschland|france|spain|españa|italy|italia|portugal|(?:the )?netherlands|nederland|belgium|belgique|belgië|switzerland|schweiz|suisse|austria|österreich|sweden|sverige|norway|norge|denmark|danmark|finland|suomi|poland|polska|czech republic|czechia|hungary|greece|turkey|russia|ukraine|romania|malaysia|india|philippines|indonesia|brazil|brasil|mexico|méxico|argentina|chile|china|south africa|israel|россия|украина)\.?$/iu;
/** `Ship to:`, `Shipping address` at the beginning of a text. */
const heading =
  /^\s*(?:(?:ship(?:ping)?|delivery?|send|mail(?:ing)?) (?:address|to)|to(?= *:)) *(?::|(?=\n))/i;

const postcode = {
  /** `NY 10118`, `ON M5V 2T6`, `NSW 2000`: behind a state. */
  state:
    /^(?:(?<city>\D*\p{L}\.?) +)?(?<state>[A-Z]{2,3} +(?:\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4}))$/u,
  /** `10115 Berlin`, `F-75001 Paris`, `1011 AB Amsterdam`, `00-001 Warszawa`, `111 22 Stockholm`. */
  first:
    /^(?:[A-Z]{1,3}-)?(?:\d{5}|\d{4}(?: ?[A-Z]{2}(?= ))?|\d{3} \d{2}|\d{2}-\d{3}) +\p{L}\D*(?: \d{1,2}e?)?$/u,
  /** `London W1U 3BW`, `Dublin D02 X285`, `Singapore 238823`. */
  last: /^(?:\D*\p{L}\.? +)?(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d{2} ?[A-Z\d]{4}|\d{4,6})$/iu,
};

/** The cells of a spreadsheet are separated by tabs, which are blanks in a normalized text. */
export function withCellsAsLines(normalized: string, text: string): string {
  return normalized.replace(/ /g, (blank, index: number) => (text.charAt(index) === "\t" ? "\n" : blank));
}

/** Only for texts without Chinese, Japanese and Korean; `name` where a label or a title has shown it. */
export function cutWesternAddress(
  normalized: string,
  taken: readonly Span[],
  name: Span | undefined,
): Piece[] {
  const title = heading.exec(normalized)?.[0];
  const titles: Piece[] = title === undefined ? [] : [{ kind: "label", start: 0, end: title.length }];
  const isTitleFree = titles.every(({ end }) => taken.every(({ start }) => start >= end));
  const labels = isTitleFree ? titles : [];
  const all = findLines(normalized, [...taken, ...labels, ...(name ? [name] : [])]);
  const first = name === undefined ? findWesternName(all, normalized) : undefined;
  const isMail = ({ text: line }: Line) => line.includes("@");
  const address = (first ? all.slice(1) : all).filter((line) => !isMail(line));
  const others = [...taken, ...(name ? [name] : []), ...all.filter(isMail)];
  return [
    ...labels,
    ...(name ? [{ kind: "name", ...name } as const] : []),
    ...(first ? [{ kind: "name", start: first.start, end: first.end } as const] : []),
    ...findCity(address, (name ?? first) !== undefined).filter(
      (piece) => !others.some(({ start }) => piece.start < start && start < piece.end),
    ),
  ];
}

/** The lines, and the parts between commas, outside of what is taken. */
function findLines(normalized: string, taken: readonly Span[]): Line[] {
  const isBreak = (index: number) => /[,;|\n]/.test(normalized.charAt(index));
  const lines: Line[] = [];
  for (const gap of findGaps(normalized.length, taken)) {
    let start = gap.start;
    for (let index = gap.start; index <= gap.end; index += 1) {
      if (index < gap.end && !isBreak(index)) continue;
      const line = normalized.slice(start, index);
      const [, lead = "", words = ""] = /^([\s()/–-]*)(.*?)[\s()/–-]*$/s.exec(line) ?? [];
      if (words !== "")
        lines.push({ start: start + lead.length, end: start + lead.length + words.length, text: words });
      start = index + 1;
    }
  }
  return lines;
}

/**
 * The first part, where it is words without a digit, and a street or a number comes behind it. A single word may be a town
 * instead: it is a name where it is a line of its own above a numbered street and a town.
 */
function findWesternName([first, ...others]: readonly Line[], normalized: string): Line | undefined {
  if (!first || first.text.length > 60 || country.test(first.text)) return undefined;
  const words = first.text.split(/ +/);
  const isAlone = /^\s*\n/.test(normalized.slice(first.end));
  const [street, ...behind] = others;
  const isAbove = isAlone && street !== undefined && isNumbered(street.text) && behind.some(hasTown);
  const isName =
    words.length < 7 && words.every((word) => nameWord.test(word)) && (words.length > 1 || isAbove);
  if (!isName || noName.test(first.text) || !others.some(({ text }) => isStreet(text))) return undefined;
  const [next, ...more] = others.filter(({ text }) => !country.test(text));
  // New York, NY 10118
  if (next && more.length === 0 && Object.values(postcode).some((form) => form.test(next.text)))
    return undefined;
  // Nathan Lane, 12 High Street: a street follows, so that the first part is none.
  return streetWord.test(first.text) && !(others[0] && isNumbered(others[0].text)) ? undefined : first;
}

function isStreet(text: string): boolean {
  return /\d/.test(text) || streetWord.test(text);
}

function hasTown({ text }: Line): boolean {
  return /\p{L}{3}/u.test(text) && !country.test(text);
}

function isNumbered(text: string): boolean {
  return /\d/.test(text) && streetWord.test(text);
}

/** The city with its postcode and country: together they are the last lines of an address. */
function findCity(lines: readonly Line[], hasName: boolean): Piece[] {
  const last = lines.at(-1);
  const isCountry = last !== undefined && lines.length > 1 && country.test(last.text);
  const index = lines.length - (isCountry ? 2 : 1);
  const line = lines[index];
  // Without anything before it, it is the street.
  if (!last || !line || index < 1 || line.text.length > 100) return [];
  const before = index > 1 ? lines[index - 1] : undefined;
  const town = before && isTown(before.text) ? before : undefined;
  const { end } = last;
  const { city, state } = postcode.state.exec(line.text)?.groups ?? {};
  if (state !== undefined && !streetWord.test(line.text)) {
    const province = { kind: "province", start: line.end - state.length, end } as const;
    if (city !== undefined)
      return [{ kind: "city", start: line.start, end: line.start + city.length }, province];
    return town ? [{ kind: "city", start: town.start, end: town.end }, province] : [];
  }
  if (/^[A-Z]{2}$/.test(line.text) && town)
    return [
      { kind: "city", start: town.start, end: town.end },
      { kind: "province", start: line.start, end },
    ];
  if (streetWord.test(line.text)) return [];
  if (postcode.first.test(line.text)) return [{ kind: "city", start: line.start, end }];
  if (postcode.last.test(line.text)) {
    if (/^\D*\p{L}{2}\D* /u.test(line.text)) return [{ kind: "city", start: line.start, end }];
    return town ? [{ kind: "city", start: town.start, end }] : [];
  }
  // Without a name before it, a last line of two words may be the name as well.
  const isBehindNumber = hasName && lines.slice(0, index).some(({ text }) => /\d/.test(text));
  const isZoned = isCountry && /^\p{L}+ \d{1,2}$/u.test(line.text); // Dublin 2
  return isBehindNumber && (isTown(line.text) || isZoned) ? [{ kind: "city", start: line.start, end }] : [];
}

function isTown(text: string): boolean {
  const words = text.split(/ +/);
  return (
    words.length < 5 &&
    words.every((word) => nameWord.test(word)) &&
    !streetWord.test(text) &&
    !country.test(text)
  );
}
