/**
 * Validates a new order (specification, 2.2, 2.3, 4.2). Sender, receiver and item are
 * required; their sub-fields are not (2.7), but what is given must be of its type. `null` counts as not
 * given, and fields that the interface does not name are left out.
 */

import { partyFields, serviceTypes } from "../model/fields.ts";
import { isJsonNumber, isJsonObject, type Json, type JsonNumber, type JsonObject } from "../model/json.ts";
import { defaultServiceType, numberLimits, phone } from "./defaults.ts";
import type { Item, OrderContent, Party, ServiceType } from "./order.ts";
import { invalidParameter } from "./refusal.ts";

/** Throws a Refusal that names the first offending field. */
export function acceptOrder(body: Json, createdMs: number): OrderContent {
  if (!isJsonObject(body)) throw invalidParameter("body", body, "an object");
  return {
    createdMs,
    sender: acceptParty("sender", body.sender),
    receiver: acceptParty("receiver", body.receiver),
    item: acceptItem(body.item),
    serviceType: acceptServiceType(body.service_type),
  };
}

function acceptServiceType(value: Json | undefined): ServiceType {
  if (value === undefined || value === null) return defaultServiceType;
  const known = serviceTypes.find((name) => name === value);
  if (!known) throw invalidParameter("service_type", value, `one of ${serviceTypes.join(", ")}`);
  return known;
}

function acceptParty(path: "sender" | "receiver", value: Json | undefined): Party {
  const given = acceptObject(path, value);
  const party = pickGiven(given, partyFields, (name, text) => acceptText(`${path}.${name}`, text));
  if (party.phone !== undefined && !isPhone(party.phone)) {
    throw invalidParameter(`${path}.phone`, party.phone, "a telephone number");
  }
  return party;
}

function acceptItem(value: Json | undefined): Item {
  const given = acceptObject("item", value);
  return {
    ...pickGiven(given, ["name", "description"], (name, text) => acceptText(`item.${name}`, text)),
    ...pickGiven(given, ["weight", "value"], (name, amount) => acceptAmount(`item.${name}`, amount)),
    ...pickGiven(given, ["quantity"], (name, count) => acceptCount(`item.${name}`, count)),
  };
}

function acceptObject(path: string, value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw invalidParameter(path, value, "an object");
  return value;
}

function acceptText(path: string, value: Json): string {
  if (typeof value !== "string") throw invalidParameter(path, value, "a string");
  return value;
}

function acceptAmount(path: string, value: Json): JsonNumber {
  if (!isJsonNumber(value) || !isReasonable(value.value)) {
    throw invalidParameter(path, value, "a number that is not negative");
  }
  return value;
}

function acceptCount(path: string, value: Json): JsonNumber {
  if (!isJsonNumber(value) || !isReasonable(value.value) || !/^0*[1-9]\d*$/.test(value.value)) {
    throw invalidParameter(path, value, "an integer of at least 1");
  }
  return value;
}

/** Not negative, and small enough to calculate with: `1e999999999` would fill the memory. */
function isReasonable(number: string): boolean {
  const exponent = /[eE][+-]?0*(\d+)$/.exec(number)?.[1] ?? "";
  if (number.length > numberLimits.characters || exponent.length > numberLimits.exponentDigits) return false;
  return !number.startsWith("-");
}

function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  return digits >= phone.fewestDigits && digits <= phone.mostDigits && phone.pattern.test(text);
}

/** The named fields that an object has, each accepted by a function. */
function pickGiven<Name extends string, Value>(
  object: JsonObject,
  names: readonly Name[],
  accept: (name: Name, value: Json) => Value,
): { [Field in Name]?: Value } {
  const picked: { [Field in Name]?: Value } = {};
  for (const name of names) {
    const value = object[name];
    if (value !== undefined && value !== null) picked[name] = accept(name, value);
  }
  return picked;
}
