/** Owns the care that no order is sent twice by mistake (docs/decisions/0012-equal-orders.md). */

import { ServiceFailure } from "../../api/failure.ts";
import type { Context } from "../../command/command.ts";
import { findTwins } from "../../config/sent-orders.ts";
import { CourierError } from "../../core/errors.ts";
import { formatRelative, utcDate } from "../../core/time.ts";
import type { Draft } from "../../model/draft.ts";

/** So soon after an order, an equal one is more likely a mistake than a second parcel. */
const suspiciousMs = 10 * 60_000;

/** An order of the same content that was sent within a day, and that may be on its way. */
export interface Twin {
  /** `the same order was sent 5 min ago, as 1000001`. */
  readonly word: string;
  readonly isInDoubt: boolean;
  readonly sentAtMs: number;
}

/** Looks at what this machine has sent, and leaves out what the service no longer has or has cancelled. */
export async function findTwin(draft: Draft, context: Context): Promise<Twin | undefined> {
  const nowMs = context.clock.now();
  const account = (await context.account()).name;
  for (const { id, sent_at } of findTwins(await context.orderMemory.read(), account, draft, nowMs)) {
    const isInDoubt = id === "";
    if (!isInDoubt && (await isGone(id, context))) continue;
    const sentAtMs = Date.parse(sent_at);
    const became = isInDoubt ? "and may or may not have been created" : `as ${id}`;
    const word = `the same order was sent ${formatRelative(sentAtMs, nowMs)}, ${became}`;
    return { word, isInDoubt, sentAtMs };
  }
  return undefined;
}

/** Where nobody can be asked: throws for an equal order from just now or in doubt, and warns of an older one. */
export async function refuseTwin(draft: Draft, context: Context): Promise<void> {
  const twin = await findTwin(draft, context);
  if (!twin) return;
  if (!twin.isInDoubt && context.clock.now() - twin.sentAtMs >= suspiciousMs)
    return context.messages.warn(twin.word);
  const list = context.nextCommand(`orders list --from ${utcDate(twin.sentAtMs, -1)} --all`);
  const look = twin.isInDoubt ? `look for it with: ${list}; ` : "";
  throw new CourierError("duplicate", 2, `${twin.word}; nothing was sent`, {
    hint: `${look}to send it once more, add --allow-duplicate`,
  });
}

async function isGone(id: string, context: Context): Promise<boolean> {
  try {
    return (await (await context.service()).order(id)).status === "cancelled";
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return error.kind === "refused";
  }
}
