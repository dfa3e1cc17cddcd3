/** Breaks the program's own texts into lines and columns of a terminal. */

const noBreak = "\u00a0";

/** A command that stays on one line, to be copied. */
export function unbroken(command: string): string {
  return command.replaceAll(" ", noBreak);
}

const widestTerm = 32;

/** Terms and what they mean, in two columns; a term too long for the first gets its own line. */
export function definitions(
  entries: readonly (readonly [string, string])[],
  width: number,
  widest = widestTerm,
): string[] {
  const termWidth = Math.min(widest, Math.max(0, ...entries.map(([term]) => term.length)));
  const isNarrow = width - termWidth - 4 < 24;
  const indent = isNarrow ? 6 : termWidth + 4;
  return entries.flatMap(([term, meaning]) => {
    const [first = "", ...rest] = wrap(meaning, width - indent);
    const padding = " ".repeat(indent);
    if (isNarrow || term.length > termWidth)
      return [`  ${term}`, ...[first, ...rest].map((text) => padding + text)];
    return [`  ${term.padEnd(termWidth)}  ${first}`, ...rest.map((text) => padding + text)];
  });
}

/** Breaks a text between words into lines of at most `columns`. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && columnsOf(last) + 1 + columnsOf(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll(noBreak, " "));
}

/** Columns of a text of ours; Chinese takes two a character. Measuring service text takes more (terminal/width.ts). */
function columnsOf(text: string): number {
  return text.length + (text.match(/[\u2e80-\uffef]/g)?.length ?? 0);
}
