/** What completion knows of the commands: names, flags, and where the values of each come from. */

/** Values that this machine knows; `file` leaves it to the shell, which knows its own quoting. */
export type ValueSource =
  | "file"
  | "order"
  /** Orders, those that can be cancelled first. */
  | "cancellable order"
  /** Tracking numbers. */
  | "parcel"
  | "sandbox parcel"
  | "account"
  /** Without the sandbox, which is not stored. */
  | "stored account"
  | "base URL"
  /** The address book as `@shop`. */
  | "party"
  /** The address book as `shop`. */
  | "alias"
  | "template"
  | "column names"
  /** A field of the parties in the address book. */
  | `address ${"name" | "phone" | "province" | "city" | "district" | "detail"}`;

/** A word that may be put in, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** Candidates for one place: fixed words, or words from a source. Neither: any text, without candidates. */
export interface Values {
  readonly fixed?: readonly Candidate[] | undefined;
  readonly source?: ValueSource | undefined;
  /** One word may have several, separated by commas. */
  readonly isCommaList?: boolean | undefined;
}

export interface Flag {
  /** `--status` */
  readonly long: string;
  /** `-o` */
  readonly short?: string | undefined;
  readonly summary: string;
  /** Absent for a switch. */
  readonly takes?: Values | undefined;
  readonly isList?: boolean | undefined;
}

export interface Place extends Values {
  readonly isList?: boolean | undefined;
}

/** A command that does something. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly places: readonly Place[];
}

/** Commands under a name. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly entries: readonly (Noun | Verb)[];
}

/** The program. */
export interface CommandTree {
  readonly root: Noun;
  /** Flags that every command has. */
  readonly everywhere: readonly Flag[];
}

export function isNoun(entry: Noun | Verb): entry is Noun {
  return "entries" in entry;
}
