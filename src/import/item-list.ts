/** The goods of an order in one cell, as plug-ins of WooCommerce write them. */

import { isJsonNumber, isJsonObject, type Json, parseJson } from "../model/json.ts";

export interface ListedItem {
  readonly name: string;
  readonly quantity: string;
}

interface Item extends ListedItem {
  /** Pieces of it were refunded, and none is left. */
  readonly isRefunded: boolean;
}

/** `name:Tea|quantity:2;name:Cup|quantity:1`, or a JSON array of objects; any other text is one name. */
export function readItemList(text: string): readonly ListedItem[] {
  return readAll(text).filter(({ name, isRefunded }) => name !== "" && !isRefunded);
}

/** True where there were goods, and no piece of them is left to send. */
export function isListRefunded(text: string): boolean {
  const all = readAll(text).filter(({ name }) => name !== "");
  return all.length > 0 && all.every(({ isRefunded }) => isRefunded);
}

/** True for goods that the list names in another way, or not at all. */
export function hasNamelessGoods(text: string): boolean {
  return readJsonItems(text)?.some(({ name }) => name === "") ?? false;
}

function readAll(text: string): readonly Item[] {
  return readJsonItems(text) ?? text.split(";").map(readParts);
}

/** The pieces of a line that are left to send. Some plug-ins count those that were refunded below zero. */
export function piecesLeft(quantity: string, refunded: string): string {
  const [all, gone] = [Number(quantity), Math.abs(Number(refunded))];
  return quantity !== "" && gone > 0 && all >= 0 ? String(Math.max(0, all - gone)) : quantity;
}

function readParts(text: string): Item {
  const parts = new Map(
    text.split("|").map((part) => {
      const at = part.indexOf(":");
      return [part.slice(0, Math.max(0, at)).trim().toLowerCase(), part.slice(at + 1).trim()];
    }),
  );
  return parts.has("name")
    ? toItem((key) => parts.get(key))
    : toItem((key) => (key === "name" ? text.trim() : undefined));
}

function toItem(field: (key: string) => string | undefined): Item {
  const quantity = field("quantity") ?? field("qty") ?? "";
  const left = piecesLeft(quantity, field("refunded_qty") ?? "");
  return { name: field("name") ?? "", quantity: left, isRefunded: left === "0" && left !== quantity };
}

function readJsonItems(text: string): readonly Item[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const items = parseJson(text);
    if (!Array.isArray(items) || !items.every(isJsonObject)) return undefined;
    return items.map((item) => toItem((key) => textOf(item[key])));
  } catch {
    return undefined;
  }
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value.trim();
  return value !== undefined && isJsonNumber(value) ? value.value : undefined;
}
