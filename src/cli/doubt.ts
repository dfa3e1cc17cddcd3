/** The line about orders in doubt, which a person reads at the end of a command, whichever run left them so. */

import { hasLedger } from "../command/found-ledger.ts";
import { systemClock } from "../core/clock.ts";
import { type ExitCode, isInterruption } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import { findCreatesInDoubt } from "../sending/in-doubt.ts";
import { createMessages } from "../terminal/messages.ts";
import { noProgress } from "../terminal/progress.ts";
import { plainPaint } from "../terminal/style.ts";
import { createContext, type RunContext } from "./context.ts";
import { readGlobals } from "./globals.ts";
import type { Host } from "./host.ts";

/** Prints it after a command with this exit code. A failure here does not change the command's result. */
export async function mentionDoubt(context: RunContext, exit: ExitCode): Promise<void> {
  const isSaid = exit === 6; // by the command itself
  if (isSaid || isInterruption(exit) || !(await hasLedger(context))) return;
  context.noteResultIsOut();
  const { length: count } = await findCreatesInDoubt(context).catch(() => []);
  if (count === 0) return;
  const orders = `${counted(count, "order")} ${byCount(count, "is", "are")}`;
  context.messages.note(`${orders} in doubt: ${context.nextCommand("orders resolve")}`);
}

/** Says it where there is no run: below the help of the program. */
export async function mentionDoubtAlone(host: Host): Promise<void> {
  try {
    const messages = createMessages({
      stream: host.stderr,
      quiet: false,
      debug: false,
      colour: async () => plainPaint,
      beforeWrite() {},
    });
    const clock = host.clock ?? systemClock();
    const surroundings = {
      globals: readGlobals({}),
      clock,
      messages,
      progress: noProgress,
      onAsk: noProgress.pause,
      runCommand: async () => 0 as const,
    };
    const context = await createContext(host, surroundings);
    await mentionDoubt(context, 0);
    await context.close(0);
  } catch {
    // help was all that was asked for
  }
}
