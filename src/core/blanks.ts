/**
 * Blanks in texts of any length. A regular expression such as `/ +$/` or `/\s*\n/` tries a long run again at each of its
 * characters: a cell of 100,000 blanks takes minutes.
 */

/** A text between what was cut off its ends. */
export interface Ends {
  readonly lead: string;
  readonly inner: string;
  readonly tail: string;
}

/** Cuts off all of `characters` at both ends. A text that has nothing else is all `lead`. */
export function splitEnds(text: string, characters: string): Ends {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  let end = text.length;
  while (end > start && characters.includes(text.charAt(end - 1))) end -= 1;
  return { lead: text.slice(0, start), inner: text.slice(start, end), tail: text.slice(end) };
}

/** Each run of blanks that has a line break becomes one blank. */
export function joinLines(text: string): string {
  return text.replace(/\s+/g, (run) => (/[\n\r\u2028\u2029]/.test(run) ? " " : run));
}
