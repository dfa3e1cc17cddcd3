/** Orders of the mirror that the service lists with other names than were sent for them: the rest of them may be another's. */

import type { Context } from "../command/command.ts";
import { findLedger } from "../command/found-ledger.ts";
import { counted } from "../core/wording.ts";
import type { MirroredOrder } from "../mirror/mirrored-order.ts";
import type { Draft } from "../model/draft.ts";
import type { OrderSummary } from "../model/interface.ts";
import { comparedFields, compareSummary, fieldBits, hasOtherReceiverAndItem } from "./matching.ts";

/** Passes orders on that are shown, and warns of those whose phones and addresses were sent for other names. */
export function createNameCheck(context: Context) {
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
      if (!hasOtherNames(order) || (await changesNames(context))) return undefined;
      return "Listed with another receiver and item than were sent: phone, address and ref may be another order's";
    },
    async warn({ warn }: Context["messages"]): Promise<void> {
      const [id] = ids;
      if (id === undefined || (await changesNames(context))) return;
      const [which, their] =
        ids.length === 1
          ? [`order ${id}`, "its"]
          : [`${counted(ids.length, "order")} (${id} is one)`, "their"];
      warn(
        `the service lists ${which} with another receiver and item than were sent; ${their} phone, address and ref ` +
          `may be another order's: ${context.nextCommand(`orders show ${id}`)}`,
      );
    },
  };
}

/** An order that was read since has everything from the service. */
function hasOtherNames({ draft, fields, isRead }: MirroredOrder): boolean {
  if (draft === undefined || isRead) return false;
  return hasOtherReceiverAndItem(draft as Draft, compareSummary(draft as Draft, fields as OrderSummary));
}

async function changesNames(context: Context): Promise<boolean> {
  const ledger = await findLedger(context);
  const customer = ledger && (await context.knownCustomer());
  if (!customer) return false;
  const { fields } = await ledger.learned(customer.id, fieldBits);
  return (["receiver.name", "item.name"] as const).every(
    (field) => (fields[comparedFields.indexOf(field)]?.changed ?? 0) > 0,
  );
}
