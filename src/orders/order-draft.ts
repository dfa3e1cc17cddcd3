/** The draft of a new order that is like an earlier one: as it was sent, or as the service shows it. */

import { openAccountMirror } from "../command/account-mirror.ts";
import type { Context } from "../command/command.ts";
import { understandText } from "../command/confirm-address.ts";
import { openOrderNames } from "../command/order-name.ts";
import { textAt } from "../mirror/mirrored-order.ts";
import type { Draft, DraftParty } from "../model/draft.ts";
import { itemFields, partyFields, partyParts } from "../model/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/**
 * The service shows an address as one text, which is split as a pasted one is. Throws as `openOrderNames` does, a usage
 * error for an address that the user does not accept, and ServiceFailure.
 */
export async function draftLike(name: string, context: Context, isAgreed: boolean): Promise<Draft> {
  const id = await openOrderNames(context)(name);
  const mirror = await openAccountMirror(context);
  const known = await mirror.order(id);
  if (known?.draft) return known.draft as Draft;
  const order: JsonObject = known?.hasPhone ? known.fields : await (await context.service()).order(id);
  const draft: Record<string, Json> = {};
  for (const part of partyParts) {
    const party = await readParty(part, order[part], context, isAgreed);
    if (party !== undefined) draft[part] = party;
  }
  const item = keep(order.item, itemFields);
  if (item !== undefined) draft.item = item;
  const serviceType = textAt(order, "service_type");
  if (serviceType !== undefined) draft.service_type = serviceType;
  return draft as Draft;
}

async function readParty(
  part: "sender" | "receiver",
  shown: Json | undefined,
  context: Context,
  isAgreed: boolean,
): Promise<DraftParty | undefined> {
  const address = textAt(shown, "address");
  if (address === undefined) return keep(shown, partyFields) as DraftParty | undefined;
  const words = [textAt(shown, "name"), textAt(shown, "phone"), address];
  return understandText(part, words.filter(Boolean).join(" "), context, { isShown: isAgreed });
}

function keep(shown: Json | undefined, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(shown)) return undefined;
  const kept = names.flatMap((name) => (shown[name] == null ? [] : [[name, shown[name]] as const]));
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as JsonObject);
}
