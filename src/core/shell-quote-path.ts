/** Paths for a command line that a person copies into a shell. */

import { shellQuote } from "./shell-quote.ts";

/** It may begin with `~`, which means the home directory only outside of quotes. */
export function shellQuotePath(path: string): string {
  return path.startsWith("~/") ? `~/${shellQuote(path.slice(2))}` : shellQuote(path);
}

/** A file that is named without a flag before it. */
export function shellQuoteFile(file: string): string {
  return shellQuote(file.startsWith("-") ? `./${file}` : file);
}
