/** Masks secrets in text, in every form that a header or a body may carry. */

import { htmlNames, joinPieces, unescapeOnce } from "./unescape.ts";

const mask = "[redacted]";
/** Stands for a text that could not be searched. */
const notShown = "[not shown: it could not be checked for secrets]";

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the first secret at or after `from`. The text is in lower case. A secret may be cut off at `cutAt` or later: see
 * `brokenEscapes`.
 */
type Search = (text: string, from: number, cutAt: number) => Span | undefined;

interface Searches {
  readonly ofText: readonly Search[];
  /** Of a text without separators. */
  readonly ofJoined: readonly Search[];
}

/** The text may be `isCut`: then its end may be the beginning of a secret, which is masked, too. */
export type Redact = (text: string, isCut?: boolean) => string;

/**
 * Makes a function that masks every given secret in a text: as it is, URL-encoded, as JSON and HTML escape it, in
 * hexadecimal and in base64, there also as part of a longer text such as `user:SECRET`; each piece of twelve or more of
 * its characters, in these forms, too, and with line breaks inside; and where that is escaped again, a few times over. Secrets shorter than four characters are left alone,
 * since masking them would garble ordinary text. It never throws: an error's message could show the secret.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const maskable = secrets.filter((secret) => secret.length >= 4);
  if (maskable.length === 0) return (text) => text;
  let searches: Searches | undefined;
  return (text, isCut) => {
    try {
      searches ??= searchesFor(maskable); // most runs print nothing that has to be searched
      return maskSpans(text, searches, isCut);
    } catch {
      return notShown;
    }
  };
}

function maskSpans(text: string, searches: Searches, isCut?: boolean): string {
  const found = findSpans(lowerKeepingLength(text), searches, mostEscapes, isCut);
  const spans = found.sort((a, b) => a.start - b.start);
  let shown = "";
  let end = 0;
  for (const span of spans) {
    if (span.start >= end) shown += text.slice(end, span.start) + mask;
    end = Math.max(end, span.end);
  }
  return shown + text.slice(end);
}

/** So many escapes of escapes are taken off: each may search the whole text again. */
const mostEscapes = 3;

/** Escapes at the end of a cut text, the last of which may be cut, too. */
const brokenEscapes = /([&%\\][#;\w]*){0,4}$/;

/** Finds the secrets in a text, and in what it is without its escapes. */
function findSpans(text: string, searches: Searches, levels: number, isCut?: boolean): Span[] {
  const cutAt = isCut ? text.search(brokenEscapes) : Number.NaN; // NaN compares to nothing
  const spans = findAll(text, searches.ofText, cutAt);
  const joined = joinPieces(text);
  for (const { start, end } of joined ? findAll(joined.text, searches.ofJoined, Number.NaN) : [])
    spans.push({ start: joined?.origin(start) ?? 0, end: (joined?.origin(end - 1) ?? 0) + 1 });
  const inner = levels === 0 ? undefined : unescapeOnce(text);
  if (!inner) return spans;
  const { origin } = inner;
  for (const { start, end } of findSpans(inner.text, searches, levels - 1, isCut))
    spans.push({ start: origin(start), end: origin(end) });
  return spans;
}

function findAll(text: string, searches: readonly Search[], cutAt: number): Span[] {
  const spans: Span[] = [];
  for (const search of searches)
    for (let span = search(text, 0, cutAt); span; span = search(text, span.end, cutAt)) spans.push(span);
  return spans;
}

function searchesFor(secrets: readonly string[]): Searches {
  const pieces = secrets.map(pieceForms);
  return {
    ofText: secrets.flatMap((secret, index) => [
      searchCharacters([...secret].map(formsOfCharacter)),
      searchText(hexForm(secret)),
      ...base64Forms(secret).map((form) => searchText(form, base64End)),
      searchPieces(pieces[index] ?? []),
    ]),
    ofJoined: pieces.map((forms) =>
      searchPieces(forms.map(({ form, shortest }) => ({ form: joinPieces(form)?.text ?? form, shortest }))),
    ),
  };
}

interface PieceForm {
  readonly form: string;
  /** Services shorten or break keys in their messages. A shorter piece may be any other text. */
  readonly shortest: number;
}

/** Twelve characters of the secret, in each form. */
function pieceForms(secret: string): readonly PieceForm[] {
  return [
    { form: lowerKeepingLength(secret), shortest: shortestPiece },
    { form: hexForm(secret), shortest: 2 * shortestPiece },
    ...base64Forms(secret).map((form) => ({
      form: lowerKeepingLength(form),
      shortest: (4 / 3) * shortestPiece,
    })),
  ];
}

const shortestPiece = 12;
const windowLength = 8;
/** A piece has a whole window at one of each so many places. */
const stride = shortestPiece - windowLength + 1;

/** Pieces of a secret, from any of its places. A long secret has a hundred thousand windows: a number stands for each. */
function searchPieces(given: readonly PieceForm[]): Search {
  // Without + and /, two alphabets of base64 give the same form.
  const forms = [...new Map(given.map((each) => [each.form, each])).values()];
  const places = new Map<string, number | readonly number[]>();
  for (const [which, { form }] of forms.entries())
    for (let place = form.length - windowLength; place >= 0; place--) {
      const window = form.slice(place, place + windowLength);
      const others = listOf(places.get(window)).filter((each) => each % forms.length !== which);
      const own = place * forms.length + which;
      places.set(window, others.length === 0 ? own : [...others, own]);
    }
  return (text, from) => {
    for (let index = from; index + windowLength <= text.length; index += stride)
      for (const each of listOf(places.get(text.slice(index, index + windowLength)))) {
        const { form, shortest } = forms[each % forms.length] as PieceForm;
        const span = widen(text, index, form, Math.floor(each / forms.length), from);
        if (span.end - span.start >= shortest) return span;
      }
    return undefined;
  };
}

const none: readonly number[] = [];

function listOf(value: number | readonly number[] | undefined): readonly number[] {
  return typeof value === "number" ? [value] : (value ?? none);
}

function hexForm(secret: string): string {
  return Buffer.from(secret).toString("hex");
}

/** All that is equal on both sides of `index` in the text, not before `from`, and of `place` in the secret. */
function widen(text: string, index: number, secret: string, place: number, from: number): Span {
  let [before, after] = [0, 0];
  const most = Math.min(index - from, place);
  while (before < most && text[index - before - 1] === secret[place - before - 1]) before++;
  while (index + after < text.length && text[index + after] === secret[place + after]) after++;
  return { start: index - before, end: index + after };
}

/** The last characters of a text in base64: the secret decides a part of them. */
const base64End = /(?:[a-z0-9+/_-]==|[a-z0-9+/_-]?=)(?!=)/y;

/** `tail`: what may follow, and is masked, too. */
function searchText(form: string, tail?: RegExp): Search {
  const lowered = lowerKeepingLength(form);
  return (text, from, cutAt) => {
    const start = text.indexOf(lowered, from);
    if (start < 0) return findBeginning(lowered, text, from, cutAt);
    const end = start + lowered.length;
    if (tail) tail.lastIndex = end;
    return { start, end: end + (tail?.exec(text)?.[0].length ?? 0) };
  };
}

/** The beginning of a form that ends with a cut text. */
function findBeginning(form: string, text: string, from: number, cutAt: number): Span | undefined {
  for (let start = Math.max(from, cutAt - form.length); start <= cutAt - soughtEncoded; start++)
    if (form.startsWith(text.slice(start, cutAt))) return { start, end: text.length };
  return undefined;
}

/** One character after the other, each in any of its forms: several may fit, such as `%` and `%25`. */
function searchCharacters(characters: readonly (readonly string[])[]): Search {
  const beginning = new RegExp(characters.slice(0, sought).map(anyOf).join(""), "g"); // much faster than a loop
  return (text, from, cutAt) => {
    beginning.lastIndex = from;
    for (let found = beginning.exec(text); found; found = beginning.exec(text)) {
      const start = found.index;
      beginning.lastIndex = start + 1;
      let ends = [start];
      for (const forms of characters) {
        if (ends.some((end) => end >= cutAt)) return { start, end: text.length };
        ends = endsOf(forms, text, ends);
        if (ends.length === 0) break;
      }
      if (ends.length > 0) return { start, end: Math.max(...ends) };
    }
    return undefined;
  };
}

/** Where any of the forms ends that begins at one of these places. Called for each beginning of a secret. */
function endsOf(forms: readonly string[], text: string, starts: readonly number[]): number[] {
  const ends = new Set<number>();
  for (const start of starts)
    for (const form of forms) if (text.startsWith(form, start)) ends.add(start + form.length);
  return [...ends];
}

/** So many characters are rare enough in texts without the secret. */
const sought = 4;
/** In hexadecimal and base64. */
const soughtEncoded = 6;

function anyOf(forms: readonly string[]): string {
  return `(?:${forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|")})`;
}

/** A character as it is, percent-encoded, and escaped as in JSON, in HTML and in a quoted word of a shell. */
function formsOfCharacter(character: string): string[] {
  const percent = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join("");
  const forms = [character, percent];
  if (/[^A-Za-z0-9_.~-]/.test(character)) {
    const units = [...Array(character.length).keys()];
    forms.push(units.map((unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(""));
    const point = character.codePointAt(0) ?? 0;
    const names = Object.keys(htmlNames).filter((name) => htmlNames[name] === character);
    forms.push(`&#${point};`, `&#0${point};`, `&#x${hex(point, 0)};`, ...names.map((name) => `&${name};`));
  }
  if (/["\\/]/.test(character)) forms.push(`\\${character}`);
  if (character === " ") forms.push("+");
  if (character === "'") forms.push("'\\''");
  return forms.map(lowerKeepingLength);
}

/**
 * The base64 characters that a secret alone decides, for each of the three places in a group of three
 * bytes at which it can begin inside a longer text; in both alphabets.
 */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const form = bytes.toString("base64").slice(start, end);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** In lower case, of the same length: a few capitals have lower-case forms of another length. */
function lowerKeepingLength(text: string): string {
  const lowered = text.toLowerCase();
  if (lowered.length === text.length) return lowered;
  return Array.from(text, (each) => {
    const letter = each.toLowerCase();
    return letter.length === each.length ? letter : each;
  }).join("");
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
