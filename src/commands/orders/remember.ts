/** Owns remembering what was sent, on this machine. */

import { rememberSent } from "../../config/sent-orders.ts";
import type { Draft } from "../../model/draft.ts";
import type { CreatedOrder } from "../../model/interface.ts";
import type { Context } from "../command.ts";

/**
 * Remembers an order for --repeat and for the warning about equal ones; failing to do so is no failure.
 * Without an order, its outcome is in doubt. `finishesDraft` says that it is the account's unfinished draft that was sent.
 */
export async function remember(
  order: CreatedOrder | undefined,
  draft: Draft,
  finishesDraft: boolean,
  context: Context,
): Promise<void> {
  const sent = { id: order?.id.value ?? "", sent_at: new Date(context.clock.now()).toISOString(), draft };
  try {
    await rememberSent(context.orderMemory, (await context.account()).name, sent, finishesDraft);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.messages.warn(`the order could not be remembered on this machine: ${reason}`);
  }
}
