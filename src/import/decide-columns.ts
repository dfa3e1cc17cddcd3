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
  isTwice,
  mapColumns,
  mapFlag,
  unusedMark,
} from "./columns.ts";
import { findHeaderProblem } from "./header-problem.ts";
import { countKnown, findHeader, unclearHeader } from "./header-row.ts";
import { choosePreset, noPlatform, readPreset } from "./layout.ts";
import { mayReadWords, type Preset } from "./presets/preset.ts";
import { type RowsOptions, readFirstRows, readShownRows } from "./rows.ts";
import { isPhone, isStreet } from "./several-columns.ts";
import { createPartySplitter, type PartySplitter } from "./split-party.ts";
import { cleanHeader, columnPaths, createTitleReader, shortField, simplifyTitle } from "./title-words.ts";
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
  /** It is clear: another column may have its field, too. */
  readonly isJoined: boolean;
}

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

/** The columns as the words of the header say, or the preset and these words. */
function readHeader({ header, preset, isPlaceRead }: Sheet, given: Mapping): Guessed {
  const words = preset && readPreset(header, preset, given, isPlaceRead).words;
  return words ?? guessColumns(header, given);
}

/** Beside an address that a preset's column has, another whole one is none that a row lacks. */
function besidePreset(
  { header, given, preset }: Sheet,
  columns: readonly UnclearColumn[],
): readonly UnclearColumn[] {
  if (!preset) return columns;
  const { fieldOf } = createTitleReader();
  const isAddress = (title: string) =>
    shortField(title) === "detail" || fieldOf(title)?.endsWith(".detail") === true;
  const streets = readPreset(header, preset, given).own.filter(({ path }) =>
    /\.(?:address|detail)$/.test(path),
  );
  return columns.map((column) => {
    const [part = ""] = column.field.split(".");
    const own = streets.filter(({ path }) => path.startsWith(part)).flatMap(({ choices }) => choices.flat());
    if (!isAddress(column.header)) return column;
    return {
      ...column,
      isLacking: (cells) => !own.some((index) => cells[index]?.trim()) && column.isLacking(cells),
    };
  });
}

const isPlace = (path: string) => /\.(?:province|city|district|region)$/.test(path);

/** Whether each address that a preset's column holds is whole, although columns may have parts of it. */
async function arePlacesRead(
  sheet: Sheet,
  preset: Preset,
  source: RowsOptions,
  above: number,
): Promise<boolean> {
  const { header, given } = sheet;
  const { own } = readPreset(header, preset, given);
  const addresses = own.filter(({ path }) => path.endsWith(".address"));
  const { map, doubts } = readHeader(sheet, given);
  const inDoubt = doubts.flatMap(({ guesses }) => [...guesses.values()]);
  const asked = [...inDoubt, ...findUnclear(header, map.paths, given).map(({ field }) => field)];
  if (addresses.length === 0 || !asked.some(isPlace)) return false;
  const splitter = await createPartySplitter();
  let left = above;
  for await (const { cells } of readShownRows(source)) {
    if (left-- > 0) continue;
    for (const { path, choices } of addresses) {
      const text = choices
        .flat()
        .map((at) => cells[at]?.trim() ?? "")
        .find(Boolean);
      const split = text === undefined ? undefined : splitter.split(path, text, new Map());
      if (split && "message" in split) return false;
    }
  }
  return true;
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
  /** It knows some of the titles. */
  readonly preset?: Preset | undefined;
  /** Its addresses need no columns of their place. */
  readonly isPlaceRead?: boolean;
}

type Guessed = ReturnType<typeof guessColumns>;

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
export function mayBeUnclear(
  header: readonly string[],
  { mapping, platform }: { readonly mapping: Mapping; readonly platform?: string | undefined },
): boolean {
  const preset = choosePreset(header, platform);
  if (preset && !readPreset(header, preset, mapping).words) return false;
  const { map, doubts } = readHeader({ header, rows: [], given: mapping, preset }, mapping);
  return (preset && doubts.length > 0) || findUnclear(header, map.paths, mapping).length > 0;
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
  { header, rows, given, preset }: Sheet,
  { map, doubts }: Guessed,
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
    const isJoined = isPhone(field) || (isStreet(field) && isPartOfStreet);
    const isFree = (!taken.has(field) || isJoined) && !isTwice(field, taken);
    if (isFree) taken.add(field);
    guesses.set(name, isFree ? field : unusedMark);
    // Beside a further column, a map has to name those that have the field, too.
    for (const [at, other] of header.entries())
      if (isFree && isJoined && map.paths[at] === field && !given.has(other) && !guesses.has(other))
        joined.add(other);
  }
  for (const other of joined) guesses.set(other, map.paths[header.indexOf(other)] ?? unusedMark);
  for (const [name, path] of guesses) {
    // As in the preset, an address without a column of its place is a whole one.
    const [part = "", field] = path.split(".");
    const isAlone = field === "detail" && ![...taken].some((each) => each?.startsWith(part) && isPlace(each));
    if (
      preset &&
      isAlone &&
      splitter &&
      areSplit(`${part}.address`, examplesOf(name, { header, rows }), splitter)
    )
      guesses.set(name, `${part}.address`);
  }
  const columns = [...new Set(header)].flatMap((name) => {
    const guess = guesses.get(name);
    if (guess === undefined) return [];
    const [example = ""] = examplesOf(name, { header, rows });
    const isNeeded =
      unclear.some((each) => each.header === name) || doubts.some((doubt) => doubt.guesses.has(name));
    return [{ header: name, example, guess, isNeeded, isJoined: joined.has(name) }];
  });
  return { columns, only, missing };
}

function areSplit(path: string, examples: readonly string[], splitter: PartySplitter): boolean {
  const isSplit = (text: string) => "party" in (splitter.split(path, text, new Map()) ?? {});
  return examples.length > 0 && examples.every(isSplit);
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

/** The fields of all columns, where each that was in doubt is decided. */
function shownPaths(
  { header, preset, isPlaceRead }: Sheet,
  decided: Mapping,
): readonly (string | undefined)[] {
  if (!preset) return mapColumns(header, decided).paths;
  const { own, words } = readPreset(header, preset, decided, isPlaceRead);
  const paths = [...(words?.map.paths ?? [])];
  for (const { path, choices } of [...own, ...(words?.further ?? [])]) {
    const [part = ""] = path.split(".");
    const hasPlace = paths.some((each) => each?.startsWith(part) && isPlace(each));
    if (path.endsWith(".address") && !hasPlace) for (const index of choices.flat()) paths[index] = path;
  }
  return paths;
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
  const start = shownPaths(sheet, decided);
  const startOf = (header: string) => start[sheet.header.indexOf(header)] ?? unusedMark;
  const namedColumns = new Set(decided.keys());
  for (const header of names) if (!namedColumns.has(header)) decided.set(header, startOf(header));
  /** What a preset reads by itself stays with it: it may have several columns for a field. */
  const decidedByPerson = () =>
    sheet.preset
      ? new Map([...decided].filter(([header, path]) => namedColumns.has(header) || path !== startOf(header)))
      : decided;

  /** A field that is named anew has one column, but the street; those that were guessed for several keep them. */
  function assign(header: string, path: string): void {
    if (decided.get(header) === path) return;
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
  const known = sheet.preset
    ? `it has further columns than ${sheet.preset.title}`
    : "this header is not known";
  context.messages.note(`${name}: ${known}; say once what its columns are`);
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
    if (answer === acceptWord) return decidedByPerson();
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
