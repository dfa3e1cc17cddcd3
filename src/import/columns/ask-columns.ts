/** The questions about columns in doubt, and their review. */

import type { Context } from "../../command/command.ts";
import { interrupted } from "../../core/errors.ts";
import type { Choice, Prompts } from "../../core/prompts.ts";
import { listed } from "../../core/wording.ts";
import { type Block, line, styled, table } from "../../terminal/blocks.ts";
import { describeField, findTwice, isNoColumn, unusedMark } from "./columns.ts";
import {
  type DoubtfulColumn,
  examplesOf,
  findEqual,
  findMissing,
  type Mapping,
  type Sheet,
  shorten,
  shownPaths,
} from "./doubtful-columns.ts";
import { isStreet } from "./several-columns.ts";
import { columnPaths } from "./title-words.ts";

/** Nothing is sent. */
const stopWord = Symbol("stop");

const acceptWord = Symbol("accept");

/** Asks for each column, then shows all of them for review. */
export async function askColumns(
  sheet: Sheet,
  columns: readonly DoubtfulColumn[],
  { name, prompts, context }: { readonly name: string; readonly prompts: Prompts; readonly context: Context },
): Promise<Mapping> {
  const names = [...new Set(sheet.header)].filter((header) => !isNoColumn(header));
  const decided = new Map(sheet.given);
  for (const { header, guess } of columns) decided.set(header, guess);
  const start = shownPaths(sheet, decided);
  const startOf = (header: string) => start[sheet.header.indexOf(header)] ?? unusedMark;
  /** Those that a person was not asked about, and that are not used, may hold what a later file needs. */
  const namedColumns = new Set([...decided.keys()].filter((header) => startOf(header) !== unusedMark));
  for (const header of sheet.given.keys()) namedColumns.add(header);
  for (const header of names) if (!decided.has(header)) decided.set(header, startOf(header));
  /** What a preset reads by itself stays with it: it may have several columns for a field. */
  const decidedByPerson = () =>
    new Map(
      [...decided].filter(
        ([header, path]) =>
          namedColumns.has(header) || path !== startOf(header) || (!sheet.preset && path !== unusedMark),
      ),
    );

  /** A field that is named anew has one column, but the street; those that were guessed for several keep them. */
  function assign(header: string, path: string): void {
    if (decided.get(header) === path) return;
    for (const [other, taken] of decided)
      if (path !== unusedMark && taken === path && !isStreet(path)) decided.set(other, unusedMark);
    decided.set(header, path);
  }

  async function ask(header: string): Promise<void> {
    namedColumns.add(header);
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
    const twice = findTwice([...decided.values()], [...decided.keys()], () => true);
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
