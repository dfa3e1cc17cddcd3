/** Owns a run: words in, one command, one result, one exit code; the last catch of every error. */

import { CourierError, type ExitCode } from "../core/errors.ts";
import { createMessages, type Messages } from "../terminal/messages.ts";
import { plainPaint } from "../terminal/paint.ts";
import type { View } from "../terminal/render.ts";
import { createWriter, PipeClosed, type TerminalStream, type Writer } from "../terminal/streams.ts";
import { createContext, type Host, type RunContext } from "./context.ts";
import { type Form, type GlobalValues, readGlobals } from "./globals.ts";
import { writeOutput } from "./output.ts";
import { parseCommandLine } from "./parser.ts";
import { program } from "./program.ts";
import { readVersion } from "./version.ts";

const widestHelp = 100;

/** Runs one command line from start to end. Never rejects, never exits the process. */
export async function run(host: Host): Promise<ExitCode> {
  const writer = createWriter(host.stdout);
  const complaints = createWriter(host.stderr);
  let context: RunContext | undefined;
  let messages = messagesFor(host, complaints, {
    quiet: false,
    debug: host.argv.includes("--debug"),
    noColor: false,
  });
  let form: Form = guessForm(host.argv);
  try {
    const width = Math.min(widestHelp, host.stdout.columns ?? 80);
    const parsed = parseCommandLine(program, host.argv, { version: readVersion(), width });
    if (parsed.kind === "text") {
      await writer.write(parsed.text);
      return 0;
    }
    if (parsed.kind === "incomplete") {
      await complaints.write(parsed.text);
      return 2;
    }
    const globals = readGlobals(parsed.globals);
    form = globals.form;
    messages = messagesFor(host, complaints, globals);
    context = createContext(host, globals, messages);
    const output = await parsed.command.run(parsed.input, context);
    const view = await createView(host, globals, context.clock.now());
    const failure = await writeOutput(output, writer, {
      form,
      fields: globals.fields,
      view,
      note: messages.note,
    });
    if (failure) throw failure;
    return 0;
  } catch (error) {
    if (error instanceof PipeClosed) return 0;
    const told = host.signal.aborted ? asInterruption(error, host.signal) : asCourierError(error);
    await messages.error(told, form === "human" ? "human" : "json");
    return told.exit;
  } finally {
    await context?.close();
  }
}

function asCourierError(error: unknown): CourierError {
  if (error instanceof CourierError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CourierError("bug", 70, `courier made a mistake: ${message}`, {
    cause: error,
    hint: "run it again with --debug and report what it shows",
  });
}

/** After a signal, whatever failed did so because of it; an error that says more about it is kept. */
function asInterruption(error: unknown, signal: AbortSignal): CourierError {
  if (error instanceof CourierError && (error.exit === 130 || error.exit === 143 || error.exit === 6))
    return error;
  return asCourierError(signal.reason);
}

/** Before the words are parsed: an error about them should already come in the form they ask for. */
function guessForm(argv: readonly string[]): Form {
  return (["json", "ndjson", "csv"] as const).find((form) => argv.includes(`--${form}`)) ?? "human";
}

function messagesFor(
  host: Host,
  { stream }: Writer,
  { quiet, debug, noColor }: Pick<GlobalValues, "quiet" | "debug" | "noColor">,
): Messages {
  return createMessages({ stream, quiet, debug, colour: () => choosePaint(host, stream, noColor) });
}

async function createView(host: Host, { noColor }: GlobalValues, nowMs: number): Promise<View> {
  const { stdout } = host;
  return {
    width: stdout.isTTY ? (stdout.columns ?? 80) : undefined,
    paint: await choosePaint(host, stdout, noColor),
    nowMs,
  };
}

/** NO_COLOR counts when it is not empty, whatever its value; FORCE_COLOR colours a pipe too. */
async function choosePaint({ env }: Host, stream: TerminalStream, noColor: boolean) {
  const isForced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  const isRefused =
    noColor || Boolean(env.NO_COLOR) || env.FORCE_COLOR === "0" || env.FORCE_COLOR === "false";
  const isColourful = stream.isTTY === true && env.TERM !== "dumb";
  if (isRefused || !(isForced || isColourful)) return plainPaint;
  const { createPaint } = await import("../terminal/theme.ts");
  return createPaint();
}
