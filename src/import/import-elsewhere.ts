/** Compares the rows of an import with orders that were not sent from this machine. */

import type { Context } from "../command/command.ts";
import type { OrderElsewhere, RowPolicy } from "../ledger/rules.ts";
import { type Survey, surveyElsewhere } from "../sending/elsewhere.ts";
import { createReconcileTools } from "../sending/settle.ts";
import type { Overview } from "./check-rows.ts";
import { goodRows, type PlanChoice } from "./import-plan.ts";
import type { LookupChoice } from "./import-send.ts";
import type { RowsOptions } from "./rows.ts";

/**
 * Finds the equal order of each row, and the operations in doubt whose orders are in the list. With `--skip-shipped`,
 * one order covers one row; otherwise it holds all equal rows.
 */
export async function findElsewhere(
  source: RowsOptions,
  overview: Overview,
  { skipShipped }: PlanChoice,
  choice: LookupChoice,
  context: Context,
): Promise<Pick<Survey, "found" | "comparedMs"> & { readonly elsewhere: RowPolicy["elsewhere"] }> {
  const { messages, globals } = context;
  const survey = await surveyElsewhere(await createReconcileTools(choice, context), {
    isImport: true,
    note: (text) => messages.note(text),
    async mayCost(calls) {
      const prompts = globals.yes ? undefined : await context.prompts();
      const question = `Comparing with orders made elsewhere takes ${calls} calls. Compare?`;
      return (await prompts?.confirm(question, false)) ?? false;
    },
  });
  const { elsewhere, found, comparedMs } = survey;
  if (!elsewhere || elsewhere.isEmpty) return { elsewhere: undefined, found, comparedMs };
  const ordersOf = new Map<string, readonly OrderElsewhere[]>();
  const byRow = new Map<number, OrderElsewhere>();
  const taken = new Set<string>();
  for await (const { row, content, draft } of goodRows(source, overview)) {
    const known = ordersOf.get(content) ?? (await elsewhere.findEqual(draft));
    ordersOf.set(content, known);
    const order = known.find(({ orderId }) => !taken.has(orderId));
    if (order) byRow.set(row, order);
    if (skipShipped && order?.isCertain) taken.add(order.orderId);
  }
  return { elsewhere: byRow.size === 0 ? undefined : ({ row }) => byRow.get(row), found, comparedMs };
}
