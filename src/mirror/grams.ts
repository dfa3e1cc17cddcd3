/** Index terms for substring search: all runs of one to three characters of each word. */

/** One form for texts that people take for the same: case, accents, and full-width and half-width forms are gone. */
export function normalise(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC")
    .replace(/\p{Surrogate}/gu, "\ufffd");
}

export function splitWords(normalised: string): readonly string[] {
  return normalised.split(/\s+/).filter((word) => word !== "");
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
