/** The types of a command: its description, the function that runs it, and the results that it returns. */

import type { Client } from "../api/client.ts";
import type { CourierService } from "../api/service.ts";
import type { ActiveAccount } from "../config/accounts.ts";
import type { Keys } from "../config/api-keys.ts";
import type { ConfigStore } from "../config/store.ts";
import type { Alerts } from "../core/alerts.ts";
import type { Clock } from "../core/clock.ts";
import type { EarlierFile } from "../core/earlier-file.ts";
import {
  type CourierError,
  type ExitCode,
  interrupted,
  interruptionExit,
  usageError,
} from "../core/errors.ts";
import type { SystemProcesses } from "../core/process-identity.ts";
import type { Prompts } from "../core/prompts.ts";
import type { PartyGuess } from "../forms/address-text.ts";
import type { Customer } from "../ledger/customers.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/operation.ts";
import type { Json } from "../model/json.ts";
import type { Block, Column, Text } from "../terminal/blocks.ts";
import type { Key } from "../terminal/keypress.ts";
import type { Caret } from "../terminal/live-region.ts";
import type { Messages } from "../terminal/messages.ts";
import type { Meter } from "../terminal/progress.ts";
import type { OutputFile } from "../terminal/streams.ts";
import type { Argument, ArgumentValues, Option, OptionValues } from "./options.ts";
import type { RuntimeInfo, SandboxControl } from "./runtime-info.ts";

/** The most that is read of a file, and what to do about a larger one. */
export interface SizeLimit {
  readonly bytes: number;
  readonly hint: string;
}

/** What a command may use. Everything is made on first use, so that a command pays for what it needs. */
export interface Context {
  readonly clock: Clock;
  /** Aborts on Ctrl-C; long work ends when it does. */
  readonly signal: AbortSignal;
  readonly messages: Messages;
  readonly config: ConfigStore;
  /** The API keys of accounts, in whatever store. */
  readonly keys: Keys;
  /** The ledger of the account's operations. Throws `database`, exit 5, where it cannot be opened. */
  ledger(): Promise<Ledger>;
  /** True where the account has a ledger in common with other machines. */
  sharesLedger(): Promise<boolean>;
  /** The address of that ledger; undefined for the one of this machine. */
  sharedLedger(): Promise<string | undefined>;
  /** This machine's own ledger, which has drafts and known orders of accounts that share another one, too. */
  localLedger(): Promise<Ledger>;
  /** The customer of the account. */
  customer(options?: CustomerOptions): Promise<Customer>;
  /** The same without a call: undefined for a key that was not used yet, and without a ledger. */
  knownCustomer(): Promise<Customer | undefined>;
  /** Records that this run is about to change something at the service. Called again, it gives the same run, unless it failed. */
  beginRun(facts: RunFacts): Promise<Run>;
  /** The processes of this machine. */
  readonly processes: SystemProcesses;
  /**
   * Keeps what this run was shown of orders, which otherwise happens when it ends. False where the account has another key
   * by now: what is kept may be another customer's. Throws `no_account`.
   */
  keepKnownOrders(): Promise<boolean>;
  /** Forgets the orders that the Tab key offers for an account, at any service or at one. Throws `database` and the system's errors. */
  forgetKnownOrders(account: string, service?: string): Promise<void>;
  readonly globals: Globals;
  /** How long the service may take to list an order, where COURIER_SETTLE says so. */
  readonly settleMs: number | undefined;
  /** The account of this run. Throws `no_account`. */
  account(): Promise<ActiveAccount>;
  /** The address of that account's service. */
  baseUrl(): Promise<string>;
  /** The HTTP client of that account. */
  client(): Promise<Client>;
  /** The same for raw calls: the orders that they read are kept as those of the service's calls. */
  rawClient(): Promise<Client>;
  /** The service as that account; the embedded sandbox starts here when the account is `sandbox`. */
  service(): Promise<CourierService>;
  /** The same, but Ctrl-C does not abort its calls: for work that finishes the requests in progress. */
  uninterruptibleService(): Promise<CourierService>;
  /** The service as an account that is not stored yet, for login. */
  serviceAs(account: { baseUrl: string; apiKey: string }): Promise<CourierService>;
  /** Shows how far work has come: in place at a terminal, a line every few seconds elsewhere. */
  meter(): Meter;
  /** In [0, 1). */
  readonly random: () => number;
  /** Prompts, or undefined when no one can answer: no terminal, `--no-input`, or an output flag. */
  prompts(): Promise<Prompts | undefined>;
  /** Shows something to the person at the terminal beside the result: on stderr. */
  display(blocks: readonly Block[]): Promise<void>;
  /** Splits a pasted address into the fields of a party. */
  understandAddress(text: string): Promise<PartyGuess>;
  /** The text of a file, or of stdin for `-`. Throws a file error. */
  readText(path: string): Promise<string>;
  /** The same, byte for byte. Throws for more than `limit`. */
  readBytes(path: string, limit: SizeLimit): Promise<Uint8Array>;
  /**
   * Throws a usage error where `file`, which `flag` gives for writing, is no file's name, is a file that courier keeps,
   * the command's input (`-` is stdin), or one that was checked before, or takes what is printed beside it.
   */
  checkOutput(flag: string, file: string, input?: string): Promise<void>;
  /** Opens a file that has its name when it is complete; another one is kept as `.old`. Throws a file error; what cannot be written later is exit 5. */
  openOutput(file: string, options?: OutputOptions): Promise<OutputFile>;
  /** What is piped in, or undefined when stdin is a terminal. */
  readPipe(): Promise<string | undefined>;
  /** What to type next, for the account of this run: `courier orders show 5 --account shop`. */
  nextCommand(words: string): string;
  /**
   * Runs another command for the account of this run, as if it was typed after it, and reports its errors. For a live
   * screen with controls.
   */
  runCommand(words: readonly string[]): Promise<ExitCode>;
  /** A person at this terminal can work with a screen that is redrawn in place. */
  readonly hasScreen: boolean;
  /** Asks the terminal to put a text on its clipboard (OSC 52). It does not say whether it did. */
  copyText(text: string): void;
  /** This command line with further words, and without a switch, quoted for a shell. */
  sameCommand(words: readonly string[], without?: string): string;
  /** Called when the run ends, for any reason; the last one added runs first. */
  addCleanup(close: () => Promise<void>): void;
  /** Out-of-band alerts: bell, desktop notification, user command. */
  alerts(): Promise<Alerts>;
  /** The embedded sandbox's files and server. */
  sandbox(): Promise<SandboxControl>;
  /** What courier runs on and is set up with, for diagnosis. */
  readonly machine: RuntimeInfo;
}

export interface OutputOptions {
  /** A file that is made gets the permissions of this one. */
  readonly permissionsOf?: string | undefined;
  /** The flag that gives the file, which must not be the input of an import then. */
  readonly flag?: string | undefined;
  /** Keeps the file that is there, the last thing before it is replaced. Throws where it must stay. */
  readonly keep?: (() => Promise<EarlierFile>) | undefined;
  /** Where the file is, once it was checked: what has come to its path since is not followed. */
  readonly realPath?: string | undefined;
}

/** What the log says of a run. */
export interface RunFacts {
  /** As it is typed: `orders import`. */
  readonly command: string;
  /** The file of an import. */
  readonly source?: string | undefined;
  /** The run that it undoes. */
  readonly undoes?: number | undefined;
}

export interface CustomerOptions {
  /** Calls the service again. */
  readonly isFresh?: boolean;
  /** Without an order, a key whose customer is not known stands for one. */
  readonly makesNoOrder?: boolean;
}

/** The options that mean the same for every command. */
export interface Globals {
  readonly account?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly yes: boolean;
  readonly quiet: boolean;
}

/** One value, shown by a view; `--json` prints the value itself. */
export interface DocumentOutput {
  readonly kind: "document";
  readonly data: Json;
  readonly blocks: readonly Block[];
  /** Reported after it: the document is complete, and what it is about is not in order. */
  readonly failure?: CourierError;
  /** Its rows, where it has some: what `--csv` and `--fields` print. */
  readonly rows?: RowsOutput;
  /** The first columns of `--csv`, in the order that several such results have; what else it has comes after them. */
  readonly columns?: readonly Column<never>[];
  /** Called after it was written, for what is said on stderr beside it. */
  readonly after?: () => Promise<void>;
  /**
   * Where it tells what was made or deleted: called when the reader closed the pipe before it was written, and its failure is
   * reported then, too.
   */
  readonly onUnread?: () => void;
}

/** Rows of a table. The generator may return an error that is reported after the last row. */
export interface RowsOutput {
  readonly kind: "rows";
  readonly rows: Items;
  readonly columns: readonly Column<never>[];
  /** What a person sees above the table, where no fields were chosen. */
  readonly head?: readonly Block[];
  /** Shown instead of an empty table. */
  readonly empty: string;
  /** What a person reads below a row of the table, at any length. */
  readonly remark?: (row: Json) => Text | undefined;
  /**
   * For rows of work that changes something at the service: it is done to the end although its reader closes the
   * pipe. Called once then, to say so. Without it, a closed pipe ends the command.
   */
  readonly onUnread?: () => void;
  /** How the rows make a page to print, for a command that exports HTML. */
  readonly page?: Page<never>;
  /** The word for a row in a message; `row` where left out. */
  readonly noun?: string;
  /** At a terminal only these rows are shown, unless fields were chosen; everything else gets all rows. */
  readonly isShown?: (row: Json) => boolean;
  /** Called after the last row was written, for what is said on stderr beside it. `isShort`: `isShown` chose the rows. */
  readonly after?: (isShort: boolean) => Promise<void>;
  /** What a person sees of each row instead of the table, where no fields were chosen. */
  readonly views?: (row: never) => readonly Block[];
  /** What a person sees of each row below the table. */
  readonly details?: (row: never) => readonly Block[];
}

/** An HTML page that is written as its rows come. Its parts are whole lines, with all text escaped. */
export interface Page<Row> {
  readonly begin: string;
  readonly item: (row: Row) => string;
  /** Takes the place of the items where there are none. */
  readonly empty: string;
  readonly end: string;
}

/** Values that are each shown as soon as they come. */
export interface EventsOutput {
  readonly kind: "events";
  readonly events: Items;
  readonly human: (event: Json) => readonly Block[];
  /** The columns of CSV, where each event is a row. */
  readonly columns?: readonly string[];
  /** Called after the last event was written. */
  readonly after?: () => Promise<void>;
}

/** As it came, and as text, which may have been in a declared encoding. */
export interface RawBody {
  readonly bytes: Uint8Array;
  readonly body: string;
}

/** Bodies of answers, printed as they came; at a terminal in a form that is safe to look at. */
export interface RawOutput {
  readonly kind: "raw";
  readonly bodies: AsyncGenerator<RawBody, CourierError | undefined>;
  /** The items that a body holds, which JSON and NDJSON print instead of the bodies. */
  readonly items?: (body: RawBody) => readonly Json[];
  /** The call only read, so that it may be repeated. */
  readonly isRead: boolean;
  /** For a call that may have changed something: as that of rows. */
  readonly onUnread?: (() => void) | undefined;
}

/** A live result: redrawn in place at a terminal, one item after the other anywhere else. */
export interface LiveOutput {
  readonly kind: "live";
  readonly events: Items;
  /** An item for a pipe. */
  readonly human: (event: Json) => readonly Block[];
  /** What a terminal shows at this moment; without a size, everything, for the last time. */
  readonly screen: (
    nowMs: number,
    room: LiveRoom | undefined,
  ) => readonly Block[] | Promise<readonly Block[]>;
  /** Called with notes that no item contains, for stderr beside a pipe; a screen shows them itself. */
  readonly complain: (listener: (text: string) => void) => void;
  /** How it went, in one line, once it has ended; nothing where empty. */
  readonly summary: (nowMs: number) => string;
  /** In a pipe it goes on without its reader: called once then, to say so. Without it, a closed pipe ends it. */
  readonly onUnread?: (() => void) | undefined;
  /** The person at the terminal has seen enough: `events` ends soon. */
  readonly quit: () => void;
  /** For a screen that a person works with. */
  readonly controls?: ScreenControls;
}

export interface ScreenControls {
  /**
   * Called with every key but Ctrl-C and Ctrl-Z; `q` is a letter then. What it gives back runs with the screen erased and
   * the keyboard free, such as another command at this terminal. It never rejects.
   */
  readonly press: (key: Key) => (() => Promise<void>) | undefined;
  /** Its events come without a key, however many: a key redraws it at once, and events only every so often. */
  readonly isPaced?: boolean;
  /** Where the person types on the last screen; undefined where nothing is typed. */
  readonly caret: () => Caret | undefined;
}

export interface LiveRoom {
  readonly lines: number;
  readonly columns: number;
  /** What ends it: a key, or Ctrl-C alone where no keys can be read. */
  readonly quitKey: string;
}

/** Items as they come; what it returns is the error that a complete result ends with, if any. */
export type Items<T extends Json = Json> = AsyncGenerator<T, CourierError | undefined>;
export type Output = DocumentOutput | RowsOutput | EventsOutput | LiveOutput | RawOutput;

export interface Example {
  /** What follows `courier`. */
  readonly line: string;
  readonly note: string;
}

export interface Command<
  A extends Record<string, Argument<unknown>> = Record<string, Argument<unknown>>,
  O extends Record<string, Option<unknown>> = Record<string, Option<unknown>>,
> {
  /** Paragraphs for its own help. */
  readonly description?: string;
  readonly arguments: A;
  readonly options: O;
  readonly examples: readonly Example[];
  /** Exit codes that a script should tell apart here, beside those that every command has. */
  readonly exits?: readonly ExitCode[];
  /** Commands that people need next, without `courier`. */
  readonly seeAlso?: readonly string[];
  /** It prints text or bytes as they are, not objects or rows: `--csv` and `--fields` do not apply. */
  readonly printsText?: boolean;
  /** Its rows are meant for a file: this form is the default, `--output` and `--bom` apply. */
  readonly exportsAs?: "csv" | "html";
  /** It asks before it acts: `--yes` applies. */
  readonly confirms?: boolean;
  /** At its end, a terminal shows how many orders of the account are in doubt. */
  readonly mentionsDoubt?: boolean;
  run(input: ArgumentValues<A> & OptionValues<O>, context: Context): Promise<Output>;
}

/** A command's line in the table of contents; the command itself is loaded when it is meant. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** It changes something, at the service or on this machine: a misspelt word never leads to it. */
  readonly changes?: true;
  load(): Promise<Command>;
}

/** Commands under a noun. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly Example[];
  readonly commands: readonly (CommandEntry | Group)[];
}

export function defineCommand<
  A extends Record<string, Argument<unknown>>,
  O extends Record<string, Option<unknown>>,
>(command: Command<A, O>): Command {
  return command as unknown as Command;
}

export function isGroup(entry: CommandEntry | Group): entry is Group {
  return "commands" in entry;
}

export function document<T extends Json>(data: T, human: (data: T) => readonly Block[]): DocumentOutput {
  return { kind: "document", data, blocks: human(data) };
}

export function rows<T extends Json>(
  items: Items<T> | AsyncGenerator<T, void> | readonly T[],
  columns: readonly Column<T>[],
  empty: string,
  details?: (row: T) => readonly Block[],
): RowsOutput {
  const stream = Array.isArray(items) ? each(items) : items;
  const shown = { rows: stream as Items, columns: columns as readonly Column<never>[], empty };
  return { kind: "rows", ...shown, ...(details ? { details } : {}) };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

/** For a result that tells of an order that was made. */
export function noteUnreadOrder(id: string, { signal, messages }: Context): void {
  if (!signal.aborted) messages.note(`the reader of the result is gone; order ${id} was created`);
}

/** For rows that are read to the end after the reader closed the pipe. `run` gives the run's number, once it has one. */
export function goesOnUnread(
  work: "import" | "cancelling" | "undo",
  run: () => number | undefined,
  { signal, messages, nextCommand }: Context,
): Required<Pick<RowsOutput, "onUnread">> {
  return {
    onUnread() {
      if (signal.aborted) return; // Ctrl-C ends the reader of a pipe too
      const number = run();
      const log = number === undefined ? "" : ` (${nextCommand(`log show ${number}`)} has it)`;
      messages.note(`the reader of the report is gone; the ${work} continues without it${log}`);
    },
  };
}

/** Notes, when the run is stopped, that requests in progress are finished. Gives back what ends that. */
export function noteStop({ signal, messages }: Context): () => void {
  const onStop = () => {
    const again = interruptionExit(signal.reason) === 130 ? "; press Ctrl-C again to stop now" : "";
    messages.note(`stopping after the requests in progress${again}`);
  };
  signal.addEventListener("abort", onStop, { once: true });
  return () => signal.removeEventListener("abort", onStop);
}

export function events<T extends Json>(
  stream: Items<T> | AsyncGenerator<T, void>,
  human: (event: T) => readonly Block[],
): EventsOutput {
  return { kind: "events", events: stream as Items, human: human as (event: Json) => readonly Block[] };
}

/**
 * Throws a usage error, exit 2, where a confirmation will be needed and no one can give it. `what` names
 * what it is needed for.
 */
export async function ensureCanConfirm(
  context: Context,
  what: string,
  hint = "add --yes to confirm",
): Promise<void> {
  if (context.globals.yes || (await context.prompts())) return;
  throw usageError(`${what} needs a confirmation, and courier cannot ask here`, hint);
}

/** After so long, what was read before a question may not hold any more. */
const lateAnswerMs = 5_000;

/** True where a question that was asked then has stood so long that what it is about is read once more. */
export function isLateAnswer({ clock }: Pick<Context, "clock">, askedMs: number): boolean {
  return clock.elapsed() - askedMs > lateAnswerMs;
}

/**
 * Asks before something that cannot be undone, unless `--yes` was given. A "no" ends the command. True where the answer
 * is late.
 */
export async function confirmOrStop(context: Context, question: string): Promise<boolean> {
  await ensureCanConfirm(context, `“${question}”`);
  const askedMs = context.clock.elapsed();
  if (context.globals.yes || (await (await context.prompts())?.confirm(question)))
    return isLateAnswer(context, askedMs);
  throw interrupted(130, "not confirmed: nothing was done");
}
