/** The words of a command line, split as a shell would, quotes included; no shell runs (owner of shlex). */

import { platform } from "node:os";

/** Undefined where a quote is not closed. */
export async function splitWords(line: string): Promise<readonly string[] | undefined> {
  const { split } = await import("shlex");
  try {
    return split(platform() === "win32" ? escapeBackslashes(line) : line);
  } catch {
    return undefined;
  }
}

/** On Windows a backslash parts the names of a path, and escapes nothing. In single quotes it never does. */
function escapeBackslashes(line: string): string {
  return line.replace(/'[^']*'|"[^"]*"|\\/g, (part) =>
    part.startsWith("'") ? part : part.replaceAll("\\", "\\\\"),
  );
}
