/**
 * Runs the built program in a real pseudo-terminal and shows what a person would see: its output goes
 * through a terminal emulator, keys are typed once what they answer is on the screen.
 */

import { readSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as wait } from "node:timers/promises";
import { type IPty, spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { prepareProgram } from "./program.ts";
import { type FaultySandbox, startFaultySandbox } from "./wire-faults.ts";

export const keys = {
  enter: "\r",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlZ: "\u001a",
  backspace: "\u007f",
  up: "\u001b[A",
  down: "\u001b[B",
  escape: "\u001b",
  left: "\u001b[D",
  right: "\u001b[C",
  home: "\u0001",
  end: "\u0005",
  /** Empties a line up to the cursor. */
  clear: "\u0015",
} as const;

/**
 * Notes the terminal's modes before and after, and ends as the program did. A key that comes once the program has
 * ended does not end the second note.
 */
export const notingShell =
  'trap : INT TERM HUP TSTP; stty -g > before; "$@"; code=$?; trap "" INT; stty -g > after; exit $code';

/** A shell with job control: after Ctrl-Z it says so, and goes on with the job once a line is typed. */
export const stoppingShell = 'set -m; "$@"; echo "in the shell"; read line; fg > fg.txt';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Laid over the home's environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A shell line around the program, which is "$@": `"$@" > order.txt`. */
  readonly shell?: string;
}

export interface Exit {
  readonly exit: number;
  readonly signal: number | undefined;
}

export interface Terminal {
  /** The visible lines, without blanks at their ends and empty lines at the bottom. */
  screen(): string;
  /** The same with what has scrolled away. */
  transcript(): string;
  /** Every byte that came. */
  readonly output: string;
  /** Where the cursor stands, counted from the top of the transcript. */
  cursor(): { readonly row: number; readonly column: number };
  readonly isCursorVisible: boolean;
  /** It was asked to mark what is pasted. */
  readonly marksPastes: boolean;
  /** Resolves once the screen shows this; fails with the screen when it ends or takes too long. */
  until(what: string | RegExp | ((screen: string) => boolean)): Promise<void>;
  type(text: string): void;
  /** A choice or yes or no takes keys a while after the last one that was typed. */
  rest(): Promise<void>;
  /** Waits for a question, which is the last one asked, and answers it. */
  answer(question: string, text?: string): Promise<void>;
  /** Waits for a list, goes down to the line that holds this text, and takes it. */
  choose(question: string, label: string): Promise<void>;
  resize(columns: number, rows?: number): void;
  /** Sends a signal to everything that runs in the terminal. */
  signal(name: NodeJS.Signals): void;
  /** Closes the terminal, as when its window is closed. */
  hangUp(): void;
  /** The same where the shell does not pass it on to its jobs. */
  hangUpShell(): void;
  /** Resolves when it has ended and all its output is on the screen. */
  readonly ended: Promise<Exit>;
}

export interface TerminalHome {
  readonly directory: string;
  readonly configDir: string;
  readonly stateDir: string;
  /** Starts one command line in a terminal: words parted by blanks, or given singly. */
  open(words: string | readonly string[], options?: TerminalOptions): Terminal;
  /** The text of a file in the home, empty where there is none. */
  read(name: string): Promise<string>;
}

export interface ServedTerminalHome extends TerminalHome {
  readonly sandbox: FaultySandbox;
}

const limitMs = 60_000;
const restMs = 520;

/** An empty home whose account is the sandbox inside the program. */
export async function createTerminalHome(
  env: TerminalOptions["env"] = { COURIER_ACCOUNT: "sandbox" },
): Promise<TerminalHome> {
  const program = await prepareProgram();
  const directory = await mkdtemp(path.join(tmpdir(), "courier-pty-"));
  const [configDir, stateDir] = ["config", "state"].map((name) => path.join(directory, name)) as [
    string,
    string,
  ];
  const opened: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of opened) await close();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    directory,
    configDir,
    stateDir,
    read: (name) => readFile(path.join(directory, name), "utf8").catch(() => ""),
    open(words, options = {}) {
      const given = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
      const { terminal, close } = openTerminal([...program, ...given], directory, {
        ...options,
        env: {
          PATH: process.env.PATH,
          HOME: directory,
          TMPDIR: tmpdir(),
          TZ: "UTC",
          LC_ALL: "C.UTF-8",
          TERM: "xterm-256color",
          COURIER_CONFIG_DIR: configDir,
          COURIER_STATE_DIR: stateDir,
          ...env,
          ...options.env,
        },
      });
      opened.push(close);
      return terminal;
    },
  };
}

/** A home whose environment names a sandbox that runs in this process, where its requests can be seen. */
export async function createServedTerminalHome(
  options: { readonly seedOrders?: number } = {},
): Promise<ServedTerminalHome> {
  const apiKey = "terminal-key-0123456789";
  const stateDir = await mkdtemp(path.join(tmpdir(), "courier-service-"));
  const sandbox = await startFaultySandbox({ clock: systemClock(), stateDir, apiKey, ...options });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(stateDir, { recursive: true, force: true });
  });
  const home = await createTerminalHome({ COURIER_API_KEY: apiKey, COURIER_BASE_URL: sandbox.baseUrl });
  return { ...home, sandbox };
}

function openTerminal(
  [program = "", ...words]: readonly string[],
  cwd: string,
  { columns = 80, rows = 50, env = {}, shell }: TerminalOptions,
): { terminal: Terminal; close: () => Promise<unknown> } {
  const emulator = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 1_000,
    allowProposedApi: true,
    logLevel: "off",
  });
  const [file, args] =
    shell === undefined ? [program, words] : ["/bin/sh", ["-c", shell, "sh", program, ...words]];
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const child = spawn(file, [...args], {
    cols: columns,
    rows,
    cwd,
    env: Object.fromEntries(given),
    encoding: null,
  });
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  let output = "";
  let hasEnded = false;
  onOutput(child, (data) => {
    output += data;
    emulator.write(data, wake);
  });
  emulator.onData((reply) => child.write(reply)); // a terminal answers when it is asked for its state
  const ended = new Promise<Exit>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      emulator.write("", () => {
        hasEnded = true;
        resolve({ exit: exitCode, signal: signal === 0 ? undefined : signal });
        wake();
      });
    });
  });

  const lines = (from: number): string => {
    const buffer = emulator.buffer.active;
    const texts: string[] = [];
    for (let row = from; row < buffer.length; row++)
      texts.push(buffer.getLine(row)?.translateToString(true).trimEnd() ?? "");
    return texts.join("\n").trimEnd();
  };

  /** Looks again after all that comes. */
  function changed(isSo: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure?: string) => {
        clearTimeout(timer);
        watchers.delete(look);
        if (failure === undefined) resolve();
        else reject(new Error(`${failure} without ${what}; the screen:\n${terminal.screen()}`));
      };
      const look = () => {
        if (isSo()) settle();
        else if (hasEnded) settle("it ended");
      };
      const timer = setTimeout(() => settle(`${limitMs} ms passed`), limitMs);
      watchers.add(look);
      look();
    });
  }

  /**
   * Types a key until it has an effect, as a person does: a decision ignores keys for half a second after the last
   * one, and on a busy machine a piece of a paste may come that late.
   */
  async function press(key: string, hasEffect: () => boolean, what: string): Promise<void> {
    let isDone = false;
    const effect = changed(hasEffect, what).finally(() => {
      isDone = true;
    });
    type(key);
    while (!isDone) {
      await Promise.race([effect, wait(3 * restMs)]);
      if (!isDone) type(key);
    }
    await effect;
  }

  let hasTyped = false;
  const type = (text: string) => {
    hasTyped = true;
    child.write(text);
  };

  const hangUpShell = () => (child as unknown as { destroy(): void }).destroy();
  const terminal: Terminal = {
    screen: () => lines(emulator.buffer.active.baseY),
    transcript: () => lines(0),
    get output() {
      return output;
    },
    cursor: () => ({
      row: emulator.buffer.active.baseY + emulator.buffer.active.cursorY,
      column: emulator.buffer.active.cursorX,
    }),
    get marksPastes() {
      return output.lastIndexOf("\u001b[?2004h") > output.lastIndexOf("\u001b[?2004l");
    },
    get isCursorVisible() {
      return output.lastIndexOf("\u001b[?25h") >= output.lastIndexOf("\u001b[?25l");
    },
    until: (what) =>
      changed(() => {
        const screen = terminal.screen();
        if (typeof what === "function") return what(screen);
        return typeof what === "string" ? screen.includes(what) : what.test(screen);
      }, String(what)),
    type,
    async rest() {
      if (hasTyped) await wait(restMs);
    },
    async answer(question, text = "") {
      await terminal.until(`? ${question}`);
      const answered = () => terminal.transcript().split(`✔ ${question}`).length;
      const before = answered();
      const isYesOrNo =
        /\([yY]\/[nN]\)/.exec(terminal.screen().slice(terminal.screen().lastIndexOf("? "))) !== null;
      if (isYesOrNo) {
        await terminal.rest();
        if (text !== "") {
          type(text);
          await changed(() => terminal.screen().endsWith(text), `${text} typed`);
        }
      } else if (text !== "") type(text);
      await press(keys.enter, () => answered() > before, `an answer to ${question}`);
    },
    async choose(question, label) {
      const list = new RegExp(`\\? ${literally(question)}.*\\n[\\s\\S]*^❯ (.*)$[\\s\\S]*⏎ select`, "m");
      let place = "";
      // Read in the same moment as it is found whole: a list is erased and drawn again.
      const movesOn = () => {
        const [, found = place] = list.exec(terminal.screen()) ?? [];
        const hasMoved = found !== place;
        place = found;
        return hasMoved;
      };
      await changed(movesOn, `the list ${question}`);
      await terminal.rest();
      while (!place.includes(label)) {
        await press(keys.down, movesOn, `another choice than ${place}`);
      }
      await terminal.answer(question);
    },
    resize(width, height = rows) {
      emulator.resize(width, height);
      child.resize(width, height);
    },
    signal: (name) => process.kill(-child.pid, name),
    hangUpShell,
    hangUp() {
      hangUpShell();
      try {
        process.kill(-child.pid, "SIGHUP"); // as a shell tells its jobs
      } catch (error) {
        // Where no shell runs, the kernel's own signal may have ended all of them.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
    ended,
  };
  const close = () => {
    if (!hasEnded) {
      try {
        process.kill(-child.pid, "SIGKILL"); // the leader of the terminal's own group
      } catch {
        // it has gone
      }
    }
    return ended.finally(() => emulator.dispose());
  };
  return { terminal, close };
}

/**
 * The library takes what comes in one read, at most 4,095 bytes, and drops the rest where the program has ended by
 * then: on a busy machine that is the end of the output. So each read takes all that is there.
 */
function onOutput(child: IPty, take: (text: string) => void): void {
  const { fd } = child as unknown as { readonly fd: number };
  const decoder = new StringDecoder();
  const room = Buffer.alloc(65_536);
  const takeRest = () => {
    try {
      for (let size = readSync(fd, room); size > 0; size = readSync(fd, room))
        take(decoder.write(room.subarray(0, size)));
    } catch (error) {
      // Nothing is left for now (EAGAIN), or for ever (EIO).
      if (!["EAGAIN", "EIO"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  };
  child.onData((data) => {
    take(decoder.write(data as unknown as Buffer));
    takeRest();
  });
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
