/** Questions at a terminal (owner of @inquirer/prompts). They go to stderr; stdout holds the result. */

import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import { signals } from "signal-exit";
import { interrupted } from "../core/errors.ts";
import {
  type Choice,
  type LinesQuestion,
  Pasted,
  type Prompts,
  type SearchQuestion,
  type TextQuestion,
  type WaysOut,
  WentBack,
} from "../core/prompts.ts";
import { type Job, type Keyboard, openKeyboard } from "./keyboard.ts";
import { noPasteMarks, pasteMarks } from "./keypress.ts";
import { openFrame } from "./prompt-frame.ts";
import { sanitise } from "./sanitise.ts";
import type { TerminalStream } from "./streams.ts";

export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: TerminalStream;
  readonly signal: AbortSignal;
  readonly job: Job;
  /** A monotonic reading in milliseconds. */
  readonly elapsed: () => number;
  /** Called when a question is drawn; what it returns, when it ends. */
  readonly onAsk?: () => () => void;
}

/** What a question needs. */
interface PromptDeps {
  readonly keyboard: Keyboard;
  readonly output: TerminalStream;
  readonly signal: AbortSignal;
  readonly onAsk: () => () => void;
}

/** Where the package reads and writes. */
interface InquirerContext {
  readonly input: NodeJS.ReadableStream;
  readonly output: TerminalStream;
  readonly signal: AbortSignal;
}

const ctrlU = "\u0015";

const longestText = 2_000;

/** Type-ahead ends when no key has come for this long. */
const pauseMs = 60;

/**
 * Node.js ignores the signal of a write beyond `ulimit -f`, which fails with an error. The package would let the signal
 * end the process.
 */
function leaveFileLimitAlone(): void {
  const place = signals.indexOf("SIGXFSZ");
  if (place >= 0) signals.splice(place, 1);
}

/** Prompts on the given streams. Ctrl-C, and Ctrl-D at an empty line, reject with `interrupted`. */
export function createPrompts({
  input: source,
  output,
  signal,
  job,
  elapsed,
  onAsk = () => () => {},
}: PromptStreams): Prompts {
  leaveFileLimitAlone();
  const keyboard = openKeyboard(source, job, elapsed, signal);
  const deps: PromptDeps = { keyboard, output, signal, onAsk };
  return {
    text: (question, options = {}) => askText(shortened(question), options, deps),
    lines: (question, options = {}) =>
      together(async () => {
        const text = await readLines(shortened(question), options, deps);
        await discardTypedAhead(deps); // what a paste holds after its first empty line answers nothing else
        return text;
      }, deps),
    secret: (question) =>
      ask(
        (inquirer) => password({ message: shortened(question), mask: false, toggleMask: false }, inquirer),
        deps,
      ).then(obeyEdits),
    confirm: (question, isYes = false) =>
      decide((inquirer) => confirm({ message: shortened(question), default: isYes }, inquirer), deps, {
        canGoBack: true,
      }).catch((error) => {
        if (error instanceof WentBack) return false;
        throw error;
      }),
    choose: (question, choices, { canGoBack } = {}) => {
      const theme = canGoBack ? { theme: keysTheme([]) } : {};
      const options = { message: shortened(question), choices: choices.map(toChoice), loop: false, ...theme };
      return decide((inquirer) => select(options, inquirer), deps, { canGoBack });
    },
    search: (question, find, options = {}) => askSearch(shortened(question), find, options, deps),
    together: (questions) => together(questions, deps),
  };
}

/** As many choices are shown at once; the arrows lead to the others. */
const listLines = 7;

async function askSearch<T>(
  message: string,
  find: (term: string) => readonly Choice<T>[],
  { tip, canGoBack, answersMore, keepTyped = () => {} }: SearchQuestion,
  deps: PromptDeps,
): Promise<T> {
  let line = "";
  const count = find("").length;
  const tips = [...(count > listLines ? [`${count} choices`] : []), ...(tip ? [tip] : [])];
  const question = {
    message,
    pageSize: listLines,
    source: (term = "") => {
      line = obeyEdits(term);
      return find(line).map(toChoice);
    },
    theme: keysTheme(tips.length > 0 ? [tips.join("; ")] : [], canGoBack === true),
  };
  const typed = () => line;
  try {
    return await ask((inquirer) => search(question, inquirer), deps, { canGoBack, answersMore, typed });
  } catch (error) {
    if (line.trim() !== "" && !(error instanceof Pasted)) keepTyped(line.trim());
    throw error;
  }
}

/** The keys of a list, with Esc, below tips of a line each. */
function keysTheme(tips: readonly string[], canGoBack = true) {
  const back = canGoBack ? [["Esc", "back"] as const] : [];
  const keysHelpTip = (keys: readonly (readonly [string, string])[]) =>
    [
      ...tips,
      [...keys, ...back]
        .map(([key, action]) => `${styleText("bold", key)} ${styleText("dim", action)}`)
        .join(styleText("dim", " • ")),
    ].join("\n");
  const searchTerm = (typed: string) => styleText("cyan", obeyEdits(typed));
  return { style: { keysHelpTip, searchTerm } };
}

/** The package answers an emptied line with its initial text; here the answer is empty. */
async function askText(
  message: string,
  { initial, suggestion, check = () => true, keepTyped = () => {}, canGoBack, answersMore }: TextQuestion,
  deps: PromptDeps,
): Promise<string> {
  let [shown, answer] = ["", ""];
  const transformer = (line: string, { isFinal }: { isFinal: boolean }) => {
    shown = obeyEdits(line);
    return isFinal ? styleText("cyan", answer) : shown;
  };
  const restored = (line: string) => restoreEscapes(line, initial ?? suggestion ?? "");
  const validate = (line: string) => {
    answer = initial || shown !== "" ? shown : obeyEdits(line);
    return check(restored(answer));
  };
  const question = { message, validate, transformer };
  const start = initial
    ? {
        default: sanitise(initial),
        prefill: "editable" as const,
        theme: { style: { defaultAnswer: () => "" } },
      }
    : suggestion
      ? { default: sanitise(suggestion) }
      : {};
  const typed = () => (shown === sanitise(initial ?? "") ? "" : restored(shown));
  try {
    await ask((inquirer) => input({ ...question, ...start }, inquirer), deps, {
      canGoBack,
      answersMore,
      typed,
      isLine: true,
    });
  } catch (error) {
    const line = typed().trim();
    if (line !== "" && !(error instanceof Pasted)) keepTyped(line);
    throw error;
  }
  return restored(answer);
}

/** The text of a line that began as an earlier answer, which is shown with escapes in place of its unsafe characters. */
function restoreEscapes(line: string, initial: string): string {
  if (line === sanitise(initial)) return initial;
  let text = line;
  for (const character of new Set(initial)) {
    const shown = sanitise(character);
    if (shown !== character) text = text.replaceAll(shown, () => character);
  }
  return text;
}

/** With TERM=dumb, readline puts Backspace and Ctrl-U into the line; here they take back what was typed. */
function obeyEdits(line: string): string {
  const letters: string[] = [];
  for (const letter of line) {
    if (letter === "\b" || letter === "\u007f") letters.pop();
    else if (letter === ctrlU) letters.length = 0;
    else letters.push(letter);
  }
  return letters.join("");
}

/** Safe text for a question, which is drawn at each key. The middle of a text that no person reads is left out: what is asked stands at its end. */
function shortened(text: string): string {
  if (text.length <= longestText) return sanitise(text);
  return sanitise(`${text.slice(0, longestText / 2)}…${text.slice(-longestText / 2)}`);
}

function toChoice<T>({ value, label, description }: Choice<T>) {
  return {
    value,
    name: shortened(label),
    ...(description === undefined ? {} : { description: shortened(description) }),
  };
}

/** Keys pressed before a decision was on the screen, such as the rest of a paste, must not decide it. */
function decide<T>(
  start: (context: InquirerContext) => Promise<T>,
  deps: PromptDeps,
  waysOut: WaysOut = {},
): Promise<T> {
  return together(async () => {
    await discardTypedAhead(deps);
    return ask(start, deps, { ...waysOut, isDecision: true });
  }, deps);
}

async function together<T>(questions: () => Promise<T>, { keyboard }: PromptDeps): Promise<T> {
  const release = keyboard.hold();
  try {
    return await questions();
  } finally {
    release();
  }
}

interface AskOptions extends WaysOut {
  readonly isDecision?: boolean;
  /** Up does nothing else in it. */
  readonly isLine?: boolean;
  /** What stands in the line and was typed there. */
  readonly typed?: () => string;
}

async function ask<T>(
  start: (context: InquirerContext) => Promise<T>,
  deps: PromptDeps,
  { isDecision = false, isLine = false, canGoBack, answersMore, typed = () => "" }: AskOptions = {},
): Promise<T> {
  if (deps.signal.aborted) throw interruption(deps.signal); // the package would leave the keyboard open
  const ended = new AbortController();
  // The package draws a prompt, lets it listen and fills its line in one turn of the event loop.
  const { output, leave, redraw } = openFrame(deps.output, isLine, () => attachment.listens());
  const signal = AbortSignal.any([deps.signal, ended.signal]);
  const inquirer = { input: deps.keyboard.input, output, signal, clearPromptOnDone: false };
  let left: WentBack | Pasted | undefined;
  const leaveFor = (reason: WentBack | Pasted) => {
    left = reason;
    inquirer.clearPromptOnDone = true;
    ended.abort();
  };
  const onPaste = (text: string) => {
    const whole = `${typed()}${text.replace(/\r\n?/g, "\n")}`;
    if (!answersMore?.(whole)) return false;
    leaveFor(new Pasted(whole));
    return true;
  };
  const markPastes = (isMarked: boolean) => {
    if (isLine || answersMore) deps.output.write(isMarked ? pasteMarks : noPasteMarks);
  };
  const onBack = canGoBack ? () => leaveFor(new WentBack()) : undefined;
  const attachment = deps.keyboard.attach({
    isDecision,
    onEnd: () => ended.abort(),
    onStop: () => {
      leave();
      markPastes(false);
    },
    onContinue: () => {
      markPastes(true);
      redraw();
    },
    onBack,
    onUp: isLine ? onBack : undefined,
    onPaste: answersMore ? onPaste : undefined,
  });
  const onAnswered = deps.onAsk();
  markPastes(true);
  try {
    return await start(inquirer);
  } catch (error) {
    if (left) throw left;
    const isCancelled =
      error instanceof Error && (error.name === "ExitPromptError" || error.name === "AbortPromptError");
    throw isCancelled ? interruption(deps.signal) : error;
  } finally {
    markPastes(false);
    attachment.leave();
    onAnswered();
  }
}

function interruption(signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : interrupted(130);
}

/**
 * A prompt of one line ends at the first line break of a paste, and the rest would answer the questions
 * after it; here every line counts until an empty one, or until Ctrl-D. Those within a paste end nothing.
 */
function readLines(
  question: string,
  { keepTyped = () => {}, canGoBack }: LinesQuestion,
  { keyboard, output, signal, onAsk }: PromptDeps,
): Promise<string> {
  const onAnswered = onAsk();
  output.write(`${question}\n`);
  return new Promise((resolve, reject) => {
    const reader = createInterface({ input: keyboard.input, output, prompt: "> ", terminal: true });
    const markPastes = (isMarked: boolean) => output.write(isMarked ? pasteMarks : noPasteMarks);
    const attachment = keyboard.attach({
      isDecision: false,
      onEnd: () => {}, // the reader closes
      onStop: () => markPastes(false),
      onContinue: () => {
        markPastes(true);
        reader.prompt(true);
      },
      onBack: canGoBack ? () => leaveFor(new WentBack()) : undefined,
      onPaste: (text) => {
        const all = `${reader.line}${text.replace(/\r\n?/g, "\n")}`;
        if (!all.includes("\n")) return false;
        const pieces = all.split("\n");
        const rest = pieces.pop() ?? "";
        const pasted = pieces.filter((line) => line.trim() !== "");
        reader.write(null, { ctrl: true, name: "u" });
        for (const line of pasted) {
          output.write(`${sanitise(line)}\n`);
          lines.push(line);
          reader.prompt();
        }
        if (rest !== "") reader.write(rest);
        else if (/\n\s*\n$/.test(all)) {
          output.write("\n");
          finish();
        }
        return true;
      },
    });
    const lines: string[] = [];
    const end = (settle: () => void) => {
      markPastes(false);
      attachment.leave();
      signal.removeEventListener("abort", stop);
      reader.off("close", close); // its own listeners stay: they take it off the input
      reader.close();
      onAnswered();
      settle();
    };
    const finish = () => end(() => resolve(lines.join("\n")));
    const leaveFor = (reason: unknown) => {
      const typed = [...lines, reader.line].join("\n").trim();
      if (typed !== "") keepTyped(typed);
      if (reason instanceof WentBack) output.write("\n");
      end(() => reject(reason));
    };
    const stop = () => leaveFor(interruption(signal));
    const close = () => {
      output.write("\n");
      return lines.length > 0 ? finish() : stop();
    };
    signal.addEventListener("abort", stop, { once: true });
    reader.on("line", (line) => {
      if (line.trim() === "") return finish();
      lines.push(line);
      reader.prompt();
    });
    reader.on("SIGINT", stop);
    reader.on("close", close);
    if (signal.aborted) return stop();
    markPastes(true);
    reader.prompt();
    attachment.listens();
  });
}

function discardTypedAhead({ keyboard: { input } }: PromptDeps): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(finish, pauseMs);
    let last: NodeJS.Immediate | undefined;
    const restart = () => {
      clearTimeout(timer);
      clearImmediate(last);
      timer = setTimeout(finish, pauseMs);
    };
    function finish() {
      last = setImmediate(done); // where the process was busy, what came meanwhile is read only now
    }
    function done() {
      input.off("data", restart);
      input.pause();
      resolve();
    }
    input.on("data", restart);
    input.resume();
  });
}
