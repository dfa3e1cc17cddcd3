/** Reads the list once before a person records that a create in doubt made no order. */

import type { Context } from "../command/command.ts";
import { CourierError } from "../core/errors.ts";
import { formatUntil } from "../core/time.ts";
import { counted } from "../core/wording.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { nameOperation, type Operation } from "../ledger/operation.ts";
import type { OrderDetail, OrderSummary } from "../model/interface.ts";
import { readOwner } from "../sending/another-order.ts";
import { nameCandidates } from "../sending/candidates.ts";
import { readDetail } from "../sending/learn-fields.ts";
import {
  type ComparedField,
  compareDetail,
  distinguishingFields,
  everChangedFields,
  fieldBits,
  hasWholeReceiver,
  nothingLearned,
} from "../sending/matching.ts";
import { contradictList, isOtherName, mayBeListed, mayBeOrder } from "../sending/possible-orders.ts";
import { earliestDate, reconcile } from "../sending/reconcile.ts";
import type { Reconciled, ReconcileTools } from "../sending/reconcile-types.ts";
import { createReconcileTools } from "../sending/settle.ts";

/** The nearest candidates come first. More are not read: what the list shows of them decides. */
const mostRead = 10;

/**
 * Reconciles once, which may settle the operation, and tells what was looked at. Returns the ids of listed orders that
 * may well be it, and belong to no operation; undefined, with a warning, where the list cannot be read. Throws where no
 * person is there to decide. A key that is not known to be the customer's settles nothing: its list may be another's.
 */
export async function lookBeforeResolve(
  operation: Operation,
  isKeyOfCustomer: boolean,
  ledger: Ledger,
  context: Context,
): Promise<readonly string[] | undefined> {
  const { messages, clock } = context;
  const summaries = new Map<string, OrderSummary>();
  let result: Reconciled | undefined;
  let since: string | undefined;
  try {
    const tools = await createReconcileTools({ ledger, customer: operation.customer }, context);
    if (isKeyOfCustomer) await readBeside(operation, tools);
    const list: typeof tools.list = async function* (dateFrom) {
      since = dateFrom;
      for await (const summary of tools.list(dateFrom)) {
        summaries.set(summary.id.value, summary);
        yield summary;
      }
    };
    result = isKeyOfCustomer
      ? (await reconcile({ ...tools, list })).get(nameOperation(operation))
      : await findNamesakes(operation, { ...tools, list });
    const candidates = result?.kind === "unclear" ? result.candidates : [];
    const changed = everChangedFields(await ledger.learned(operation.customer, fieldBits));
    const likely: string[] = [];
    for (const [place, id] of candidates.entries()) {
      const detail = place < mostRead ? await readDetail(id, tools.detail) : undefined;
      if (isLikelyOrder(operation, id, summaries.get(id), detail, changed)) likely.push(id);
    }
    const others = candidates.filter((id) => !likely.includes(id));
    if (others.length > 0) messages.warn(`these orders may be it: ${nameCandidates(others)}`);
    if (candidates.length === 0 && result?.kind !== "settled") {
      const listed = since === undefined ? "listed" : `listed since ${since}`;
      const none = `none of the ${counted(summaries.size, "order")} ${listed} is it`;
      if (result?.kind !== "early") messages.note(none);
      else if (result.lacks === undefined)
        messages.note(`${none}; one may still be listed until ${formatUntil(result.provedMs, clock.now())}`);
      else
        messages.warn(
          `${none}, but the list lacks order ${result.lacks}, which the ledger knows: it may lack this one, too`,
        );
    }
    return likely;
  } catch (error) {
    if (!(error instanceof CourierError) || error.code === "database" || context.signal.aborted) throw error;
    const prompts = context.globals.yes ? undefined : await context.prompts();
    const message = `the orders of the service could not be compared: ${error.message}`;
    if (!prompts)
      throw error.with({
        message: `${message}; nothing was recorded`,
        hint: "run the same command again when the list can be read; or decide at a terminal, without --yes",
      });
    messages.warn(message);
    return undefined;
  }
}

/** The listed orders that belong to no operation, and may be for its receiver. */
async function findNamesakes(operation: Operation, tools: ReconcileTools): Promise<Reconciled> {
  const ids: string[] = [];
  for await (const { id, receiver } of tools.list(await earliestDate([operation], tools)))
    if (!isOtherName(operation.draft?.receiver?.name, receiver?.name)) ids.push(id.value);
  const owners = await tools.ledger.findOwners(operation.customer, ids);
  return { kind: "unclear", candidates: ids.filter((id) => !owners.has(id)) };
}

/** The answer to a create that was sent beside it may have named its order. */
async function readBeside(operation: Operation, tools: ReconcileTools): Promise<void> {
  const nearest = (await tools.ledger.findBeside(operation)).filter(({ state }) => state === "created");
  for (const { order } of nearest.slice(0, mostRead)) {
    const detail = order && (await readDetail(order.id, tools.detail));
    if (detail) await readOwner(detail, tools);
  }
}

/**
 * What the service does not show of an order, or of a listed one that cannot be read, may agree, and so may goods where the
 * whole receiver does. The one that its answer named may have been changed since. Each may be it where the sent data was
 * deleted. `changed`: what the service may show in another form.
 */
function isLikelyOrder(
  { draft, withdrawnOrder }: Operation,
  id: string,
  summary: OrderSummary | undefined,
  detail: OrderDetail | undefined,
  changed: ReadonlySet<ComparedField>,
): boolean {
  if (id === withdrawnOrder || !draft) return true;
  const fields = { ...nothingLearned, changed, keepsItems: true };
  if (detail && !(summary && contradictList(draft, summary, detail))) {
    const comparison = compareDetail(draft, detail);
    const isHidden = distinguishingFields.every((field) => comparison[field] !== "differs");
    return isHidden || hasWholeReceiver(comparison) || mayBeOrder(draft, detail, comparison, fields, summary);
  }
  return summary !== undefined && mayBeListed(draft, summary, fields);
}
