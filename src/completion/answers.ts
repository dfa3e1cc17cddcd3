/** What the script of each shell reads: candidates as lines, written so that its shell takes them as they are. */

import { type BashLine, quoteForBash } from "./bash-line.ts";
import type { Answer } from "./candidates.ts";

/** A list on a terminal, where Chinese characters take two columns. */
export interface Listing {
  readonly columns: number;
  width(text: string): number;
  cut(text: string, columns: number): string;
  pad(text: string, columns: number): string;
}

/** zsh and fish match and quote by themselves: a line each, value and description parted by a tab. */
export function answerInWords({ candidates, isFile }: Answer): string {
  const lines = candidates.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  return joinLines([isFile ? "files" : "words", ...lines]);
}

/**
 * bash takes what matches, quoted. Only a list of several may show descriptions: a single one, and what
 * several have in common, is inserted as it is.
 */
export function answerInBash(answer: Answer, line: BashLine, listing: Listing | undefined): string {
  if (answer.isFile) return "files\n";
  const matches = matching(answer, line.words[line.current] ?? "").map(({ value, description }) => ({
    inserted: quoteForBash(value, line),
    description,
  }));
  const widest = Math.max(0, ...matches.map(({ inserted }) => listing?.width(inserted) ?? 0));
  const lines = matches.map(({ inserted, description }) => {
    if (listing === undefined || matches.length < 2 || description === undefined) return inserted;
    return listing.cut(`${listing.pad(inserted, widest)}  (${description})`, listing.columns - 1);
  });
  return joinLines(["words", ...lines]);
}

/** PowerShell takes what matches, quoted: what is inserted, what is listed, what is explained, parted by tabs. */
export function answerInPowerShell(answer: Answer, word: string): string {
  const lines = matching(answer, word).map(({ value, description }) =>
    [quoteForPowerShell(value), value.slice(answer.prefix.length) || value, description ?? value].join("\t"),
  );
  return joinLines([answer.isFile ? "files" : "words", ...lines]);
}

function matching({ candidates, prefix }: Answer, word: string) {
  return candidates
    .map(({ value, description }) => ({ value: prefix + value, description }))
    .filter(({ value }) => value.startsWith(word));
}

/** A bare `@shop` would be splatting; quotation marks of any form end a string. */
function quoteForPowerShell(value: string): string {
  if (/^[\p{L}\p{N}-][\p{L}\p{N}._:/=-]*$/u.test(value)) return value;
  return `'${value.replace(/['\u2018\u2019\u201A\u201B]/g, "$&$&")}'`;
}

function joinLines(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
