/** Output of raw answers: as items for JSON forms, sanitised for a terminal. */

import { redactJson } from "../api/failure.ts";
import type { Items, RawOutput } from "../command/command.ts";
import { type Json, JsonSyntaxError, parseJson } from "../model/json.ts";
import { sanitise } from "../terminal/sanitise.ts";

/** The items of answers that hold some; `redact` masks the key in them. */
export async function* itemsOf({ bodies, items }: RawOutput, redact?: (text: string) => string): Items {
  try {
    for (;;) {
      const next = await bodies.next();
      if (next.done) return next.value;
      for (const item of items?.(next.value) ?? []) yield redact ? redactJson(item, redact) : item;
    }
  } finally {
    await bodies.return(undefined);
  }
}

/** JSON in its pretty form, other text line by line: no key, and nothing that could act on the terminal. */
export function presentable(
  body: string,
  pretty: (value: Json) => string,
  redact: (text: string) => string,
): string {
  const text = redact(body);
  if (text === "") return "";
  try {
    return `${pretty(parseJson(text))}\n`;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return text
      .replace(/\r?\n$/, "")
      .split(/\r?\n/)
      .map((line) => `${sanitise(line)}\n`)
      .join("");
  }
}
