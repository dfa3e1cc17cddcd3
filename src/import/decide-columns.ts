/** What the columns of an unknown header hold: a person decides once, or one error names all columns in doubt. */

import type { Context } from "../command/command.ts";
import { findHeaderMap, saveHeaderMap } from "../config/header-maps.ts";
import { CourierError, interrupted, usageError } from "../core/errors.ts";
import type { Choice, Prompts } from "../core/prompts.ts";
import { byCount, counted, listed } from "../core/wording.ts";
import { isLostText } from "../sheets/lost-text.ts";
import { headerWithin, type SheetRow } from "../sheets/sheet.ts";
import { type Block, line, styled, table } from "../terminal/blocks.ts";
import { guessField, isRegion } from "./column-guesses.ts";
import {
  type ColumnDoubt,
  describeField,
  findPartyBefore,
  findTwice,
  guessColumns,
  isNoColumn,
  mapColumns,
  mapFlag,
  unusedMark,
} from "./columns.ts";
import { findHeaderProblem } from "./header-problem.ts";
import { countKnown, findHeader, unclearHeader } from "./header-row.ts";
import { findPreset, noPlatform } from "./layout.ts";
import { type RowsOptions, readFirstRows, readShownRows } from "./rows.ts";
import { createPartySplitter } from "./split-party.ts";
import { cleanHeader, columnPaths, shortField, simplifyTitle } from "./title-words.ts";
import { findUnclear, type UnclearColumn } from "./unclear-columns.ts";
import { isWrittenTitle } from "./write-back/titles.ts";

type Mapping = ReadonlyMap<string, string>;
export interface ColumnChoice {
  readonly mapping: Mapping;
  readonly platform: string | undefined;
}

/** A column that a person must decide about. */
interface DoubtfulColumn {
  readonly header: string;
  readonly example: string;
  /** "" leaves it out. */
  readonly guess: string;
  /** Without a decision, the file is refused. */
  readonly isNeeded: boolean;
  /** It is clear: a part of its field is in another column. */
  readonly isJoined: boolean;
}

/** It may be in several columns. */
const isStreet = (path: string) => path.endsWith(".detail");

/** Rows from which examples are taken. */
const rowsRead = 20;
const examplesUsed = 3;
const columnsShown = 50;
const longestExample = 24;

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
  if (platform !== undefined && platform !== noPlatform) return asGiven;
  const first = (await readFirstRows(source, rowsRead)) ?? [];
  const all = first.map(({ cells }) => cells);
  if (all.length === 0) return asGiven;
  const config = await context.config.read();
  const inTwoRows = findHeader(first, asGiven).titles;
  const saved = isNamed
    ? undefined
    : [...all.slice(0, headerWithin), inTwoRows]
        .map((row) => findHeaderMap(config, ownColumns(row.map((cell) => cell.trim()))))
        .find(Boolean);
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
  if (!saved && platform === undefined && findPreset(header)) return asGiven;
  const chosen = { mapping: known, platform: saved ? noPlatform : platform };
  // The reading of the rows refuses it.
  if (header.some(isLostText) || findHeaderProblem({ cells: header, line: 1 }, source)) return chosen;
  const prompts = await context.prompts();
  const sheet = { header, rows, given: known };
  const guessed = guessColumns(header, known);
  const unclear = await findLacking(findUnclear(header, guessed.map.paths, known), source, index + 1);
  const doubtful = await findDoubtful(sheet, guessed, unclear, prompts !== undefined);
  const isOpen = index === 0 && !saved && doubtful.missing.length > 0;
  const lower = isOpen ? findLowerHeader(first, known, source) : undefined;
  if (lower) throw lower;
  if (doubtful.columns.length === 0) return chosen;
  if (!prompts) throw await describeAll(sheet, doubtful, source, context);
  const decided = await prompts.together(() =>
    askColumns(sheet, doubtful.columns, { name: source.name, prompts, context }),
  );
  const name = await saveHeaderMap(
    context.config,
    source.name,
    ownColumns(header),
    Object.fromEntries(decided),
  );
  context.messages.note(`saved for files with this header (forget it with: courier maps remove ${name})`);
  return { mapping: decided, platform: noPlatform };
}

/** A sheet that was written back has the header that it had before. */
function ownColumns(header: readonly string[]): readonly string[] {
  return header.filter((title) => !isWrittenTitle(title));
}

/** The header of a sheet, some of its rows, and the columns that are decided. */
interface Sheet {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly given: Mapping;
}

interface Doubtful {
  readonly columns: readonly DoubtfulColumn[];
  /** The message and the hint where one column is in doubt, and nothing is missing. */
  readonly only: Pick<ColumnDoubt, "message" | "hint"> | undefined;
  /** Parts of an order that no column has, with all guesses. */
  readonly missing: readonly string[];
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

/** Without a receiver or goods, no row can be sent. A person is also asked for a name and an address. */
function findMissing(paths: readonly (string | undefined)[], isAsked: boolean): string[] {
  const has = (...starts: readonly string[]) =>
    paths.some((path) => path !== undefined && starts.some((start) => path.startsWith(start)));
  const place = ["text", "address", "region", "detail", "city", "district", "province"].map(
    (name) => `receiver.${name}`,
  );
  const needs: readonly (readonly [field: string, isThere: boolean])[] = isAsked
    ? [
        ["receiver.name", has("receiver.name", "receiver.first_name", "receiver.last_name", "receiver.text")],
        ["receiver.address", has(...place)],
        ["item.name", has("item.name")],
      ]
    : [
        ["receiver.name", has("receiver.")],
        ["item.name", has("item.name", "item.description")],
      ];
  return needs.flatMap(([field, isThere]) => (isThere ? [] : [field]));
}

/** Whether a column may be unclear: only all rows tell. */
export function mayBeUnclear(header: readonly string[], given: Mapping): boolean {
  return !findPreset(header) && findUnclear(header, guessColumns(header, given).map.paths, given).length > 0;
}

/** Those columns that hold something that a row lacks; the first rows of the sheet are above its table. */
async function findLacking(
  columns: readonly UnclearColumn[],
  source: RowsOptions,
  above: number,
): Promise<readonly UnclearColumn[]> {
  const open = new Set(columns);
  let left = above;
  for await (const { cells } of open.size > 0 ? readShownRows(source) : []) {
    if (left-- > 0) continue;
    for (const column of open) if (column.isLacking(cells)) open.delete(column);
    if (open.size === 0) break;
  }
  return columns.filter((column) => !open.has(column));
}

async function findDoubtful(
  { header, rows, given }: Sheet,
  { map, doubts }: ReturnType<typeof guessColumns>,
  unclear: readonly UnclearColumn[],
  isAsked: boolean,
): Promise<Doubtful> {
  const taken = new Set(map.paths);
  const isFilled = (name: string) => examplesOf(name, { header, rows }).length > 0;
  const guesses = new Map(doubts.flatMap((doubt) => [...preferFilled(doubt.guesses, isFilled)]));
  let missing = findMissing(map.paths, isAsked);
  const isSingle = doubts.length === 1 && guesses.size === 1 && unclear.length === 0;
  const [only] = isSingle && missing.length === 0 ? doubts : [];
  const splitter =
    doubts.length + missing.length + unclear.length > 0 ? await createPartySplitter() : undefined;
  if (splitter && (doubts.length > 0 || missing.length > 0)) {
    const twice = findEqual(header);
    for (const name of map.unused.map((each) => each.trim())) {
      if (given.has(name) || guesses.has(name) || twice.has(name)) continue;
      const examples = examplesOf(name, { header, rows });
      const paths = header.map((each, at) => guesses.get(each) || map.paths[at]);
      const before =
        shortField(name.replace(/[ .]*\d+$/, "")) && findPartyBefore(header, paths, header.indexOf(name));
      const guess = guessField(simplifyTitle(cleanHeader(name)), examples, splitter, before);
      const isFree = guess !== undefined && !taken.has(guess) && !isTwice(guess, taken);
      if (isFree) {
        taken.add(guess);
        guesses.set(name, guess);
      } else if (missing.length > 0 && examples.length > 0) guesses.set(name, unusedMark);
    }
    missing = findMissing([...taken], isAsked);
  }
  const joined = new Set<string>();
  for (const { header: name, field: read, isPartOfStreet } of unclear) {
    if (guesses.get(name)) continue;
    const region = read.replace(/\.province$/, ".region");
    const field = splitter && isRegion(examplesOf(name, { header, rows }), splitter) ? region : read;
    const isJoined = isStreet(field) && isPartOfStreet;
    const isFree = (!taken.has(field) || isJoined) && !isTwice(field, taken);
    if (isFree) taken.add(field);
    guesses.set(name, isFree ? field : unusedMark);
    // Beside a part of the street, a map has to name its other columns, too.
    for (const [at, other] of header.entries())
      if (isFree && isJoined && map.paths[at] === field && !given.has(other) && !guesses.has(other))
        joined.add(other);
  }
  for (const other of joined) guesses.set(other, map.paths[header.indexOf(other)] ?? unusedMark);
  const columns = [...new Set(header)].flatMap((name) => {
    const guess = guesses.get(name);
    if (guess === undefined) return [];
    const [example = ""] = examplesOf(name, { header, rows });
    const isJoined = joined.has(name);
    const isNeeded =
      unclear.some((each) => each.header === name) || doubts.some((doubt) => doubt.guesses.has(name));
    return [{ header: name, example, guess, isNeeded, isJoined }];
  });
  return { columns, only, missing };
}

/** Of several columns of one field, one that holds something is guessed. */
function preferFilled(guesses: Mapping, isFilled: (name: string) => boolean): Mapping {
  const [used, path] = [...guesses].find(([, each]) => each !== unusedMark) ?? [];
  const better = [...guesses.keys()].find((name) => guesses.get(name) === unusedMark && isFilled(name));
  if (used === undefined || path === undefined || better === undefined || isFilled(used)) return guesses;
  return new Map([...guesses, [used, unusedMark], [better, path]]);
}

/** Names that several columns have. */
function findEqual(header: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(header.filter((name) => seen.size === seen.add(name).size));
}

/** A whole party or address beside a part of it. */
function isTwice(path: string, taken: ReadonlySet<string | undefined>): boolean {
  const paths = [...taken, path].flatMap((each) => each ?? []);
  return findTwice(paths, paths) !== undefined;
}

function examplesOf(name: string, { header, rows }: Pick<Sheet, "header" | "rows">): readonly string[] {
  const index = header.indexOf(name);
  const texts = rows.map((cells) => (cells[index] ?? "").trim()).filter((text) => text !== "");
  return [...new Set(texts)].slice(0, examplesUsed);
}

function shorten(example: string): string {
  return example.length > longestExample ? `${example.slice(0, longestExample)}…` : example;
}

/** One error with all columns, and the whole command line with the guesses. */
async function describeAll(
  { header, given }: Sheet,
  { columns, only, missing }: Doubtful,
  source: RowsOptions,
  context: Context,
): Promise<Error> {
  const flags = columns
    .filter(({ guess, isNeeded }) => guess !== unusedMark || isNeeded)
    .flatMap(({ header: name, guess }) => ["--map", `${name}=${guess}`]);
  const decided = new Map([...given, ...columns.map(({ header: name, guess }) => [name, guess] as const)]);
  const sender = await findSenderFlags(header, decided, source, context);
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
  header: readonly string[],
  decided: Mapping,
  source: RowsOptions,
  context: Context,
): Promise<{ readonly flags: readonly string[]; readonly note: string }> {
  const hasSender = mapColumns(header, decided).paths.some((path) => path?.startsWith("sender."));
  if (hasSender || source.sender) return { flags: [], note: "" };
  const aliases = Object.keys((await context.config.read()).addresses);
  if (aliases.length === 1) return { flags: ["--sender", `@${aliases[0]}`], note: "" };
  return { flags: [], note: "; no column has the sender: add --sender @NAME too" };
}

/** Nothing is sent. */
const stopWord = Symbol("stop");
const acceptWord = Symbol("accept");

/** Asks for each column, then shows all of them for review. */
async function askColumns(
  sheet: Sheet,
  columns: readonly DoubtfulColumn[],
  { name, prompts, context }: { readonly name: string; readonly prompts: Prompts; readonly context: Context },
): Promise<Mapping> {
  const names = [...new Set(sheet.header)].filter((header) => !isNoColumn(header));
  const decided = new Map(sheet.given);
  for (const { header, guess } of columns) decided.set(header, guess);
  const start = mapColumns(sheet.header, decided).paths;
  for (const header of names) decided.set(header, start[sheet.header.indexOf(header)] ?? unusedMark);

  /** A field but the street has one column: the one that was named last. */
  function assign(header: string, path: string): void {
    for (const [other, taken] of decided)
      if (path !== unusedMark && taken === path && !isStreet(path)) decided.set(other, unusedMark);
    decided.set(header, path);
  }

  async function ask(header: string): Promise<void> {
    const own = decided.get(header) ?? unusedMark;
    const examples = examplesOf(header, sheet).map(shorten);
    const such = examples.length === 0 ? "empty" : `such as ${examples[0]}`;
    assign(header, await prompts.search(`${header} (${such}) is`, (term) => findFields(term, own)));
  }

  /** No map can name one of two columns with the same name. */
  const equal = findEqual(sheet.header);
  const isAlone = (header: string) => !equal.has(header);
  const isComplete = () => findMissing([...decided.values()], true).length === 0;
  context.messages.note(`${name}: this header is not known; say once what its columns are`);
  const asked = columns.filter(({ isJoined }) => !isJoined);
  const guessed = asked.filter(({ guess, isNeeded }) => guess !== unusedMark || isNeeded);
  for (const { header } of guessed) await ask(header);
  for (const column of asked) if (!guessed.includes(column) && !isComplete()) await ask(column.header);
  for (;;) {
    await context.display(reviewOf(names, decided, sheet));
    const twice = findTwice([...decided.values()], [...decided.keys()]);
    if (twice) context.messages.warn(twice.message);
    const answer = await prompts.choose<string | typeof stopWord | typeof acceptWord>("What now?", [
      ...(twice
        ? []
        : [{ value: acceptWord, label: "use these columns, for all files with this header" } as const]),
      ...names.filter(isAlone).map((header) => ({ value: header, label: `change ${header}` })),
      { value: stopWord, label: "stop: nothing is sent or saved" },
    ]);
    if (answer === acceptWord) return decided;
    if (answer === stopWord) throw interrupted(130, "stopped: nothing was sent");
    await ask(answer);
  }
}

function reviewOf(names: readonly string[], decided: Mapping, sheet: Sheet): readonly Block[] {
  const used = names.filter((name) => decided.get(name) !== unusedMark);
  const unused = names.filter((name) => decided.get(name) === unusedMark);
  return [
    table(
      [
        { path: "", title: "COLUMN", cell: (name: string) => name },
        { path: "", title: "IS", cell: (name: string) => describeField(decided.get(name) ?? unusedMark) },
        {
          path: "",
          title: "EXAMPLE",
          cell: (name: string) => shorten(examplesOf(name, sheet)[0] ?? ""),
          flexible: true,
        },
      ],
      used,
    ),
    ...(unused.length > 0 ? [line(styled("dim", `not used: ${listed(unused)}`))] : []),
  ];
}

/** The fields that match a typed word; without one, what the column is now comes first. */
function findFields(term: string, own: string): readonly Choice<string>[] {
  // A shop's file seldom has the sender.
  const ofSender = (path: string) => path.startsWith("sender.");
  const offered = columnPaths.toSorted((a, b) => Number(ofSender(a)) - Number(ofSender(b)));
  const paths = [...new Set([own, unusedMark, ...offered])];
  const choices = paths.map((value) => ({ value, label: describeField(value) }));
  const word = term.trim().toLowerCase();
  return word === ""
    ? choices
    : choices.filter(({ value, label }) => `${label} ${value}`.toLowerCase().includes(word));
}
