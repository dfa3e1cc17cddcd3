/** Candidates in the form that the completion script of each shell reads. */

import { type BashLine, quoteForBash } from "./bash-line.ts";
import type { Answer } from "./candidates.ts";

/** A list on a terminal, where Chinese characters take two columns. */
export interface Listing {
  readonly columns: number;
  width(text: string): number;
  cut(text: string, columns: number): string;
  pad(text: string, columns: number): string;
}

/** zsh and fish match and quote themselves: a line each, value and description separated by a tab. */
export function answerInWords({ candidates, isFile }: Answer): string {
  const lines = candidates.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${description}`,
  );
  return joinLines([isFile ? "files" : "words", ...lines]);
}

/**
 * bash takes matches, quoted. Only a list of several may show descriptions: bash inserts a single candidate, or the
 * common prefix of several, unchanged.
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

/** PowerShell takes matches, quoted: the inserted text, the listed text and the tooltip, separated by tabs. */
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
