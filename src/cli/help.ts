/** The help texts, made from the same data as the parser. */

import type { Command, CommandEntry, Example, Group } from "../command/command.ts";
import { flagOf, type Option } from "../command/options.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { confirmOptions, exportOptions, globalOptions, programOptions, rowOptions } from "./globals.ts";
import { definitions, unbroken, wrap } from "./wrap.ts";

/** Help of a noun, or of the program where the path is empty: what one can say after it. */
export function groupHelp(group: Group, path: readonly string[], width: number): string {
  const name = ["courier", ...path].join(" ");
  const entries = group.commands.map((each) => [each.name, each.summary] as const);
  return joinSections([
    `${wrap(group.summary, width).join("\n")}\n`,
    section("Usage", [`  ${name} COMMAND [options]`]),
    section("Examples", describeExamples(group.examples, width)),
    section("Commands", definitions(entries, width)),
    paragraph(seeOptions, width),
    section("See also", [`  ${name} COMMAND --help`, ...(path.length === 0 ? ["  man courier"] : [])]),
  ]);
}

/** Every help has it in the place of what all commands share. */
const seeOptions = `Global options: --json, --account NAME, --quiet and others; ${unbroken("courier help options")}`;

/** `courier help options`: what holds for all commands. */
export function optionsHelp(width: number): string {
  return joinSections([
    paragraph("Options and variables of all commands", width),
    section("Global options", definitions(describeOptions({ ...globalOptions, ...programOptions }), width)),
    section("Environment", definitions(environment, width)),
    paragraph("A flag wins over the environment, which wins over the stored account.", width),
    section("See also", describeRelated(["COMMAND --help", "doctor"], width)),
  ]);
}

/** The options that a command has and others may not have. */
export function ownOptions(command: Command): Readonly<Record<string, Option<unknown>>> {
  return {
    ...command.options,
    ...(command.printsText ? {} : rowOptions),
    ...(command.confirms ? confirmOptions : {}),
    ...(command.exportsAs ? exportOptions : {}),
  };
}

/** Help of a command: examples first. */
export function commandHelp(
  { summary }: CommandEntry,
  command: Command,
  path: readonly string[],
  width: number,
): string {
  const words = argumentWords(command);
  const own = commonFirst(Object.entries(ownOptions(command)));
  const groups = [...new Set(own.map(([, option]) => option.group ?? ""))];
  return joinSections([
    `${wrap(summary, width).join("\n")}\n`,
    section("Usage", [`  ${["courier", ...path, ...words, "[options]"].join(" ")}`]),
    section("Examples", describeExamples(command.examples, width)),
    ...(command.description ?? "").split("\n\n").map((text) => paragraph(text, width)),
    section("Arguments", definitions(describeArguments(command, words), width)),
    ...groups.map((group) => {
      const options = Object.fromEntries(own.filter(([, option]) => (option.group ?? "") === group));
      return section(group === "" ? "Options" : group, definitions(describeOptions(options), width));
    }),
    paragraph(seeOptions, width),
    section("Exit codes", definitions(describeExits(command), width)),
    section("See also", describeRelated(command.seeAlso ?? [], width)),
  ]);
}

/** What most people look for. */
const commonOptions = ["file", "output", "limit", "all", "status", "from", "to", "check", "watch", "yes"];

function commonFirst<T>(options: readonly (readonly [string, T])[]): (readonly [string, T])[] {
  const rank = ([key]: readonly [string, T]) =>
    commonOptions.includes(key) ? commonOptions.indexOf(key) : commonOptions.length;
  return [...options].sort((one, other) => rank(one) - rank(other));
}

/** A command's arguments as one writes them: `ID`, `IDS...`, `[NUMBERS...]` where there need be none. */
export function argumentWords(command: Command): string[] {
  return Object.entries(command.arguments).map(([key, { isList, isOptional, usage }]) => {
    const name = `${flagOf(key).slice(2).toUpperCase()}${isList ? "..." : ""}`;
    return usage ?? (isOptional ? `[${name}]` : name);
  });
}

/** The exit codes that matter to a command, with their meanings. */
export function describeExits(command: Command): (readonly [string, string])[] {
  return (command.exits ?? []).map((code) => [String(code), exitCodes[code].replaceAll("`", "")] as const);
}

function describeExamples(examples: readonly Example[], width: number): string[] {
  return examples.flatMap(({ line, note }) => [
    `  courier ${line}`,
    ...wrap(note, width - 6).map((text) => `      ${text}`),
  ]);
}

function describeRelated(seeAlso: readonly string[], width: number): string[] {
  const names = seeAlso.map((name) => unbroken(`courier ${name}`)).join(", ");
  return names === "" ? [] : wrap(names, width - 2).map((text) => `  ${text}`);
}

function paragraph(text: string, width: number): string {
  return text === "" ? "" : `${wrap(text.replaceAll("\n", " "), width).join("\n")}\n`;
}

function describeArguments(command: Command, words: readonly string[]): (readonly [string, string])[] {
  return Object.values(command.arguments).map(({ summary }, index) => [words[index] ?? "", summary] as const);
}

/** Flags with their placeholders, and what they do. */
export function describeOptions(
  options: Readonly<Record<string, Option<unknown>>>,
): (readonly [string, string])[] {
  return Object.entries(options).map(([key, { placeholder, summary, short }]) => {
    const flag = short ? `-${short}, ${flagOf(key)}` : flagOf(key);
    return [placeholder ? `${flag} ${placeholder}` : flag, summary] as const;
  });
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}:\n${lines.join("\n")}\n`;
}

function joinSections(sections: readonly string[]): string {
  return sections.filter((text) => text !== "").join("\n");
}

/** Names, and what they do. A flag wins over the environment, which wins over the stored account. */
export const environment: readonly (readonly [names: string, meaning: string])[] = [
  ["COURIER_API_KEY", "the key, instead of a stored one"],
  [
    "COURIER_BASE_URL",
    "the service's base URL, instead of a stored one; needs COURIER_API_KEY when it is another service's",
  ],
  ["COURIER_ACCOUNT", "the account, instead of the current one"],
  ["COURIER_CONFIG_DIR", "where accounts, keys, addresses and templates are kept: an absolute path"],
  [
    "COURIER_STATE_DIR",
    "where the sandbox's orders and what this machine remembers of orders are kept: an absolute path",
  ],
  ["COURIER_LEDGER", "the address of a ledger that machines share; it goes before the account's"],
  ["COURIER_SETTLE", "how long the service may take to list an order, as --settle takes it"],
  ["COURIER_PAGER", "a program that shows what is longer than the terminal, such as less"],
  ["NO_COLOR, FORCE_COLOR", "no colour when not empty; colour also in a pipe"],
  ["HTTPS_PROXY, HTTP_PROXY", "the proxies to go through; never for a service on this machine"],
  ["NO_PROXY", "the hosts to reach without a proxy"],
  ["NODE_EXTRA_CA_CERTS", "a file with certificates of a private certificate authority"],
];
