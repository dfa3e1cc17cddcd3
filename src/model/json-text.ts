/** Parses JSON files of users; errors name line and column. */

import { fileError } from "../core/errors.ts";
import { type Json, JsonSyntaxError, lineAndColumn, parseJson } from "./json.ts";

/**
 * Parses the text of a file that the user calls `name`; a byte order mark is skipped, a duplicate
 * key is refused. Throws a file error.
 */
export function parseUserJson(text: string, name: string): Json {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  try {
    return parseJson(text.slice(start), { duplicateKeys: "refuse" });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const { line, column } = lineAndColumn(text.slice(start), error.position);
    throw fileError(`${name}, line ${line}, column ${column}: not valid JSON: ${error.reason}`, {
      details: { line, column },
    });
  }
}
