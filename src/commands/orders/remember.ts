/** Owns remembering what is sent, on this machine: before it leaves, so that not even a crash forgets it. */

import type { Context } from "../../command/command.ts";
import { rememberSending, type SentOrder, settleSending } from "../../config/sent-orders.ts";
import type { Draft } from "../../model/draft.ts";

/** What became of an order: its id, or that it was not created. */
export interface Outcome {
  readonly id: string | undefined;
  /** It is the account's unfinished draft that was sent. */
  readonly finishesDraft: boolean;
}

/**
 * Remembers an order for --repeat and for the word about equal ones; failing to do so is no failure. Gives
 * back what settles its outcome; where that is never called, the order stays in doubt.
 */
export async function remember(draft: Draft, context: Context): Promise<(outcome: Outcome) => Promise<void>> {
  const account = (await context.account()).name;
  const sending: SentOrder = { id: "", sent_at: new Date(context.clock.now()).toISOString(), draft };
  const attempt = async (work: Promise<void>): Promise<boolean> => {
    try {
      await work;
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      context.messages.warn(`the order could not be remembered on this machine: ${reason}`);
      return false;
    }
  };
  const isRemembered = await attempt(rememberSending(context.orderMemory, account, sending));
  return async (outcome) => {
    if (isRemembered) await attempt(settleSending(context.orderMemory, account, sending, outcome));
  };
}
