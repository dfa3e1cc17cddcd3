/** Answers that once broke something: each is tried again in every run of the fuzzers. */

import type { Answer } from "../../src/api/transport.ts";

interface Kept {
  readonly words: string;
  readonly answer: Answer;
  /** Output flags. */
  readonly form: string;
  /** Of the terminal; a pipe where undefined. */
  readonly columns: number | undefined;
}

function success(data: string): Answer {
  const body = `{"success":true,"data":${data},"message":"","pagination":{"current_page":1,"total_pages":1,"total_items":1,"per_page":1}}`;
  return { status: 200, headers: {}, body, bytes: Buffer.from(body) };
}

export const keptAnswers: readonly Kept[] = [
  // CSV in a pipe let through what a terminal behind it obeys.
  {
    words: "orders export",
    answer: success('[{"id":1,"receiver":{"city":"\\u001bP\\u0007"}}]'),
    form: "",
    columns: undefined,
  },
];
