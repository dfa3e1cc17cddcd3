/** The line about orders in doubt, which a person reads at the end of a command, whichever run left them so. */

import { systemClock } from "../core/clock.ts";
import { type ExitCode, isInterruption } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import type { Customer } from "../ledger/customers.ts";
import { hasLedger, type Ledger } from "../ledger/ledger.ts";
import { serviceOf } from "../sending/customer.ts";
import { hasEnded } from "../sending/owners.ts";
import { createMessages } from "../terminal/messages.ts";
import { noProgress } from "../terminal/progress.ts";
import { plainPaint } from "../terminal/style.ts";
import { createContext, type RunContext } from "./context.ts";
import { readGlobals } from "./globals.ts";
import type { Host } from "./host.ts";

/** Prints it after a command with this exit code. A failure here does not change the command's result. */
export async function mentionDoubt(context: RunContext, exit: ExitCode): Promise<void> {
  const isSaid = exit === 6; // by the command itself
  if (isSaid || isInterruption(exit) || !hasLedger(context.machine.stateDirectory)) return;
  context.noteResultIsOut();
  const count = await countInDoubt(context).catch(() => 0);
  if (count === 0) return;
  const orders = `${counted(count, "order")} ${byCount(count, "is", "are")}`;
  context.messages.note(`${orders} in doubt: courier log --unknown`);
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
    const surroundings = { globals: readGlobals({}), clock, messages, progress: noProgress };
    const context = await createContext(host, surroundings);
    await mentionDoubt(context, 0);
    await context.close(0);
  } catch {
    // help was all that was asked for
  }
}

async function countInDoubt(context: RunContext): Promise<number> {
  const ledger = await context.ledger();
  const customer = await findCustomer(ledger, context);
  if (!customer) return 0;
  const open = await ledger.openOperations(customer.id);
  return open.filter(
    ({ operation: { kind, state }, owner }) =>
      kind === "create" &&
      (state === "unknown" || (state === "sending" && hasEnded(owner, context.processes))),
  ).length;
}

/**
 * The customer of the account, without starting a sandbox, and without the key ring or a key command, which might
 * prompt the user: in these cases, the account's last customer.
 */
async function findCustomer(ledger: Ledger, context: RunContext): Promise<Customer | undefined> {
  const account = await context.account();
  if (account.kind === "remote" && "apiKey" in account.key) return context.knownCustomer();
  const service = serviceOf(account);
  const customers = await ledger.customersOnlyOf(account.name, []);
  return customers.filter((each) => each.service === service).toSorted((a, b) => b.id - a.id)[0];
}
