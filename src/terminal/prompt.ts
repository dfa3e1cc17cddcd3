/** Owns questions at a terminal (owner of @inquirer/prompts). They go to stderr; stdout holds the result. */

import { confirm, input, password } from "@inquirer/prompts";
import { interrupted } from "../core/errors.ts";
import { sanitise } from "./sanitise.ts";
import type { TerminalStream } from "./streams.ts";

export interface Prompts {
  /** One line of text; `check` answers true or says what is wrong. */
  text(question: string, check: (answer: string) => true | string): Promise<string>;
  /** One line that is not shown. */
  secret(question: string): Promise<string>;
  /** Yes or no; Enter means no. */
  confirm(question: string): Promise<boolean>;
}

export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: TerminalStream;
  readonly signal: AbortSignal;
}

/** Prompts on the given streams. Ctrl-C rejects with `interrupted`. */
export function createPrompts(streams: PromptStreams): Prompts {
  return {
    text: (question, check) =>
      ask(input({ message: sanitise(question), validate: (answer) => check(answer) }, streams)),
    secret: (question) => ask(password({ message: sanitise(question), mask: false }, streams)),
    confirm: (question) => ask(confirm({ message: sanitise(question), default: false }, streams)),
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
