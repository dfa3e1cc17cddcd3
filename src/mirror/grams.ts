/** Index terms for substring search: all runs of one to three characters of each word, and of four digits; and queries of them. */

/** Letters that Unicode does not take apart, and what people type who lack their keys. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ı: "i",
  ς: "σ",
};
/** ASCII and the Chinese characters that have one form only. */
const oneForm = /^[\0-\x7f\u3400-\u4dbf\u4e00-\u9fff]*$/;
const letter = new RegExp(`[${Object.keys(letters).join("")}]`, "g");

/**
 * One form for texts that people take for the same: case, accents, strokes and ligatures, and full-width and half-width
 * forms are gone.
 */
export function normalise(text: string): string {
  if (oneForm.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(letter, (each) => letters[each] ?? each)
    .normalize("NFKC")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

export function splitWords(normalised: string): readonly string[] {
  return normalised.split(/\s+/).filter((word) => word !== "");
}

/** What people write between the digits of a phone. */
const betweenDigits = /[\s()+.\-‐‒–—−]/gu;
/** Also one that is still being typed. Fewer digits at first are a date or a number of another kind. */
const phone = /^\(?(?:\+\d|\d{3})[\d()+.\-‐‒–—−]*$/u;
/** Of mainland China, where a phone may lack it. */
const countryCode = /^\(?\+86\)?/;
const mobileWithCode = /^(?:00)?86(?=1[3-9]\d{9}$)/;
const anyCountryCode = /^\(?\+\d{1,3}\)?-?$/;

/** The digits of a normalised text that is a phone's field, in the forms in which people type them. */
export function phoneForms(normalised: string): readonly string[] {
  const digits = normalised.replace(betweenDigits, "");
  const national = normalised.trim().replace(countryCode, "").replace(betweenDigits, "");
  // An area code begins with 0, except after a country code.
  const isAreaCode = national.length < digits.length && /^[2-9]/.test(national);
  return isAreaCode ? [digits, `0${national}`] : [digits];
}

/** A word of a search, and the forms in which it may occur. */
export type SearchWord = readonly string[];

/** The words of what a person typed. One that is a phone is also looked for by its digits. */
export function searchWords(text: string): readonly SearchWord[] {
  const normalised = splitWords(normalise(text));
  // Of an accent alone nothing is left, which would be in every text.
  const words = normalised.length > 0 ? normalised : splitWords(text);
  return words
    .filter((word, index) => !(anyCountryCode.test(word) && /^\(?\d/.test(words[index + 1] ?? "")))
    .map((word) => (phone.test(word) ? [...new Set([word, digitsOf(word)])] : [word]));
}

function digitsOf(word: string): string {
  const digits = word.replace(countryCode, "").replace(betweenDigits, "").replace(mobileWithCode, "");
  return digits === "" ? word : digits;
}

/**
 * Scripts without blanks between words. Two of their characters find as few orders as three letters, so that longer
 * runs would only enlarge the index.
 */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Grams of digits: phones share runs of three with almost all orders of a shop. */
const digitsInGram = 4;
const simple = /^[\da-z]*$/;
/** A word of characters of which each pair is a gram. */
const chinese = /^[\u3400-\u4dbf\u4e00-\u9fff]*$/;

/** Makes the terms of the index: all grams of normalised texts, with blanks between them. Few occur more than once. */
export function createTermMaker(): (texts: readonly string[]) => string {
  /** By a gram's number in base 36: the last call that had it. */
  const seen = [1, 2, 3, 4].map((length) => new Uint32Array(36 ** Math.min(length, 3)));
  const [ones, twos, threes, fours] = seen as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  let call = 0;

  function isNew(grams: Uint32Array, gram: number): boolean {
    const isFirst = grams[gram] !== call;
    grams[gram] = call;
    return isFirst;
  }

  /** A word of letters without accents and of digits, as most numbers are. */
  function addSimple(word: string, terms: string[]): void {
    let pair = 0;
    let digits = 0;
    let four = 0;
    for (let end = 1; end <= word.length; end++) {
      const code = word.charCodeAt(end - 1);
      const isDigit = code <= nine;
      const place = isDigit ? code - zero : code - letterA + 10;
      if (isNew(ones, place)) terms.push(word.slice(end - 1, end));
      if (end >= 2 && isNew(twos, (pair % 36) * 36 + place)) terms.push(word.slice(end - 2, end));
      if (end >= 3 && isNew(threes, pair * 36 + place)) terms.push(word.slice(end - 3, end));
      digits = isDigit ? digits + 1 : 0;
      four = isDigit ? (four * 10 + place) % 10_000 : 0;
      if (digits >= digitsInGram && isNew(fours, four)) terms.push(word.slice(end - digitsInGram, end));
      pair = (pair % 36) * 36 + place;
    }
  }

  return (texts) => {
    call += 1;
    const terms: string[] = [];
    for (const text of texts)
      for (const word of splitWords(text)) {
        if (simple.test(word)) addSimple(word, terms);
        else if (chinese.test(word)) addPairs(word, terms);
        else for (const gram of allGrams([...word])) terms.push(toTerm(gram));
      }
    return terms.join(" ");
  };
}

const [zero, nine, letterA] = ["0", "9", "a"].map((each) => each.charCodeAt(0)) as [number, number, number];

function addPairs(word: string, terms: string[]): void {
  for (let end = 1; end <= word.length; end++) {
    terms.push(word.slice(end - 1, end));
    if (end >= 2) terms.push(word.slice(end - 2, end));
  }
}

function allGrams(characters: readonly string[]): ReadonlySet<string> {
  const grams = new Set<string>();
  for (const [index, first] of characters.entries()) {
    grams.add(first);
    const second = characters[index + 1];
    if (second !== undefined) grams.add(first + second);
    for (const gram of [tripleAt(characters, index), digitsAt(characters, index)])
      if (gram !== undefined) grams.add(gram);
  }
  return grams;
}

/** The longest grams that a text with this word must have. */
function gramsOf(word: string): readonly string[] {
  return longestGrams([...word], digitsAt);
}

/** The same without grams of digits, which an index of an earlier version does not have. */
export function shortGramsOf(word: string): readonly string[] {
  return longestGrams([...word], () => undefined);
}

function longestGrams(characters: readonly string[], longAt: typeof tripleAt): readonly string[] {
  if (characters.length === 1) return characters;
  const grams: string[] = [];
  for (let index = 0; index < characters.length - 1; index++) {
    const long = longAt(characters, index);
    const triple = tripleAt(characters, index);
    if (long !== undefined) grams.push(long);
    else if (triple !== undefined) {
      if (longAt(characters, index - 1) === undefined) grams.push(triple);
    } else if (tripleAt(characters, index - 1) === undefined)
      grams.push(characters.slice(index, index + 2).join(""));
  }
  return [...new Set(grams)];
}

function tripleAt(characters: readonly string[], index: number): string | undefined {
  const [first, second, third] = [characters[index], characters[index + 1], characters[index + 2]];
  if (first === undefined || second === undefined || third === undefined) return undefined;
  const triple = first + second + third;
  return dense.test(triple) ? undefined : triple;
}

function digitsAt(characters: readonly string[], index: number): string | undefined {
  if (index < 0) return undefined;
  const gram = characters.slice(index, index + digitsInGram).join("");
  return gram.length === digitsInGram && /^\d+$/.test(gram) ? gram : undefined;
}

/** As one word for SQLite's `ascii` tokenizer, which splits at ASCII punctuation and control characters. */
export function toTerm(gram: string): string {
  return gram.replace(/[\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/g, (character) =>
    String.fromCharCode(0xe000 + character.charCodeAt(0)),
  );
}

/**
 * A query of the index for each word: the grams of one of its forms. Common grams are left out where others are left: what
 * is found is checked anyway.
 */
export function toMatches(words: readonly SearchWord[], common: ReadonlySet<string>): readonly string[] {
  const queries = words.map((forms) => {
    const terms = forms.map((form) => gramsOf(form).map(toTerm));
    const rare = terms.map((each) => each.filter((term) => !common.has(term)));
    const isCommon = rare.some((each) => each.length === 0);
    return { match: anyOf(isCommon ? terms : rare), isCommon };
  });
  const rare = queries.filter(({ isCommon }) => !isCommon);
  return [...new Set((rare.length > 0 ? rare : queries).map(({ match }) => match))];
}

function anyOf(forms: readonly (readonly string[])[]): string {
  return `(${forms.map((terms) => `(${terms.map((term) => `"${term}"`).join(" AND ")})`).join(" OR ")})`;
}

/** Whether all words occur in the texts, whatever the index says. */
export function hasWords(texts: readonly string[], words: readonly SearchWord[]): boolean {
  return words.every((forms) => texts.some((each) => forms.some((form) => each.includes(form))));
}
