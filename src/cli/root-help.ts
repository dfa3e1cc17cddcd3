/** The help of the whole program. */

import { groupHelp } from "./help.ts";
import type { Host } from "./host.ts";
import { program } from "./program.ts";

const widestHelp = 100;

/** Columns for help, on a terminal of so many or in a pipe. */
export function helpWidth(columns = 80): number {
  return Math.min(widestHelp, columns);
}

export interface RootHelp {
  readonly text: string;
  /** What is done once it is written. */
  readonly after: () => Promise<void>;
}

/** `courier` alone also counts orders in doubt; `--help` does not. */
export function showRootHelp(host: Host): RootHelp {
  return {
    text: groupHelp(program, [], helpWidth((host.quickOutput ?? host.stdout).columns)),
    async after() {
      if (host.argv.length > 0 || host.quickOutput?.hasReader === false || !host.stderr.isTTY) return;
      const { mentionDoubtAlone } = await import("./doubt.ts");
      await mentionDoubtAlone(host);
    },
  };
}
