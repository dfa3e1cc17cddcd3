/** Where bash, zsh and fish look for courier's completion script. */

import path from "node:path";

export const completionShells = ["bash", "zsh", "fish"] as const;

export type CompletionShell = (typeof completionShells)[number];

type Env = Readonly<Record<string, string | undefined>>;

/** The user's own place comes first: `--install` writes there. Packages use the others. */
const places = {
  bash: [
    "~data/bash-completion/completions/courier",
    "/usr/local/share/bash-completion/completions/courier",
    "/usr/share/bash-completion/completions/courier",
  ],
  zsh: [
    "~/.zfunc/_courier",
    "/usr/local/share/zsh/site-functions/_courier",
    "/usr/share/zsh/site-functions/_courier",
    "/usr/share/zsh/vendor-completions/_courier",
  ],
  fish: [
    "~config/fish/completions/courier.fish",
    "/etc/fish/completions/courier.fish",
    "/usr/share/fish/vendor_completions.d/courier.fish",
  ],
} as const satisfies Readonly<Record<CompletionShell, readonly string[]>>;

/** The files that a shell may read, the user's own first. */
export function completionPlaces(shell: CompletionShell, env: Env): readonly string[] {
  const home = env.HOME ?? "";
  return places[shell].map((place) =>
    place
      .replace(/^~data/, () => absolute(env.XDG_DATA_HOME) ?? path.join(home, ".local/share"))
      .replace(/^~config/, () => absolute(env.XDG_CONFIG_HOME) ?? path.join(home, ".config"))
      .replace(/^~/, () => home),
  );
}

/** A relative XDG directory counts as not set. */
function absolute(place: string | undefined): string | undefined {
  return place !== undefined && path.isAbsolute(place) ? place : undefined;
}
