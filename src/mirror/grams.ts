/** Index terms for substring search: all runs of one to three characters of each word. */

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
const letter = new RegExp(`[${Object.keys(letters).join("")}]`, "g");

/**
 * One form for texts that people take for the same: case, accents, strokes and ligatures, and full-width and half-width
 * forms are gone.
 */
export function normalise(text: string): string {
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
  const words = splitWords(normalise(text));
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

/** Adds all grams of a normalised text. */
export function addGrams(normalised: string, grams: Set<string>): void {
  for (const word of splitWords(normalised)) {
    const characters = [...word];
    for (const [index, first] of characters.entries()) {
      grams.add(first);
      const second = characters[index + 1];
      if (second === undefined) continue;
      grams.add(first + second);
      const triple = tripleAt(characters, index);
      if (triple !== undefined) grams.add(triple);
    }
  }
}

/** The longest grams that a text with this word must have. */
export function gramsOf(word: string): readonly string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  const grams: string[] = [];
  for (let index = 0; index < characters.length - 1; index++) {
    const isInTriple =
      tripleAt(characters, index) !== undefined || tripleAt(characters, index - 1) !== undefined;
    grams.push(
      tripleAt(characters, index) ?? (isInTriple ? "" : characters.slice(index, index + 2).join("")),
    );
  }
  return [...new Set(grams)].filter((gram) => gram !== "");
}

function tripleAt(characters: readonly string[], index: number): string | undefined {
  const [first, second, third] = [characters[index], characters[index + 1], characters[index + 2]];
  if (first === undefined || second === undefined || third === undefined) return undefined;
  const triple = first + second + third;
  return dense.test(triple) ? undefined : triple;
}

/** As one word for SQLite's `ascii` tokenizer, which splits at ASCII punctuation and control characters. */
export function toTerm(gram: string): string {
  return gram.replace(/[\0-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/g, (character) =>
    String.fromCharCode(0xe000 + character.charCodeAt(0)),
  );
}
