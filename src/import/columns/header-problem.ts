/** Damage of a header: a column would be left out because its title is another one than it was. */

import { type CourierError, fileError } from "../../core/errors.ts";
import { findControlCharacter } from "../../model/text-problem.ts";
import { findLostText, isLostText, lostTextError } from "../../sheets/lost-text.ts";
import { findMojibake, wrongGuess } from "../../sheets/mojibake.ts";
import type { SheetRow } from "../../sheets/sheet.ts";
import type { SourceFacts } from "../../sheets/source.ts";

interface HeaderSource {
  /** The user's name for the file. */
  readonly name: string;
  readonly mapping: ReadonlyMap<string, string>;
  readonly facts: Pick<SourceFacts, "isGuessed">;
}

/** The error of a header with such titles. */
export function findHeaderProblem(
  { cells, line }: SheetRow,
  { name, mapping, facts }: HeaderSource,
): CourierError | undefined {
  const lost = cells.find((title) => isLostText(title) && !mapping.has(title));
  if (lost !== undefined && findLostText([...cells]))
    return lostTextError(name, `the header has “${lost}”`, { line });
  const misread = facts.isGuessed ? findMojibake(cells) : undefined;
  if (misread !== undefined)
    return wrongGuess(name, "the header", { path: misread, text: misread }, { line, value: misread });
  for (const title of cells) {
    const character = findControlCharacter(title);
    if (character !== undefined)
      return fileError(`${name}: the title “${title}” of a column holds ${character}`, {
        hint: "type the title again in the file",
        details: { line, value: title },
      });
  }
  return undefined;
}
