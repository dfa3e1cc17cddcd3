/** The command tree for completion; the build writes it into the bundle as data. */

import { type Command, type CommandEntry, type Group, isGroup } from "../command/command.ts";
import type { Candidate, CommandTree, Flag, Noun, Values, Verb } from "../command/completion-tree.ts";
import { flagOf, type Option } from "../command/options.ts";
import { globalOptions, programOptions } from "./globals.ts";
import { ownOptions } from "./help.ts";

/** The program as completion sees it: names, flags and where their values come from. */
export async function describeProgram(program: Group): Promise<CommandTree> {
  const { help, version } = programOptions;
  const root = { ...(await describeGroup(program, [])), flags: describeFlags({ version }) };
  return { root, everywhere: describeFlags({ ...globalOptions, help }) };
}

async function describeGroup({ name, summary, commands }: Group, words: readonly string[]): Promise<Noun> {
  const entries: (Noun | Verb)[] = [];
  for (const entry of commands) {
    const below = [...words, entry.name];
    entries.push(
      isGroup(entry)
        ? await describeGroup(entry, below)
        : describeCommand(entry, await entry.load(), await fieldsOf(below)),
    );
  }
  return { name, summary, entries, flags: [] };
}

/** Loads zod, as far as the tree is not data. */
async function fieldsOf(words: readonly string[]): Promise<readonly Candidate[]> {
  const { knownFields } = await import("./known-fields.ts");
  return knownFields(words).map((value) => ({ value }));
}

function describeCommand(
  { name, summary }: CommandEntry,
  command: Command,
  fields: readonly Candidate[],
): Verb {
  const options = ownOptions(command);
  const chosen =
    "fields" in options ? { fields: { ...options.fields, candidates: fields, isCommaList: true } } : {};
  return {
    name,
    summary,
    flags: describeFlags({ ...options, ...chosen } as typeof options),
    places: Object.values(command.arguments).map((argument) => ({
      ...valuesOf(argument),
      ...(argument.isList ? { isList: true } : {}),
    })),
  };
}

function describeFlags(options: Readonly<Record<string, Option<unknown>>>): Flag[] {
  return Object.entries(options).map(([key, option]) => ({
    long: flagOf(key),
    ...(option.short ? { short: `-${option.short}` } : {}),
    // A list of flags has a line for each: what follows a semicolon is for the help.
    summary: option.summary.replace(/;.*/, ""),
    ...(option.placeholder ? { takes: valuesOf(option) } : {}),
    ...(option.isList ? { isList: true } : {}),
  }));
}

function valuesOf({
  candidates,
  values,
  isCommaList,
}: Pick<Option<unknown>, "candidates" | "values" | "isCommaList">): Values {
  return {
    ...(isCommaList ? { isCommaList } : {}),
    ...(candidates ? { fixed: candidates } : {}),
    ...(values ? { source: values } : {}),
  };
}
