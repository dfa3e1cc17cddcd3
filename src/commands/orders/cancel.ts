/** Owns `courier orders cancel`: shows, confirms, cancels, and reports the state read back (4.4 and 4.5). */

import { ServiceFailure } from "../../api/failure.ts";
import type { CourierService } from "../../api/service.ts";
import {
  type Context,
  confirmOrStop,
  defineCommand,
  ensureCanConfirm,
  type Items,
  rows,
} from "../../command/command.ts";
import { parseOrderId } from "../../command/options.ts";
import { mapInOrder } from "../../core/concurrent.ts";
import { CourierError } from "../../core/errors.ts";
import type { Cancellation } from "../../model/results.ts";
import { show } from "../../terminal/blocks.ts";
import { cancellationColumns, cancelOne, type Found } from "./cancellation.ts";

const callsAtOnce = 4;

export const cancelOrders = defineCommand({
  description:
    "The service cancels pending and paid orders. Each order is read back after the request: the state\n" +
    "shown is the one it really has.",
  arguments: {
    ids: { summary: "order ids", parse: parseOrderId, isList: true as const, values: "cancellable order" },
  },
  options: {},
  hasRows: true,
  confirms: true,
  examples: [
    { line: "orders cancel 1000001", note: "shows the order and asks first" },
    { line: "orders cancel 1000001 1000002 --yes --json", note: "for a script" },
  ],
  exits: [1, 3],
  seeAlso: ["orders show", "orders list"],
  async run({ ids }, context) {
    await ensureCanConfirm(context, "cancelling");
    const service = await context.service();
    const unique = [...new Set(ids)];
    const found = await lookUp(unique, service);
    const doable = found.filter(({ order }) => order && order.status !== "cancelled");
    if (doable.length > 0) await confirmOrStop(context, question(doable));
    return rows(cancelAll(found, service, context), cancellationColumns, "Nothing to cancel");
  },
});

async function lookUp(ids: readonly string[], service: CourierService): Promise<readonly Found[]> {
  const found: Found[] = [];
  const look = async (id: string): Promise<Found> => {
    try {
      return { id, order: await service.order(id) };
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === "refused") return { id, refusal: error };
      throw error;
    }
  };
  for await (const each of mapInOrder(ids, callsAtOnce, look)) found.push(each);
  const [only] = found;
  if (found.length === 1 && only?.refusal) throw only.refusal;
  return found;
}

function question(found: readonly Found[]): string {
  const names = found.flatMap(({ id, order }) => {
    if (!order) return [];
    const about = [order.status, order.item?.name, order.receiver?.name && `to ${order.receiver.name}`];
    return [`${id} (${about.filter(Boolean).join(", ")})`];
  });
  return names.length === 1
    ? `Cancel order ${names[0]}?`
    : `Cancel ${names.length} orders: ${names.join("; ")}?`;
}

async function* cancelAll(
  found: readonly Found[],
  service: CourierService,
  context: Context,
): Items<Cancellation> {
  const failures: CourierError[] = [];
  const cancelEach = (each: Found) => cancelOne(each, service, context);
  const cancelled = mapInOrder(found, callsAtOnce, cancelEach, { isIrrevocable: true });
  for await (const { row, refusal } of cancelled) {
    if (refusal) failures.push(refusal);
    if (row.outcome === "accepted") {
      context.messages.note(`order ${show(row.id)} was accepted for cancelling, but is still ${row.status}`);
    }
    yield row;
  }
  const [first] = failures;
  if (first === undefined) return undefined;
  if (found.length === 1) return first;
  return new CourierError(
    "some_refused",
    3,
    `${failures.length} of ${found.length} orders were not cancelled`,
  );
}
