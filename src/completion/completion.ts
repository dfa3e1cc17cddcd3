/** `courier completion`: prints a shell's completion script, or installs it with the manual pages. */

import { type Context, defineCommand, document, type Output } from "../command/command.ts";
import { type CompletionShell, completionShells } from "../command/completion-places.ts";
import { quote, switchOption } from "../command/options.ts";
import { hideHome } from "../command/runtime-info.ts";
import { usageError } from "../core/errors.ts";
import { suggest } from "../core/suggest.ts";
import { type Block, line, styled } from "../terminal/blocks.ts";
import { installCompletion, type Place, removeCompletion } from "./install.ts";
import { readCompletionScript, type Shell, scriptFiles } from "./scripts.ts";

const shells = Object.keys(scriptFiles) as Shell[];

export const printCompletion = defineCommand({
  description:
    "Tab then offers commands, flags, states, accounts, @names of the address book, and the ids and tracking\n" +
    "numbers of orders seen lately on this machine, or read by courier sync. It never asks the service.\n" +
    "--install writes the scripts of bash, zsh and fish, or of the shells named, to your own directories, and\n" +
    "links the manual pages where npm did not (npm 12 links none). Where a start-up file needs a line, as\n" +
    "~/.zshrc does, it shows the line, and asks to add it for a shell that is named or is yours ($SHELL); --yes\n" +
    "adds it there. --remove deletes all of it.\n" +
    "Without either, it prints the script: save it once, as shown; a new shell reads it without starting\n" +
    "courier. The bash script works best with bash 4.4 or newer.",
  arguments: {
    shells: {
      summary: shells.join(", "),
      parse: parseShell,
      isList: true as const,
      isOptional: true,
      usage: "[SHELL...]",
      candidates: shells.map((value) => ({ value })),
    },
  },
  options: {
    install: switchOption("install for your shells, with the manual pages"),
    remove: switchOption("delete what --install wrote"),
  },
  printsText: true,
  confirms: true,
  examples: [
    { line: "completion --install", note: "bash, zsh and fish, as far as they are in PATH" },
    { line: "completion zsh --install", note: "one shell" },
    { line: "completion --remove", note: "before you uninstall courier" },
    { line: "completion bash > ~/.local/share/bash-completion/completions/courier", note: "bash" },
    {
      line: "completion zsh > ~/.zfunc/_courier",
      note: "zsh; in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)",
    },
    { line: "completion fish > ~/.config/fish/completions/courier.fish", note: "fish" },
    { line: "completion powershell > courier.ps1", note: "PowerShell; in $PROFILE: . path/to/courier.ps1" },
  ],
  seeAlso: ["sync"],
  async run({ shells: named, install, remove }, context): Promise<Output> {
    if (install && remove) throw usageError("--install and --remove exclude each other");
    if (install) {
      const { places: installed, unread } = await installCompletion(installable(named, context), context);
      const where = unread.length > 0 ? `, in ${unread.join(" and ")} once that line is there` : "";
      return places("installed", installed, context, [
        line(`Open a new shell: Tab after courier completes the rest${where}`),
      ]);
    }
    if (remove)
      return places("deleted", await removeCompletion(installable(named, context), context), context);
    const [shell, second] = named;
    if (shell === undefined)
      throw usageError(
        "the SHELL is missing",
        "courier completion --install sets up the shells of this machine",
      );
    if (second !== undefined) throw usageError(`one SHELL is enough: ${quote(second)} is too much`);
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

/** PowerShell has no directory that it reads completions from. */
function installable(named: readonly Shell[], { machine }: Context): readonly CompletionShell[] {
  if (machine.platform.startsWith("win32") || named.includes("powershell"))
    throw usageError(
      "PowerShell reads no completions by itself",
      "run courier completion powershell > courier.ps1, and add to $PROFILE: . path/to/courier.ps1",
    );
  return completionShells.filter((shell) => named.includes(shell));
}

function places(
  what: "installed" | "deleted",
  found: readonly Place[],
  { machine }: Context,
  below: readonly Block[] = [],
): Output {
  if (found.length === 0) return document({ [what]: [] }, () => [line("Nothing was there to delete")]);
  const fields = found.map((place) => [place.for, hideHome(place.path, machine)] as const);
  return document({ [what]: found.map(({ for: shell, path }) => ({ for: shell, path })) }, () => [
    line(styled("good", what === "installed" ? "Installed" : "Deleted")),
    { kind: "fields", fields },
    ...below,
  ]);
}
