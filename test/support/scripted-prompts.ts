/** Answers questions from a script and keeps what was asked; an unexpected question fails the test. */

import type { Prompts } from "../../src/core/prompts.ts";

export interface Script {
  readonly texts?: readonly string[];
  readonly secrets?: readonly string[];
  readonly confirms?: readonly boolean[];
}

export function scriptedPrompts(script: Script): Prompts & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const left = {
    texts: [...(script.texts ?? [])],
    secrets: [...(script.secrets ?? [])],
    confirms: [...(script.confirms ?? [])],
  };
  async function next<T>(answers: T[], question: string): Promise<T> {
    asked.push(question);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody expected the question: ${question}`);
    return answer;
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
    choose: unexpected,
    search: unexpected,
    together: (questions) => questions(),
  };
}
