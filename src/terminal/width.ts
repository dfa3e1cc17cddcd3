/** The width of text on a terminal, in columns, and cutting by it (owner of string-width). */

import stringWidth from "string-width";

/** Columns that a text takes; Chinese characters take two. Styling codes take none. */
export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  return isPlain(text) ? 2 * text.length - text.replace(wide, "").length : stringWidth(text);
}

/** ASCII, and common Chinese with its signs: no marks that combine, no emoji, no styling codes. */
export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** Fast paths for most cells of large tables, which take a hundredth of the time. */
const plainAscii = /^[ -~]*$/;
const plain = /^[ -~\u3001\u3002\u4E00-\u9FFF\uFF01-\uFF5E]*$/;
const wide = /[^ -~]+/g;

/** In a pipe, padding stops here: one long text would make every line as long. */
export const widestPadding = 300;

const segmentedAtOnce = 1_000;

/** What a person takes for one character each. The time that Node.js takes grows with the square of a long text. */
export function* graphemes(text: string): Generator<string> {
  if (isPlain(text)) return yield* text;
  const segmenter = new Intl.Segmenter();
  for (let start = 0; start < text.length; ) {
    const end = start + segmentedAtOnce;
    const found = [...segmenter.segment(text.slice(start, end))];
    // The last one may go on behind the cut.
    const whole = end < text.length && found.length > 1 ? found.slice(0, -1) : found;
    for (const { segment } of whole) {
      yield segment;
      start += segment.length;
    }
  }
}

/** Cuts between graphemes so that the text, an ellipsis included, takes at most `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  let width = 1; // the ellipsis
  for (const segment of graphemes(text)) {
    width += displayWidth(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The same for a text with styling codes of our own, all of which it keeps. */
export function cutPainted(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let room = columns;
  return text
    .split(/(\u001b\[[\d;]*m)/)
    .map((part, index) => {
      if (index % 2 === 1 || room < 1) return index % 2 === 1 ? part : "";
      const isLast = displayWidth(part) >= room;
      const kept = isLast ? cutToWidth(`${part}…`, room) : part;
      room -= isLast ? room : displayWidth(part);
      return kept;
    })
    .join("");
}

/** Pads on the right to `columns`; a longer text stays as it is. */
export function padToWidth(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Breaks a text into lines of at most `columns`: after blanks where it can, between graphemes where it must. */
export function wrapToWidth(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )/)) {
    if (displayWidth(line + word.trimEnd()) <= columns) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    line = "";
    let width = 0;
    for (const segment of graphemes(word)) {
      const added = displayWidth(segment);
      if (line !== "" && segment !== " " && width + added > columns) {
        lines.push(line.trimEnd());
        line = "";
        width = 0;
      }
      line += segment;
      width += added;
    }
  }
  return [...lines, line.trimEnd()];
}
