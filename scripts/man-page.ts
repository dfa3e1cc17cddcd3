/** Renders manual pages in the man macros of roff, from the same data as parser and help. */

import { globalOptions, programOptions } from "../src/cli/globals.ts";
import { argumentWords, describeExits, describeOptions, environment, ownOptions } from "../src/cli/help.ts";
import {
  type Command,
  type CommandEntry,
  type Example,
  type Group,
  isGroup,
} from "../src/command/command.ts";
import type { Option } from "../src/command/options.ts";
import { exitCodes } from "../src/core/exit-codes.ts";

export interface ManPage {
  /** `courier-orders-create.1` */
  readonly fileName: string;
  readonly text: string;
}

/** One page for the program, one for each noun, one for each command. */
export async function renderManPages(program: Group, version: string): Promise<ManPage[]> {
  return pagesOf(program, [program.name], version);
}

async function pagesOf(group: Group, path: readonly string[], version: string): Promise<ManPage[]> {
  const below = group.commands.map(async (entry) => {
    const name = [...path, entry.name];
    if (isGroup(entry)) return pagesOf(entry, name, version);
    return [commandPage(entry, await entry.load(), name, version)];
  });
  return [groupPage(group, path, version), ...(await Promise.all(below)).flat()];
}

function groupPage(group: Group, path: readonly string[], version: string): ManPage {
  const isRoot = path.length === 1;
  const children = group.commands.map((entry) => [...path, entry.name]);
  return page(path, version, group.summary, [
    section("SYNOPSIS", [`.B ${text(path.join(" "))}`, ".I COMMAND", "[options]"]),
    section("EXAMPLES", exampleLines(group.examples)),
    section(
      "COMMANDS",
      group.commands.flatMap((entry, index) =>
        term(`.BR ${manName(children[index] ?? [])} (1)`, [text(entry.summary)]),
      ),
    ),
    section(
      "GLOBAL OPTIONS",
      isRoot ? optionTerms({ ...globalOptions, ...programOptions }) : seeGlobalOptions,
    ),
    ...(isRoot
      ? [
          section(
            "EXIT STATUS",
            definitions(
              Object.entries(exitCodes).map(
                ([code, meaning]) => [code, meaning.replaceAll("`", "")] as const,
              ),
            ),
          ),
          section("ENVIRONMENT", definitions(environment)),
        ]
      : []),
    seeAlso(isRoot ? children : [path.slice(0, -1), ...children]),
  ]);
}

function commandPage(
  entry: CommandEntry,
  command: Command,
  path: readonly string[],
  version: string,
): ManPage {
  const words = argumentWords(command);
  const meanings = Object.values(command.arguments).map(({ summary }) => summary);
  const own = Object.entries(ownOptions(command));
  const groups = [...new Set(own.map(([, option]) => option.group ?? ""))];
  return page(path, version, entry.summary, [
    section("SYNOPSIS", [
      `.B ${text(path.join(" "))}`,
      ...words.map((word) => `.I ${text(word)}`),
      "[options]",
    ]),
    section("DESCRIPTION", [paragraphs(command.description ?? `${entry.summary}.`)]),
    section("EXAMPLES", exampleLines(command.examples)),
    section("ARGUMENTS", definitions(words.map((word, index) => [word, meanings[index] ?? ""] as const))),
    ...groups.map((group) =>
      section(
        (group || "OPTIONS").toUpperCase(),
        optionTerms(Object.fromEntries(own.filter(([, option]) => (option.group ?? "") === group))),
      ),
    ),
    section("GLOBAL OPTIONS", seeGlobalOptions),
    section("EXIT STATUS", [
      ...definitions(describeExits(command)),
      ".PP",
      "All exit codes are in",
      ".BR courier (1).",
    ]),
    seeAlso([path.slice(0, -1), ...(command.seeAlso ?? []).map((name) => ["courier", ...name.split(" ")])]),
  ]);
}

function exampleLines(examples: readonly Example[]): string[] {
  return examples.flatMap(({ line, note }) => [
    ".PP",
    `${text(capitalise(note))}:`,
    ...literal([`courier ${line}`]),
  ]);
}

const seeGlobalOptions = [".PP", "The options that every command has are in", ".BR courier (1)."];

function page(
  path: readonly string[],
  version: string,
  summary: string,
  sections: readonly string[],
): ManPage {
  const name = manName(path);
  const head = [
    // No date: the same sources give the same bytes.
    `.TH ${name.toUpperCase()} 1 "" "courier ${text(version)}" "courier manual"`,
    ".ad l",
    ".nh",
    ".SH NAME",
    `${text(name)} \\- ${text(decapitalise(summary))}`,
  ];
  return {
    fileName: `${name}.1`,
    text: `${[...head, ...sections.filter((each) => each !== "")].join("\n")}\n`,
  };
}

function manName(path: readonly string[]): string {
  return path.join("-");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [`.SH ${quoted(title)}`, ...lines].join("\n");
}

function seeAlso(paths: readonly (readonly string[])[]): string {
  const entries = paths.map((path, index) => {
    const end = index === paths.length - 1 ? "" : ",";
    return `.BR ${manName(path)} (1)${end}`;
  });
  return section("SEE ALSO", entries);
}

function term(head: string, body: readonly string[]): string[] {
  return [".TP", head, ...body];
}

function definitions(entries: readonly (readonly [string, string])[]): string[] {
  return entries.flatMap(([name, meaning]) => term(`.B ${text(name)}`, [text(meaning)]));
}

/** Flags in bold, their placeholders in italics. */
function optionTerms(options: Readonly<Record<string, Option<unknown>>>): string[] {
  return describeOptions(options).flatMap(([flags, meaning]) => {
    const words = flags.split(" ").map((word) => {
      const isFlag = word.startsWith("-");
      return `\\f${isFlag ? "B" : "I"}${text(word)}\\fR`;
    });
    return term(words.join(" "), [text(meaning)]);
  });
}

function paragraphs(description: string): string {
  return description
    .split(/\n\n+/)
    .map((paragraph) => `.PP\n${text(paragraph.replaceAll("\n", " "))}`)
    .join("\n");
}

/** Lines that are shown as they are. */
function literal(lines: readonly string[]): string[] {
  return [".PP", ".RS 4", ".EX", ...lines.map(text), ".EE", ".RE"];
}

function capitalise(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function decapitalise(words: string): string {
  return /^[A-Z][a-z]/.test(words) ? words.charAt(0).toLowerCase() + words.slice(1) : words;
}

function quoted(title: string): string {
  return `"${text(title)}"`;
}

/** Text that roff takes as it is: no escapes, no requests, hyphens that can be copied. */
function text(words: string): string {
  return words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti")
    .replace(/^\./gm, "\\&.");
}
