/** Keyboard input of a prompt: single keys, end of input, and Ctrl-Z. */

import { Readable } from "node:stream";
import { joinLines } from "../core/blanks.ts";
import { afterContinueMs, ctrlBackslash, ctrlC, ctrlZ } from "./keypress.ts";

/** This process as a job of the shell. */
export interface Job {
  /** Stops the job, as the terminal does at Ctrl-Z; returns when it continues. */
  stop(): void;
  /** Calls back whenever the job continues; returns a function that ends that. */
  onContinue(listener: () => void): () => void;
  /** As Ctrl-C does where keys are not read one by one. */
  interrupt?(): void;
  /** The same for Ctrl-\. */
  quit?(): void;
}

export interface Keyboard {
  /**
   * What a prompt reads from: one key, or the text of a paste up to its next key, in a turn of the event loop, and never
   * Ctrl-Z. A prompt is drawn, and a list that a text narrows is loaded, before the next key comes; else an Enter that is
   * typed fast is dropped.
   */
  readonly input: Readable;
  /** Attaches one prompt, which gets no key before it listens. */
  attach(prompt: AttachedPrompt): Attachment;
  /**
   * Keeps reading keys, in raw mode, also between prompts: what is typed there is not shown, and is for the next prompt.
   * Ctrl-C then interrupts the run. Gives back what ends it.
   */
  hold(): () => void;
}

export interface Attachment {
  /** The prompt gets keys from the next turn of the event loop on. */
  listens(): void;
  /** The prompt is over. */
  leave(): void;
}

export interface AttachedPrompt {
  /** Its answer may send an order: only keys that are pressed one by one count, once nothing was typed for a while. */
  readonly isDecision: boolean;
  /** Called when Ctrl-D at an empty line, or the end of all input, closes the prompt. */
  readonly onEnd: () => void;
  /** Called before the job stops. */
  readonly onStop: () => void;
  /** Called when it continues, with the terminal's mode restored. */
  readonly onContinue: () => void;
  /** Called at Esc alone, which no prompt takes otherwise. */
  readonly onBack?: (() => void) | undefined;
  /** Called at Up, where it moves through nothing. */
  readonly onUp?: (() => void) | undefined;
  /** Gets a paste, or several lines that come as fast; false where its characters are typed keys. */
  readonly onPaste?: ((text: string) => boolean) | undefined;
}

interface Paste {
  readonly text: string;
  /** The terminal has marked it: its line breaks are no Enter. */
  readonly isMarked: boolean;
}

type Source = NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown };

const ctrlD = "\u0004";
const escapeKey = "\u001b";
/** Its sequence in a terminal's two modes. */
const up = /^\u001b[[O]A$/;
const ended = Symbol("end of input");
/** A character that stands for itself, unless it belongs to an escape sequence. */
const plain = /^\P{Cc}$/u;
/** More characters than the sequence of any key has. */
const longestSequence = 16;

/** A paste over a slow line comes in pieces, with pauses between them that are shorter than this. */
const quietMs = 500;

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";
/** Lines in one piece: a paste in a terminal that does not mark it, or lines that were typed ahead. */
const severalLines = /^[^\p{Cc}]+(?:[\r\n\t]+[^\p{Cc}]+)*[\r\n]+[^\p{Cc}]+(?:[\r\n\t]+[^\p{Cc}]*)*$/u;
/** What such a piece may go on with. */
const moreLines = /^[^\p{Cc}\r\n\t]*(?:[\r\n\t]+[^\p{Cc}]*)*$/u;
/** The next piece of a paste comes sooner, and so do the other keys of an escape sequence. */
const gapMs = 50;
/** As readline does, a key so soon after Esc is taken for one with Alt, where Esc alone means nothing. */
const altMs = 500;

/** Keys that interrupt and stop count at any time. */
const stops: readonly unknown[] = [ctrlC, ctrlZ];
const notStops = new RegExp(`[^${ctrlC}${ctrlZ}]`, "gsu");

/**
 * What a person may send at once: a character, the sequence of an arrow or a function key, again and again while it is
 * held down, and yes, no or an arrow with an Enter that was as fast.
 */
const oneAnswer = /^(?:.|(?:\u001b[[O][\d;]*[A-Za-z~])+\r?|(?:y|yes|n|no)\r)$/isu;
/** Letters that were typed fast, or the first piece of a paste: they choose, and an Enter that follows at once does not count. */
const word = /^\P{Cc}{2,}$/u;

/**
 * The keys of a terminal's input stream, which is paused while no prompt reads. `elapsed`: milliseconds, monotonic.
 * `signal` ends the run.
 */
export function openKeyboard(source: Source, job: Job, elapsed: () => number, signal: AbortSignal): Keyboard {
  const decoder = new TextDecoder();
  let attended: AttachedPrompt | undefined;
  /** A key that comes before a prompt listens is in readline's line, and not in the prompt's answer. */
  let isListening = false;
  /** As the prompt has set it. */
  let isRaw = false;
  let holds = 0;
  let isOpen = false;
  let hasStopped = false;
  /** The terminal may be the shell's: a job in the background that sets its mode is stopped by the system. */
  let isAway = false;
  let hasEnded = false;
  let lastKey = "";
  let lastPressMs = Number.NEGATIVE_INFINITY;
  let isDecidable = false;
  /** Keys that were typed and not read yet. */
  let waiting: (string | typeof ended | Paste)[] = [];
  /** A marked paste whose end has not come yet. */
  let unended: string | undefined;
  /** Several lines that may go on. */
  let gathered = "";
  let gathering: NodeJS.Timeout | undefined;
  let escaping: NodeJS.Timeout | undefined;
  let takenSinceEscape = longestSequence;
  let isRead = false;
  let isDelivering = false;

  const input = Object.assign(new Readable({ objectMode: true, read() {} }), {
    isTTY: true,
    setRawMode(next: boolean) {
      isRaw = next;
      setMode();
      // readline closes at Ctrl-D, but only where the line is empty.
      if (!next && lastKey === ctrlD) attended?.onEnd();
      return input;
    },
  });

  function setMode() {
    if (!isAway) source.setRawMode?.(isRaw || holds > 0);
  }

  /** Reads the source while a prompt reads, and while it is held. */
  function openOrClose() {
    if (isOpen === (isRead || holds > 0)) return;
    isOpen = !isOpen;
    if (isOpen) {
      source.on("data", press).on("end", end);
      source.resume();
    } else {
      source.off("data", press).off("end", end);
      source.pause();
    }
  }

  /** readline scrambles the line when several keys come in one piece and the cursor is not at its end. */
  function press(chunk: string | Uint8Array) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const isPaste = unended !== undefined || text.includes(pasteStart);
    if (text.includes(ctrlBackslash) && !isPaste && job.quit) return job.quit();
    if (counts(text)) queue(text);
    else waiting.push(...text.replaceAll(notStops, ""));
    if (text.includes(ctrlC)) dropUnreadLines();
    obeyStops();
    deliver();
  }

  function queue(text: string) {
    let rest = text;
    while (rest !== "") {
      if (unended === undefined) {
        const [before = ""] = rest.split(pasteStart, 1);
        queueTyped(before);
        if (before === rest) return;
        unended = "";
        rest = rest.slice(before.length + pasteStart.length);
      }
      unended += rest;
      const end = unended.indexOf(pasteEnd);
      const isGivenUp = end === -1 && rest.includes(ctrlC);
      if (end === -1 && !isGivenUp) return;
      if (isGivenUp) for (const key of unended) waiting.push(key);
      else waiting.push({ text: unended.slice(0, end), isMarked: true });
      rest = isGivenUp ? "" : unended.slice(end + pasteEnd.length);
      unended = undefined;
    }
  }

  function queueTyped(text: string) {
    if (gathering !== undefined && !moreLines.test(text)) endGathering();
    const isGathered =
      gathering !== undefined || (attended?.onPaste !== undefined && severalLines.test(text));
    if (!isGathered) {
      for (const key of text) waiting.push(key);
      return;
    }
    clearTimeout(gathering);
    gathered += text;
    gathering = setTimeout(() => {
      endGathering();
      deliver();
    }, gapMs);
  }

  function endGathering() {
    clearTimeout(gathering);
    gathering = undefined;
    waiting.push({ text: gathered, isMarked: false });
    gathered = "";
  }

  /** Between prompts no prompt takes Ctrl-C and Ctrl-Z. */
  function obeyStops() {
    if (attended !== undefined) return;
    if (waiting.includes(ctrlC) && job.interrupt) {
      waiting = [];
      job.interrupt();
    } else if (waiting.includes(ctrlZ)) {
      waiting = waiting.filter((key) => key !== ctrlZ);
      stop();
    }
  }

  /** Ctrl-C comes right after the line that is being typed. */
  function dropUnreadLines() {
    const lineEnd = waiting.findIndex((key) => !isPlain(key));
    waiting = [...waiting.slice(0, lineEnd), ...waiting.slice(waiting.indexOf(ctrlC))];
  }

  /** A decision accepts keys only after a pause in the input, and none of a paste. */
  function counts(text: string): boolean {
    const pressMs = elapsed();
    const wasQuiet = pressMs - lastPressMs >= quietMs;
    lastPressMs = pressMs;
    if (attended?.isDecision !== true) return true;
    const mayCount = isDecidable || wasQuiet;
    isDecidable = mayCount && oneAnswer.test(text);
    if (wasQuiet || !isDecidable) unended = undefined; // its end would be dropped, or is lost
    return isDecidable || (mayCount && word.test(text));
  }

  function end() {
    if (hasEnded) return;
    hasEnded = true;
    waiting.push(ended);
    deliver();
  }

  function deliver() {
    if (isDelivering || !isTaking() || waiting.length === 0) return;
    // Not yet into readline, which would take Ctrl-C after it for another key: Ctrl-C with Alt.
    if (waiting[0] === escapeKey && waiting.length === 1 && attended) {
      const escapeMs = attended.onBack ? gapMs : altMs;
      escaping ??= setTimeout(() => {
        escaping = undefined;
        if (waiting.length === 1) takeEscape();
      }, escapeMs);
      return;
    }
    clearTimeout(escaping);
    escaping = undefined;
    isDelivering = true;
    setImmediate(() => {
      isDelivering = false;
      if (isTaking()) takeNext();
      deliver();
    });
  }

  function isTaking() {
    return isRead && (attended === undefined || isListening);
  }

  function takeEscape() {
    waiting.shift();
    if (!attended?.onBack) return;
    // What comes right behind it was meant for this question.
    if (attended.isDecision) dropTyped();
    attended.onBack();
  }

  function dropTyped() {
    waiting = waiting.filter((key) => key === ended || stops.includes(key));
  }

  /** Whether this key after Esc was pressed by itself. In a line it may be a key with Alt. */
  function isNoSequence(key: (typeof waiting)[number] | undefined): boolean {
    if (key === escapeKey || key === ctrlD) return true;
    if (!attended?.onBack || !attended.isDecision) return false;
    return key !== undefined && key !== "[" && key !== "O";
  }

  function takePaste({ text, isMarked }: Paste) {
    if (attended?.onPaste?.(text)) return;
    waiting = [...(isMarked ? joinLines(text).trim() : text), ...waiting];
  }

  /** Text goes in as one key: readline and the prompt go through their whole line at each. */
  function takeNext() {
    const [first, second] = waiting;
    if (typeof first === "object") {
      waiting.shift();
      return takePaste(first);
    }
    if (first === escapeKey && attended && isNoSequence(second)) return takeEscape();
    const sequence = waiting.slice(0, 3).filter((key) => typeof key === "string");
    if (attended?.onUp && up.test(sequence.join(""))) {
      waiting = waiting.slice(3);
      return attended.onUp();
    }
    const length = waiting.findIndex((key) => !isPlain(key));
    const text = waiting.slice(0, length === -1 ? waiting.length : length).filter(isPlain);
    if (text.length < 2 || takenSinceEscape < longestSequence || attended?.isDecision !== false) {
      waiting.shift();
      const key = first;
      takenSinceEscape = key === escapeKey ? 0 : takenSinceEscape + 1;
      return take(key);
    }
    waiting = waiting.slice(text.length);
    lastKey = text.join("");
    input.emit("keypress", lastKey, { sequence: lastKey, ctrl: false, meta: false, shift: false });
  }

  function take(key: string | typeof ended | undefined) {
    if (key === ctrlZ) return stop();
    lastKey = key === ended ? ctrlD : (key ?? "");
    input.push(key === ended ? null : key);
  }

  function stop() {
    attended?.onStop();
    source.setRawMode?.(false);
    isAway = true;
    hasStopped = true;
    job.stop();
    setImmediate(goOnSoon); // also where the system did not stop it, because no shell could let it go on
  }

  function goOnSoon() {
    isAway = true;
    setTimeout(() => signal.aborted || goOn(), afterContinueMs);
  }

  function goOn() {
    isAway = false;
    // The shell may have changed the mode without the stream noticing.
    source.setRawMode?.(false);
    setMode();
    attended?.onContinue();
  }

  function isPlain(key: string | typeof ended | Paste): key is string {
    return typeof key === "string" && plain.test(key);
  }

  source.on("error", end); // its terminal was closed
  input.on("resume", () => {
    isRead = true;
    openOrClose();
    deliver();
  });
  input.on("pause", () => {
    isRead = false;
    openOrClose();
  });

  let ignoreContinue = () => {};
  function hold(): () => void {
    holds += 1;
    if (holds === 1) {
      hasStopped = false;
      ignoreContinue = job.onContinue(() => {
        if (hasStopped) hasStopped = false;
        else goOnSoon();
      });
      openOrClose();
      setMode();
    }
    return () => {
      holds -= 1;
      if (holds > 0) return;
      ignoreContinue();
      openOrClose();
      setMode();
    };
  }

  return {
    input,
    attach(prompt) {
      attended = prompt;
      isListening = false;
      isDecidable = false;
      lastKey = "";
      // They were typed for the questions before.
      if (prompt.isDecision) dropTyped();
      if (input.readableEnded) prompt.onEnd();
      const release = hold();
      return {
        listens() {
          isListening = true;
          deliver();
        },
        leave() {
          attended = undefined;
          clearTimeout(escaping);
          escaping = undefined;
          if (lastKey !== ctrlC) obeyStops();
          release();
        },
      };
    },
    hold,
  };
}
