/** The completion scripts: the build writes them into the bundle, the sources read them from completions/. */

import { readFileSync } from "node:fs";

/** The extension of each shell's script. */
export const scriptExtensions = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "ps1" } as const;

export type Shell = keyof typeof scriptExtensions;

/** The script of a shell, from completions/. */
export function readCompletionScript(shell: Shell): string {
  if (typeof __COURIER_SCRIPTS__ === "string") return JSON.parse(__COURIER_SCRIPTS__)[shell] ?? "";
  const file = `../../completions/courier.${scriptExtensions[shell]}`;
  return readFileSync(new URL(file, import.meta.url), "utf8");
}
