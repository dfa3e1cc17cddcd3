/** What to complete at the cursor: a command, a flag, or a value. A pure function of the words. */

import {
  type CommandTree,
  type Flag,
  isNoun,
  type Noun,
  type Values,
  type Verb,
} from "../command/completion-tree.ts";

/** The words after `courier`; the one at `current` is cut at the cursor, and may be empty. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly current: number;
}

export interface Position {
  readonly wanted: Wanted;
  /** Values of flags on the line, by flag: they choose the account. */
  readonly chosen: ReadonlyMap<string, string>;
}

export type Wanted =
  | { readonly kind: "nothing" }
  | { readonly kind: "commands"; readonly entries: readonly (Noun | Verb)[] }
  | { readonly kind: "flags"; readonly flags: readonly Flag[] }
  | {
      readonly kind: "values";
      readonly values: Values;
      /** The prefix of the current word that every candidate keeps: `--status=`. */
      readonly prefix: string;
      /** What of the value each candidate keeps: `pending,`. */
      readonly head: string;
      /** Words that are already in the same list. */
      readonly given: readonly string[];
    };

const help: Verb = { name: "help", summary: "show what a command does", flags: [], places: [] };

/** Reads a line as the parser would, and never fails: where it makes no sense, nothing is wanted. */
export function findPosition({ root, everywhere }: CommandTree, { words, current }: CommandLine): Position {
  let entry: Noun | Verb = root;
  let pending: Flag | undefined;
  let isOver = false; // after `--` no word is a flag
  let isHelp = false;
  let isLost = false;
  const positionals: { readonly word: string; readonly index: number }[] = [];
  const seen = new Set<string>();
  const chosen = new Map<string, string>();
  let at: { entry: Noun | Verb; pending: Flag | undefined; isOver: boolean; place: number } | undefined;

  for (const [index, word] of words.entries()) {
    const isCurrent = index === current;
    if (isCurrent) {
      if (isLost) return nothing();
      at = { entry, pending, isOver, place: positionals.length };
      // What follows is read as if the current word were whole.
      if (pending !== undefined) pending = undefined;
      continue;
    }
    if (pending !== undefined) {
      chosen.set(pending.long, word);
      pending = undefined;
    } else if (!isOver && word === "--") {
      isOver = true;
    } else if (!isOver && word.length > 1 && word.startsWith("-")) {
      const [name = "", ...value] = word.split("=");
      const flag = findFlag(entry, name);
      seen.add(flag?.long ?? name);
      if (flag?.takes === undefined) continue;
      if (value.length > 0) chosen.set(flag.long, value.join("="));
      else pending = flag;
    } else if (isNoun(entry)) {
      if (entry === root && word === help.name && !isHelp) isHelp = true;
      else {
        const below: Noun | Verb | undefined = entry.entries.find(({ name }) => name === word);
        if (below === undefined && index < current) isLost = true;
        entry = below ?? entry;
      }
    } else {
      positionals.push({ word, index });
    }
  }
  if (at === undefined) return nothing();
  return { wanted: want(words[current] ?? "", at), chosen };

  function want(word: string, { entry, pending, isOver, place }: NonNullable<typeof at>): Wanted {
    const found = (values: Values, prefix: string, given: readonly string[] = []): Wanted => {
      const value = word.slice(prefix.length);
      const head = values.isCommaList ? value.slice(0, value.lastIndexOf(",") + 1) : "";
      return { kind: "values", values, prefix, head, given: [...given, ...head.split(",")] };
    };
    if (pending !== undefined) return found(pending.takes ?? {}, "");
    if (!isOver && word.startsWith("--") && word.includes("=")) {
      const name = word.slice(0, word.indexOf("="));
      const flag = findFlag(entry, name);
      return flag?.takes === undefined ? { kind: "nothing" } : found(flag.takes, `${name}=`);
    }
    const flags: Wanted = {
      kind: "flags",
      flags: flagsOf(entry).filter(({ long, isList }) => isList || !seen.has(long)),
    };
    if (isHelp && !isNoun(entry)) return { kind: "nothing" };
    if (!isOver && word.startsWith("-")) return flags;
    if (isNoun(entry)) {
      return {
        kind: "commands",
        entries: entry === root && !isHelp ? [...entry.entries, help] : entry.entries,
      };
    }
    const last = entry.places.at(-1);
    const present = entry.places[place] ?? (last?.isList ? last : undefined);
    if (present === undefined) return isOver || word !== "" ? { kind: "nothing" } : flags;
    const from = entry.places.indexOf(present);
    return found(present, "", present.isList ? positionals.slice(from).map(({ word }) => word) : []);
  }

  function flagsOf({ flags }: Noun | Verb): readonly Flag[] {
    return [...flags, ...everywhere];
  }

  function findFlag(entry: Noun | Verb, name: string): Flag | undefined {
    return flagsOf(entry).find(({ long, short }) => long === name || short === name);
  }

  function nothing(): Position {
    return { wanted: { kind: "nothing" }, chosen };
  }
}
