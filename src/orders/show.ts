/** `courier orders show`: one order in full, and what can be done with it now (2.4, 3 and 4.4). */

import { defineCommand, document } from "../command/command.ts";
import { missingArgument, parseOrderName } from "../command/options.ts";
import { findOrderId } from "../command/order-name.ts";
import { orderView } from "../command/order-view.ts";
import { pickOrder } from "../command/pick-order.ts";

export const showOrder = defineCommand({
  arguments: {
    order: {
      summary: "its id, order number, tracking number, or ref:REF",
      parse: parseOrderName,
      isOptional: true as const,
      values: "order",
    },
  },
  options: {},
  examples: [
    { line: "orders show", note: "at a terminal: pick one of the latest orders" },
    { line: "orders show 1000001", note: "everything the service knows about it" },
    { line: "orders show 1000001 --json | jq -r .status", note: "its state, for a script" },
  ],
  exits: [1],
  seeAlso: ["track", "orders cancel"],
  async run({ order: name }, context) {
    const id =
      name === undefined
        ? (await pickOrder("Which order?", "any", context))?.id
        : await findOrderId(name, context);
    if (id === undefined) throw missingArgument("order", "orders show");
    const service = await context.service();
    return document(await service.order(id), (order) => orderView(order, context));
  },
});
