/** The process adapter: hands argv, environment, streams and signals to a run, and sets the exit code. */

import { closeSync, fstatSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import type { ReadStream } from "node:tty";
import { start } from "./cli/start.ts";
import type { KeyRing } from "./config/key-ring.ts";
import { type InterruptionExit, interrupted } from "./core/errors.ts";
import type { QuickOutput } from "./terminal/streams.ts";

let interruption: AbortController | undefined;
/** The standalone executable is its own runtime. */
const isBun = process.versions.bun !== undefined;
const terminals: ReadStream[] = [];
/** What is said when a second signal ends the process. */
let describeStop: (exit: InterruptionExit) => string | undefined = () => undefined;
let onStopTakesLong = () => {};
/** Whether a terminal that is used may have closed. */
let mayBeHungUp = false;
/** A pager has the terminal, and with it Ctrl-C. */
let isPaging = false;
/** A SIGTERM has come. */
let isTerminated = false;
listen("SIGINT", 130);
listen("SIGTERM", 143);
// At these the system would write the memory, and with it the key, into a core dump.
listen("SIGQUIT", 131);
listen("SIGABRT", 143); // of a service manager at its time limit
listen("SIGXCPU", 143); // at the limit of processor time
process.on("SIGUSR1", () => {}); // Node.js would open its debugger to every user of the machine
if (!(isBun && isHangUpIgnored())) listen("SIGHUP", 129);
// A stopped job is not told that its window was resized: as that signal does, this makes the streams ask for the size.
process.on("SIGCONT", () => process.emit("SIGWINCH", "SIGWINCH"));
muteSqliteNotice();
markMissingHome();

void start({
  argv: process.argv.slice(2),
  env: process.env,
  // Node.js makes a stream, and loads what it needs, when it is first asked for.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    if (process.stderr.isTTY) {
      mayBeHungUp = true;
      if (process.listenerCount("SIGHUP") === 0) listen("SIGHUP", 129);
    }
    return process.stderr;
  },
  // Windows' console takes text in its own encoding.
  quickOutput: process.platform === "win32" ? undefined : quickOutput(),
  get signal() {
    return interrupter().signal;
  },
  elapsed: () => Number(process.hrtime.bigint()) / 1e6,
  job: {
    // All processes of a pipeline stop together.
    stop: () => process.platform !== "win32" && process.kill(0, "SIGTSTP"),
    onContinue(listener) {
      process.on("SIGCONT", listener);
      return () => process.off("SIGCONT", listener);
    },
    interrupt: () => process.emit("SIGINT", "SIGINT"), // Windows would end the process at once
    quit: () => process.emit("SIGQUIT", "SIGQUIT"),
    ignoreInterrupts() {
      isPaging = true;
      return () => {
        isPaging = false;
      };
    },
    // Windows sets the mode of a console only through a handle that may write.
    openKeys: () =>
      process.platform === "win32" ? openTerminal("\\\\.\\CONIN$", "r+") : openTerminal("/dev/tty", "r"),
    openTerminal: (file) => openTerminal(file, "r"),
    onExit(listener) {
      process.on("exit", listener);
      return () => process.off("exit", listener);
    },
  },
  openKeyRing,
  onEscape(tell) {
    // If reporting the error fails, do not report that failure too.
    process.on("uncaughtException", (error) => void tell(error).then(end, () => end(70)));
  },
  onStopAtOnce(describe) {
    describeStop = describe;
  },
  onStopTakesLong(listener) {
    onStopTakesLong = listener;
  },
}).then(async (exit) => {
  // No signal tells of a terminal that is not the session's.
  const isHungUp = (mayBeHungUp || exit !== 0) && (await closeHungUp());
  // A question ends as by Ctrl-C where its terminal closes before the signal comes.
  process.exitCode = isHungUp && exit === 130 ? 129 : exit;
  // Neither a key nor a reader comes any more; Bun would wait for the next key.
  if (isHungUp || (terminals.length > 0 && isBun)) process.exit();
  if (interruption?.signal.aborted) setTimeout(endAsUnheard, hangsAfterMs, exit).unref();
});

/** What still runs so long after the run has ended is a thread in a call of the system, such as for a disk that hangs. */
const hangsAfterMs = 500;

/** Node.js would wait for its threads, at `process.exit` too; a signal without a listener does not. */
function endAsUnheard(exit: number): void {
  process.emit("exit", exit);
  // Never SIGQUIT: the system would write a core dump.
  const signal = exit === 129 ? "SIGHUP" : exit === 143 ? "SIGTERM" : "SIGINT";
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * In a container a user may be a number only, and a name may be longer than Node.js reads: packages that ask for the
 * home directory as they are loaded would fail.
 */
function markMissingHome(): void {
  const { HOME: home } = process.env;
  if (process.platform === "win32" || (home !== undefined && home.length < 1_024)) return;
  try {
    process.getBuiltinModule("node:os").homedir();
  } catch {
    process.env.HOME = "";
  }
}

function quickOutput(): QuickOutput {
  return {
    get columns() {
      // Node.js makes the stream that knows them in a millisecond or two.
      return isDevice(1) && !isNull(1) ? process.stdout.columns : undefined;
    },
    get hasReader() {
      return isDevice(2);
    },
    write(text) {
      let rest: Uint8Array = Buffer.from(text);
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
      } catch {
        // the stream then waits, or reports the error
      }
      return rest;
    },
  };
}

/** With numbers, after the facts of a pipe, Node.js 20 follows no links to modules. */
const exact = { bigint: true } as const;

/** Terminals are, files and pipes are not. */
function isDevice(descriptor: number): boolean {
  return fstatSync(descriptor, exact).isCharacterDevice();
}

function isNull(descriptor: number): boolean {
  return fstatSync(descriptor, exact).rdev === statSync("/dev/null", exact).rdev;
}

/** As /dev/full, /dev/zero and /dev/random do, and no terminal does. */
function hasDriverOfNull(descriptor: number): boolean {
  return fstatSync(descriptor, exact).rdev >> 8n === statSync("/dev/null", exact).rdev >> 8n;
}

/** Undefined where there is none of that name. As pagers do: keys come from the terminal while stdin is a pipe. */
async function openTerminal(device: string, flags: string): Promise<ReadStream | undefined> {
  const { isatty, ReadStream } = process.getBuiltinModule("node:tty");
  try {
    const descriptor = openSync(device, flags);
    if (!isatty(descriptor)) return void closeSync(descriptor);
    const terminal = Object.assign(new ReadStream(descriptor), { fd: descriptor });
    terminals.push(terminal);
    return terminal;
  } catch {
    return undefined;
  }
}

async function openKeyRing(): Promise<KeyRing> {
  const { createKeyRing } = await import("./config/key-ring.ts");
  const self = import.meta.filename;
  // In the sources, what understands TypeScript here has to there as well.
  const loaders = self.endsWith(".ts") ? process.execArgv : [];
  const program = isBun ? [] : [...loaders, self];
  return createKeyRing([process.execPath, ...program], process.env);
}

/** Node.js takes a while to make one, and what is answered at once needs none. */
function interrupter(): AbortController {
  interruption ??= new AbortController();
  return interruption;
}

/**
 * The first signal ends the run in order. A Ctrl-C or Ctrl-\ after it, or a second SIGTERM, ends the process at once. SIGHUP never
 * does: a terminal that closes may send it twice, and a session that ends sends both as one request, in any order.
 */
function listen(signal: NodeJS.Signals, exit: InterruptionExit): void {
  process.on(signal, () => {
    if (signal === "SIGHUP" && isUnderNohup()) return;
    if (signal === "SIGINT" && isPaging) return;
    if (signal === "SIGHUP") mayBeHungUp = true;
    const isAgain = ["SIGINT", "SIGQUIT"].includes(signal) || (signal === "SIGTERM" && isTerminated);
    if (signal === "SIGTERM") isTerminated = true;
    if (!interrupter().signal.aborted) {
      setTimeout(() => onStopTakesLong(), stopTakesLongMs).unref();
      return interrupter().abort(interrupted(exit));
    }
    if (!isAgain) return;
    sayLast(describeStop(exit));
    void end(exit);
  });
}

const stopTakesLongMs = 2_000;

/** The process ends before a stream would have written it. */
function sayLast(text = ""): void {
  try {
    writeSync(2, text);
  } catch {
    // no one can read it
  }
}

/** Exit listeners restore the terminal and end child processes. */
async function end(exit: number): Promise<void> {
  if (mayBeHungUp) await closeHungUp();
  setTimeout(endAsUnheard, hangsAfterMs, exit);
  while (isInSystemCall()) await new Promise((resolve) => setTimeout(resolve, 5));
  process.exit(exit);
}

/** As a read of a file, or a search for the address of a host: Node.js calls each of these a request. Bun does not say. */
function isInSystemCall(): boolean {
  return process.getActiveResourcesInfo?.().some((each) => each.includes("Req"));
}

/**
 * nohup makes a process ignore SIGHUP, which Node.js undoes at its start. What nohup leaves is no terminal, not even a
 * closed one, and no pipe: results and messages go to files, and stdin is a file, nothing, or cannot be read.
 */
function isUnderNohup(): boolean {
  if (process.platform === "win32") return false;
  return [0, 1, 2].every((descriptor) => fstatSync(descriptor, exact).isFile() || isNull(descriptor));
}

/** As under nohup, which Node.js does not report. True where the system does not say. */
function isHangUpIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return ignored === undefined || Number.parseInt(ignored.slice(-1), 16) % 2 === 1;
  } catch {
    return true;
  }
}

/**
 * Whether a terminal is gone. At its end Node.js restores the modes of those that are open, and some versions abort
 * where one is gone.
 */
async function closeHungUp(): Promise<boolean> {
  if (process.platform === "win32") return false;
  const { isatty } = process.getBuiltinModule("node:tty");
  const gone = [0, 1, 2].filter(
    (descriptor) => isDevice(descriptor) && !hasDriverOfNull(descriptor) && !isatty(descriptor),
  );
  for (const descriptor of gone) closeSync(descriptor);
  return gone.length > 0;
}

/** Node.js calls its SQLite experimental on every first use: nothing that a user can act on. */
function muteSqliteNotice(): void {
  const printers = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite ")) return;
    for (const print of printers) print(warning);
  });
}
