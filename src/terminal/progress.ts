/** Progress: a line at the terminal while something takes longer than a second. */

import type { Clock } from "../core/clock.ts";
import { sanitise } from "./sanitise.ts";
import type { TerminalStream } from "./streams.ts";
import { cutToWidth } from "./width.ts";

const delayMs = 1_000;
const eraseLine = "\r\u001b[K";

export interface Progress {
  /** Begins a task that may take long; returns a function that ends it. */
  begin(text: string): () => void;
  /** Shows how far something has come; replaces the line of `begin` until it ends. */
  meter(): Meter;
  /** Erases the line before other output; it comes back if the work continues. */
  clear(): void;
  /** Keeps the line of `begin` away while a question is on the screen; returns a function that ends that. */
  pause(): () => void;
  /** Erases the line for good: the process ends in the middle of the work. */
  stop(): void;
}

export interface Meter {
  /** The text is made only when it is shown; `isNow` shows it at once, before a pause. */
  update(text: () => string, isNow?: boolean): void;
  end(): void;
}

const redrawMs = 200;
const lineMs = 5_000;

/** For a stream that cannot be redrawn: a new line every few seconds for a meter, nothing else. */
export function createLineProgress(print: (line: string) => void, clock: Clock): Progress {
  return {
    begin: () => () => {},
    clear: () => {},
    pause: () => () => {},
    stop: () => {},
    meter() {
      let shownMs = clock.elapsed();
      return {
        update(text, isNow = false) {
          if (!isNow && clock.elapsed() - shownMs < lineMs) return;
          shownMs = clock.elapsed();
          print(text());
        },
        end() {},
      };
    },
  };
}

export const noProgress: Progress = {
  begin: () => () => {},
  meter: () => ({ update() {}, end() {} }),
  clear() {},
  pause: () => () => {},
  stop() {},
};

/**
 * Shows the newest text after a second, and erases it in the end. `stream` must be a terminal. A text may be of a failure that
 * repeats the key, so `redact` masks it.
 */
export function createProgress(
  stream: TerminalStream,
  clock: Clock,
  redact: (text: string) => string,
): Progress {
  const inProgress = new Map<symbol, string>();
  let isShown = false;
  let isStopped = false;
  let isPaused = false;
  let hasMeter = false;
  let metered: (() => string) | undefined;
  let cancel = () => {};
  const wait = () => {
    cancel();
    cancel = clock.after(delayMs, show);
  };
  const print = (text: string) => {
    if (isStopped) return;
    isShown = true;
    stream.write(`${eraseLine}${cutToWidth(sanitise(redact(text)), (stream.columns || 80) - 1)}`);
  };
  const show = () => {
    if (!hasMeter && !isPaused) print([...inProgress.values()].at(-1) ?? "");
  };
  const erase = () => {
    if (isShown) stream.write(eraseLine);
    isShown = false;
  };
  return {
    begin(text) {
      if (inProgress.size === 0) wait();
      const entry = Symbol(text);
      inProgress.set(entry, text);
      if (isShown) show();
      return () => {
        inProgress.delete(entry);
        if (inProgress.size > 0) return isShown ? show() : undefined;
        cancel();
        if (!hasMeter) erase();
      };
    },
    meter() {
      let shownMs = Number.NEGATIVE_INFINITY;
      hasMeter = true;
      return {
        update(text, isNow = false) {
          metered = text;
          if (!isNow && clock.elapsed() - shownMs < redrawMs) return;
          shownMs = clock.elapsed();
          print(text());
        },
        end() {
          hasMeter = false;
          metered = undefined;
          erase();
        },
      };
    },
    clear() {
      const wasShown = isShown;
      erase();
      // What takes its place is written now; a meter stays beneath it.
      if (wasShown && metered) queueMicrotask(() => metered && !isShown && print(metered()));
      if (inProgress.size > 0) wait();
    },
    pause() {
      isPaused = true;
      erase();
      return () => {
        isPaused = false;
        if (inProgress.size > 0) wait();
      };
    },
    stop() {
      isStopped = true;
      erase();
    },
  };
}
