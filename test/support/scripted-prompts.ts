/** Answers questions from a script and keeps what was asked; an unexpected question fails the test. */

import type { Choice, Prompts } from "../../src/core/prompts.ts";

export interface Script {
  readonly texts?: readonly string[];
  readonly secrets?: readonly string[];
  readonly confirms?: readonly boolean[];
  /** Words of the label of one of a few. */
  readonly choices?: readonly string[];
  /** What is typed to find one of many; the first that is found is taken, as Enter takes it. */
  readonly searches?: readonly string[];
}

export function scriptedPrompts(script: Script): Prompts & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const left = {
    texts: [...(script.texts ?? [])],
    secrets: [...(script.secrets ?? [])],
    confirms: [...(script.confirms ?? [])],
    choices: [...(script.choices ?? [])],
    searches: [...(script.searches ?? [])],
  };
  async function next<T>(answers: T[], question: string): Promise<T> {
    asked.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody expected the question: ${question}`);
    return answer;
  }
  function pick<T>(choice: Choice<T> | undefined, words: string, question: string): T {
    if (!choice) throw new Error(`no answer “${words}” to the question: ${question}`);
    return choice.value;
  }
  const unexpected = (question: string) => next<never>([], question);
  return {
    asked,
    text: async (question, options) => {
      for (;;) {
        const answer = await next(left.texts, question);
        if ((options?.check?.(answer) ?? true) === true) return answer;
      }
    },
    secret: (question) => next(left.secrets, question),
    confirm: (question) => next(left.confirms, question),
    lines: unexpected,
    together: (questions) => questions(),
    choose: async (question, choices) => {
      const words = await next(left.choices, question);
      return pick(
        choices.find(({ label }) => label.includes(words)),
        words,
        question,
      );
    },
    search: async (question, find) => {
      const words = await next(left.searches, question);
      return pick(find(words)[0], words, question);
    },
  };
}
