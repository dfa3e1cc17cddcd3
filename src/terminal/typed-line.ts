/** A line of a screen in which a person types: what keys do to its text, and which part of it is shown. */

import { type Key, keyNames } from "./keypress.ts";
import { displayWidth } from "./width.ts";

const ctrl = { u: "\u0015", w: "\u0017" };
/** Every key searches for all words of the text. No more is taken of a paste, which may hold thousands of them. */
const longestText = 1_000;

/** The text after a key; undefined for a key that changes no text. */
export function editText(text: string, key: Key): string | undefined {
  if (key === "backspace") return withoutLast(text);
  if (key === ctrl.u) return "";
  if (key === ctrl.w) return text.replace(/\S*\s*$/, "");
  if (!/^\P{Cc}+$/u.test(key) || keyNames.has(key)) return undefined;
  return text.length + key.length > longestText ? text : text + key;
}

function withoutLast(text: string): string {
  return [...new Intl.Segmenter().segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join("");
}

export interface TypedLine {
  readonly title: string;
  /** The end of a text that is longer than its line: that is where the person types. */
  readonly shown: string;
  /** The column of the caret. */
  readonly column: number;
}

export function fitTyped(title: string, text: string, columns: number): TypedLine {
  const room = columns - displayWidth(title) - 1;
  let shown = "";
  // From its end: a paste may be much longer than the line.
  for (const character of [...text].reverse()) {
    if (displayWidth(character + shown) > room) break;
    shown = character + shown;
  }
  return { title, shown, column: displayWidth(title + shown) };
}
