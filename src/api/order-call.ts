/** Whether a call makes or cancels an order (specification, 4.2 and 4.5), however its path is written. */

import type { Method } from "./transport.ts";

export type OrderCall =
  | { readonly kind: "create" }
  /** `orderId` is the path's last part, decoded. */
  | { readonly kind: "cancel"; readonly orderId: string };

/**
 * What a call does to an order; undefined for any other call. Servers decode and normalise a path in different ways, and
 * other versions create orders too: the path before `orders` does not count, nor does its spelling.
 */
export function orderCallOf(method: Method, { pathname }: URL): OrderCall | undefined {
  const parts = partsOf(pathname);
  const [last = "", before = ""] = [parts.at(-1), parts.at(-2)];
  if (method === "POST" && isOrders(last)) return { kind: "create" };
  if (method === "DELETE" && isOrders(before)) return { kind: "cancel", orderId: last };
  return undefined;
}

/** The parts of a path without empty ones, parameters (`;v=1`), blanks around them, and steps up. */
function partsOf(pathname: string): readonly string[] {
  const [path = ""] = decode(pathname).split(/[?#]/);
  const parts: string[] = [];
  for (const raw of path.split(/[/\\]/)) {
    const part = raw.replace(/;.*$/s, "").replace(/\p{C}/gu, "").trim();
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

/** `orders`, `ORDERS`, `orders.json`. */
function isOrders(part: string): boolean {
  const word = part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
  return /^orders(\.[a-z]+)?$/i.test(word);
}

/** A proxy may decode a path before the server does, so it is decoded more than once. */
const mostDecodings = 4;

function decode(pathname: string): string {
  let text = pathname;
  for (let times = 0; times < mostDecodings && text.includes("%"); times++) text = decodeOnce(text);
  return text.normalize("NFKC");
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([\da-f]{2})/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}
