/** Single key presses from a terminal in raw mode; prompts use keyboard.ts. */

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

export const ctrlC = "\u0003";
export const ctrlZ = "\u001a";

export function createKeys(input: KeyInput, onKey: (key: string) => void): Keys {
  const read = (data: Buffer | string) => {
    const text = data.toString();
    if (text.startsWith("\u001b")) return; // an arrow or a function key, whose letters mean nothing
    for (const key of text) onKey(key);
  };
  let isTaken = false;
  return {
    take() {
      if (input.isTTY !== true) return;
      if (isTaken) input.setRawMode?.(false); // a shell may have changed it behind our back
      input.setRawMode?.(true);
      if (isTaken) return;
      isTaken = true;
      input.on("data", read);
      input.resume();
    },
    release() {
      if (!isTaken) return;
      isTaken = false;
      input.off("data", read);
      input.pause();
      input.setRawMode?.(false);
    },
  };
}
