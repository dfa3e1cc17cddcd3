/** Words for a command line that a person copies into a shell. */

/** The text as one word: as it is where no shell reads anything into it, else in quotes. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : inQuotes(text);
}

/** Double quotes, which every shell knows, unless the text has what means something inside of them (POSIX). */
export function inQuotes(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}

/** The same for a path that may begin with `~`, which means the home directory only outside of quotes. */
export function shellQuotePath(path: string): string {
  return path.startsWith("~/") ? `~/${shellQuote(path.slice(2))}` : shellQuote(path);
}
