/** The address of a shared ledger as people read it: the command that prints the password stands apart. */

import { shellQuote } from "../core/shell-quote.ts";
import { showCommand } from "../core/shown-command.ts";

export const passwordSetting = "passwordcommand";

export interface ShownAddress {
  readonly place: string;
  readonly passwordCommand: string | undefined;
}

/** The path of a ledger on this machine stays as it is. */
export function showAddress(text: string): ShownAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const passwordCommand = url?.searchParams.get(passwordSetting);
  if (!url || passwordCommand === null || passwordCommand === undefined)
    return { place: text, passwordCommand: undefined };
  url.searchParams.delete(passwordSetting);
  return { place: url.href, passwordCommand };
}

/** The address as an argument in a hint. A command with a token in it is left for the reader to fill in. */
export function quoteAddress(text: string): string {
  const { passwordCommand = "" } = showAddress(text);
  if (showCommand(passwordCommand) === passwordCommand) return shellQuote(text);
  const url = new URL(text);
  url.searchParams.set(passwordSetting, "COMMAND");
  return shellQuote(url.href);
}
