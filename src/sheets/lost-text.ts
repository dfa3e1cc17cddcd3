/** Text whose characters beyond ASCII became question marks, as Windows PowerShell 5.1 pipes it to programs. */

import { type CourierError, fileError } from "../core/errors.ts";
import { type Json, stringifyJson } from "../model/json.ts";
import { findText } from "./mojibake.ts";

/**
 * Two question marks together, and beside such marks nothing but digits, punctuation and single letters: “???88?” of
 * “建国路88号”. Any word shows that the text is one with questions in it.
 */
const lost = /^(?=.*\?\?)(?!.*[A-Za-z]{2})[\t\n\r -~]*$/s;

export function isLostText(text: string): boolean {
  return lost.test(text);
}

/** The first text or key of a record that was lost. A record with a character beyond ASCII came as it was. */
export function findLostText(record: Json): { readonly path: string; readonly text: string } | undefined {
  const found = findText(record, isLostText);
  return found && /^[\0-~]*$/.test(stringifyJson(record)) ? found : undefined;
}

/** `where` says what is lost: `row 2 has “??” in sender.name`. */
export function lostTextError(name: string, where: string, details?: unknown): CourierError {
  const command = "$OutputEncoding = [System.Text.UTF8Encoding]::new()";
  return fileError(`${name}: characters became question marks before courier read them: ${where}`, {
    hint:
      name === "stdin"
        ? `in Windows PowerShell, run ${command} and pipe it again; or give the name of the file instead of -`
        : `write the file again, in UTF-8; in Windows PowerShell, run ${command} before it is written`,
    details,
  });
}
