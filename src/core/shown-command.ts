/** A command of the user as it is shown: what may be a key in it is masked. */

/** Masking a shorter one would garble unrelated texts. */
export const shortestKey = 8;
/** A word of so many characters may be a key. */
const longWord = 16;

/**
 * A key that a program prints on stderr alone is not known: masks each long word, and each shorter one of letters and digits
 * that is as long as a key.
 */
export function maskKeyLike(text: string): string {
  return text.replace(/[\w+/=.~%-]+/g, (word) => {
    const mayBeKey =
      word.length >= longWord || (word.length >= shortestKey && /[a-z]/i.test(word) && /\d/.test(word));
    return mayBeKey ? "[redacted]" : word;
  });
}

/** The name of a variable, or a path in a password store: short words, each with a number of two digits at most. */
function isName(word: string): boolean {
  const isShort = (part: string) => /^(?:[A-Z]?[a-z]{0,12}|[A-Z]{0,13})\d{0,2}$/.test(part);
  return /\/|^[^a-z]*_[^a-z]*$/.test(word) && word.split(/[/_.-]/).every(isShort);
}

/**
 * A person may have written a key into it, also behind a name or in a URL. A path is none, nor is a word without a digit, the
 * program that is given arguments, or a name.
 */
export function showCommand(command: string): string {
  const mask = (word: string) => (/\d/.test(word) ? maskKeyLike(word) : word);
  const [program = ""] = /^[\w.-]+(?= )/.exec(command) ?? [];
  const shown = command.slice(program.length).replace(/[\w+/=.~%:-]+/g, (word) => {
    if (word.includes(":")) return word.replace(/[^:/]+/g, mask);
    return word.startsWith("/") || isName(word) ? word : mask(word);
  });
  return program + shown;
}
