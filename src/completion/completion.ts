/** `courier completion`: prints a shell's completion script. */

import { defineCommand, document } from "../command/command.ts";
import { quote } from "../command/options.ts";
import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { line } from "../terminal/blocks.ts";
import { readCompletionScript, type Shell, scriptFiles } from "./scripts.ts";

const shells = Object.keys(scriptFiles) as Shell[];

export const printCompletion = defineCommand({
  description:
    "Save the script once, as shown; a new shell reads it without starting courier. Tab then offers commands, flags,\n" +
    "states, accounts, @names of the address book, and the ids and tracking numbers of orders seen lately on\n" +
    "this machine, or read by courier sync. It never asks the service. The bash script works best with bash 4.4\n" +
    "or newer; where the package bash-completion is missing, source the file from ~/.bashrc. mkdir -p makes a\n" +
    "directory that is missing.",
  arguments: {
    shell: {
      summary: shells.join(", "),
      parse: parseShell,
      candidates: shells.map((value) => ({ value })),
    },
  },
  options: {},
  printsText: true,
  examples: [
    { line: "completion bash > ~/.local/share/bash-completion/completions/courier", note: "bash" },
    {
      line: "completion zsh > ~/.zfunc/_courier",
      note: "zsh; in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)",
    },
    { line: "completion fish > ~/.config/fish/completions/courier.fish", note: "fish" },
    { line: "completion powershell > courier.ps1", note: "PowerShell; in $PROFILE: . path/to/courier.ps1" },
  ],
  seeAlso: ["sync"],
  async run({ shell }) {
    const script = readCompletionScript(shell);
    return document({ shell, script }, () =>
      script
        .trimEnd()
        .split("\n")
        .map((text) => line(text)),
    );
  },
});

function parseShell(text: string): Shell {
  const shell = shells.find((each) => each === text);
  if (shell) return shell;
  const nearest = suggest(text, shells);
  throw usageError(
    `there is no completion for ${quote(text)}`,
    nearest ? `did you mean ${nearest}?` : `there is one for ${shells.join(", ")}`,
  );
}
