/** Owns answers that once broke something: each is tried again in every run of the fuzzers. */

import type { Answer } from "../../src/api/transport.ts";

interface Kept {
  readonly words: string;
  readonly answer: Answer;
  /** Output flags. */
  readonly form: string;
  /** Of the terminal; a pipe where undefined. */
  readonly columns: number | undefined;
}

export const keptAnswers: readonly Kept[] = [];
