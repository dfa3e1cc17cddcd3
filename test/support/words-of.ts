/** Lines of hints, pasted into a shell as they are. */

import { execFileSync } from "node:child_process";

/** Runs a line in a shell whose home is `home`, and gives back what it prints. */
export function paste(line: string, home: string): string {
  const env = { PATH: process.env.PATH, HOME: home };
  return execFileSync("/bin/sh", ["-c", line], { cwd: home, env, encoding: "utf8" });
}

/** The words that courier would be given. */
export function wordsOf(line: string, home: string): readonly string[] {
  const words = paste(`courier() { printf '%s\\n' "$@"; }; ${line}`, home);
  return words.trimEnd().split("\n");
}
