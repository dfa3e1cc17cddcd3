/** Composes an order at a terminal: asks, reviews, corrects, sends; nothing is sent without a review. */

import { ServiceFailure, shorten } from "../api/failure.ts";
import { type Context, isLateAnswer } from "../command/command.ts";
import { quote } from "../command/options.ts";
import { makeRoom } from "../core/disk-errors.ts";
import { CourierError, interrupted } from "../core/errors.ts";
import { type Choice, type Prompts, WentBack } from "../core/prompts.ts";
import { shellQuote } from "../core/shell-quote.ts";
import { formatRelative } from "../core/time.ts";
import {
  changePart,
  correctField,
  type FillOptions,
  type FormTools,
  fillDraft,
  type Part,
  parts,
} from "../forms/order-form.ts";
import { nameOperation, type OperationName, sentAsOfNow } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import { contentOf } from "../model/same-order.ts";
import type { SentOrder } from "../sending/create.ts";
import { surveyElsewhere } from "../sending/elsewhere.ts";
import { findCreatesInDoubt } from "../sending/in-doubt.ts";
import { joinElsewhere, type OrdersElsewhere } from "../sending/orders-elsewhere.ts";
import { createReconcileTools } from "../sending/settle.ts";
import { mayBeFullDisk, mayPass } from "../sqlite/database-errors.ts";
import { line, paragraph, styled } from "../terminal/blocks.ts";
import { partyView } from "../terminal/draft-view.ts";
import type { StartingDraft } from "./draft-sources.ts";
import { draftOwner, keepDraft, keepForLater, offerKept, sendDraft } from "./kept-drafts.ts";
import { knownParties, usualSender } from "./known-parties.ts";
import { findMissing, remarks, reviewView } from "./review.ts";
import type { TemplateToSave } from "./save.ts";

/** What is sent, and how. */
export interface Sending {
  readonly start: StartingDraft;
  readonly ref: string | undefined;
  readonly allowDuplicate: boolean;
  readonly settleMs: number | undefined;
  readonly template: TemplateToSave | undefined;
}

/** The result: an order, or a draft that was kept for later. */
export interface ComposedOrder extends SentOrder {
  readonly draft: Draft;
  /** Given with `--ref`, or that of the draft that it continues. */
  readonly ref: string | undefined;
}

export type Composed =
  | ComposedOrder
  /** `continuing`: the command that continues it. */
  | { readonly kept: Draft; readonly continuing: string };

type Decision = "send" | Part | "keep" | "quit" | "back";

/**
 * Goes through the form and the review until the order is sent, kept or dropped. Whatever ends it before
 * the order was sent, Ctrl-C included, the draft is kept for the next time, or shown where it cannot be kept.
 */
export async function composeOrder(
  {
    start,
    ref: givenRef,
    allowDuplicate,
    settleMs,
    template,
    prompts,
  }: Sending & { readonly prompts: Prompts },
  context: Context,
): Promise<Composed> {
  let { draft } = start;
  let open: readonly Part[] = parts;
  const account = await context.account();
  const ledger = await context.ledger(); // fails before the questions: without a ledger nothing can be sent
  const owner = await draftOwner(context);
  const flags = template?.flags ?? "";
  const continuing = context.nextCommand(`orders create${flags}`);
  const withOtherRef = context.nextCommand(`orders create --ref NEW${flags}`);
  const ask = (question: string) => prompts.confirm(question);
  const tools: FormTools = {
    prompts,
    knownParties: () => knownParties(owner, ledger, context),
    usualSender: () => usualSender(owner, ledger, context),
    understand: context.understandAddress,
    show: (title, party, leftOut) => context.display(partyView(title, party, leftOut)),
    keep: (next, stillOpen) => {
      draft = next;
      open = stillOpen;
    },
  };
  const place = { owner, ledger, continuing, withOtherRef };
  /** What was typed is not in the command. */
  const rerun = (operation: OperationName) => {
    const named = ref === undefined ? "" : ` --ref ${shellQuote(ref)}`;
    return `run ${context.nextCommand(`orders create --like ${nameOperation(operation)}${named}${flags}`)}`;
  };
  await context.service(); // a key command may ask at the terminal: not while the form has the keyboard
  await mentionDoubt(context);
  /** When a list was last read, this form's own ones aside: a second comparison has the same days. */
  const listedMs = await context
    .knownCustomer()
    .then((known) => known && ledger.lastListing(known.id))
    .catch(() => undefined);
  const offer = { givenRef, owner, ledger, prompts, continuing };
  /** The draft that this order continues, and ends when it is sent. */
  const kept = start.isBlank ? await offerKept(offer, context) : undefined;
  const ref = givenRef ?? kept?.ref;
  try {
    const given = kept ? new Set<string>(parts.filter((part) => !kept.open.includes(part))) : start.given;
    draft = kept?.draft ?? draft;
    open = parts.filter((part) => !given.has(part));
    const hasQuestions = open.length > 0;
    if (hasQuestions && !context.globals.quiet) await context.display(instructions);
    const isSenderUsual = start.usualSender !== undefined;
    /** What is asked before the review, with the keyboard held all the way: nothing that is typed in between is echoed. */
    let asking: FillOptions | undefined = { isSenderUsual };
    let elsewhere: ElsewhereCheck | undefined;
    /** Compares once more where another machine may have sent an equal order since. */
    const compareElsewhere = () => {
      if (!elsewhere || isLateAnswer(context, elsewhere.begunMs))
        elsewhere = startElsewhereCheck(listedMs, elsewhere, context);
      return elsewhere.result();
    };
    let hasFailed = false;
    for (;;) {
      const decision = await prompts.together(async () => {
        if (asking) draft = await fillDraft(draft, given, tools, asking);
        asking = undefined;
        // While the order is reviewed; after a failure not before the person has made room.
        if (!hasFailed) elsewhere ??= startElsewhereCheck(listedMs, undefined, context);
        await context.display([...reviewView(draft, ref, account), ...remarks(draft)]);
        return askDecision(prompts, draft, hasQuestions).catch((error: unknown) => {
          if (error instanceof WentBack) return "back" as const;
          throw error;
        });
      });
      if (decision === "keep") {
        try {
          await keepDraft({ draft, ref, open }, { ...place, continued: kept }, context);
          return { kept: draft, continuing };
        } catch (error) {
          await showLedgerFailure(error, context);
          continue;
        }
      }
      if (decision === "quit") {
        if (kept) await ledger.dropDraft(owner, kept);
        throw new Dropped();
      }
      if (decision === "back") {
        asking = { isSenderUsual, isFromEnd: true };
        continue;
      }
      if (decision !== "send") {
        draft = await changePart(decision, draft, tools);
        continue;
      }
      try {
        await template?.check(draft);
        const sent = await sendDraft(
          {
            ...{ draft, ref, isDuplicateAllowed: allowDuplicate, settleMs, ask },
            elsewhere: compareElsewhere,
            ...(contentOf(draft) === contentOf(start.draft) ? { again: start.again } : { rerun }),
          },
          context,
        );
        if (!sent) continue;
        if (kept) await ledger.dropDraft(owner, kept).catch(() => {}); // the order is what matters
        return { ...sent, draft, ref };
      } catch (error) {
        if (error instanceof ServiceFailure && error.kind === "refused") {
          draft = await correct(draft, error, tools, context);
          continue;
        }
        await showLedgerFailure(error, context);
        elsewhere &&= { ...elsewhere, begunMs: Number.NEGATIVE_INFINITY }; // it may have failed, too
        hasFailed = true;
      }
    }
  } catch (error) {
    if (error instanceof Dropped) throw interrupted(130, "nothing was sent, and the draft was dropped");
    throw await keepForLater(error, { draft, ref, open }, { ...place, continued: kept }, context);
  }
}

class Dropped extends Error {}

const instructions = [
  paragraph("Press Enter to accept a line; leave it empty to skip. Esc or ↑ goes back."),
  paragraph("You will review everything before it is sent."),
];

/** Whoever types an order again, whose sending was cut off, should know of it first. */
async function mentionDoubt(context: Context): Promise<void> {
  const all = await findCreatesInDoubt(context).catch(() => []);
  const own = await context.knownCustomer().catch(() => undefined);
  const inDoubt = all.filter(({ customer }) => customer === own?.id);
  const last = inDoubt.at(-1);
  if (!last) return;
  const receiver = last.draft?.receiver?.name;
  const nowMs = context.clock.now();
  const sentMs = sentAsOfNow(last, nowMs);
  const sent = sentMs === undefined ? "" : `, sent ${formatRelative(sentMs, nowMs)}`;
  const facts = `${receiver ? ` to ${receiver}` : ""}${sent}`;
  const said =
    inDoubt.length === 1
      ? `An order${facts}${sent && ","} is in doubt`
      : `${inDoubt.length} orders are in doubt, the last one${facts}`;
  context.messages.note(
    `${said}; to settle ${inDoubt.length === 1 ? "it" : "them"}: ${context.nextCommand("orders resolve")}`,
  );
}

interface ElsewhereCheck {
  /** By the clock's `elapsed`. */
  readonly begunMs: number;
  /** With what the checks before it know. */
  readonly found: Promise<OrdersElsewhere | undefined>;
  /** Rejects where the check has failed, and shows its notes: before, a question is on the screen. */
  result(): Promise<OrdersElsewhere | undefined>;
}

/** Lists orders that were made elsewhere since a list ended. */
function startElsewhereCheck(
  listedMs: number | undefined,
  before: ElsewhereCheck | undefined,
  context: Context,
): ElsewhereCheck {
  const begunMs = context.clock.elapsed();
  const notes: string[] = [];
  const check = async () => {
    const { id: customer } = await context.customer();
    const ledger = await context.ledger();
    const tools = await createReconcileTools({ ledger, customer, showsProgress: false }, context);
    const { elsewhere } = await surveyElsewhere(tools, {
      listedMs,
      note: (text) => notes.push(text),
      mayCost: async () => false, // the person is at another question
    });
    return joinElsewhere(await before?.found.catch(() => undefined), elsewhere);
  };
  const found = check();
  found.catch(() => {});
  return {
    begunMs,
    found,
    async result() {
      const elsewhere = await found;
      for (const text of notes.splice(0)) context.messages.note(text);
      return elsewhere;
    },
  };
}

/** Where something is missing, Enter does not send the order. */
function askDecision(prompts: Prompts, draft: Draft, canGoBack: boolean): Promise<Decision> {
  const [incomplete] = findMissing(draft);
  const choices: readonly Choice<Decision>[] = [
    { value: "send", label: "Send this order" },
    { value: "sender", label: "Change the sender" },
    { value: "receiver", label: "Change the receiver" },
    { value: "item", label: "Change the item" },
    { value: "service_type", label: "Change the service level" },
    { value: "keep", label: "Keep as a draft and quit" },
    { value: "quit", label: "Quit without sending" },
  ];
  const first = choices.filter(({ value }) => value === incomplete?.part);
  const others = choices.filter(({ value }) => value !== incomplete?.part);
  return prompts.choose<Decision>("What now?", [...first, ...others], { canGoBack });
}

/**
 * A full disk or a locked ledger is no reason to end: `database` comes before anything was sent. Throws all other
 * errors.
 */
async function showLedgerFailure(error: unknown, { display }: Context): Promise<void> {
  if (!(error instanceof CourierError) || error.code !== "database" || !mayPass(error)) throw error;
  const first = mayBeFullDisk(error) ? makeRoom : "end the process that hangs";
  await display([
    line(styled("bad", error.message)),
    line(`Nothing was sent, and the order is still here: ${first}, then choose again`),
  ]);
}

/** Asks for the refused field alone; a refusal that names none goes back to the review with its message. */
async function correct(
  draft: Draft,
  refusal: ServiceFailure,
  tools: FormTools,
  context: Context,
): Promise<Draft> {
  await context.display([paragraph(styled("bad", refusal.message))]);
  const field = refusal.refusedField;
  const corrected = field === undefined ? undefined : await correctField(draft, field, tools);
  if (field && !corrected) {
    const value = refusal.refusedValue;
    await context.display([
      paragraph(shorten(`The refused field is ${field}${value === undefined ? "" : `: ${quote(value)}`}`)),
    ]);
  }
  return corrected ?? draft;
}
