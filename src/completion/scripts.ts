/** The completion scripts: the build writes them into the bundle, the sources read them from share/. */

import { readFileSync } from "node:fs";

/** The script of each shell in share/, which is laid out as shells look for them below a prefix. */
export const scriptFiles = {
  bash: "bash-completion/completions/courier.bash",
  zsh: "zsh/site-functions/_courier",
  fish: "fish/vendor_completions.d/courier.fish",
  powershell: "powershell/courier.ps1",
} as const;

export type Shell = keyof typeof scriptFiles;

/** The script of a shell, from share/. */
export function readCompletionScript(shell: Shell): string {
  if (typeof __COURIER_SCRIPTS__ === "string") return JSON.parse(__COURIER_SCRIPTS__)[shell] ?? "";
  return readFileSync(new URL(`../../share/${scriptFiles[shell]}`, import.meta.url), "utf8");
}
