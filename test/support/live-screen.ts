/** A live screen in process: keys are typed into it, and a terminal emulator shows what a person sees. */

import { PassThrough } from "node:stream";
import headless from "@xterm/headless";
import { interrupted } from "../../src/core/errors.ts";
import type { Home, Ran, RunOptions } from "./courier.ts";
import { Capture } from "./streams.ts";

export interface LiveScreenOptions extends Pick<RunOptions, "prompts" | "env"> {
  readonly columns?: number;
  readonly rows?: number;
}

export interface OpenScreen {
  /** The visible lines, without blanks at their ends and empty lines at the bottom. */
  picture(): Promise<string>;
  /** Resolves once the screen shows this. */
  until(what: string | RegExp | ((picture: string) => boolean)): Promise<void>;
  type(text: string): void;
  /** The terminal goes away, and no signal says so. */
  hangUp(): void;
  resize(columns: number, rows: number): void;
  /** Ctrl-C where no key is read: the terminal sends the signal. */
  interrupt(): void;
  /** All bytes that came. */
  readonly bytes: number;
  readonly output: string;
  cursor(): { readonly row: number; readonly column: number };
  readonly isRaw: boolean;
  readonly ended: Promise<Ran>;
}

const longestMs = 5_000;

function isIn(shown: string, what: string | RegExp): boolean {
  return typeof what === "string" ? shown.includes(what) : what.test(shown);
}

export function openLiveScreen(
  home: Home,
  words: string | readonly string[],
  { columns = 80, rows = 24, ...options }: LiveScreenOptions = {},
): OpenScreen {
  const emulator = new headless.Terminal({
    cols: columns || 80,
    rows: rows || 24,
    scrollback: 1_000,
    allowProposedApi: true,
    convertEol: true,
    logLevel: "off",
  });
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      keyboard.isRaw = isRaw;
    },
  });
  const stdout = new Capture(columns, rows);
  const stop = new AbortController();
  let drawn = 0;
  const flush = async () => {
    const { text } = stdout;
    const news = text.slice(drawn);
    drawn = text.length;
    await new Promise<void>((resolve) => emulator.write(news, resolve));
  };
  const interrupt = () => stop.abort(interrupted(130));
  const ended = home.courier(words, {
    terminal: columns,
    stdout,
    keyboard,
    signal: stop.signal,
    interrupt,
    ...options,
  });
  let result: Ran | undefined;
  ended.then((ran) => {
    result = ran;
  });

  async function picture(): Promise<string> {
    await flush();
    const { active } = emulator.buffer;
    const lines = Array.from(
      { length: emulator.rows },
      (_, row) =>
        active
          .getLine(active.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? "",
    );
    return lines.join("\n").trimEnd();
  }

  return {
    picture,
    async until(what) {
      const startMs = performance.now();
      for (;;) {
        const shown = await picture();
        if (typeof what === "function" ? what(shown) : isIn(shown, what)) return;
        if (result || performance.now() - startMs > longestMs)
          throw new Error(`${what} is not on the screen:\n${shown}\n${result?.stderr ?? ""}`);
        await new Promise<void>((resume) => setImmediate(resume));
      }
    },
    type: (text) => void keyboard.write(text),
    hangUp: () => void keyboard.end(),
    resize(width, height) {
      emulator.resize(width, height);
      [stdout.columns, stdout.rows] = [width, height];
      stdout.emit("resize");
    },
    interrupt,
    get bytes() {
      return stdout.bytes.length;
    },
    get output() {
      return stdout.text;
    },
    cursor: () => ({ row: emulator.buffer.active.cursorY, column: emulator.buffer.active.cursorX }),
    get isRaw() {
      return keyboard.isRaw;
    },
    ended,
  };
}
