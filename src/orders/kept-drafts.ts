/** Unfinished orders of the form: offered at its start, and kept where it ends early. */

import type { Context } from "../command/command.ts";
import { serviceOf } from "../config/accounts.ts";
import { CourierError } from "../core/errors.ts";
import type { Prompts } from "../core/prompts.ts";
import { byCount } from "../core/wording.ts";
import { type DraftOwner, type FoundDraft, type KeptDraft, mostDrafts } from "../ledger/drafts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { contentOf } from "../model/same-order.ts";
import { type OrderToSend, type SentOrder, sendOrder } from "../sending/create.ts";
import { type Block, line, styled } from "../terminal/blocks.ts";
import { reviewView } from "./review.ts";

export async function draftOwner(context: Context): Promise<DraftOwner> {
  const account = await context.account();
  return { account: account.name, service: serviceOf(account) };
}

/**
 * Sends an order as `sendOrder` does. Once it was sent, or may have been, drafts of it are deleted, however the order was
 * given: one that is offered as unfinished later would be sent a second time.
 */
export async function sendDraft(order: OrderToSend, context: Context): Promise<SentOrder | undefined> {
  try {
    const sent = await sendOrder(order, context);
    if (sent) await dropSent(order, context);
    return sent;
  } catch (error) {
    if (isInDoubt(error)) await dropSent(order, context);
    throw error;
  }
}

async function dropSent({ draft, ref }: OrderToSend, context: Context): Promise<void> {
  try {
    const [owner, ledger] = [await draftOwner(context), await context.ledger()];
    const own = await knownCustomer(context);
    for (const kept of await ledger.findDrafts(owner)) {
      // One that was kept without a ref may have got it since.
      const isSent = contentOf(kept.draft) === contentOf(draft) && (kept.ref ?? ref) === ref;
      if (isSent && isOf(kept, own)) await ledger.dropDraft(owner, kept);
    }
  } catch {
    // The order is what matters.
  }
}

/** Undefined for the sandbox, whose customer is another one after each reset. */
async function knownCustomer(context: Context): Promise<string | undefined> {
  if ((await context.account()).kind !== "remote") return undefined;
  return (await context.knownCustomer().catch(() => undefined))?.profileId;
}

/** An account may have another customer's key by now. Whose draft that is may not be known: then it is anyone's. */
function isOf({ customer }: KeptDraft, own: string | undefined): boolean {
  return customer === undefined || customer === own;
}

function isInDoubt(error: unknown): boolean {
  return error instanceof CourierError && (error.exit === 6 || error.code === "outcome_unknown");
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
export async function offerKept(
  { givenRef, owner, ledger, prompts, continuing }: DraftOffer,
  context: Context,
): Promise<FoundDraft | undefined> {
  const found = await ledger.findDrafts(owner);
  const isOwned = found.some(({ customer }) => customer !== undefined);
  const own = isOwned ? await context.customer({ makesNoOrder: true }).catch(() => undefined) : undefined;
  const all = found.filter((each) => isOf(each, own?.profileId));
  const isNamed = ({ ref }: FoundDraft) => givenRef !== undefined && ref === givenRef;
  const drafts = [...all.filter(isNamed), ...all.filter((each) => !isNamed(each))];
  const showKept = (kept: FoundDraft, others = 0) => context.display(keptView(kept, givenRef, others));
  try {
    for (let kept = drafts.shift(); kept; kept = drafts.shift()) {
      await showKept(kept, drafts.length);
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

/** `others`: a person who is shown one alone takes the others for deleted. */
function keptView({ draft, ref }: KeptDraft, givenRef: string | undefined, others: number): readonly Block[] {
  const more = others === 0 ? "" : ` (${others} more ${byCount(others, "is", "are")} kept)`;
  const change = `Continued, it gets the ref ${givenRef} in place of ${ref}`;
  return [
    line(styled("strong", `An unfinished order${more}:`)),
    ...reviewView(draft, ref),
    ...(losesRef({ ref }, givenRef) ? [line(styled("warn", change))] : []),
  ];
}

function nameDraft({ draft: { sender, receiver, item }, ref }: KeptDraft): string {
  const from = receiver?.name === undefined && sender?.name !== undefined ? `from ${sender.name}` : undefined;
  const parts = [from, receiver?.name, item?.name, ref && `ref ${ref}`].filter(Boolean);
  return `The draft ${parts.length === 0 ? "without names" : parts.join(", ")}`;
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
export async function keepDraft(
  kept: KeptDraft,
  { continued, owner, ledger }: DraftPlace,
  context: Context,
): Promise<void> {
  const { display, nextCommand } = context;
  const customer = await knownCustomer(context);
  const dropped = await ledger.keepDraft(owner, { ...kept, customer }, continued);
  if (!dropped) return;
  await display([
    line(styled("warn", `At most ${mostDrafts} drafts are kept, so the oldest was deleted:`)),
    ...(isOf(dropped, customer) ? reviewView(dropped.draft, dropped.ref) : []),
    line(`${nextCommand("orders create")} offers the others, the newest first`),
  ]);
}

/** An order that may exist is no draft any more, and is not offered again; everything else is kept, or shown. */
export async function keepForLater(
  error: unknown,
  kept: KeptDraft,
  place: DraftPlace,
  context: Context,
): Promise<unknown> {
  const mayExist = isInDoubt(error);
  if (Object.keys(kept.draft).length === 0) return error;
  try {
    if (!mayExist) await keepDraft(kept, place, context);
    else if (place.continued) await place.ledger.dropDraft(place.owner, place.continued);
  } catch (failure) {
    if (mayExist) return error; // what ended the form matters more than the draft
    await showUnkept(failure, kept, place, context);
    return withHint(error, "your draft is not kept: copy it from above");
  }
  if (mayExist) return error;
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
