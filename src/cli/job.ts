/** What a redrawn screen needs of its process. */

import type { Job } from "../terminal/keyboard.ts";
import type { KeyInput } from "../terminal/keypress.ts";

/** A process without a terminal has none of the rest. */
export interface TerminalJob extends Job {
  /** As Ctrl-C does where keys are not read one by one. */
  interrupt?(): void;
  /** The terminal's keys where stdin is something else; undefined where there are none. */
  openKeys?(): Promise<(KeyInput & { destroy(): unknown }) | undefined>;
  /** Calls when the process ends, even where it crashes; gives back what ends that. */
  onExit?(listener: () => void): () => void;
}
