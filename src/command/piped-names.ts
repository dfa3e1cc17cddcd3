/** Names of orders and parcels on the command line, where `-` stands for those on stdin. */

import { usageError } from "../core/errors.ts";
import type { Context } from "./command.ts";

/** The argument that stands for the names on stdin. */
export const stdinName = "-";

/**
 * The names in the order given. Those on stdin are one a line; blank lines are skipped. Throws a usage error that
 * names the line.
 */
export async function readNames(
  words: readonly string[],
  parse: (text: string) => string,
  context: Context,
): Promise<readonly string[]> {
  if (!words.includes(stdinName)) return words;
  const piped = namesIn(await context.readText(stdinName), parse);
  const first = words.indexOf(stdinName);
  return words.flatMap((word, index) => (word !== stdinName ? [word] : index === first ? piped : []));
}

function namesIn(text: string, parse: (text: string) => string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  return lines.flatMap((line, index) => {
    try {
      return splitLine(line).map(parse);
    } catch (error) {
      const { message } = error as Error;
      throw usageError(`line ${index + 1} of stdin: ${message}`, "give one id, number or ref:REF a line");
    }
  });
}

/** A ref may hold blanks. Other names do not, so that several on a line can be separated. */
function splitLine(line: string): readonly string[] {
  const parts = line.trim().split(/(?<!\S)(?=ref:)/);
  return parts.flatMap((part) =>
    part.startsWith("ref:") ? part.trimEnd() : part.split(/\s+/).filter(Boolean),
  );
}
