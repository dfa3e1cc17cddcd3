/** What this machine keeps by name: accounts, addresses, templates, column names. */

import { CourierError, usageError } from "../core/errors.ts";

type SavedThing = "an account" | "an address" | "a template" | "column names";

/** A name for command lines and files: letters, digits and `. _ -`. Throws a usage error that shows it as typed. */
export function parseSavedName(text: string, thing: SavedThing, typed = text): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(text) && text !== "__proto__") return text;
  throw usageError(
    `not a usable name for ${thing}: ${typed}`,
    "use up to 64 letters, digits, dots, dashes and underscores, without blanks; begin with a letter or a digit",
  );
}

/** What is saved under a name, never what every object has (`constructor`). */
export function findSaved<T>(saved: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(saved, name) ? saved[name] : undefined;
}

export function savedMeanwhile(what: string): CourierError {
  return new CourierError("file", 2, `another courier process has saved ${what} meanwhile`, {
    hint: "run the same command again",
  });
}

/** Throws where what is saved `now` is none of `known`, such as what a question was about. */
export function ensureKnown(what: string, now: unknown, ...known: readonly unknown[]): void {
  const text = JSON.stringify(now);
  if (now !== undefined && known.every((each) => JSON.stringify(each) !== text)) throw savedMeanwhile(what);
}
