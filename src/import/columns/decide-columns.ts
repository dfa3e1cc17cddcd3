/** What the columns of an unknown header hold: a person decides once, or one error names all columns in doubt. */

import type { Context } from "../../command/command.ts";
import { findHeaderMap, saveHeaderMap } from "../../config/header-maps.ts";
import { CourierError, usageError } from "../../core/errors.ts";
import { byCount, counted, listed } from "../../core/wording.ts";
import { partyParts } from "../../model/fields.ts";
import { isLostText } from "../../sheets/lost-text.ts";
import { headerWithin, type SheetRow } from "../../sheets/sheet.ts";
import { line, table } from "../../terminal/blocks.ts";
import { mayReadWords } from "../presets/preset.ts";
import { type RowsOptions, readFirstRows } from "../rows.ts";
import { isWrittenTitle } from "../write-back/titles.ts";
import { askColumns } from "./ask-columns.ts";
import { mapFlag, unusedMark } from "./columns.ts";
import {
  arePlacesRead,
  besidePreset,
  type Doubtful,
  type DoubtfulColumn,
  findDoubtful,
  findLacking,
  type Mapping,
  readHeader,
  type Sheet,
  shorten,
  shownPaths,
} from "./doubtful-columns.ts";
import { findHeaderProblem } from "./header-problem.ts";
import { countKnown, findHeader, unclearHeader } from "./header-row.ts";
import { choosePreset, noPlatform } from "./platforms.ts";
import { readPreset } from "./preset-layout.ts";
import { createTitleReader, numberedShortField } from "./title-words.ts";
import { findUnclear } from "./unclear-columns.ts";

export interface ColumnChoice {
  readonly mapping: Mapping;
  readonly platform: string | undefined;
}

/** Rows from which examples are taken. */
const rowsRead = 20;

const columnsShown = 50;

/**
 * The mapping with which the columns of the source can be read. At a terminal a person completes it, and it is saved
 * for files with this header; elsewhere, throws one usage error with all columns in doubt. `isNamed`: `--use-map` was
 * given.
 */
export async function decideColumns(
  source: RowsOptions,
  isNamed: boolean,
  context: Context,
): Promise<ColumnChoice> {
  const { mapping, platform } = source;
  const asGiven = { mapping, platform };
  const named = choosePreset([], platform);
  if (named && !mayReadWords(named)) return asGiven;
  const first = (await readFirstRows(source, rowsRead)) ?? [];
  const all = first.map(({ cells }) => cells);
  if (all.length === 0) return asGiven;
  const config = await context.config.read();
  const inTwoRows = findHeader(first, asGiven).titles;
  const saved = isNamed
    ? undefined
    : [...all.slice(0, headerWithin), inTwoRows]
        .map((row) => findHeaderMap(config, ownColumns(row.map((cell) => cell.trim()))))
        .find((each) => each && isFor(each.platform, platform));
  const known = new Map([...Object.entries(saved?.columns ?? {}), ...mapping]);
  if (saved)
    context.messages.note(
      `columns as decided for files with this header (forget that with: courier maps remove ${saved.name})`,
    );
  const found = findHeader(first, { mapping: known });
  if (found.unclear) throw unclearHeader(first, found.unclear, source);
  const index = found.index || countLoneTitles(all);
  const header = (index === found.index ? found.titles : (all[index] ?? [])).map((cell) => cell.trim());
  const rows = all.slice(index + 1);
  const chosen = { mapping: known, platform: saved ? (saved.platform ?? noPlatform) : platform };
  // The reading of the rows refuses it.
  if (header.some(isLostText) || findHeaderProblem({ cells: header, line: 1 }, source)) return chosen;
  const preset = choosePreset(header, chosen.platform);
  if (preset && !readPreset(header, preset, known).words) return chosen;
  const prompts = await context.prompts();
  const asFound = { header, rows, given: known, preset };
  const isPlaceRead = preset !== undefined && (await arePlacesRead(asFound, preset, source, index + 1));
  const sheet = { ...asFound, isPlaceRead };
  const guessed = readHeader(sheet, known);
  const further = findUnclear(header, guessed.map.paths, known);
  const unclear = await findLacking(besidePreset(sheet, further), source, index + 1);
  const doubtful = await findDoubtful(sheet, guessed, unclear, prompts !== undefined);
  const isOpen = index === 0 && !saved && !preset && doubtful.missing.length > 0;
  const lower = isOpen ? findLowerHeader(first, known, source) : undefined;
  if (lower) throw lower;
  if (doubtful.columns.length === 0) return chosen;
  if (!prompts) throw await describeAll(sheet, doubtful, source, context);
  const decided = await prompts.together(() =>
    askColumns(sheet, doubtful.columns, { name: source.name, prompts, context }),
  );
  const name = await saveHeaderMap(context.config, source.name, ownColumns(header), {
    columns: Object.fromEntries(decided),
    ...(preset ? { platform: preset.name } : {}),
  });
  context.messages.note(`saved for files with this header (forget it with: courier maps remove ${name})`);
  return { mapping: decided, platform: preset?.name ?? noPlatform };
}

/** Whether saved columns, perhaps beside those of a platform, count where a person named one or none. */
function isFor(saved: string | undefined, platform: string | undefined): boolean {
  if (platform === undefined) return true;
  return platform === (saved ?? noPlatform);
}

/** Whose a title such as 电话 or 电话2 is, the columns to the left of it say. */
const isShort = (title: string) => numberedShortField(title) !== undefined;

/**
 * The columns by which a decision is found again: a short title with the party to the left of it. A sheet that was written
 * back has the header that it had before.
 */
function ownColumns(header: readonly string[]): readonly string[] {
  const titles = header.filter((title) => !isWrittenTitle(title));
  const { fieldOf } = createTitleReader();
  let left = "";
  return titles.map((title) => {
    if (isShort(title)) return `${title} (${left})`;
    // A title that is not known may be a party's.
    const path = fieldOf(title) ?? title;
    left = partyParts.find((part) => path.startsWith(`${part}.`)) ?? (path === title ? title : "");
    return title;
  });
}

const countFilled = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== "").length;

/** An order has at least so many columns. */
const fewestColumns = 3;

/** The titles above a header of unknown names. */
function countLoneTitles(rows: readonly (readonly string[])[]): number {
  const isTitle = (cells: readonly string[]) => countFilled(cells) === 1 && countKnown(cells) === 0;
  const count = rows.slice(0, headerWithin).findIndex((cells) => !isTitle(cells));
  return count > 0 && countFilled(rows[count] ?? []) >= fewestColumns ? count : 0;
}

/** The error where the first row is narrower than an order, and a wider one below it may be the header. */
function findLowerHeader(
  rows: readonly SheetRow[],
  given: Mapping,
  { name, table }: RowsOptions,
): Error | undefined {
  const [first, ...others] = rows;
  if (!first || countKnown(first.cells) > 1) return undefined;
  if (first.cells.some((cell) => given.has(cell.trim()))) return undefined;
  const width = countFilled(first.cells);
  const wider = others.find(({ cells }) => countFilled(cells) >= fewestColumns);
  const columnsBeyond = table?.columnsBeyond?.length ?? 0;
  if (width >= fewestColumns || !(wider || width + columnsBeyond >= fewestColumns)) return undefined;
  const line = table ? "row" : "line";
  const below = wider ? `${line} ${wider.line} has ${countFilled(wider.cells)}` : "others have more";
  return usageError(
    `${name}: it is not clear which ${line} is the header: ${line} ${first.line} has ${counted(width, "cell")}, ${below}`,
    `delete the ${line}s above the header, and run the same command again; if ${line} ${first.line} is the header, name its columns with --map "COLUMN=FIELD"`,
  );
}

/** Whether a column may be unclear: only all rows tell. */
export function mayBeUnclear(
  header: readonly string[],
  { mapping, platform }: { readonly mapping: Mapping; readonly platform?: string | undefined },
): boolean {
  const preset = choosePreset(header, platform);
  if (preset && !readPreset(header, preset, mapping).words) return false;
  const { map, doubts } = readHeader({ header, rows: [], given: mapping, preset }, mapping);
  return (preset && doubts.length > 0) || findUnclear(header, map.paths, mapping).length > 0;
}

/** One error with all columns, and the whole command line with the guesses. */
async function describeAll(
  sheet: Sheet,
  { columns, only, missing }: Doubtful,
  source: RowsOptions,
  context: Context,
): Promise<Error> {
  const { given } = sheet;
  const flags = columns
    .filter(({ guess, isNeeded }) => guess !== unusedMark || isNeeded)
    .flatMap(({ header: name, guess }) => ["--map", `${name}=${guess}`]);
  const decided = new Map([...given, ...columns.map(({ header: name, guess }) => [name, guess] as const)]);
  const sender = await findSenderFlags(sheet, decided, source, context);
  const command = context.sameCommand([...flags, ...sender.flags]);
  const whole = `${only ? "the whole command" : "if the guesses are right, run"}: ${command}${sender.note}`;
  // Without a guess, it is the command that failed.
  const run = flags.length > 0 ? [whole] : [];
  const lacking = missing.map(
    (path) => `no column looks like ${path}: name it with ${mapFlag("COLUMN", path)}`,
  );
  const isLost = !only && columns.some(({ guess, isNeeded }) => isNeeded && guess === unusedMark);
  const lost = isLost ? ["what is not used is not sent: write what a parcel needs into another column"] : [];
  const isGuess = ({ guess }: DoubtfulColumn) => guess !== unusedMark;
  const asked = columns.filter(({ isJoined }) => !isJoined);
  const guessed = asked.filter(isGuess);
  const shown =
    asked.length > columnsShown
      ? [...guessed, ...asked.filter((column) => !isGuess(column))].slice(0, columnsShown)
      : asked;
  if (!only)
    await context.display([
      table(
        [
          { path: "", title: "COLUMN", cell: ({ header: name }: DoubtfulColumn) => name },
          {
            path: "",
            title: "EXAMPLE",
            cell: ({ example }: DoubtfulColumn) => shorten(example),
            flexible: true,
          },
          { path: "", title: "GUESS", cell: ({ guess }: DoubtfulColumn) => guess || "not used" },
        ],
        shown,
      ),
      ...(asked.length > shown.length ? [line(`and ${asked.length - shown.length} more`)] : []),
    ]);
  const names = listed(asked.map(({ header: name }) => name));
  const message =
    only?.message ??
    `${source.name}: ${counted(asked.length, "column")} ${byCount(asked.length, "is", "are")} not clear: ${names}`;
  return new CourierError("usage", 2, message, {
    hint: [...(only ? [only.hint] : []), ...lacking, ...lost, ...run].join("; "),
    details: asked.map(({ header: column, example, guess }) => ({ column, example, guess: guess || null })),
  });
}

/** The sender, where the file has none and the address book leaves no choice. */
async function findSenderFlags(
  sheet: Sheet,
  decided: Mapping,
  source: RowsOptions,
  context: Context,
): Promise<{ readonly flags: readonly string[]; readonly note: string }> {
  const hasSender = shownPaths(sheet, decided).some((path) => path?.startsWith("sender."));
  if (hasSender || source.sender) return { flags: [], note: "" };
  const aliases = Object.keys((await context.config.read()).addresses);
  if (aliases.length === 1) return { flags: ["--sender", `@${aliases[0]}`], note: "" };
  return { flags: [], note: "; no column has the sender: add --sender @NAME too" };
}
