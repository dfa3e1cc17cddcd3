/** `courier orders create`: one order, composed at a terminal or sent as given (specification, 4.2). */

import { ServiceFailure, shorten } from "../api/failure.ts";
import { type Context, defineCommand, document, noteUnreadOrder, type Output } from "../command/command.ts";
import { quote, refOf, switchOption, textOption } from "../command/options.ts";
import { trackCommand } from "../command/order-view.ts";
import { ensureReplaces } from "../command/replace.ts";
import { settleOption } from "../command/value-options.ts";
import { parseTemplateName } from "../config/templates.ts";
import { type CourierError, usageError } from "../core/errors.ts";
import { shellQuote } from "../core/shell-quote.ts";
import type { Draft } from "../model/draft.ts";
import { type CreatedOrder, createdOrderSchema, orderDetailSchema } from "../model/interface.ts";
import { fieldNames } from "../model/schema.ts";
import { cannotBeCancelled } from "../model/states.ts";
import { findTextProblem } from "../model/text-problem.ts";
import {
  type Block,
  blank,
  fields,
  instant,
  line,
  otherFields,
  show,
  state,
  styled,
} from "../terminal/blocks.ts";
import { type ComposedOrder, composeOrder, type Sending } from "./compose.ts";
import { typeFlags } from "./draft-flags.ts";
import { collectDraft, type StartingDraft, sourceOptions } from "./draft-sources.ts";
import { sendDraft } from "./kept-drafts.ts";
import { offerToSave, templateToSave } from "./save.ts";

export const createOrder = defineCommand({
  description:
    "At a terminal, asks for missing fields and shows everything for review before it sends; --yes sends at\n" +
    "once. Flags win over the file. Fields that are not given are not sent: the service decides what it needs. If\n" +
    "the answer is lost, courier searches the list of orders, and never sends the order twice. If an equal order\n" +
    "was sent from this machine within a day, by any command, courier asks at a terminal. A script gets exit\n" +
    "code 2 for ten minutes, and while the first order is in doubt. --allow-duplicate ships two equal parcels.",
  arguments: {},
  options: {
    dryRun: switchOption("print the body that would be sent, and send nothing"),
    ref: {
      ...textOption("REF", "your own number of the order: the same ref is the same order, and sent once"),
      parse: parseRef,
    },
    allowDuplicate: switchOption("send it although an equal order was sent a short while ago"),
    settle: settleOption,
    // Checked here: once the order is created, a bad name must not fail the command.
    saveTemplate: {
      ...textOption("NAME", "save the order as a template once it is created", { values: "template" }),
      parse: parseTemplateName,
    },
    replace: switchOption("let --save-template replace the template of that name"),
    ...sourceOptions,
  },
  confirms: true,
  mentionsDoubt: true,
  examples: [
    { line: "orders create", note: "asks for everything" },
    {
      line: "orders create --file order.json",
      note: "an order from a file (courier schema order describes it)",
    },
    { line: "orders create --sender @shop --receiver @li --item-name 书", note: "from the address book" },
    { line: "orders create --file - --json < order.json | jq -r .tracking_number", note: "in a pipeline" },
  ],
  exits: [1, 2, 5, 6],
  seeAlso: ["orders show", "track", "addresses add", "orders import"],
  async run(
    { dryRun, ref, allowDuplicate, settle: settleMs, saveTemplate: name, replace, ...sources },
    context,
  ): Promise<Output> {
    ensureReplaces(replace, name, "saveTemplate");
    const start = await collectDraft(sources, context, dryRun === true);
    if (dryRun) return document(start.draft, (body) => [{ kind: "json", value: body }]);
    const prompts = context.globals.yes ? undefined : await context.prompts();
    const template = name === undefined ? undefined : templateToSave(name, replace === true, context);
    const sending = { start, ref, allowDuplicate: allowDuplicate === true, settleMs, template };
    const composed = prompts
      ? await composeOrder({ ...sending, prompts }, context)
      : await sendAsGiven(sending, context);
    if ("kept" in composed) {
      const { kept, continuing } = composed;
      return document(kept, () => [line(`The draft is kept; ${continuing} continues it`)]);
    }
    const { order, draft, ref: sentRef, isEarlier } = composed;
    await template?.save(draft);
    // An order from a file is repeated by the file.
    if (prompts && sources.file === undefined && !isEarlier) {
      await offerToSave(order, draft, prompts, context);
      const flags = typeFlags(draft, sentRef);
      if (flags)
        context.messages.note(
          `Same without questions: ${context.nextCommand(`orders create ${flags} --yes`)}`,
        );
    }
    return {
      ...document(order, (shown) => orderView(shown, isEarlier, context)),
      onUnread: () => {
        if (!isEarlier) noteUnreadOrder(order.id.value, context);
      },
    };
  },
});

/** As an import reads the ref of a row. */
function parseRef(text: string, flag: string): string {
  const ref = text.trim();
  if (ref === "") throw usageError(`${flag} is empty`, "is a variable of the shell not set?");
  const problem = findTextProblem("ref", ref);
  if (problem !== undefined) throw usageError(`${flag} ${quote(ref)} ${problem}`);
  const named = refOf(ref);
  if (named === undefined) return ref;
  // Elsewhere that names the order of a ref: here it would be another ref, and another order.
  throw usageError(`${flag} takes a ref alone, without “ref:”`, `give ${flag} ${shellQuote(named || "REF")}`);
}

/** Without a terminal, or with `--yes`: sends the order unchanged. */
async function sendAsGiven(
  { start: { draft, nameOf, again }, ref, allowDuplicate: isDuplicateAllowed, settleMs, template }: Sending,
  context: Context,
): Promise<ComposedOrder> {
  checkParts(draft);
  await template?.check(draft);
  try {
    const sent = await sendDraft({ draft, ref, isDuplicateAllowed, settleMs, again }, context);
    if (!sent) throw new Error("an order without a prompt was declined");
    return { ...sent, draft, ref };
  } catch (error) {
    throw error instanceof ServiceFailure ? nameRefusedField(error, nameOf) : error;
  }
}

/** 4.2: sender, receiver and item are required; what must be inside them is not specified. */
function checkParts(draft: Draft): void {
  const missing = (["sender", "receiver", "item"] as const).filter((part) => draft[part] === undefined);
  if (missing.length === 0) return;
  const flags = missing.map((part) => `--${part}-name …`).join(" ");
  throw usageError(
    `the order has no ${missing.join(", no ")}`,
    `give ${flags}, or a whole order with --file order.json`,
  );
}

/** Section 7: a refused field comes as a path such as `sender.phone`; the user gave it as a flag or in a file. */
function nameRefusedField(failure: ServiceFailure, nameOf: StartingDraft["nameOf"]): CourierError {
  const field = failure.refusedField;
  if (field === undefined) return failure;
  const value = failure.refusedValue;
  const named = `${nameOf(field) ?? field}${value === undefined ? "" : ` ${quote(value)}`}`;
  return failure.with({
    message: shorten(failure.message.replace("the service refused", () => `the service refused ${named}`)),
  });
}

/** An order that had to be looked up comes as a detail, with more fields than a creation result. */
const knownFields = [...fieldNames(createdOrderSchema), ...fieldNames(orderDetailSchema)];

function orderView(order: CreatedOrder, isEarlier: boolean, context: Context): readonly Block[] {
  const { nextCommand } = context;
  const { id, tracking_number, status } = order;
  const isGone = status === "cancelled";
  const title = isEarlier ? "Already shipped" : "Order created";
  const follow =
    tracking_number && !isGone
      ? [["  Follow it", styled("accent", trackCommand(id.value, tracking_number, context))] as const]
      : [];
  // An answer may have named another order: nothing is offered that changes it.
  const cancel =
    isEarlier || cannotBeCancelled(status)
      ? []
      : [["  Cancel it", styled("accent", nextCommand(`orders cancel ${id.value}`))] as const];
  return [
    line(isGone ? styled("warn", `${title}, and it is cancelled`) : styled("good", title)),
    fields(
      ["Order", styled("strong", id)],
      ["Order number", show(order.order_no)],
      ["Tracking number", styled("strong", tracking_number)],
      ["State", state(status)],
      ["Estimated fee", show(order.estimated_fee)],
      ["Created", instant(order.created_at)],
    ),
    ...otherFields(order, knownFields),
    blank,
    fields(...follow, ["  See it", styled("accent", nextCommand(`orders show ${id.value}`))], ...cancel),
  ];
}
