/** The options that say how a file is read: of an import, and of what comes later to the same file. */

import {
  flagOf,
  listOption,
  type OptionValues,
  quote,
  switchOption,
  textOption,
} from "../command/options.ts";
import { usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { type NamedEncoding, namedEncodings } from "../sheets/source.ts";
import { mapFlag, parseMapping } from "./columns/columns.ts";
import { parsePlatform, platformNames } from "./columns/platforms.ts";

export const readOptions = {
  map: listOption(
    "COLUMN=FIELD",
    'a column of the file is this field: "Ship Name=receiver.name"; "Notes=" leaves one out (repeatable)',
    parseMapping,
  ),
  useMap: textOption("NAME", "column names that were saved", { values: "column names" }),
  saveMap: textOption("NAME", "save the column names that --map gives", { values: "column names" }),
  replace: switchOption("let --save-map replace saved column names"),
  sender: textOption("@NAME", "the sender of rows without one, from the address book", {
    values: "party",
  }),
  encoding: {
    placeholder: "NAME",
    summary: "the encoding of the file: utf-8, gb18030, big5 or windows-1252 (default: UTF-8, else GB18030)",
    parse: parseEncoding,
    candidates: namedEncodings.map((value) => ({ value })),
  },
  sheet: textOption("NAME", "the sheet of a workbook to read: its name, or its number among the tabs"),
  skipHidden: switchOption("leave out hidden rows of a workbook"),
  includeHidden: switchOption("import hidden rows like the others"),
  platform: {
    placeholder: "NAME",
    summary:
      "the platform that wrote the file, or none to read it by its headers alone (default: by its header)",
    parse: parsePlatform,
    candidates: platformNames.map((value) => ({ value })),
  },
  includeFulfilled: switchOption("send orders that the shop's file marks as fulfilled, too"),
  shop: textOption("NAME", "the shop of the refs, where several shops use the same order numbers"),
} as const;

/** The options that say how a file is read again; what an import saves is saved. */
const { saveMap: _saved, replace: _replaced, ...againOptions } = readOptions;
export const readAgainOptions = againOptions;

/** The given ones of these options, for the command line of a command that reads the same file. */
export function flagsOfReading(given: Partial<OptionValues<typeof readAgainOptions>>): string {
  const flags = Object.keys(readAgainOptions).flatMap((key): readonly string[] => {
    const value = given[key as keyof typeof readAgainOptions];
    if (value === undefined) return [];
    if (typeof value === "boolean") return [flagOf(key)];
    if (typeof value === "string") return [`${flagOf(key)} ${shellQuote(value)}`];
    return value.map(({ header, path }) => mapFlag(header, path));
  });
  return flags.map((flag) => ` ${flag}`).join("");
}

function parseEncoding(text: string, flag: string): NamedEncoding {
  const encoding = namedEncodings.find((each) => each === text.toLowerCase());
  if (encoding !== undefined) return encoding;
  throw usageError(`${flag} takes ${namedEncodings.join(", ")}, not ${quote(text)}`);
}
