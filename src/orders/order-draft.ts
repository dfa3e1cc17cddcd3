/** The draft of a new order that is like an earlier one: as it was sent, or as the service shows it. */

import { openAccountMirror } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import { confirmParty, type UnderstoodParty } from "../command/confirm-address.ts";
import { openOrderNames } from "../command/order-name.ts";
import { textAt } from "../mirror/mirrored-order.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import { itemFields, partyFields, partyParts } from "../model/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

export interface BaseDraft {
  readonly draft: Draft;
  /** Parties whose address was split from a text, and is not right. */
  readonly declined: readonly string[];
}

/**
 * The service shows an address as one text, which is split; name and phone stay as it shows them (2.4). Throws as
 * `openOrderNames` does, a usage error for an address that no one can accept, and ServiceFailure.
 */
export async function draftLike(name: string, context: Context, isAgreed: boolean): Promise<BaseDraft> {
  const id = await openOrderNames(context)(name);
  const mirror = await openAccountMirror(context);
  const known = await mirror.order(id);
  if (known?.draft) return { draft: known.draft as Draft, declined: [] };
  const order: JsonObject = known?.hasPhone ? known.fields : await (await context.service()).order(id);
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
  return { draft: draft as Draft, declined };
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
