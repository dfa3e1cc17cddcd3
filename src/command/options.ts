/** Options and arguments as data: their placeholder, words, checks and candidates. */

import { usageError } from "../core/errors.ts";
import type { Candidate, ValueSource } from "./completion-tree.ts";

/** One option. Its flag is its key in kebab-case: `dateFrom` is `--date-from`. */
export interface Option<T> {
  /** Absent for a switch, which takes no value. */
  readonly placeholder?: string;
  readonly summary: string;
  /** Turns the text into a value; `flag` is for messages. Throws a usage error. */
  readonly parse: (text: string, flag: string) => T;
  /** Values that completion offers; others are accepted. */
  readonly candidates?: readonly Candidate[];
  /** Where completion finds values on this machine. */
  readonly values?: ValueSource;
  /** Heading in the help. */
  readonly group?: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** May be given several times; the lists of all of them are joined. */
  readonly isList?: boolean;
  /** One value may name several, separated by commas. */
  readonly isCommaList?: boolean;
}

export interface Argument<T> {
  readonly summary: string;
  readonly parse: (text: string) => T;
  /** Takes one or more words. */
  readonly isList?: boolean;
  /** May be left out. */
  readonly isOptional?: boolean;
  /** The word in the usage, where the key's own word is not clear. */
  readonly usage?: string;
  /** Values that completion offers; others may be refused by `parse`. */
  readonly candidates?: readonly Candidate[];
  /** Where completion finds values on this machine. */
  readonly values?: ValueSource;
}

/** The flag of an option's key: `senderName` is `--sender-name`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What `run` receives for options: undefined when not given. */
export type OptionValues<O> = {
  readonly [K in keyof O]: O[K] extends Option<infer T> ? T | undefined : never;
};

/** What `run` receives for arguments. */
export type ArgumentValues<A> = {
  readonly [K in keyof A]: A[K] extends Argument<infer T>
    ? A[K] extends { readonly isList: true }
      ? readonly T[]
      : A[K] extends { readonly isOptional: true }
        ? T | undefined
        : T
    : never;
};

export interface Extras {
  readonly short?: string;
  readonly candidates?: readonly Candidate[];
  readonly values?: ValueSource;
  readonly group?: string;
}
export type Valued<T> = Option<T> & { readonly placeholder: string };

/** Any text. */
export function textOption(placeholder: string, summary: string, extras: Extras = {}): Valued<string> {
  return { placeholder, summary, parse: (text) => text, ...extras };
}

/** A switch: given or not. */
export function switchOption(summary: string, extras: Extras = {}): Option<boolean> {
  return { summary, parse: () => true, ...extras };
}

/** A native integer within bounds, both included. */
export function countOption(
  placeholder: string,
  summary: string,
  bounds: { min: number; max?: number },
  extras: Extras = {},
): Valued<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  return {
    placeholder,
    summary,
    parse(text, flag) {
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      const isOpen = bounds.max === undefined && !(value > max);
      const range = isOpen ? `of at least ${min}` : `from ${min} to ${max}`;
      throw usageError(`${flag} takes a whole number ${range}, not ${quote(text)}`);
    },
    ...extras,
  };
}

/** An option that may be given several times. */
export function listOption<T>(
  placeholder: string,
  summary: string,
  parseOne: (text: string) => T,
  extras: Extras = {},
): Valued<readonly T[]> {
  return { placeholder, summary, parse: (text) => [parseOne(text)], isList: true, ...extras };
}

export function textArgument(summary: string, extras: Pick<Extras, "values"> = {}): Argument<string> {
  return { summary, parse: (text) => text, ...extras };
}

/** 4.4: `{id}` is the integer order id; kept as text, since it may be larger than a number can hold. */
export function parseOrderId(text: string): string {
  if (isOrderId(text)) return text;
  throw usageError(
    `an order id is a whole number, not ${quote(text)}`,
    "the first column of courier orders list shows the ids; a tracking number is for: courier track",
  );
}

export function isOrderId(text: string): boolean {
  return /^\d+$/.test(text);
}

const refPrefix = "ref:";

/** The ref of `ref:REF`; undefined for another name. */
export function refOf(name: string): string | undefined {
  return name.startsWith(refPrefix) ? name.slice(refPrefix.length) : undefined;
}

/** An order's id, order number, tracking number, or ref:REF: `findOrderIds` finds which it is. */
export function parseOrderName(text: string): string {
  const name = text.trim();
  if (name !== "" && name !== refPrefix) return name;
  throw usageError(
    `not the name of an order: ${quote(text)}`,
    "give its id, order number, tracking number or ref:REF",
  );
}

/** A tracking number, or another name of its order. */
export function parseParcelName(text: string): string {
  return refOf(text.trim()) === undefined ? parseTrackingNumber(text) : parseOrderName(text);
}

/** 4.6: the tracking number is part of a URL path, where `.` and `..` would name another endpoint. */
export function parseTrackingNumber(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "." || trimmed === "..") {
    throw usageError(`not a tracking number: ${quote(text)}`);
  }
  return trimmed;
}

export function quote(text: string): string {
  return `“${text}”`;
}

export function capitalised(text: string): string {
  return `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;
}
