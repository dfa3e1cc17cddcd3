/** Orders of the mirror that the service lists with other names than were sent for them: the rest of them may be another's. */

import type { Context } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { CourierError } from "../core/errors.ts";
import { counted } from "../core/wording.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { MirroredOrder } from "../mirror/mirrored-order.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import {
  compareDetail,
  compareSummary,
  everChangedFields,
  fieldBits,
  hasOtherReceiverAndItem,
} from "./matching.ts";
import { hasPlainlyOtherPlace } from "./possible-orders.ts";

/** The newest orders. */
const sampled = 64;
/** Fewer may all be exchanged ones. */
const fewestCompared = 6;

/** Passes orders on that are shown, and warns of those whose phones and addresses were sent for other names. */
export function createNameCheck(mirror: Mirror, context: Context) {
  const ids: string[] = [];
  return {
    async *check(orders: AsyncGenerator<MirroredOrder, void>): AsyncGenerator<MirroredOrder, void> {
      for await (const order of orders) {
        yield order;
        if (hasOtherNames(order)) ids.push(order.id);
      }
    },
    /** For a single one. */
    async describe(order: MirroredOrder): Promise<string | undefined> {
      if (!hasOtherNames(order) || (await changesNames(mirror, context))) return undefined;
      return "Shown with another receiver than was sent: phone, address and ref may be another order's";
    },
    async warn({ warn }: Context["messages"]): Promise<void> {
      const [id] = ids;
      if (id === undefined || (await changesNames(mirror, context))) return;
      const [which, their] =
        ids.length === 1
          ? [`order ${id}`, "its"]
          : [`${counted(ids.length, "order")} (${id} is one)`, "their"];
      warn(
        `the service shows ${which} with another receiver than was sent; ${their} phone, address and ref ` +
          `may be another order's: ${context.nextCommand(`orders show ${id}`)}`,
      );
    },
  };
}

/** An order that was read since has everything from the service. */
function hasOtherNames(order: MirroredOrder): boolean {
  return compareNames(order) === "other";
}

/** Undefined where there is nothing to compare: not sent from this machine, or not shown by the service yet. */
function compareNames({ draft: sent, fields, ...order }: MirroredOrder): "other" | "same" | undefined {
  const isRead = order.detail !== undefined;
  if (sent === undefined || (!isRead && fields.item_name === undefined)) return undefined;
  const draft = sent as Draft;
  const detail = fields as OrderDetail;
  const comparison = isRead ? compareDetail(draft, detail) : compareSummary(draft, fields as OrderSummary);
  // The mirror fills a hidden name with the one that was sent.
  const isOther =
    hasOtherReceiverAndItem(draft, comparison) || (isRead && hasPlainlyOtherPlace(draft, detail, comparison));
  return isOther ? "other" : "same";
}

/** A service that writes names in its own way does so for most orders. */
async function changesNames(mirror: Mirror, context: Context): Promise<boolean> {
  return (await hasChanged(context)) || (await changesMost(mirror));
}

async function hasChanged(context: Context): Promise<boolean> {
  try {
    const ledger = await findLedger(context);
    const customer = ledger && (await context.knownCustomer());
    if (!customer) return false;
    const changed = everChangedFields(await ledger.learned(customer.id, fieldBits));
    return changed.has("receiver.name") && changed.has("item.name");
  } catch (error) {
    // The mirror is searched without a ledger, too.
    if (error instanceof CourierError && error.code === "database") return false;
    throw error;
  }
}

async function changesMost(mirror: Mirror): Promise<boolean> {
  const counts = { other: 0, same: 0 };
  let left = sampled;
  for await (const order of mirror.search({ text: "", page: sampled })) {
    const names = compareNames(order);
    if (names) counts[names] += 1;
    left -= 1;
    if (left === 0) break;
  }
  return counts.other > counts.same && counts.other + counts.same >= fewestCompared;
}
