/** A run: words in, one command, one result, one exit code; the last catch of every error. */

import type { Items, LiveOutput, Output } from "../command/command.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import {
  CourierError,
  type ExitCode,
  fileError,
  type InterruptionExit,
  interrupted,
  isInterruption,
  systemCode,
  usageError,
} from "../core/errors.ts";
import { nextTurn } from "../core/next-turn.ts";
import { createRedactor, type Redact } from "../core/redact.ts";
import { shortestKey } from "../core/shown-command.ts";
import { allowMoreFiles, isFileLimit, tooManyFiles, unwrittenError } from "../core/system-errors.ts";
import { counted } from "../core/wording.ts";
import { createMessages, type Messages } from "../terminal/messages.ts";
import { createLineProgress, createProgress, noProgress, type Progress } from "../terminal/progress.ts";
import { createWriter, PipeClosed, type StreamWriter, Unwritten, type Writer } from "../terminal/streams.ts";
import { createContext, type Inside, type RunContext } from "./context.ts";
import { findConfigDirectory } from "./directories.ts";
import { chooseForm, type Form, type GlobalValues, readGlobals } from "./globals.ts";
import type { Host } from "./host.ts";
import { writeOutput } from "./output.ts";
import type { Pager } from "./pager.ts";
import { parseCommandLine } from "./parser.ts";
import { program } from "./program.ts";
import { asReplaced } from "./replaced-program.ts";
import { helpWidth } from "./root-help.ts";
import { readVersion } from "./version.ts";
import { choosePaint, createView } from "./view.ts";

/** What a run has made so far, for its end. */
interface Opened {
  context?: RunContext;
  /** A person reads what is said beside the result, and the command mentions orders in doubt. */
  mentionsDoubt?: boolean;
  output?: Output;
  /** What the result ended with. */
  failure?: CourierError | undefined;
}

/** Where a run writes. A stream has one writer in a process, whichever command writes. */
interface Writers {
  readonly out: StreamWriter;
  readonly err: Writer;
  /** Called before each write. */
  clear: () => void;
  /** The last error that was reported: what ends a command inside another one may end that one, too. */
  reported?: CourierError;
  /** Called when a question is drawn; what it returns, when it ends. */
  pause: () => () => void;
}

/** Runs one command line from start to end. Never rejects, never exits the process. */
export async function run(host: Host): Promise<ExitCode> {
  const clear = () => writers.clear();
  const writers: Writers = {
    out: createWriter(host.stdout, clear, () => host.signal),
    err: createWriter(host.stderr, clear),
    clear: () => {},
    pause: () => () => {},
  };
  host.onStopTakesLong?.(() => {
    // What is begun is written whole: half a tracking number would look like a number.
    if (writers.out.hasUnread())
      host.stderr.write(
        "stopping once the output so far is read; a second Ctrl-C or SIGTERM stops at once\n",
      );
  });
  return runToEnd(host, writers);
}

async function runToEnd(host: Host, writers: Writers): Promise<ExitCode> {
  const opened: Opened = {};
  const exit = await runCommand(host, opened, writers);
  const { context, mentionsDoubt } = opened;
  if (context && mentionsDoubt) {
    // The command is over: an update that has taken the file away meanwhile changes nothing of it.
    const told = await import("./doubt.ts").catch(() => undefined);
    await told?.mentionDoubt(context, exit);
  }
  await context?.close(exit, writers.reported);
  return exit;
}

/** Another command of the same process, at the terminal of the first. */
async function runInside(outer: Host, writers: Writers, inside: Inside): Promise<ExitCode> {
  const { clear, pause } = writers;
  try {
    const host = { ...outer, ...inside, onEscape: () => {} };
    return await runToEnd(host, writers);
  } finally {
    writers.clear = clear;
    writers.pause = pause;
  }
}

async function runCommand(host: Host, opened: Opened, writers: Writers): Promise<ExitCode> {
  const clock = host.clock ?? systemClock(host.elapsed);
  let progress: Progress = noProgress;
  let clearScreen = () => {};
  const clear = () => {
    progress.clear();
    clearScreen();
  };
  const redact = redactorFor(host.env);
  const { out: writer, err: complaints } = writers;
  writers.clear = clear;
  writers.pause = () => progress.pause();
  let messages = messagesFor(host, clear, redact, {
    quiet: false,
    debug: host.argv.includes("--debug"),
    noColor: host.argv.includes("--no-color"),
  });
  let form: Form = guessForm(host.argv);
  const tell = async (error: CourierError): Promise<ExitCode> => {
    if (error === writers.reported) return error.exit;
    writers.reported = error;
    messages.redactWith(await redactorOfStoredKeys(host.env));
    await messages.error(error, form === "human" ? "human" : "json");
    return error.exit;
  };
  const explain = (error: unknown) =>
    error instanceof Unwritten ? unwritten(error, opened) : asCourierError(error);
  host.onEscape?.((error) => tell(explain(error)));
  const describeStops = () =>
    host.onStopAtOnce?.((exit) => {
      progress.stop();
      const { context } = opened;
      const command = context?.begunCommand();
      if (!context || command === undefined) return undefined;
      return messages.formatError(stoppedAtOnce(command, exit, context), form === "human" ? "human" : "json");
    });
  describeStops();
  try {
    const width = helpWidth(host.stdout.columns);
    const parsed = await parseCommandLine(program, host.argv, { version: readVersion(), width });
    if (parsed.kind === "text") {
      const pager = await openPager(host, writer);
      await (pager ?? writer).write(redact(parsed.text));
      await pager?.show(messages.warn);
      return 0;
    }
    if (parsed.kind === "incomplete") {
      if (form !== "human")
        throw usageError(`${parsed.group} needs a command`, `${parsed.group} --help shows what there is`);
      await complaints.write(redact(parsed.text));
      return 2;
    }
    const globals = readGlobals(parsed.globals);
    form = globals.form;
    messages = messagesFor(host, clear, redact, globals);
    progress = progressFor(host, globals, clock, messages);
    const fields = globals.fields && (await checkedFields(globals.fields, parsed.words));
    const context = await createContext(host, {
      globals,
      clock,
      messages,
      progress,
      onAsk: () => writers.pause(),
      runCommand: (inside) => runInside(host, writers, inside).finally(describeStops),
    });
    opened.context = context;
    const isRead = host.stderr.isTTY === true && form === "human" && !globals.quiet;
    opened.mentionsDoubt = isRead && parsed.command.mentionsDoubt === true;
    if (globals.output !== undefined) {
      await context.checkOutput("--output", globals.output);
      const { ensureNoImportInput } = await import("./output-place.ts");
      await ensureNoImportInput("--output", globals.output, context);
    }
    const shownForm = chooseForm(globals, parsed.command.exportsAs, host.stdout.isTTY === true);
    const output = notingFailure(await parsed.command.run(parsed.input, context), opened);
    opened.output = output;
    const view = await createView(host.stdout, host.env, globals.noColor, clock.now());
    const file = globals.output === undefined ? undefined : await context.openOutput(globals.output);
    const canRedraw = host.stdout.isTTY === true && host.env.TERM !== "dumb" && !file;
    const live = async (shown: LiveOutput) => {
      const { createLiveScreen } = await import("./live.ts");
      const screen = createLiveScreen(host, { clock, view, progress, redact });
      clearScreen = screen.clear;
      return screen.show(shown);
    };
    const pager = file || !isPaged(output) ? undefined : await openPager(host, writer);
    const target = file ?? pager ?? writer;
    const { failure, count, remark, isShort } = await writeOutput(
      output,
      output.kind === "raw" ? target : redacting(target, redact),
      {
        form: shownForm,
        fields,
        bom: globals.bom,
        view: isPaged(output) ? { ...view, pause: () => hearSignals(host.signal) } : view,
        note: messages.note,
        redact: messages.redact,
        warn: messages.warn,
        live: canRedraw ? live : undefined,
        clock,
      },
    ).catch(async (error) => {
      await file?.abandon().catch(() => {});
      await pager?.release();
      throw error;
    });
    await file?.finish();
    await pager?.show(messages.warn, failure);
    const isOfRows = output.kind === "rows";
    const noun = (isOfRows && output.noun) || "row";
    const more = remark === undefined ? "" : `; ${remark}`;
    if (file) messages.note(`wrote ${counted(count, noun)} to ${globals.output}${more}`);
    if (isOfRows) await output.after?.(isShort === true);
    if (output.kind === "document" || output.kind === "events") await output.after?.();
    if (failure) throw failure;
    return 0;
  } catch (error) {
    if (error instanceof PipeClosed) {
      const { output } = opened;
      if (output?.kind !== "document" || !output.onUnread) return 0;
      output.onUnread();
      return output.failure ? tell(output.failure) : 0;
    }
    const signal = opened.context?.signal ?? host.signal;
    host.onStopAtOnce?.(() => undefined); // the last word is said
    const explained = explain(error);
    const { failure } = opened;
    if (failure && failure !== explained && explained.code === "unwritten") {
      // How the work ended is worth more: an order may be in doubt.
      messages.warnAlways(explained.message);
      return tell(failure);
    }
    return tell(signal.aborted ? asInterruption(explained, signal) : explained);
  }
}

/** Its failure is known before its last part is written. */
function notingFailure(output: Output, opened: Opened): Output {
  if (output.kind === "document") opened.failure = output.failure;
  if (output.kind !== "rows") return output;
  async function* noting(items: Items): Items {
    opened.failure = yield* items;
    return opened.failure;
  }
  return { ...output, rows: noting(output.rows) };
}

async function hearSignals(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

/** What changes something at the service is shown as it comes, and so is what goes on. */
function isPaged(output: Output): boolean {
  return output.kind === "document" || (output.kind === "rows" && output.onUnread === undefined);
}

async function openPager(host: Host, writer: Writer): Promise<Pager | undefined> {
  if (!host.env.COURIER_PAGER) return undefined;
  const { createPager } = await import("./pager.ts");
  return createPager(host, writer);
}

async function checkedFields(paths: readonly string[], words: readonly string[]): Promise<readonly string[]> {
  const { checkFields } = await import("./known-fields.ts");
  return checkFields(paths, words);
}

/** The key may stand in the wrong place of the command line, so it is masked before anything is parsed. */
function redactorFor({ COURIER_API_KEY = "" }: Host["env"]): Redact {
  return redactorOf([COURIER_API_KEY.trim()]);
}

/**
 * An error may repeat words of the command line, and any stored key may be one of them. It is made for errors only:
 * other commands do not wait for it. Key rings are not asked, since they may prompt.
 */
async function redactorOfStoredKeys(env: Host["env"]): Promise<Redact> {
  try {
    const config = await findConfigDirectory(env);
    const { readKeysUnchecked } = await import("../config/read-config-unchecked.ts");
    return redactorOf(readKeysUnchecked(config));
  } catch {
    return (text) => text; // there is no place for a config file
  }
}

function redactorOf(keys: readonly string[]): Redact {
  return createRedactor(keys.filter(({ length }) => length >= shortestKey));
}

function redacting(writer: Writer, redact: (text: string) => string): Writer {
  return {
    stream: writer.stream,
    write: (text) => writer.write(typeof text === "string" ? redact(text) : text),
  };
}

function unwritten({ cause }: Unwritten, { context, output }: Opened): CourierError {
  // A raw call may do what no run in the ledger tells of.
  const isRawChange = output?.kind === "raw" && !output.isRead;
  const mayHaveSent = isRawChange || context?.begunCommand() !== undefined;
  const mayHaveChanged = output?.kind === "document"; // a change gives one
  const log = context?.nextCommand("log");
  return unwrittenError("the result", cause, { mayHaveSent, mayHaveChanged, log });
}

/** Repeating a command for one order could send it again with --allow-duplicate. */
function stoppedAtOnce(
  command: string,
  exit: InterruptionExit,
  { nextCommand }: Pick<RunContext, "nextCommand">,
): CourierError {
  const log = nextCommand("log");
  const message = "stopped at once: the requests in progress may or may not have taken effect";
  const isOneOrder = command === "orders create" || command.startsWith("api ");
  const again = `run the same command again: it continues where it stopped; ${log} shows what was done`;
  return interrupted(exit, message, isOneOrder ? `see what was done: ${log}` : again);
}

function asCourierError(error: unknown): CourierError {
  if (error instanceof CourierError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // Any file may be the one too many, also one of the program itself.
  if (isFileLimit(systemCode(error)))
    return new CourierError("unwritten", 5, `the command cannot go on: ${tooManyFiles}`, {
      hint: `see what was done: courier log; ${allowMoreFiles}`,
      cause: error,
    });
  // Each command loads its parts when it needs them.
  const replaced = asReplaced(error);
  if (replaced) return replaced;
  // A relative path is resolved in many places.
  if (error instanceof Error && "syscall" in error && error.syscall === "uv_cwd")
    return fileError("the current directory does not exist any more", {
      cause: error,
      hint: "change to one that does, then run the same command again",
    });
  return new CourierError("bug", 70, `internal error: ${message}`, {
    cause: error,
    hint: "run it again with --debug and report what it shows",
  });
}

/** After a stop, a failure is reported as the interruption, unless its error says more about it. */
function asInterruption(error: unknown, signal: AbortSignal): CourierError {
  const reason = asCourierError(signal.reason);
  const saysMore =
    error instanceof CourierError &&
    (error.code === reason.code || isInterruption(error.exit) || error.exit === 6);
  return saysMore ? error : reason;
}

/** Read before parsing, so that a parse error already has the requested form. */
function guessForm(argv: readonly string[]): Form {
  return (["json", "ndjson", "csv"] as const).find((form) => argv.includes(`--${form}`)) ?? "human";
}

function messagesFor(
  { stderr, env }: Host,
  beforeWrite: () => void,
  redact: (text: string) => string,
  { quiet, debug, noColor }: Pick<GlobalValues, "quiet" | "debug" | "noColor">,
): Messages {
  const colour = () => choosePaint(stderr, env, noColor);
  const messages = createMessages({ stream: stderr, quiet, debug, colour, beforeWrite });
  messages.redactWith(redact);
  return messages;
}

/** A progress line needs a terminal that can erase lines. */
function progressFor(
  { stderr, env }: Host,
  { quiet, debug }: GlobalValues,
  clock: Clock,
  messages: Messages,
) {
  if (quiet) return noProgress;
  const canErase = stderr.isTTY === true && env.TERM !== "dumb" && !debug;
  return canErase ? createProgress(stderr, clock, messages.redact) : createLineProgress(messages.note, clock);
}
