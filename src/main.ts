/** The process adapter: hands argv, environment, streams and signals to a run, and sets the exit code. */

import { openSync } from "node:fs";
import { ReadStream } from "node:tty";
import { interrupted } from "./core/errors.ts";

const argv = process.argv.slice(2);
const interruption = new AbortController();
listen("SIGINT", 130);
listen("SIGTERM", 143);
process.on("newListener", keepSignals);

// The Tab key cannot wait for what a command needs.
if (argv[0] === "__complete") {
  const { completeLine } = await import("./cli/complete.ts");
  process.stdout.write(await completeLine(argv.slice(1), process.env));
} else {
  const { run } = await import("./cli/run.ts");
  process.exitCode = await run({
    argv,
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interruption.signal,
    job: {
      // All processes of a pipeline stop together.
      stop: () => process.platform !== "win32" && process.kill(0, "SIGTSTP"),
      onContinue(listener) {
        process.on("SIGCONT", listener);
        return () => process.off("SIGCONT", listener);
      },
      interrupt: () => process.emit("SIGINT", "SIGINT"), // Windows would end the process at once
      openKeys: openTerminal,
      onExit(listener) {
        process.on("exit", listener);
        return () => process.off("exit", listener);
      },
    },
  });
}

/** As pagers do: what is piped in is not what is typed. */
function openTerminal(): ReadStream | undefined {
  try {
    return new ReadStream(openSync("/dev/tty", "r"));
  } catch {
    return undefined;
  }
}

/** The first signal ends the run in order; the second ends the process at once. */
function listen(signal: "SIGINT" | "SIGTERM", exit: 130 | 143): void {
  // Stays on after the first: packages that guard files end the process where nobody else listens.
  process.on(signal, () => {
    if (!interruption.signal.aborted) return interruption.abort(interrupted(exit));
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Packages that guard files listen as well, and then send the signal once more, which would be taken for the
 * user's second one.
 */
function keepSignals(event: string | symbol, listener: (...values: unknown[]) => void): void {
  if (event !== "SIGINT" && event !== "SIGTERM") return;
  queueMicrotask(() => process.removeListener(event, listener));
}
