/** Compares the rows of an import with orders that were not sent from this machine. */

import type { Context } from "../command/command.ts";
import type { OrderElsewhere, RowPolicy } from "../ledger/row-to-send.ts";
import type { Draft } from "../model/draft.ts";
import { joinSurveys, type Survey, surveyElsewhere } from "../sending/elsewhere.ts";
import { isOtherName } from "../sending/possible-orders.ts";
import type { ReconcileTools } from "../sending/reconcile-types.ts";
import { createReconcileTools } from "../sending/settle.ts";
import type { Overview } from "./check-rows.ts";
import { goodRows } from "./import-plan.ts";
import type { LookupChoice } from "./import-send.ts";
import type { RowsOptions } from "./rows.ts";

/** An import says which of its orders are shipped: more of them are read than before a single order. */
const mostCancelledRead = 200;

/**
 * Finds the equal orders of the rows, and the operations in doubt whose orders are in the list. What an earlier survey of
 * the same import knew counts as well.
 */
export async function findElsewhere(
  source: RowsOptions,
  overview: Overview,
  {
    others,
    before,
    ...choice
  }: LookupChoice & Pick<ReconcileTools, "others"> & { readonly before: Survey | undefined },
  context: Context,
): Promise<{
  readonly survey: Survey;
  readonly known: Pick<
    RowPolicy,
    | "foundNow"
    | "elsewhere"
    | "numbersElsewhere"
    | "isRuledOut"
    | "cancelledElsewhere"
    | "isCancelledNumber"
    | "otherReceiver"
  >;
}> {
  const { messages, globals } = context;
  const tools = { ...(await createReconcileTools(choice, context)), mostCancelledRead, others };
  const now = await surveyElsewhere(tools, {
    isImport: true,
    note: (text) => messages.note(text),
    async mayCost(calls) {
      const prompts = globals.yes ? undefined : await context.prompts();
      const question = `Comparing with orders made elsewhere takes ${calls} calls. Compare?`;
      return (await prompts?.confirm(question, false)) ?? false;
    },
  });
  const survey = before ? joinSurveys(before, now) : now;
  const { elsewhere, found, doubts, numbers, cancelledNumbers, receivers } = survey;
  const known = {
    foundNow: found,
    numbersElsewhere: (orderId: string) => numbers.get(orderId) ?? [],
    isCancelledNumber: (number: string) => cancelledNumbers.has(number),
    otherReceiver: (number: string, { receiver }: Draft) => {
      const shown = receivers.get(number);
      return isOtherName(receiver?.name, shown) ? shown : undefined;
    },
  };
  if (!elsewhere || elsewhere.isEmpty) return { survey, known };
  const ordersOf = new Map<string, readonly OrderElsewhere[]>();
  for await (const { content, draft } of goodRows(source, overview))
    if (!ordersOf.has(content)) ordersOf.set(content, await elsewhere.findEqual(draft));
  const equalRows = new Map<string, number>();
  for (const orders of ordersOf.values())
    for (const { orderId, isCertain } of orders)
      if (isCertain) equalRows.set(orderId, (equalRows.get(orderId) ?? 0) + 1);
  /** Rows that differ in what is not shown may all equal one order. */
  const asFarAsShown = (order: OrderElsewhere): OrderElsewhere =>
    order.isWhole || (equalRows.get(order.orderId) ?? 0) < 2 ? order : { ...order, isCertain: false };
  const choose: RowPolicy["elsewhere"] = ({ content }, isTaken = () => false) => {
    const order = ordersOf.get(content)?.find(({ orderId }) => !isTaken(orderId));
    return order && { ...asFarAsShown(order), doubt: doubts.get(order.orderId) };
  };
  return {
    survey,
    known: {
      elsewhere: choose,
      isRuledOut: ({ draft }, orderId) => elsewhere.isRuledOut(draft, orderId),
      cancelledElsewhere: ({ draft }) => elsewhere.findCancelled(draft),
      ...known,
    },
  };
}
