/** Single key presses from a terminal in raw mode; prompts use keyboard.ts. */

import { emitKeypressEvents, type Interface } from "node:readline";

/** A readable stream that may be a terminal. */
export type KeyInput = NodeJS.ReadableStream & {
  /** The descriptor, where a process opened it. */
  readonly fd?: number | undefined;
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
};

export interface Keys {
  /** Reads keys one by one; Ctrl-C and Ctrl-Z come as keys, not as signals. */
  take(): void;
  /** Restores the terminal's mode. */
  release(): void;
}

/** A character as it is typed, a control character, or the name of another key: `up`, `pagedown`, `escape`. */
export type Key = string;

/**
 * A signal to end may have come with the one that lets a stopped job go on, and is dealt with first. Bun tells of it some
 * turns later.
 */
export const afterContinueMs = 20;

export const ctrlC = "\u0003";
export const ctrlZ = "\u001a";
/** Ctrl-\. */
export const ctrlBackslash = "\u001c";

/** After this time an Escape is no longer taken for the beginning of an arrow's sequence. */
const escapeMs = 50;

/** Keys that are no text. */
export const keyNames: ReadonlySet<string | undefined> = new Set([
  "up",
  "down",
  "left",
  "right",
  "pageup",
  "pagedown",
  "home",
  "end",
  "return",
  "backspace",
  "escape",
]);

/** Asks the terminal to mark what is pasted, and to stop that. */
export const pasteMarks = "\u001b[?2004h";
export const noPasteMarks = "\u001b[?2004l";

/** Keys that end or stop the program, also within a paste: its end may be lost. */
const stops: ReadonlySet<Key> = new Set([ctrlC, ctrlZ, ctrlBackslash]);

interface Pressed {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/** Of a marked paste, only its text comes: a line break, and a tab between two cells, is a blank. */
export function createKeys(input: KeyInput, onKey: (key: Key, isPasted?: boolean) => void): Keys {
  let isPasting = false;
  const read = (text: string | undefined, pressed: Pressed) => {
    if (pressed.name === "paste-start" || pressed.name === "paste-end") {
      isPasting = pressed.name === "paste-start";
      return;
    }
    const key = toKey(text, pressed);
    if (key === undefined) return;
    if (!isPasting || stops.has(key)) onKey(key);
    else if (key === "return" || key === "\t") onKey(" ", true);
    else if (!keyNames.has(key)) onKey(key, true);
  };
  let isTaken = false;
  let isClosed = false;
  /** Its terminal was closed, with or without a signal. */
  function close() {
    isClosed = true;
    if (isTaken) onKey(ctrlC);
  }
  input.on("error", close).on("end", close);
  return {
    take() {
      if (input.isTTY !== true) return;
      if (isTaken) input.setRawMode?.(false); // a shell may have changed it behind our back
      const wasTaken = isTaken;
      isTaken = true;
      if (isClosed) return onKey(ctrlC);
      input.setRawMode?.(true);
      if (wasTaken) return;
      // The package reads this one field.
      emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
      input.on("keypress", read);
      input.resume();
    },
    release() {
      if (!isTaken) return;
      isTaken = false;
      input.off("keypress", read);
      input.pause();
      input.setRawMode?.(false);
    },
  };
}

/** Undefined for a key that means nothing here, such as F1 or one with Alt. */
function toKey(text: string | undefined, { name, sequence, ctrl, meta }: Pressed): Key | undefined {
  const last = sequence?.at(-1) ?? "";
  if (stops.has(last)) return last; // also where Esc and Ctrl-C come in one piece
  // A line feed: Enter was pressed before the terminal was in raw mode.
  if (name === "enter") return "return";
  if (keyNames.has(name)) return meta && name !== "escape" ? undefined : name;
  if (meta) return undefined;
  return ctrl ? sequence : text;
}
