/** The source of an import: the file or stdin, the column names, and the default sender. */

import type { Context } from "../command/command.ts";
import { mayReplace } from "../command/replace.ts";
import { defaultSender, findParty, parseAlias, savedTextError } from "../config/address-book.ts";
import { findColumns } from "../config/header-maps.ts";
import { ensureKnown, findSaved, parseSavedName } from "../config/saved-names.ts";
import type { Config } from "../config/store.ts";
import { usageError } from "../core/errors.ts";
import { keepHeapSmall } from "../core/small-heap.ts";
import type { DraftParty } from "../model/draft.ts";
import { canonicalJson } from "../model/json.ts";
import { findTextProblems } from "../model/text-problem.ts";
import { headerWithin } from "../sheets/sheet.ts";
import type { OnFirstRows } from "../sheets/sheet-table.ts";
import { contentOfBytes, inspectSource, type NamedEncoding } from "../sheets/source.ts";
import { findPackage } from "../sheets/text-encoding.ts";
import { oldOfficeError } from "../sheets/workbook-errors.ts";
import { noteFirstProblem } from "./check-rows.ts";
import type { ColumnChoice } from "./columns/decide-columns.ts";
import { findHeader } from "./columns/header-row.ts";
import { type RowsOptions, readFirstRows } from "./rows.ts";

export interface SourceChoice {
  /** `-` for stdin. */
  readonly file: string;
  readonly map?: readonly { readonly header: string; readonly path: string }[] | undefined;
  readonly useMap?: string | undefined;
  readonly saveMap?: string | undefined;
  /** Allows `saveMap` to replace saved column names. */
  readonly replace?: boolean | undefined;
  readonly shop?: string | undefined;
  readonly sender?: string | undefined;
  readonly encoding?: NamedEncoding | undefined;
  readonly platform?: string | undefined;
  readonly includeFulfilled?: boolean | undefined;
  readonly sheet?: string | undefined;
  readonly skipHidden?: boolean | undefined;
  readonly includeHidden?: boolean | undefined;
}

export interface Source extends RowsOptions {
  readonly bytes: Buffer;
  /** The shop that the refs belong to. */
  readonly shop: string;
  /** The name of a workbook's sheet. */
  readonly sheet: string | undefined;
}

/** Some thousands of rows. */
const largeBytes = 2 ** 20;
/** Enough for a spreadsheet of a million rows. */
const sizeLimit = { bytes: 256 * 2 ** 20, hint: "split it into several files" };

/**
 * Reads the file into memory once, so that the rows that are sent are those that were validated. Throws a usage error
 * for unknown names and a file error for an unusable file.
 */
export async function openSource(choice: SourceChoice, context: Context): Promise<Source> {
  if (choice.skipHidden && choice.includeHidden)
    throw usageError("--skip-hidden and --include-hidden exclude each other");
  const name = choice.file === "-" ? "stdin" : choice.file;
  const read = await context.readBytes(choice.file, sizeLimit);
  if (read.length > largeBytes) context.addCleanup(keepHeapSmall());
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.length);
  const { mapping, shop } = await chooseMapping(choice, context);
  const sender = await findSender(choice.sender, context);
  const { platform, includeFulfilled } = choice;
  const asked = { bytes, name, mapping, shop, sender, platform, includeFulfilled };
  const { decideColumns, mayBeUnclear } = await import("./columns/decide-columns.ts");
  const decide = (of: RowsOptions) => decideColumns(of, choice.useMap !== undefined, context);
  let early: ColumnChoice | undefined;
  let hasNotedProblem = false;
  /** Of a large workbook, the first mistake is shown while the rest is read. */
  const onFirstRows: OnFirstRows = async (table) => {
    const first = {
      ...asked,
      content: contentOfBytes(bytes),
      facts: { ...workbookFacts, fingerprint: "" },
      table,
    };
    const rows = (await readFirstRows(first, headerWithin + 1)) ?? [];
    try {
      const { isInTwoRows, unclear, titles } = findHeader(rows, asked);
      if (isInTwoRows || unclear || mayBeUnclear(titles, asked)) return;
    } catch {
      return; // Which cells are merged is not known yet.
    }
    early = await decide(first);
    hasNotedProblem = await noteFirstProblem({ ...first, ...early }, context);
  };
  const source = {
    ...asked,
    ...(await readContent(bytes, name, choice, onFirstRows, context)),
    hasNotedProblem,
  };
  const decided = early ?? (await decide(source));
  if (choice.saveMap !== undefined) {
    const name = parseSavedName(choice.saveMap, "column names");
    await saveMapping(name, Object.fromEntries(decided.mapping), shop, choice.replace === true, context);
  }
  return { ...source, ...decided };
}

/** A file is a workbook by its content, whatever its name. */
async function readContent(
  bytes: Buffer,
  name: string,
  { encoding, sheet: given, ...choice }: SourceChoice,
  onFirstRows: OnFirstRows,
  context: Context,
): Promise<Pick<Source, "content" | "facts" | "table" | "sheet">> {
  const content = contentOfBytes(bytes);
  const kind = findPackage(bytes);
  if (kind === "old office") throw oldOfficeError(bytes, name);
  if (kind === undefined) {
    const facts = await inspectSource(content, name, encoding);
    if (given !== undefined)
      throw usageError(
        `--sheet is for .xlsx workbooks, and ${name} is ${facts.form.toUpperCase()}`,
        "leave it out",
      );
    return { content, facts, sheet: undefined };
  }
  if (encoding !== undefined)
    throw usageError(
      `--encoding is for text files, and ${name} is a workbook or another zip file`,
      "leave it out",
    );
  const { openSheet } = await import("./open-sheet.ts");
  const { sheet, fingerprint, table } = await openSheet(
    bytes,
    name,
    { sheet: given, ...choice },
    onFirstRows,
    context,
  );
  return { content, sheet, table, facts: { ...workbookFacts, fingerprint } };
}

/** A file of rejects is then CSV that a spreadsheet program opens. */
const workbookFacts = {
  encoding: "utf-8",
  isGuessed: false,
  needsMark: true,
  form: "xlsx",
  delimiter: ",",
} as const;

async function findSender(alias: string | undefined, context: Context): Promise<DraftParty | undefined> {
  const config = await context.config.read();
  if (alias !== undefined && !alias.startsWith("@"))
    throw usageError(`--sender takes a name from the address book, for example @shop, not “${alias}”`);
  const sender = alias === undefined ? defaultSender(config) : findParty(config, parseAlias(alias));
  const [problem] = findTextProblems(sender, "sender");
  if (problem) throw savedTextError(problem, alias ?? `@${config.default_sender}`);
  return sender;
}

/** Saved column names and their shop. `--map` and `--shop` override them. */
async function chooseMapping(
  { map = [], useMap, saveMap, shop: givenShop }: SourceChoice,
  context: Context,
): Promise<{ mapping: ReadonlyMap<string, string>; shop: string }> {
  const config = await context.config.read();
  const { shops = {} } = config;
  const saved = useMap === undefined ? undefined : findColumns(config, useMap);
  const savedShop = useMap === undefined ? undefined : findSaved(shops, useMap);
  const mapping = { ...saved, ...Object.fromEntries(map.map(({ header, path }) => [header, path])) };
  const shop = givenShop ?? savedShop ?? "";
  if (saveMap !== undefined) parseSavedName(saveMap, "column names");
  return { mapping: new Map(Object.entries(mapping)), shop };
}

/** Saves column names. Replaces different ones of that name only after a confirmation, or with `--replace`. */
async function saveMapping(
  name: string,
  mapping: Readonly<Record<string, string>>,
  shop: string,
  isAgreed: boolean,
  context: Context,
): Promise<void> {
  /** What would be lost. */
  const findOther = ({ maps, shops = {} }: Config) => {
    const existing = findSaved(maps, name);
    const itsShop = findSaved(shops, name);
    const hasOtherShop = shop !== "" && ![undefined, shop].includes(itsShop);
    return existing && (hasOtherShop || canonicalJson(existing) !== canonicalJson(mapping))
      ? { existing, itsShop }
      : undefined;
  };
  const map = `the column map “${name}”`;
  const known = findOther(await context.config.read());
  if (known && !(await mayReplace({ existing: map, isAgreed }, context)))
    return context.messages.note(`${map} stays as it was`);
  await context.config.update((config) => {
    if (!isAgreed) ensureKnown(map, findOther(config), known);
    return {
      ...config,
      maps: { ...config.maps, [name]: mapping },
      ...(shop === "" ? {} : { shops: { ...config.shops, [name]: shop } }),
    };
  });
}
