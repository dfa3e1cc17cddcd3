/** Orders of a mirror for the Tab key: read at once, without the rest of the mirror and without a wait for a lock. */

import { existsSync } from "node:fs";
import type { KnownOrder } from "../model/known-order.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import { loadDriver } from "../sqlite/driver.ts";
import { normalise, shortGramsOf, splitWords, toTerm } from "./grams.ts";
import { type MirrorOwner, mirrorPath } from "./mirror-path.ts";
import { answerKinds } from "./mirrored-order.ts";

/** Rows that have a word's grams and may lack the word itself are read beyond what is wanted. */
const readAhead = 4;

/**
 * The newest orders whose id or tracking number begins with a word, which may be empty; none without a mirror. Throws the driver's errors.
 */
export async function readNewestOrders(
  stateDirectory: string,
  owner: MirrorOwner,
  word: string,
  limit: number,
): Promise<readonly KnownOrder[]> {
  const file = mirrorPath(stateDirectory, owner);
  if (!existsSync(file)) return [];
  const connection = (await loadDriver()).open(file);
  try {
    connection.exec("PRAGMA query_only = 1");
    const { from, values } = select(word);
    const rows = connection
      .prepare(`SELECT o.number, o.id FROM ${from} DESC LIMIT ?`)
      .all(...values, limit * readAhead);
    const answers = connection.prepare(
      "SELECT kind, s.shape, leaves, seen_at FROM answers a JOIN shapes s ON s.number = a.shape WHERE order_number = ?",
    );
    const found: KnownOrder[] = [];
    for (const row of rows) {
      const order = toKnownOrder(row, answers.all(row.number ?? null));
      const { id = "", trackingNumber = "" } = order;
      if (id.startsWith(word) || trackingNumber.startsWith(word)) found.push(order);
      if (found.length === limit) break;
    }
    return found;
  } finally {
    connection.close();
  }
}

function select(word: string): { readonly from: string; readonly values: readonly SqlValue[] } {
  const terms = splitWords(normalise(word)).flatMap(shortGramsOf);
  if (terms.length === 0) return { from: "orders o ORDER BY o.number", values: [] };
  const match = terms.map((gram) => `"${toTerm(gram)}"`).join(" AND ");
  const from = "grams JOIN orders o ON o.number = grams.rowid WHERE grams MATCH ? ORDER BY grams.rowid";
  return { from, values: [match] };
}

type Plain = { readonly [key: string]: unknown };

/** As `merge` does, of the texts alone: the parser of exact numbers would be a tenth of all that the Tab key loads. */
function toKnownOrder({ id }: SqlRow, rows: readonly SqlRow[]): KnownOrder {
  const found = { id: String(id), trackingNumber: "", status: "", item: "", receiver: "" };
  const rank = ({ kind, seen_at }: SqlRow) => (answerKinds[Number(kind)] === "draft" ? 0 : Number(seen_at));
  for (const row of [...rows].sort((one, other) => rank(one) - rank(other))) {
    if (answerKinds[Number(row.kind)] === "tracking") continue;
    const { tracking_number, status, item, item_name, receiver } = unfoldTexts(row);
    found.trackingNumber = textOf(tracking_number) || found.trackingNumber;
    found.status = textOf(status) || found.status;
    found.item = textOf((item as Plain)?.name ?? item_name) || found.item;
    found.receiver = textOf((receiver as Plain)?.name) || found.receiver;
  }
  return found;
}

function unfoldTexts({ shape, leaves }: SqlRow): Plain {
  const values = (JSON.parse(String(leaves)) as readonly unknown[]).values();
  const fill = (part: unknown): unknown =>
    typeof part === "object" && part !== null
      ? Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, fill(inner)]))
      : values.next().value;
  // Answers of rare shapes are stored whole, in an array.
  return ([fill(JSON.parse(String(shape)))].flat()[0] ?? {}) as Plain;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
