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

/** A person may have written a key into it, also behind a name or in a URL. A path is none, nor is a word without a digit. */
export function showCommand(command: string): string {
  const mask = (word: string) => (/\d/.test(word) ? maskKeyLike(word) : word);
  return command.replace(/[\w+/=.~%:-]+/g, (word) => {
    if (word.includes(":")) return word.replace(/[^:/]+/g, mask);
    return word.startsWith("/") ? word : mask(word);
  });
}
