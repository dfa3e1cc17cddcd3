/** Composes an order at a terminal: asks, reviews, corrects, sends; nothing is sent without a review. */

import { ServiceFailure, shorten } from "../api/failure.ts";
import type { Context } from "../command/command.ts";
import { quote } from "../command/options.ts";
import { type ActiveAccount, serviceOf, unnamedAccount } from "../config/accounts.ts";
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
import type { KnownParty } from "../forms/party-form.ts";
import { type DraftOwner, type FoundDraft, type KeptDraft, mostDrafts } from "../ledger/drafts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { nameOperation, type Operation, type OperationName, sentAsOfNow } from "../ledger/operation.ts";
import type { Draft } from "../model/draft.ts";
import { partyFields, partyWords } from "../model/fields.ts";
import { contentOf } from "../model/same-order.ts";
import { type SentOrder, sendOrder } from "../sending/create.ts";
import { surveyElsewhere } from "../sending/elsewhere.ts";
import { findCreatesInDoubt } from "../sending/in-doubt.ts";
import type { OrdersElsewhere } from "../sending/orders-elsewhere.ts";
import { createReconcileTools } from "../sending/settle.ts";
import { mayBeFullDisk, mayPass } from "../sqlite/database-errors.ts";
import { type Block, blank, fields, line, paragraph, styled } from "../terminal/blocks.ts";
import { draftRows, partyView } from "../terminal/draft-view.ts";
import type { StartingDraft } from "./draft-sources.ts";
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
export type Composed =
  | (SentOrder & { readonly draft: Draft })
  /** `continuing`: the command that continues it. */
  | { readonly kept: Draft; readonly continuing: string };

/** Whose parties are offered. */
const ordersOffered = 50;

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
  const owner: DraftOwner = { account: account.name, service: serviceOf(account) };
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
  const rerunOf = (typed: Draft) => {
    if (contentOf(typed) === contentOf(start.draft)) return undefined;
    const named = ref === undefined ? "" : ` --ref ${shellQuote(ref)}`;
    return (operation: OperationName) =>
      `run ${context.nextCommand(`orders create --like ${nameOperation(operation)}${named}${flags}`)}`;
  };
  await mentionDoubt(context);
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
    let hasFailed = false;
    for (;;) {
      const decision = await prompts.together(async () => {
        if (asking) draft = await fillDraft(draft, given, tools, asking);
        asking = undefined;
        // While the order is reviewed; after a failure not before the person has made room.
        if (!hasFailed) elsewhere ??= startElsewhereCheck(context);
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
        elsewhere ??= startElsewhereCheck(context);
        const sent = await sendOrder(
          { draft, ref, isDuplicateAllowed: allowDuplicate, settleMs, elsewhere, ask, rerun: rerunOf(draft) },
          context,
        );
        if (!sent) continue;
        if (kept) await ledger.dropDraft(owner, kept).catch(() => {}); // the order is what matters
        return { ...sent, draft };
      } catch (error) {
        if (error instanceof ServiceFailure && error.kind === "refused") {
          draft = await correct(draft, error, tools, context);
          continue;
        }
        await showLedgerFailure(error, context);
        elsewhere = undefined; // it may have failed, too
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
  const inDoubt = await findCreatesInDoubt(context).catch(() => []);
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

type ElsewhereCheck = () => Promise<OrdersElsewhere | undefined>;

/**
 * Lists orders that were made elsewhere. Its result is awaited with the function: only then a failure rejects, and a
 * note is shown, since a question is on the screen before.
 */
function startElsewhereCheck(context: Context): ElsewhereCheck {
  const notes: string[] = [];
  const check = async () => {
    const { id: customer } = await context.customer();
    const ledger = await context.ledger();
    const tools = await createReconcileTools({ ledger, customer, showsProgress: false }, context);
    const { elsewhere } = await surveyElsewhere(tools, {
      note: (text) => notes.push(text),
      mayCost: async () => false, // the person is at another question
    });
    return elsewhere;
  };
  const started = check();
  started.catch(() => {});
  return async () => {
    const elsewhere = await started;
    for (const text of notes.splice(0)) context.messages.note(text);
    return elsewhere;
  };
}

interface DraftOffer {
  /** Of `--ref`: a draft with it is offered first. */
  readonly givenRef: string | undefined;
  readonly owner: DraftOwner;
  readonly ledger: Ledger;
  readonly prompts: Prompts;
  /** The command that continues a draft. */
  readonly continuing: string;
}

/** The draft that the user continues; undefined where another order is begun. The newest is offered, then a list. */
async function offerKept(
  { givenRef, owner, ledger, prompts, continuing }: DraftOffer,
  { display }: Context,
): Promise<FoundDraft | undefined> {
  const all = await ledger.findDrafts(owner);
  const isNamed = ({ ref }: FoundDraft) => givenRef !== undefined && ref === givenRef;
  const drafts = [...all.filter(isNamed), ...all.filter((each) => !isNamed(each))];
  const showKept = ({ draft, ref }: FoundDraft) => display(keptView(draft, ref, givenRef));
  try {
    for (let kept = drafts.shift(); kept; kept = drafts.shift()) {
      await showKept(kept);
      if (await prompts.confirm("Continue with it?", !losesRef(kept, givenRef))) return kept;
      if (!(await prompts.confirm("Delete this draft?", false))) break;
      await ledger.dropDraft(owner, kept);
    }
    if (drafts.length === 0) return undefined;
    const chosen = await prompts.choose<FoundDraft | undefined>("Which order?", [
      { value: undefined, label: "A new one" },
      ...drafts.map((value) => ({ value, label: nameDraft(value) })),
    ]);
    if (chosen) await showKept(chosen);
    return chosen;
  } catch (error) {
    throw withDraftHint(error, continuing);
  }
}

function losesRef({ ref }: Pick<KeptDraft, "ref">, givenRef: string | undefined): boolean {
  return givenRef !== undefined && ref !== undefined && ref !== givenRef;
}

function keptView(draft: Draft, ref: string | undefined, givenRef: string | undefined): readonly Block[] {
  const change = `Continued, it gets the ref ${givenRef} in place of ${ref}`;
  return [
    line(styled("strong", "An unfinished order:")),
    ...reviewView(draft, ref),
    ...(losesRef({ ref }, givenRef) ? [line(styled("warn", change))] : []),
  ];
}

function nameDraft({ draft: { sender, receiver, item }, ref }: KeptDraft): string {
  const from = receiver?.name === undefined && sender?.name !== undefined ? `from ${sender.name}` : undefined;
  const parts = [from, receiver?.name, item?.name, ref && `ref ${ref}`].filter(Boolean);
  return `The draft ${parts.length === 0 ? "without names" : parts.join(", ")}`;
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

/** What a courier needs as a rule: the interface does not say which fields the service requires (2.2, 2.3). */
function findMissing({ sender, receiver, item }: Draft): { part: Part; fields: readonly string[] }[] {
  const usual = partyFields.filter((name) => name !== "province" && name !== "district");
  const ofParty = (party: Draft["sender"]) =>
    usual.filter((name) => !party?.[name]).map((name) => partyWords[name].label);
  return [
    { part: "sender" as const, fields: ofParty(sender) },
    { part: "receiver" as const, fields: ofParty(receiver) },
    { part: "item" as const, fields: item?.name ? [] : ["name"] },
  ].filter(({ fields }) => fields.length > 0);
}

/** What is missing, and what is not said of the numbers. */
function remarks(draft: Draft): readonly Block[] {
  const { weight, value } = draft.item ?? {};
  const numbers = [weight === undefined ? [] : ["weight"], value === undefined ? [] : ["value"]].flat();
  const missing = findMissing(draft).map(({ part, fields }) =>
    paragraph(styled("warn", `The ${part} has ${fields.map((name) => `no ${name}`).join(", ")}`)),
  );
  const units =
    numbers.length === 0
      ? []
      : [
          paragraph(
            styled(
              "dim",
              `The service names no unit for ${numbers.join(" and ")}: ${numbers.length > 1 ? "they go" : "it goes"} as typed`,
            ),
          ),
        ];
  return missing.length + units.length === 0 ? [] : [...missing, ...units, blank];
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

interface DraftPlace {
  readonly continued: FoundDraft | undefined;
  readonly owner: DraftOwner;
  readonly ledger: Ledger;
  readonly continuing: string;
  /** The same where the ref is taken. */
  readonly withOtherRef: string;
}

/** Shows the draft that this one takes the place of: it can be typed in again. */
async function keepDraft(
  kept: KeptDraft,
  { continued, owner, ledger }: DraftPlace,
  { display, nextCommand }: Context,
): Promise<void> {
  const dropped = await ledger.keepDraft(owner, kept, continued);
  if (!dropped) return;
  await display([
    line(styled("warn", `At most ${mostDrafts} drafts are kept, so the oldest was deleted:`)),
    ...reviewView(dropped.draft, dropped.ref),
    line(`${nextCommand("orders create")} offers the others, the newest first`),
  ]);
}

/** An order that may exist is no draft any more, and is not offered again; everything else is kept, or shown. */
async function keepForLater(
  error: unknown,
  kept: KeptDraft,
  place: DraftPlace,
  context: Context,
): Promise<unknown> {
  const isInDoubt = error instanceof CourierError && error.code === "outcome_unknown";
  if (Object.keys(kept.draft).length === 0) return error;
  try {
    if (!isInDoubt) await keepDraft(kept, place, context);
    else if (place.continued) await place.ledger.dropDraft(place.owner, place.continued);
  } catch (failure) {
    if (isInDoubt) return error; // what ended the form matters more than the draft
    await showUnkept(failure, kept, place, context);
    return withHint(error, "your draft is not kept: copy it from above");
  }
  if (isInDoubt) return error;
  const isRefTaken = error instanceof CourierError && error.code === "changed";
  return withDraftHint(error, isRefTaken ? place.withOtherRef : place.continuing);
}

/** It can be typed in again. */
async function showUnkept(
  failure: unknown,
  { draft, ref }: KeptDraft,
  { continued }: DraftPlace,
  { display }: Context,
): Promise<void> {
  const what = continued ? "The changes to your draft" : "The draft";
  const reason = failure instanceof Error ? failure.message : String(failure);
  await display([line(styled("warn", `${what} could not be kept: ${reason}`)), ...reviewView(draft, ref)]);
}

function withDraftHint(error: unknown, continuing: string): unknown {
  return withHint(error, `your draft is kept; ${continuing} continues it`);
}

function withHint(error: unknown, hint: string): unknown {
  return error instanceof CourierError
    ? error.with({ hint: error.hint ? `${error.hint}; ${hint}` : hint })
    : error;
}

async function knownParties(
  owner: DraftOwner,
  ledger: Ledger,
  context: Context,
): Promise<readonly KnownParty[]> {
  const { addresses } = await context.config.read();
  const saved = Object.entries(addresses).map(([alias, party]): KnownParty => ({ alias, party }));
  const seen = new Set(saved.map(({ party }) => JSON.stringify(party)));
  const recent: KnownParty[] = [];
  for (const { draft } of await findRecent(owner, ordersOffered, ledger, context)) {
    for (const party of [draft?.receiver, draft?.sender]) {
      if (!party || seen.has(JSON.stringify(party))) continue;
      seen.add(JSON.stringify(party));
      recent.push({ party });
    }
  }
  return [...saved, ...recent];
}

/** None where it cannot be found out whose key the account has: another customer's receivers are offered to none. */
async function findRecent(
  owner: DraftOwner,
  limit: number,
  ledger: Ledger,
  context: Context,
): Promise<readonly Operation[]> {
  try {
    const { id: customer } = await context.customer();
    return await ledger.recentCreates({ ...owner, customer }, limit);
  } catch (error) {
    if (!(error instanceof ServiceFailure)) throw error;
    return [];
  }
}

/** The default sender, else the sender of the last order, else the only address that is saved. */
async function usualSender(
  owner: DraftOwner,
  ledger: Ledger,
  context: Context,
): Promise<KnownParty | undefined> {
  const config = await context.config.read();
  const saved = Object.entries(config.addresses).map(([alias, party]): KnownParty => ({ alias, party }));
  const chosen = saved.find(({ alias }) => alias === config.default_sender);
  if (chosen) return chosen;
  const [last] = await findRecent(owner, 1, ledger, context);
  const sender = last?.draft?.sender;
  if (!sender) return saved.length === 1 ? saved[0] : undefined;
  return saved.find(({ party }) => JSON.stringify(party) === JSON.stringify(sender)) ?? { party: sender };
}

/** All that will be sent, and where it goes. */
export function reviewView(draft: Draft, ref: string | undefined, account?: ActiveAccount): readonly Block[] {
  const goesTo = account ? [["Goes to", describeAccount(account)] as const] : [];
  return [
    blank,
    fields(...draftRows(draft), ...(ref === undefined ? [] : [["Ref", ref] as const]), ...goesTo),
    blank,
  ];
}

function describeAccount(account: ActiveAccount): string {
  return account.kind === "sandbox"
    ? "the sandbox on this machine; nothing is shipped"
    : `${account.baseUrl} ${account.name === unnamedAccount ? "with the key in COURIER_API_KEY" : `as the account ${account.name}`}`;
}
