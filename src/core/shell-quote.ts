/** Words for a command line that a person copies into a POSIX shell. */

/** The text as one word: as it is where no shell reads anything into it, else in single quotes. */
export function shellQuote(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
