/** Renders the generated sections of docs/commands.md: commands, environment and exit codes, as the code has them. */

import { globalOptions, programOptions } from "../../src/cli/globals.ts";
import { argumentWords, describeOptions, environment, ownOptions } from "../../src/cli/help.ts";
import { program } from "../../src/cli/program.ts";
import { type Command, type CommandEntry, type Group, isGroup } from "../../src/command/command.ts";
import { errorCodes } from "../../src/core/error-codes.ts";
import { exitCodes } from "../../src/core/exit-codes.ts";

/** The page with the sections between its `generated` marks written anew. */
export async function renderReference(page: string): Promise<string> {
  const sections = {
    commands: await renderCommands(),
    "global-options": renderGlobals(),
    environment: renderEnvironment(),
    "exit-codes": renderExitCodes(),
    "error-codes": renderErrorCodes(),
  };
  return Object.entries(sections).reduce((text, [name, content]) => {
    const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
    const [before, rest] = text.split(start);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined)
      throw new Error(`docs/commands.md has no section ${name}`);
    return `${before}${start}\n\n${content}\n\n${end}${after}`;
  }, page);
}

async function renderCommands(): Promise<string> {
  const leaves = findLeaves(program, []);
  const sections = leaves.map(async ({ entry, path }) => renderCommand(entry, await entry.load(), path));
  return (await Promise.all(sections)).join("\n\n");
}

function findLeaves(
  group: Group,
  path: readonly string[],
): { entry: CommandEntry; path: readonly string[] }[] {
  return group.commands.flatMap((entry) => {
    const below = [...path, entry.name];
    return isGroup(entry) ? findLeaves(entry, below) : [{ entry, path: below }];
  });
}

function renderCommand({ summary }: CommandEntry, command: Command, path: readonly string[]): string {
  const options = describeOptions(ownOptions(command));
  const lines = [`## \`courier ${[...path, ...argumentWords(command)].join(" ")}\``, "", `${summary}.`];
  if (options.length > 0) lines.push("", ...table(["Option", "Does"], options));
  lines.push("", "```sh", ...command.examples.map(({ line, note }) => `courier ${line}  # ${note}`), "```");
  return lines.join("\n");
}

function renderGlobals(): string {
  return table(["Option", "Does"], describeOptions({ ...globalOptions, ...programOptions })).join("\n");
}

function renderEnvironment(): string {
  return table(["Variable", "Does"], environment).join("\n");
}

function renderExitCodes(): string {
  const rows = Object.entries(exitCodes).map(([code, meaning]) => [code, meaning] as const);
  return table(["Exit", "Meaning to a script"], rows, false).join("\n");
}

function renderErrorCodes(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { exits, meaning, next }]) => `| \`${code}\` | ${exits} | ${meaning} | ${next} |`,
  );
  return ["| `error.code` | Exit | Meaning | What to do |", "|---|---|---|---|", ...rows].join("\n");
}

function table(
  titles: [string, string],
  rows: readonly (readonly [string, string])[],
  isCode = true,
): string[] {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    `| ${titles.join(" | ")} |`,
    "|---|---|",
    ...rows.map(([term, meaning]) => `| ${isCode ? `\`${cell(term)}\`` : cell(term)} | ${cell(meaning)} |`),
  ];
}
