/** Words for a command line that a person copies into a shell. */

/** The text as one word: as it is where no shell reads anything into it (zsh: `=ls` is a path), else in quotes. */
export function shellQuote(text: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(text) ? text : inQuotes(text);
}

/**
 * Double quotes, which every shell knows, unless the text has what means something inside of them (POSIX). What a
 * terminal is shown as an escape is read again in $'…' only, by bash, zsh and ksh.
 */
export function inQuotes(text: string): string {
  if (/[\p{Cc}\p{Cf}]/u.test(text)) return `$'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
