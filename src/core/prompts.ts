/** Interface for prompts, as forms and commands use them. */

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly description?: string;
}

export interface TypedQuestion {
  /**
   * Called with the typed text, trimmed, valid or not, when the question is interrupted, or left, after something was typed.
   * Not called for an emptied line: it may be the beginning of another answer.
   */
  readonly keepTyped?: ((text: string) => void) | undefined;
}

/** A question was left with Esc. */
export class WentBack extends Error {}

/** A text was pasted into a question that answers more than it asks. */
export class Pasted extends Error {
  readonly text: string;
  constructor(text: string) {
    super("an answer to several questions was pasted");
    this.text = text;
  }
}

/** Other ways out of a question than an answer. */
export interface WaysOut {
  /** Esc, and in a line Up, rejects with `WentBack`. */
  readonly canGoBack?: boolean | undefined;
  /** Whether a paste, behind what was typed before it, answers more than this question: it rejects with `Pasted`. */
  readonly answersMore?: ((text: string) => boolean) | undefined;
}

export interface LinesQuestion extends TypedQuestion {
  /** Esc rejects with `WentBack`. */
  readonly canGoBack?: boolean | undefined;
}

export interface SearchQuestion extends TypedQuestion, WaysOut {
  /** A line below the list. */
  readonly tip?: string | undefined;
}

export interface TextQuestion extends TypedQuestion, WaysOut {
  /** What the answer starts out as; it can be edited. */
  readonly initial?: string | undefined;
  /** What Enter alone answers. */
  readonly suggestion?: string | undefined;
  /** Says true, or what is wrong with an answer. */
  readonly check?: ((answer: string) => true | string) | undefined;
}

/** Every question rejects with `interrupted` on Ctrl-C. */
export interface Prompts {
  /** One line of text. */
  text(question: string, options?: TextQuestion): Promise<string>;
  /** Several lines, typed or pasted; an empty line ends them. */
  lines(question: string, options?: LinesQuestion): Promise<string>;
  /** One line that is not shown. */
  secret(question: string): Promise<string>;
  /** Yes or no; Enter means no unless `isYes`, and Esc always. As with `choose`, keys count once the question was seen. */
  confirm(question: string, isYes?: boolean): Promise<boolean>;
  /** One of a few. What was typed before the question was seen does not answer it, and neither does a paste. */
  choose<T>(question: string, choices: readonly Choice<T>[], options?: WaysOut): Promise<T>;
  /** One of many, narrowed by typing. */
  search<T>(
    question: string,
    find: (term: string) => readonly Choice<T>[],
    options?: SearchQuestion,
  ): Promise<T>;
  /** Asks several questions: the terminal shows nothing of what is typed between them, which may be a secret. */
  together<T>(questions: () => Promise<T>): Promise<T>;
}
