/** A person made of expected questions and their answers; any other question fails the test. */

import { interrupted } from "../../src/core/errors.ts";
import { Pasted, type Prompts, type TextQuestion, type WaysOut, WentBack } from "../../src/core/prompts.ts";

/** Enter alone: what stands in the line, what is suggested, or the first of a list. */
export const enter = Symbol("Enter");
export const ctrlC = Symbol("Ctrl-C");

export const esc = Symbol("Esc");

/** A line that was begun when Ctrl-C or Esc came. */
interface Begun {
  readonly line: string;
  readonly end: typeof ctrlC | typeof esc;
}
export const ctrlCAfter = (line: string): Begun => ({ line, end: ctrlC });
export const escAfter = (line: string): Begun => ({ line, end: esc });

interface PastedText {
  readonly pasted: string;
}
/** A paste, where the question takes it for more than its answer; else it fails the test. */
export const paste = (pasted: string): PastedText => ({ pasted });

type Answer = string | boolean | typeof enter | typeof ctrlC | typeof esc | Begun | PastedText;
/** A question, whole or its beginning followed by `…`, and the answer: text, or the label of a choice. */
export type Step = readonly [question: string, answer: Answer];

export interface Person extends Prompts {
  readonly asked: readonly string[];
  /** What stood in the line when a question came, by question. */
  readonly found: Readonly<Record<string, string>>;
  /** Labels of the last list. */
  readonly offered: readonly string[];
  /** What was said against answers. */
  readonly complaints: readonly string[];
  /** Questions that were expected and did not come. */
  readonly left: readonly string[];
}

export function personWho(...script: readonly Step[]): Person {
  const steps = [...script];
  const asked: string[] = [];
  const found: Record<string, string> = {};
  const complaints: string[] = [];
  let offered: readonly string[] = [];

  function next(
    question: string,
    { canGoBack, answersMore }: WaysOut = {},
    keepTyped?: (line: string) => void,
  ): string | boolean | typeof enter {
    asked.push(question);
    const [expected, answer] = steps.shift() ?? ["no question"];
    const isExpected = expected.endsWith("…")
      ? question.startsWith(expected.slice(0, -1))
      : question === expected;
    if (!isExpected || answer === undefined)
      throw new Error(`asked “${question}”, but ${expected} was expected`);
    if (typeof answer === "object" && "pasted" in answer) {
      if (!answersMore?.(answer.pasted)) throw new Error(`“${answer.pasted}” was not taken at “${question}”`);
      throw new Pasted(answer.pasted);
    }
    if (typeof answer === "object") keepTyped?.(answer.line);
    const end = typeof answer === "object" ? answer.end : answer;
    if (end === esc && canGoBack) throw new WentBack();
    if (end === esc) throw new Error(`Esc does nothing at “${question}”`);
    if (end === ctrlC) throw interrupted(130);
    return end;
  }

  function take<T>(choices: readonly { value: T; label: string }[], answer: Answer): T {
    offered = choices.map(({ label }) => label);
    const taken = answer === enter ? choices[0] : choices.find(({ label }) => label === answer);
    if (!taken) throw new Error(`“${String(answer)}” is not among ${offered.join(", ")}`);
    return taken.value;
  }

  return {
    asked,
    found,
    complaints,
    get offered() {
      return offered;
    },
    get left() {
      return steps.map(([question]) => question);
    },
    async text(question, options: TextQuestion = {}) {
      const { initial, suggestion, check, keepTyped } = options;
      found[question] = initial ?? suggestion ?? "";
      for (;;) {
        const answer = next(question, options, keepTyped);
        const text = answer === enter ? (initial ?? suggestion ?? "") : String(answer);
        const verdict = check?.(text) ?? true;
        if (verdict === true) return text;
        complaints.push(verdict);
      }
    },
    lines: async (question, { keepTyped } = {}) => String(next(question, {}, keepTyped)),
    secret: async (question) => String(next(question)),
    async confirm(question, isYes = false) {
      const answer = next(question);
      return answer === enter ? isYes : answer === true;
    },
    choose: async (question, choices, options) => take(choices, next(question, options)),
    together: (questions) => questions(),
    async search(question, find, options) {
      const answer = next(question, options, options?.keepTyped);
      if (typeof answer !== "string" || !answer.includes(" > ")) return take(find(""), answer);
      const [term = "", label = ""] = answer.split(" > "); // typed first, then chosen
      return take(find(term), label);
    },
  };
}

const partyQuestions = ["name", "phone", "province", "city", "district", "street address"];
const itemQuestions = ["Item name", "Item description", "Item weight", "Declared value", "Number of pieces"];

/** The six questions of a party, answered in their order; Enter for those without an answer. */
export function partySteps(title: string, answers: readonly Answer[] = []): Step[] {
  return partyQuestions.map((name, index) => [`${title} ${name}`, answers[index] ?? enter]);
}

export function itemSteps(answers: readonly Answer[] = []): Step[] {
  return itemQuestions.map((question, index) => [question, answers[index] ?? enter]);
}

/** The whole form, up to the review: a sender, a receiver and an item with nothing but names. */
export function shortForm(sender = "张三", receiver = "李四", item = "书"): Step[] {
  return [
    ["Sender", "new address"],
    ...partySteps("Sender", [sender]),
    ["Receiver", "new address"],
    ...partySteps("Receiver", [receiver]),
    ...itemSteps([item]),
    ["Service level", "let the service choose"],
  ];
}

export const shortDraft = { sender: { name: "张三" }, receiver: { name: "李四" }, item: { name: "书" } };
