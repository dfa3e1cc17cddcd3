/** Bash's command line: its words without their quotes, and candidates written so that bash takes them as they are. */

import type { CommandLine } from "./position.ts";

/** What readline replaces: the end of the current word. */
export interface BashLine extends CommandLine {
  /** The quote that is open at the cursor, or nothing. */
  readonly quote: "" | "'" | '"';
  /** How much of the current word, without its quotes, is before the part that readline replaces. */
  readonly kept: number;
}

interface Word {
  text: string;
  quote: BashLine["quote"];
  /** Length of the text before the quote that is open. */
  beforeQuote: number;
  /** Length of the text up to the last unquoted break. */
  beforeBreak: number;
}

/**
 * Reads the line as bash would, but expands nothing: the text before the cursor, and the text behind it.
 * `breaks` are the characters at which readline begins a new word (COMP_WORDBREAKS), `=` and `:` among them.
 */
export function readBashLine(textBefore: string, textBehind: string, breaks: string): BashLine {
  const before = readWords(textBefore, breaks);
  const open = before.at(-1) ?? emptyWord();
  const behind = readWords(textBehind, breaks).flatMap(({ text }) => (text === "" ? [] : [text]));
  // What touches the cursor from behind belongs to the current word, which is cut there.
  const others = /^\s/.test(textBehind) ? behind : behind.slice(1);
  const words = [...before.slice(1).map(({ text }) => text), ...others];
  const kept = open.quote === "" ? open.beforeBreak : open.beforeQuote;
  return { words, current: before.length - 2, quote: open.quote, kept };
}

/** The last word is the one at the end of the text; it is empty after a blank. */
function readWords(text: string, breaks: string): Word[] {
  const words: Word[] = [];
  let word: Word | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    const quote: BashLine["quote"] = word?.quote ?? "";
    if (quote === "" && /[ \t\n]/.test(character)) {
      if (word) words.push(word);
      word = undefined;
      continue;
    }
    word ??= emptyWord();
    if (quote === "'") {
      if (character === "'") word.quote = "";
      else word.text += character;
    } else if (character === "\\" && (quote === "" || /["\\$`\n]/.test(text[index + 1] ?? ""))) {
      index += 1;
      word.text += text[index] ?? "";
    } else if (character === quote) {
      word.quote = "";
    } else if (quote === "" && (character === "'" || character === '"')) {
      word.quote = character;
      word.beforeQuote = word.text.length;
    } else {
      // Of the characters that begin a new word, readline takes these two along.
      const isTaken = character === "@" || character === "$";
      if (quote === "" && breaks.includes(character)) word.beforeBreak = word.text.length + (isTaken ? 0 : 1);
      word.text += character;
    }
  }
  return [...words, word ?? emptyWord()];
}

function emptyWord(): Word {
  return { text: "", quote: "", beforeQuote: 0, beforeBreak: 0 };
}

/**
 * A candidate as readline has to insert it: from where it replaces the word, in the quotes that are open.
 * readline closes them unless it finds the same sign at
 * the end already, and puts what begins with the same sign over the one that is open.
 */
export function quoteForBash(value: string, { quote, kept }: Pick<BashLine, "quote" | "kept">): string {
  const rest = value.slice(kept);
  if (quote === "") return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, "\\$&");
  const quoted =
    quote === "'" ? rest.replaceAll("'", "'\\''") : rest.replace(/["\\$`]/g, "\\$&").replaceAll("!", '"\\!"');
  return `${quoted.startsWith(quote) ? quote : ""}${quoted}${quoted.endsWith(quote) ? quote : ""}`;
}
