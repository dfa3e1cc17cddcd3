/** The answers of orders as the mirror stores them: a shape that many answers share, and the leaves of each. */

import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Database } from "../sqlite/database.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { fold, unfold } from "./folded.ts";
import { answerKinds, type StoredAnswer } from "./mirrored-order.ts";
import type { StoredRow } from "./stored-texts.ts";

/** Answers of more shapes than this are stored whole. */
const mostShapes = 1_000;

export function createStoredAnswers(sql: Database["sql"]) {
  const shapes = new Map<string, number>();
  const readShapes = new Map<string, Json>();
  /** By number; a transaction that is rolled back takes new ones with it. */
  const shapeTexts = new Map<number, string>();

  function shapeNumber(shape: string): number {
    const cached = shapes.get(shape);
    if (cached !== undefined) return cached;
    const found = sql("SELECT number FROM shapes WHERE shape = ?").get(shape);
    if (found === undefined) sql("INSERT INTO shapes (shape) VALUES (?)").run(shape);
    const number = Number((found ?? sql("SELECT number FROM shapes WHERE shape = ?").get(shape))?.number);
    // A transaction that is rolled back takes a new shape with it.
    if (found !== undefined) shapes.set(shape, number);
    return number;
  }

  function foldToRow(value: JsonObject): readonly [shape: number, leaves: string] {
    const { shape, leaves } = fold(value);
    const isCommon =
      shape.length <= 4_000 && Number(sql("SELECT count(*) AS n FROM shapes").get()?.n) < mostShapes;
    if (isCommon || shapes.has(shape)) return [shapeNumber(shape), leaves];
    const whole = fold([value] as Json);
    return [shapeNumber(whole.shape), whole.leaves];
  }

  function shapeText(number: number): string {
    const known = shapeTexts.get(number);
    if (known !== undefined) return known;
    const text = String(sql("SELECT shape FROM shapes WHERE number = ?").get(number)?.shape);
    shapeTexts.set(number, text);
    return text;
  }

  function readRows(number: number): readonly StoredRow[] {
    return sql("SELECT order_number, kind, shape, leaves, seen_at FROM answers WHERE order_number = ?")
      .all(number)
      .map(toStoredRow);
  }

  /** The answers of some orders, by their numbers. */
  function readRowsOf(numbers: readonly number[]): ReadonlyMap<number, readonly StoredRow[]> {
    const found = new Map<number, StoredRow[]>(numbers.map((number) => [number, []]));
    const rows = sql(
      `SELECT order_number, kind, shape, leaves, seen_at FROM answers
         WHERE order_number IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify([...found.keys()]));
    for (const row of rows) found.get(Number(row.order_number))?.push(toStoredRow(row));
    return found;
  }

  /** The answers of the orders from a number to another, in the order of their numbers. */
  function readRowsBetween(first: number, last: number): readonly SqlRow[] {
    return sql(
      `SELECT order_number, kind, shape, leaves, seen_at FROM answers WHERE order_number BETWEEN ? AND ?
         ORDER BY order_number`,
    ).all(first, last);
  }

  return {
    foldToRow,
    shapeText,
    readRows,
    readRowsOf,
    readRowsBetween,
    toAnswer: (row: StoredRow): StoredAnswer => toAnswer(row, shapeText(row.shape), readShapes),
    /** After a transaction that was rolled back. */
    forget() {
      shapes.clear();
      shapeTexts.clear();
    },
  };
}

export function toStoredRow({ kind, shape, leaves, seen_at }: SqlRow): StoredRow {
  return { kind: Number(kind), shape: Number(shape), leaves: String(leaves), seenAtMs: Number(seen_at) };
}

function toAnswer(row: StoredRow, shape: string, shapes: Map<string, Json>): StoredAnswer {
  const whole = unfold({ shape, leaves: row.leaves }, shapes);
  const value = Array.isArray(whole) ? whole[0] : whole;
  const kind = answerKinds[row.kind] ?? "list";
  return { kind, value: isJsonObject(value) ? value : {}, seenAtMs: row.seenAtMs };
}
