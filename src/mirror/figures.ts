/** What reports count of each order, in columns: a report reads a million orders in less than a second. */

import { parseInstant } from "../core/time.ts";
import { plainDecimal } from "../model/decimal.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { toStoredText } from "../model/stored-text.ts";
import type { Statement } from "../sqlite/driver.ts";
import { type MirroredOrder, textAt } from "./mirrored-order.ts";

/**
 * Times are milliseconds since 1970, NaN where not known. The others are numbers of texts, 0 where not known.
 * `tracking`: the parcel's state as tracking showed it, an empty text where that answer had none. `moved`: its newest
 * movement. Fees are plain decimals.
 */
const timeNames = ["created", "moved"] as const;
const textNames = [
  "state",
  "tracking",
  "payment",
  "service",
  "fromCity",
  "toCity",
  "sender",
  "charged",
  "estimated",
] as const;
const names = ["offset", ...timeNames, ...textNames] as const;
type Name = (typeof names)[number];
export type FigureName = Exclude<Name, "offset">;

/** The figures of up to `chunkSize` orders: the n-th of each column is the n-th order's. */
export interface FigureChunk {
  readonly count: number;
  /** The number of the order that has the offset 0. */
  readonly base: number;
  readonly column: (name: Name) => Float64Array;
}

/** Orders of a chunk have numbers that differ in the last bits only: they were created within about an hour. */
const chunkSize = 4_096;
const chunksAtOnce = 256;
/** Texts whose numbers are kept in memory. */
const mostCached = 100_000;

type Row = Float64Array;
type Sql = (text: string) => Statement;

/** Writes and reads figures. Calls are within a transaction. */
export function createFigures(sql: Sql) {
  const numbers = new Map<string, number>();
  /** By chunk, then by offset: written together. */
  const waiting = new Map<number, Map<number, Row>>();

  function textNumber(text: string | undefined): number {
    if (text === undefined) return 0;
    const cached = numbers.get(text);
    if (cached !== undefined) return cached;
    const stored = toStoredText(text);
    const found = sql("SELECT number FROM texts WHERE text = ?").get(stored)?.number;
    if (found === undefined)
      return Number(sql("INSERT INTO texts (text) VALUES (?) RETURNING number").get(stored)?.number);
    // A new text is not kept: a transaction that is rolled back takes it with it.
    if (numbers.size < mostCached) numbers.set(text, Number(found));
    return Number(found);
  }

  function readChunk(chunk: number): Map<number, Row> {
    const packed = sql("SELECT packed FROM figures WHERE chunk = ?").get(chunk)?.packed;
    if (!(packed instanceof Uint8Array)) return new Map();
    const { count, column } = unpack(chunk, packed);
    const columns = names.map(column);
    const rows = Array.from({ length: count }, (_, at) =>
      Float64Array.from(columns, (each) => each[at] ?? 0),
    );
    return new Map(rows.map((row) => [row[0] ?? 0, row]));
  }

  return {
    /** `flush` writes it. */
    put(number: number, order: MirroredOrder): void {
      const { times, texts } = figuresOf(order);
      const chunk = Math.floor(number / chunkSize);
      const row = Float64Array.of(number % chunkSize, ...times, ...texts.map(textNumber));
      const rows = waiting.get(chunk) ?? new Map<number, Row>();
      waiting.set(chunk, rows.set(row[0] ?? 0, row));
    },

    flush(): void {
      for (const [chunk, changed] of waiting) {
        const rows = readChunk(chunk);
        for (const [offset, row] of changed) rows.set(offset, row);
        sql("INSERT INTO figures VALUES (?, ?) ON CONFLICT DO UPDATE SET packed = excluded.packed").run(
          chunk,
          pack([...rows.values()].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))),
        );
      }
      waiting.clear();
    },

    /** What was not written. */
    clear: () => waiting.clear(),

    /** After a transaction that was rolled back: texts that were found in it may not be stored. */
    forget: () => numbers.clear(),

    read(visit: (chunk: FigureChunk) => void): void {
      for (let after = -1; ; ) {
        const rows = sql("SELECT chunk, packed FROM figures WHERE chunk > ? ORDER BY chunk LIMIT ?").all(
          after,
          chunksAtOnce,
        );
        for (const { chunk, packed } of rows)
          if (packed instanceof Uint8Array) visit(unpack(Number(chunk), packed));
        if (rows.length < chunksAtOnce) return;
        after = Number(rows.at(-1)?.chunk);
      }
    },

    /** All texts by their numbers. */
    texts(): readonly string[] {
      const texts: string[] = [];
      for (const { number, text } of sql("SELECT number, text FROM texts").all())
        texts[Number(number)] = String(text);
      return texts;
    },
  };
}

function figuresOf({ fields }: MirroredOrder) {
  const { sender, receiver, tracking } = fields;
  const createdAt = textAt(fields, "created_at");
  const fee = (name: string) => plainDecimal(textAt(fields, name) ?? "");
  return {
    times: [instantOf(createdAt), newestMovement(tracking)],
    texts: [
      textAt(fields, "status"),
      isJsonObject(tracking) ? (textAt(tracking, "status") ?? "") : undefined,
      textAt(fields, "payment_status"),
      textAt(fields, "service_type"),
      textAt(sender, "city"),
      textAt(receiver, "city"),
      textAt(sender, "name"),
      fee("actual_fee"),
      fee("estimated_fee"),
    ],
  };
}

function instantOf(text: string | undefined): number {
  return (text === undefined ? undefined : parseInstant(text)) ?? Number.NaN;
}

/** 2.5: the most recent record comes first; an answer that breaks this is read by its times. */
function newestMovement(tracking: Json | undefined): number {
  const records = isJsonObject(tracking) && Array.isArray(tracking.records) ? tracking.records : [];
  const times = records
    .map((record: Json) => instantOf(textAt(record as JsonObject, "occurred_at")))
    .filter((time: number) => !Number.isNaN(time));
  return times.reduce((newest: number, time: number) => (newest >= time ? newest : time), Number.NaN);
}

/** Bytes for each value of a column: 0 where all are 0 or not known. */
const widths = [0, 1, 2, 4, 8] as const;
const nowhere = new Float64Array(chunkSize);
const never = new Float64Array(chunkSize).fill(Number.NaN);

/** A count of rows, then for each column the bytes of a value, and the values. */
function pack(rows: readonly Row[]): Uint8Array {
  const columns = names.map((name, column) => {
    const values = rows.map((row) => row[column] ?? 0);
    return { values, width: widthOf(name, values) };
  });
  const bytes = columns.reduce((sum, { width }) => sum + 1 + width * rows.length, 2);
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint16(0, rows.length, true);
  let at = 2;
  for (const { values, width } of columns) {
    view.setUint8(at, width);
    at += 1;
    for (const value of values) {
      if (width === 1) view.setUint8(at, value);
      else if (width === 2) view.setUint16(at, value, true);
      else if (width === 4) view.setUint32(at, value, true);
      else if (width === 8) view.setFloat64(at, value, true);
      at += width;
    }
  }
  return new Uint8Array(view.buffer);
}

function isTime(name: Name): boolean {
  return (timeNames as readonly string[]).includes(name);
}

function widthOf(name: Name, values: readonly number[]): (typeof widths)[number] {
  if (isTime(name)) return values.some((value) => !Number.isNaN(value)) ? 8 : 0;
  const most = values.reduce((largest, value) => Math.max(largest, value), 0);
  return most === 0 ? 0 : most < 2 ** 8 ? 1 : most < 2 ** 16 ? 2 : 4;
}

/** A column is read when it is asked for: a report needs some of them. */
function unpack(chunk: number, packed: Uint8Array): FigureChunk {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = view.getUint16(0, true);
  const places: number[] = [];
  for (let at = 2; at < packed.length; at += 1 + (packed[at] ?? 0) * count) places.push(at);
  const columns: Float64Array[] = [];
  return {
    count,
    base: chunk * chunkSize,
    column(name) {
      const column = names.indexOf(name);
      const values = columns[column] ?? readColumn(name, view, places[column] ?? 0, count);
      columns[column] = values;
      return values;
    },
  };
}

function readColumn(name: Name, view: DataView, place: number, count: number): Float64Array {
  const width = view.getUint8(place);
  if (width === 0) return isTime(name) ? never : nowhere;
  const at = place + 1;
  const values = new Float64Array(count);
  if (width === 1) for (let row = 0; row < count; row++) values[row] = view.getUint8(at + row);
  else if (width === 2)
    for (let row = 0; row < count; row++) values[row] = view.getUint16(at + 2 * row, true);
  else if (width === 4)
    for (let row = 0; row < count; row++) values[row] = view.getUint32(at + 4 * row, true);
  else for (let row = 0; row < count; row++) values[row] = view.getFloat64(at + 8 * row, true);
  return values;
}
