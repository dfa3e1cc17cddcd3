/** Adapter between commands as data and the parser (owner of commander). */

import { Command as Commander, CommanderError, Option as CommanderOption } from "commander";
import { type Command, type CommandEntry, type Group, isGroup } from "../command/command.ts";
import { flagOf, type Option, quote } from "../command/options.ts";
import { CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { shownUrl } from "../core/shown-url.ts";
import { confirmOptions, exportOptions, globalOptions, rowOptions } from "./globals.ts";
import { commandHelp, groupHelp, optionsHelp } from "./help.ts";
import type { Nearest } from "./other-words.ts";

/** What a command line asks for. */
export type Parsed =
  | {
      readonly kind: "run";
      readonly command: Command;
      /** What names it: `orders`, `list`. */
      readonly words: readonly string[];
      readonly input: never;
      readonly globals: Values;
    }
  /** Text for stdout: help that was asked for, or the version. */
  | { readonly kind: "text"; readonly text: string }
  /** Help that was not asked for: a noun without a verb. */
  | { readonly kind: "incomplete"; readonly group: string; readonly text: string };

type Values = Readonly<Record<string, unknown>>;
type Options = Readonly<Record<string, Option<unknown>>>;

export interface ParserOptions {
  readonly version: string;
  /** Columns for help. */
  readonly width: number;
}

/** Parses the words after `courier`. Throws a usage error, exit 2. */
export async function parseCommandLine(
  program: Group,
  words: readonly string[],
  options: ParserOptions,
): Promise<Parsed> {
  const [word, topic, ...more] = helpFirst(words);
  if (word === "help" && topic === "options" && more.length === 0)
    return { kind: "text", text: optionsHelp(options.width) };
  const asked = asFlags(program, helpFirst(words));
  const isHelp = asked.includes("--help") || asked.includes("-h");
  const argv = isHelp ? asked.slice(0, findStray(program, asked)) : asked;
  refuseSecrets(argv);
  let parsed: Parsed | undefined;
  let printed = "";
  let complained = "";
  const bridge: Bridge = {
    width: options.width,
    found: (found) => {
      parsed = found;
    },
    make: (name) =>
      new Commander(name)
        .exitOverride()
        .helpOption("-h, --help", "show help")
        .configureOutput({
          writeOut: (text) => {
            printed += text;
          },
          writeErr: (text) => {
            complained += text;
          },
        }),
  };
  const root = bridge.make(program.name);
  fillGroup(root, program, { path: [], rest: argv }, bridge);
  root.version(options.version, "-V, --version", "print the version");
  try {
    await root.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const nearest = findNearest(program, argv);
    const isUnknown = error.code === "commander.unknownCommand";
    if (isUnknown || error.code === "commander.missingArgument") {
      const { missingArgument, unknownCommand } = await import("./other-words.ts");
      throw isUnknown ? unknownCommand(nearest) : await missingArgument(nearest);
    }
    if (error.code === "commander.optionMissingArgument" && error.message.includes("--fields"))
      await refuseWithFields(nearest);
    if (error.code === "commander.excessArguments" && nearest.path.at(-1) === "login")
      throw wordOfLogin(argv);
    return toText(error, printed, complained, nearest.path.join(" "));
  }
  if (!parsed) throw new Error("the parser found no command");
  return parsed;
}

/** Without the global options before `help`, `version` and `-v`, which need none. */
function helpFirst(words: readonly string[]): readonly string[] {
  let at = 0;
  while (words[at]?.startsWith("--")) at += flagsWithValue.includes(words[at] ?? "") ? 2 : 1;
  const isAlone = at === words.length - 1 && ["version", "-v"].includes(words[at] ?? "");
  return isAlone || words[at] === "help" ? words.slice(at) : words;
}

/**
 * The words for help and version as the flags that they stand for: `help orders list` and `orders help list` are
 * `orders list --help`. Commander's own word would not wait for a command to be loaded.
 */
function asFlags(program: Group, words: readonly string[]): readonly string[] {
  const [first = "--help", ...others] = words;
  if (others.length === 0 && (first === "version" || first === "-v")) return ["--version"];
  const at = words.indexOf("help");
  if (at < 0 || findStray(program, words) !== at + 1) return [first, ...others];
  return [...words.slice(0, at), ...words.slice(at + 1), "--help"];
}

/** `--fields` alone asks which there are. */
async function refuseWithFields({ path }: Nearest): Promise<void> {
  const { knownFields } = await import("./known-fields.ts");
  const known = knownFields(path.slice(1));
  if (known.length > 0)
    throw usageError(
      `--fields needs the names of fields: ${known.join(", ")}`,
      `for example --fields ${known.slice(0, 2).join(",")}`,
    );
}

/** Help and version end commander with an error of their own; everything else is wrong usage. */
function toText(error: CommanderError, printed: string, complained: string, nearest: string): Parsed {
  if (error.exitCode === 0) return { kind: "text", text: printed };
  if (error.code === "commander.help") return { kind: "incomplete", group: nearest, text: complained };
  const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const help = `${nearest} --help shows what there is`;
  // A tracking number may begin so.
  const isShort = error.code === "commander.unknownOption" && /'-[^-]/.test(message);
  throw usageError(
    message,
    suggestion?.replace(/^\((.*)\)$/, "$1") ??
      (isShort ? `${help}; a value that begins with - comes after --` : help),
  );
}

/** Ends parsing: help for an unknown command would hide that it does not exist. */
function findStray(program: Group, words: readonly string[]): number | undefined {
  let commands: Group["commands"] = program.commands;
  for (const [index, word] of words.entries()) {
    if (word.startsWith("-")) return undefined;
    const entry = commands.find(({ name }) => name === word);
    if (!entry) return index + 1;
    if (!isGroup(entry)) return undefined;
    commands = entry.commands;
  }
  return undefined;
}

const flagsWithValue = Object.entries(globalOptions).flatMap(
  ([key, { placeholder }]: [string, Option<unknown>]) => (placeholder ? [flagOf(key)] : []),
);

/** The command or noun that the words name, as far as they do. */
function findNearest(program: Group, argv: readonly string[]): Nearest {
  const path = [program.name];
  let group: Group | undefined = program;
  for (const [index, word] of argv.entries()) {
    const isValue = flagsWithValue.includes(argv[index - 1] ?? ""); // --account sandbox is not the command
    if (isValue || word.startsWith("-")) continue;
    const entry: Group["commands"][number] | undefined = group.commands.find(({ name }) => name === word);
    if (!entry) return { path, group, unknown: word, afterUnknown: argv[index + 1] };
    path.push(entry.name);
    if (!isGroup(entry)) return { path, group: undefined, entry, unknown: "" };
    group = entry;
  }
  return { path, group, unknown: "" };
}

interface Bridge {
  /** Columns for help. */
  readonly width: number;
  readonly make: (name: string) => Commander;
  readonly found: (parsed: Parsed) => void;
}

/** Where the parser stands: the nouns before it, and the words behind it. */
interface Place {
  readonly path: readonly string[];
  readonly rest: readonly string[];
}

/** Tells the parser about a noun: of its verbs the one that follows, or all where none follows at once. */
function fillGroup(
  noun: Commander,
  group: Group,
  { path, rest: [next, ...rest] }: Place,
  bridge: Bridge,
): void {
  noun.description(group.summary).configureHelp({ formatHelp: () => groupHelp(group, path, bridge.width) });
  addOptions(noun, globalOptions);
  const entries = new Map<Commander, CommandEntry | Group>();
  const meant = group.commands.filter(({ name }) => name === next);
  for (const entry of meant.length > 0 ? meant : group.commands) {
    const word = bridge.make(entry.name).description(entry.summary);
    entries.set(word, entry);
    noun.addCommand(word);
  }
  noun.hook("preSubcommand", async (_noun, word) => {
    const entry = entries.get(word);
    if (!entry) return;
    const below = [...path, entry.name];
    if (isGroup(entry))
      fillGroup(word, entry, { path: below, rest: entry.name === next ? rest : [] }, bridge);
    else fillCommand(word, entry, await entry.load(), below, bridge);
  });
  noun.helpCommand(false);
}

function fillCommand(
  verb: Commander,
  entry: CommandEntry,
  command: Command,
  path: readonly string[],
  bridge: Bridge,
): void {
  verb.configureHelp({ formatHelp: () => commandHelp(entry, command, path, bridge.width) });
  for (const [key, argument] of Object.entries(command.arguments)) {
    const name = flagOf(key).slice(2);
    const words = argument.isList ? `${name}...` : name;
    verb.argument(argument.isOptional ? `[${words}]` : `<${words}>`, argument.summary);
  }
  const everywhere = optionsEverywhere(command);
  addOptions(verb, { ...command.options, ...everywhere });
  verb.action(() => {
    const values = collectArguments(command, verb.args);
    bridge.found({
      kind: "run",
      command,
      words: path,
      input: { ...collectOptions(verb, command.options), ...values } as never,
      globals: collectOptions(verb, everywhere),
    });
  });
}

function optionsEverywhere(command: Command): Options {
  return {
    ...globalOptions,
    ...(command.printsText ? {} : rowOptions),
    ...(command.confirms ? confirmOptions : {}),
    ...(command.exportsAs ? exportOptions : {}),
  };
}

function addOptions(target: Commander, options: Options): void {
  for (const [key, option] of Object.entries(options)) {
    const flag = flagOf(key);
    const parser = new CommanderOption(
      `${option.short ? `-${option.short}, ` : ""}${flag}${option.placeholder ? ` <${option.placeholder}>` : ""}`,
      option.summary,
    );
    if (option.placeholder) {
      parser.argParser((text, before: unknown) => {
        if (option.values === "file") ensureUtf8Name(text);
        const value = option.parse(text, flag);
        return option.isList && Array.isArray(before) ? [...before, ...(value as unknown[])] : value;
      });
    }
    target.addOption(parser);
  }
}

/** Values by key. A flag may come at any level: `courier --json orders list`; the innermost wins. */
function collectOptions(verb: Commander, options: Options): Values {
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(options)) {
    for (let level: Commander | null = verb; level && values[key] === undefined; level = level.parent) {
      const parser = level.options.find(({ long }) => long === flagOf(key));
      if (!parser || level.getOptionValueSource(parser.attributeName()) !== "cli") continue;
      values[key] = parser.negate ? true : level.getOptionValue(parser.attributeName());
    }
  }
  return values;
}

function collectArguments(command: Command, words: readonly string[]): Values {
  const values: Record<string, unknown> = {};
  for (const [index, [key, argument]] of Object.entries(command.arguments).entries()) {
    const parse = (text: string) => {
      if (argument.values === "file") ensureUtf8Name(text);
      return argument.parse(text);
    };
    const isLeftOut = argument.isOptional === true && words[index] === undefined;
    values[key] = argument.isList
      ? words.slice(index).map(parse)
      : isLeftOut
        ? undefined
        : parse(words[index] ?? "");
  }
  return values;
}

/** Bytes that are not UTF-8 come as U+FFFD: names of different files would be one. */
function ensureUtf8Name(file: string): void {
  if (file.includes("\ufffd"))
    throw usageError(
      `the name of the file ${quote(file)} is not UTF-8, and courier cannot tell it from others`,
      "give the file a name in UTF-8",
    );
}

/** A word alone that is a URL is no key. Any other may be one, and is not repeated. */
function wordOfLogin(argv: readonly string[]): CourierError {
  const [first, word = "", ...others] = argv;
  if (first !== "login" || others.length > 0 || !/^https?:\/\//i.test(word)) return keyAsArgument();
  const hint = `courier login --base-url ${shellQuote(shownUrl(word))}`;
  return usageError("login takes the base URL with a flag", hint);
}

function keyAsArgument(): CourierError {
  const message = "login takes no key as an argument, where it would stay in the shell's history";
  return new CourierError("key_on_command_line", 2, message, {
    hint:
      "type it at the prompt, pipe it in (courier login < key.txt) or set COURIER_API_KEY; " +
      "replace a key that was typed here",
  });
}

const secretFlag = /^--?(api-?key|key|token|secret|password)(=|$)/i;

/** Other users see the words of a command line in the list of processes, and shells keep them. */
function refuseSecrets(argv: readonly string[]): void {
  const end = argv.indexOf("--");
  const flag = (end < 0 ? argv : argv.slice(0, end)).find((word) => secretFlag.test(word));
  if (flag === undefined) return;
  throw new CourierError(
    "key_on_command_line",
    2,
    `a key is not taken from the command line: ${flag.split("=")[0]}`,
    {
      hint: "others could read it there; pipe it in (courier login < key.txt) or set COURIER_API_KEY",
    },
  );
}
