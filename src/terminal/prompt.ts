/** Owns questions at a terminal (owner of @inquirer/prompts). They go to stderr; stdout holds the result. */

import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import { interrupted } from "../core/errors.ts";
import type { Choice, Prompts, TextQuestion } from "../core/prompts.ts";
import { sanitise } from "./sanitise.ts";
import type { TerminalStream } from "./streams.ts";

export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: TerminalStream;
  readonly signal: AbortSignal;
}

/** Typing ahead ends when nothing has come for this long. */
const quietMs = 60;

/** Prompts on the given streams. Ctrl-C rejects with `interrupted`. */
export function createPrompts(streams: PromptStreams): Prompts {
  return {
    text: (question, options = {}) => askText(sanitise(question), options, streams),
    lines: async (question) => {
      const text = await readLines(sanitise(question), streams);
      await discardTypedAhead(streams); // what a paste holds after its first empty line answers nothing else
      return text;
    },
    secret: (question) => ask(password({ message: sanitise(question), mask: false }, streams)),
    confirm: async (question, isYes = false) => {
      await discardTypedAhead(streams);
      return ask(confirm({ message: sanitise(question), default: isYes }, streams));
    },
    choose: async (question, choices) => {
      await discardTypedAhead(streams);
      const options = { message: sanitise(question), choices: choices.map(toChoice), loop: false };
      return ask(select(options, streams));
    },
    search: (question, find) =>
      ask(search({ message: sanitise(question), source: (term) => find(term ?? "").map(toChoice) }, streams)),
  };
}

/**
 * The package answers an emptied line with what it began as; here it is empty, as it looks. With TERM=dumb,
 * readline puts a backspace into the line; here it takes a character back.
 */
async function askText(
  message: string,
  { initial, suggestion, check = () => true }: TextQuestion,
  streams: PromptStreams,
): Promise<string> {
  let [shown, answer] = ["", ""];
  const transformer = (line: string, { isFinal }: { isFinal: boolean }) => {
    shown = obeyBackspaces(line);
    return isFinal ? styleText("cyan", answer) : shown;
  };
  const validate = (line: string) => {
    answer = initial || shown !== "" ? shown : obeyBackspaces(line);
    return check(answer);
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
  await ask(input({ ...question, ...start }, streams));
  return answer;
}

function obeyBackspaces(line: string): string {
  const letters: string[] = [];
  for (const letter of line) {
    if (letter === "\b" || letter === "\u007f") letters.pop();
    else letters.push(letter);
  }
  return letters.join("");
}

function toChoice<T>({ value, label, description }: Choice<T>) {
  return {
    value,
    name: sanitise(label),
    ...(description === undefined ? {} : { description: sanitise(description) }),
  };
}

async function ask<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const isCancelled =
      error instanceof Error && (error.name === "ExitPromptError" || error.name === "AbortPromptError");
    throw isCancelled ? interrupted(130) : error;
  }
}

/**
 * A prompt of one line ends at the first line break of a paste, and the rest would answer the questions
 * after it; here every line counts until an empty one.
 */
function readLines(question: string, { input, output, signal }: PromptStreams): Promise<string> {
  output.write(`${question}\n`);
  return new Promise((resolve, reject) => {
    const reader = createInterface({ input, output, prompt: "> ", terminal: true });
    const lines: string[] = [];
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      reader.off("close", finish); // its own listeners stay: they take it off the input
      reader.close();
      settle();
    };
    const finish = () => end(() => resolve(lines.join("\n")));
    const stop = () => end(() => reject(interrupted(130)));
    signal.addEventListener("abort", stop, { once: true });
    reader.on("line", (line) => {
      if (line.trim() === "") return finish();
      lines.push(line);
      reader.prompt();
    });
    reader.on("SIGINT", stop);
    reader.on("close", finish);
    if (signal.aborted) stop();
    else reader.prompt();
  });
}

/** Keys pressed before a decision was on the screen, such as the rest of a paste, must not decide it. */
function discardTypedAhead({ input }: PromptStreams): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(done, quietMs);
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    };
    function done() {
      input.off("data", restart);
      input.pause();
      resolve();
    }
    input.on("data", restart);
    input.resume();
  });
}
