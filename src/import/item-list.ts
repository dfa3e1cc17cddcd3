/** The goods of an order in one cell, as plug-ins of WooCommerce write them. */

import { isJsonNumber, isJsonObject, type Json, parseJson } from "../model/json.ts";

export interface ListedItem {
  readonly name: string;
  readonly quantity: string;
}

/** `name:Tea|quantity:2;name:Cup|quantity:1`, or a JSON array of objects; any other text is one name. */
export function readItemList(text: string): readonly ListedItem[] {
  return (
    readJsonItems(text) ??
    text
      .split(";")
      .map(readParts)
      .filter(({ name }) => name !== "")
  );
}

/** The pieces of a line that are left to send. Some plug-ins count those that were refunded below zero. */
export function piecesLeft(quantity: string, refunded: string): string {
  const [all, gone] = [Number(quantity), Math.abs(Number(refunded))];
  return quantity !== "" && gone > 0 && all >= 0 ? String(Math.max(0, all - gone)) : quantity;
}

function readParts(text: string): ListedItem {
  const parts = new Map(
    text.split("|").map((part) => {
      const at = part.indexOf(":");
      return [part.slice(0, Math.max(0, at)).trim().toLowerCase(), part.slice(at + 1).trim()];
    }),
  );
  const name = parts.get("name");
  if (name === undefined) return { name: text.trim(), quantity: "" };
  const quantity = parts.get("quantity") ?? parts.get("qty") ?? "";
  const left = piecesLeft(quantity, parts.get("refunded_qty") ?? "");
  return { name: left === "0" && left !== quantity ? "" : name, quantity: left };
}

function readJsonItems(text: string): readonly ListedItem[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const items = parseJson(text);
    if (!Array.isArray(items) || !items.every(isJsonObject)) return undefined;
    return items.map((item) => ({ name: textOf(item.name), quantity: textOf(item.quantity) }));
  } catch {
    return undefined;
  }
}

function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return value !== undefined && isJsonNumber(value) ? value.value : "";
}
