/** The draft of a new order that is like an earlier one: as it was sent, or as the service shows it. */

import { ServiceFailure, saysNoSuchOrder } from "../api/failure.ts";
import { openAccountMirror } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import { confirmParty, type UnderstoodParty } from "../command/confirm-address.ts";
import { findLedger } from "../command/found-ledger.ts";
import { refOf } from "../command/options.ts";
import { openOrderNames, type UsedName } from "../command/order-name.ts";
import { usageError } from "../core/errors.ts";
import { formatRelative } from "../core/time.ts";
import { nameOperation, type OperationName, parseOperationName } from "../ledger/operation.ts";
import { type StoredAnswer, textAt } from "../mirror/mirrored-order.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import { itemFields, partyFields, partyParts } from "../model/fields.ts";
import type { OrderDetail } from "../model/interface.ts";
import { isJsonObject, type Json, type JsonObject, jsonNumber } from "../model/json.ts";
import { withoutZeros } from "../model/order-id.ts";
import {
  describeAnswer,
  describeOtherNumbers,
  describeOwnNumber,
  describeWithdrawn,
  readOwner,
} from "../sending/another-order.ts";

export interface BaseDraft {
  readonly draft: Draft;
  /** Parties whose address was split from a text, and is not right. */
  readonly declined: readonly string[];
  /** As the service shows it, which may hide parts. */
  readonly isShown?: boolean;
}

/**
 * The service shows an address as one text, which is split; name and phone stay as it shows them (2.4). Throws as
 * `openOrderNames` does, a usage error for an address that no one can accept, and ServiceFailure.
 */
export async function draftLike(name: string, context: Context, isAgreed: boolean): Promise<BaseDraft> {
  const operation = parseOperationName(name);
  if (operation) return { draft: await draftOf(operation, context), declined: [] };
  const { id, field } = await openOrderNames(context)(name);
  const isNumber = refOf(name) === undefined && withoutZeros(name) !== id;
  const other = isNumber ? await describeOwnNumber([name], id, context) : undefined;
  if (other !== undefined) throw notMeant(other);
  const mirror = await openAccountMirror(context);
  const known = await mirror.order(id);
  if (known?.draft) {
    // A ref means what was sent with it.
    if (refOf(name) === undefined) await ensureOwn(id, { name, field }, context);
    return { draft: known.draft as Draft, declined: [] };
  }
  const withdrawn = await describeWithdrawn({ id: jsonNumber(id) }, context);
  if (withdrawn !== undefined) throw usageError(`order ${id}: ${withdrawn}`);
  const order = await readShown(id, known?.detail, context);
  ensureNumber({ name, field }, order as OrderDetail);
  const draft: Record<string, Json> = {};
  const declined: string[] = [];
  for (const part of partyParts) {
    const read = await readParty(part, order[part], context, isAgreed);
    if (read === undefined) continue;
    draft[part] = read.party;
    if (!read.isAgreed) declined.push(part);
  }
  const item = keep(order.item, itemFields);
  if (item !== undefined) draft.item = item;
  const serviceType = textAt(order, "service_type");
  if (serviceType !== undefined) draft.service_type = serviceType;
  return { draft: draft as Draft, declined, isShown: true };
}

/** A list and a detail of two times would be of two people. Throws ServiceFailure. */
async function readShown(id: string, last: StoredAnswer | undefined, context: Context): Promise<JsonObject> {
  try {
    return await (await context.service()).order(id);
  } catch (error) {
    if (!last || !saysNoSuchOrder(error)) throw error;
    const seen = formatRelative(last.seenAtMs, context.clock.now());
    context.messages.warn(`the service no longer shows order ${id}: it is taken as it was shown ${seen}`);
    return last.value;
  }
}

function notMeant(reason: string) {
  return usageError(reason, "name the order that is meant by its id");
}

/** Throws a usage error where the order does not have the number that led to it. */
function ensureNumber(named: UsedName, order: OrderDetail): void {
  const other = describeOtherNumbers(named, order);
  if (other !== undefined) throw notMeant(other);
}

/** Throws a usage error where the service shows another order than was sent or named: it is not known which one is meant. */
async function ensureOwn(id: string, named: UsedName, context: Context): Promise<void> {
  const { clock, messages, nextCommand } = context;
  try {
    const order = await (await context.service()).order(id);
    ensureNumber(named, order);
    const { id: customer } = await context.customer({ makesNoOrder: true });
    const ledger = await context.ledger();
    const { operation, other } = await readOwner(order, { ledger, customer, clock, nextCommand });
    if (!operation || other === undefined) return;
    const like = nextCommand(`orders create --like ${nameOperation(operation)}`);
    throw usageError(describeAnswer(operation, other), `start from what was sent: ${like}`);
  } catch (error) {
    if (!(error instanceof ServiceFailure) || context.signal.aborted) throw error;
    messages.warn(`order ${id} was not compared with the service: ${error.message}`);
  }
}

/** As it was sent from this machine, whatever became of it. */
async function draftOf(name: OperationName, context: Context): Promise<Draft> {
  const ledger = await findLedger(context);
  const found = ledger && (await ledger.findOperation(name));
  const isOwn = found?.kind === "create" && found.customer === (await context.customer()).id;
  if (isOwn && found.draft) return found.draft;
  const text = nameOperation(name);
  throw usageError(
    isOwn ? `what ${text} sent was deleted` : `there is no create ${text} of this customer in the ledger`,
    `runs and their operations: ${context.nextCommand("log")}`,
  );
}

async function readParty(
  part: "sender" | "receiver",
  shown: Json | undefined,
  context: Context,
  isAgreed: boolean,
): Promise<UnderstoodParty | undefined> {
  const address = textAt(shown, "address");
  if (address === undefined) {
    const party = keep(shown, partyFields);
    return party && { party: party as DraftParty, isAgreed: true };
  }
  const { understandPlace } = await import("../forms/address-text.ts");
  const [name, phone] = [textAt(shown, "name"), textAt(shown, "phone")];
  const party: DraftParty = {
    ...(name !== undefined && { name }),
    ...(phone !== undefined && { phone }),
    ...(await understandPlace(address)),
  };
  return confirmParty(part, party, context, { isShown: isAgreed });
}

function keep(shown: Json | undefined, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(shown)) return undefined;
  const kept = names.flatMap((name) => (shown[name] == null ? [] : [[name, shown[name]] as const]));
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as JsonObject);
}
