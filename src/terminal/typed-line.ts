/** A line of a screen in which a person types: what keys do to its text, and which part of it is shown. */

import { type Key, keyNames } from "./keypress.ts";
import { displayWidth } from "./width.ts";

const ctrl = { u: "\u0015", w: "\u0017" };
/** The text after a key; undefined for a key that changes no text. */
export function editText(text: string, key: Key): string | undefined {
  if (key === "backspace") return withoutLast(text);
  if (key === ctrl.u) return "";
  if (key === ctrl.w) return text.replace(/\S*\s*$/, "");
  return /^\P{Cc}+$/u.test(key) && !keyNames.has(key) ? text + key : undefined;
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
  let shown = [...text];
  while (shown.length > 0 && displayWidth(shown.join("")) > room) shown = shown.slice(1);
  const fitted = shown.join("");
  return { title, shown: fitted, column: displayWidth(title + fitted) };
}
