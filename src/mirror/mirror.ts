/** The mirror: a local copy of an account's orders, with an index for substring search. */

import { statSync } from "node:fs";
import { CourierError } from "../core/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import type { WaitOptions } from "../sqlite/wait.ts";
import { createFigures, type FigureChunk } from "./figures.ts";
import { createTermMaker, hasWords, searchWords, toMatches } from "./grams.ts";
import { type MirrorOwner, mirrorPath } from "./mirror-path.ts";
import { applicationId, migrations } from "./mirror-schema.ts";
import {
  type AnswerKind,
  answerKinds,
  type MirroredOrder,
  merge,
  type OrderFacts,
  searchableTexts,
  textAt,
} from "./mirrored-order.ts";
import { createNumberFinder } from "./order-number.ts";
import { createStoredAnswers, toStoredRow } from "./stored-answers.ts";
import { createStoredTexts, type StoredRow } from "./stored-texts.ts";

/** What the service said about an order, or was sent. */
export interface Answer {
  /** Undefined for a tracking answer, which names its parcel only. */
  readonly id: string | undefined;
  readonly kind: AnswerKind;
  readonly value: JsonObject;
  readonly ref?: string | undefined;
}

export interface OrderSearch {
  /** Parts of the order's texts; all of them must occur. */
  readonly text: string;
  /** Orders whose state cannot be read are among them. */
  readonly statuses?: readonly string[] | undefined;
  readonly serviceType?: string | undefined;
  /** Called with the order's creation time as the service wrote it. */
  readonly isInTime?: ((createdAt: string | undefined) => boolean) | undefined;
  /** Leaves out orders that the service no longer shows. */
  readonly isShownOnly?: boolean | undefined;
  /** Orders that are wanted at first: so many are read at once. */
  readonly page?: number | undefined;
  /** Called between two readings of the file; rejects to stop. */
  readonly between?: (() => Promise<void>) | undefined;
}

/** Answers of one time; `pass`: the sync that read them. */
export interface Batch {
  readonly answers: readonly Answer[];
  readonly seenAtMs: number;
  readonly pass?: number | undefined;
}

export interface MirrorFacts {
  readonly path: string;
  readonly orders: number;
  /** Orders that the service no longer shows. */
  readonly notShown: number;
  /** Among those that the service shows, and were neither sent nor read. */
  readonly withoutPhone: number;
  /** When the last complete sync began; undefined before the first. */
  readonly syncedAtMs: number | undefined;
  /** The same by the service's clock, as a date (4.3). */
  readonly syncedThrough: string | undefined;
}

/** Facts by tracking number: what `track --changes` has reported, apart from other lookups of the parcel. */
export const reportedPrefix = "reported ";
/** Facts by order id: the service had shown the order before the mirror was made anew. */
const shownPrefix = "shown ";

/** Within one transaction. */
export interface Facts {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  delete(name: string): void;
}

export interface Mirror {
  readonly path: string;
  /** Records answers in one transaction. A tracking answer of an unknown order is left out. */
  record(answers: readonly Answer[], seenAtMs: number, pass?: number): Promise<void>;
  /**
   * The same of answers of several times, at once: a transaction for each would take many times the room. `nowMs`: it is
   * later than they came, and newer ones may be recorded.
   */
  recordAll(batches: readonly Batch[], nowMs?: number): Promise<void>;
  /** Deletes what was sent for these orders, and their refs: it was sent for others. */
  forgetSent(ids: readonly string[]): Promise<void>;
  /**
   * Makes the index of a mirror that an earlier version made; `onProgress` is called with the number of orders read. Until
   * then a search finds only some of them.
   */
  refreshIndex(onProgress: (orders: number) => void): Promise<void>;
  /** Orders that match, newest first. */
  search(search: OrderSearch): AsyncGenerator<MirroredOrder, void>;
  /** The order with this id. */
  order(id: string): Promise<MirroredOrder | undefined>;
  /**
   * Marks an order that the service no longer shows, until a list or a read of it shows it again. One that was made a
   * short while ago, and was in no list yet, may be shown later; so may one that the list of this `pass` has shown.
   */
  noteNotShown(id: string, atMs: number, pass?: number): Promise<void>;
  /** Numbers of the orders that the service no longer shows. */
  notShown(): Promise<ReadonlySet<number>>;
  /** Number of orders that the service shows, by state; undefined: the state is not known. */
  countByState(): Promise<ReadonlyMap<string | undefined, number>>;
  /** Ids of orders in a state that the service shows and that were not seen in a pass, newest first. */
  notInPass(pass: number, statuses: readonly (string | undefined)[]): Promise<readonly string[]>;
  /** A number for a new complete reading of the list. */
  beginPass(): Promise<number>;
  /** Ids of the orders that were seen in any pass. */
  idsInPasses(): Promise<readonly string[]>;
  noteSync(facts: { readonly atMs: number; readonly through: string | undefined }): Promise<void>;
  /** The date of the oldest order in one of these states that the service shows, as it wrote it; `isNoTime` is no date. */
  oldest(statuses: readonly (string | undefined)[]): Promise<string | undefined>;
  /** Number of orders created at or after a time, as the service wrote it; `statuses`: in one of these. */
  countSince(createdAt: string, statuses?: readonly string[]): Promise<number>;
  /** The newest orders that the service shows and whose phones are not known. */
  withoutPhone(limit: number): Promise<readonly string[]>;
  /** A fact that another part of the program keeps here. */
  fact(name: string): Promise<string | undefined>;
  setFact(name: string, value: string): Promise<void>;
  /** The facts whose names begin so, by the rest of the name. */
  factsOf(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Facts for the mirror that replaces this one: what was reported, and which new orders of the ledger were shown. */
  factsToKeep(nowMs: number): Promise<ReadonlyMap<string, string>>;
  /** Reads and writes facts in one transaction. */
  updateFacts<T>(work: (facts: Facts) => T): Promise<T>;
  facts(): Promise<MirrorFacts>;
  /** For `courier doctor`. `integrity`: `ok`, or the result of SQLite's check; undefined for a large file. */
  inspect(): Promise<{ readonly sizeBytes: number; readonly integrity: string | undefined }>;
  /**
   * Gives the figures of all orders to what `begin` returns; `texts` are by their numbers. Of a mirror that an earlier
   * version made, the answers are read first, and `onProgress` is called with the number of orders read.
   */
  readFigures(
    begin: (texts: readonly string[]) => (chunk: FigureChunk) => void,
    onProgress?: (orders: number) => void,
  ): Promise<void>;
  /** The orders with these numbers. */
  ordersAt(numbers: readonly number[]): Promise<readonly MirroredOrder[]>;
  close(): void;
}

/** Candidates checked at once: enough for a first page, then more. A key waits no longer than for `mostWithKeys`. */
const batches = { first: 24, most: 1_024, mostWithKeys: 128 };
/** Newest orders that tell which terms are common, and the share of them that have a common one. */
const sample = { orders: 64, share: 3 / 4 };
/** A service shows an order at most so long after it was made. */
const latestShownMs = 15 * 60_000;
/** Bytes that are checked in about a second. */
const mostChecked = 100_000_000;
/** Orders whose figures or terms are made in one transaction: soon something to show, then fewer transactions. */
const ordersAtOnce = { first: 500, most: 8_000 };
/** Of them, orders whose answers are in memory. */
const ordersInMemory = 250;

export interface MirrorTools extends WaitOptions {
  /** Words a command for the mirror's account. */
  readonly nextCommand: (words: string) => string;
}

export function remakeMirror(nextCommand: MirrorTools["nextCommand"]): string {
  return `it is only a copy: make it again with ${nextCommand("sync --rebuild")}`;
}

/** Opens the mirror, or creates it. Throws `database`, exit 5. */
export async function openMirror(
  stateDirectory: string,
  owner: MirrorOwner,
  { nextCommand, ...wait }: MirrorTools,
): Promise<Mirror> {
  const database = await openDatabase({
    path: mirrorPath(stateDirectory, owner),
    title: "mirror",
    applicationId,
    migrations,
    durability: "normal",
    damagedHint: remakeMirror(nextCommand),
    onLost: (message) => new CourierError("database", 5, message, { hint: "run the same command again" }),
    wait,
  });
  return createMirror(database);
}

function createMirror(database: Database): Mirror {
  const sql = database.sql;
  const figures = createFigures(sql);
  const findFreeNumber = createNumberFinder(sql);
  const stored = createStoredAnswers(sql);
  const storedTexts = createStoredTexts(stored.shapeText);
  const termsOf = createTermMaker();

  function toOrder({ number: _number, ...order }: Candidate, rows: readonly StoredRow[]): MirroredOrder {
    return merge(order, rows.map(stored.toAnswer));
  }

  function findNumber({ id, kind, value }: Answer): number | undefined {
    if (id !== undefined) return toNumber(sql("SELECT number FROM orders WHERE id = ?").get(id)?.number);
    const trackingNumber = textAt(value, "tracking_number");
    if (kind !== "tracking" || trackingNumber === undefined) return undefined;
    const terms = toMatches(searchWords(trackingNumber), new Set());
    const matches = candidates(terms, {}, undefined, batches.most).filter(
      ({ number }) => textAt(read(number)?.fields, "tracking_number") === trackingNumber,
    );
    return matches.length === 1 ? matches[0]?.number : undefined;
  }

  function recordOne(answer: Answer, { seenAtMs, pass }: Batch, nowMs = seenAtMs): void {
    const found = findNumber(answer);
    if (found === undefined && answer.id === undefined) return;
    const number = found ?? insertOrder(answer.id ?? "", textAt(answer.value, "created_at"), seenAtMs);
    const before = found === undefined ? undefined : read(number);
    const lastMs = Math.max(before?.seenAtMs ?? 0, before?.notShownSinceMs ?? 0);
    const isNow = answer.kind !== "draft" && answer.kind !== "created";
    // If the clock was set back, what the service says now is still the newest.
    const isLate = isNow && lastMs > seenAtMs && lastMs <= nowMs;
    if (isLate && hasNewer(number, answer.kind, seenAtMs)) return;
    const atMs = isNow && !isLate ? Math.max(seenAtMs, lastMs + 1) : seenAtMs;
    if (answer.kind === "list" || answer.kind === "detail")
      sql("UPDATE orders SET not_shown_since = NULL WHERE number = ? AND not_shown_since <= ?").run(
        number,
        atMs,
      );
    const [shape, leaves] = stored.foldToRow(answer.value);
    sql(
      `INSERT INTO answers (order_number, kind, shape, leaves, seen_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET shape = excluded.shape, leaves = excluded.leaves, seen_at = excluded.seen_at`,
    ).run(number, answerKinds.indexOf(answer.kind), shape, leaves, atMs);
    if (answer.ref !== undefined) sql("UPDATE orders SET ref = ? WHERE number = ?").run(answer.ref, number);
    noteChange(number, before, pass);
  }

  function noteChange(number: number, before: MirroredOrder | undefined, pass?: number): void {
    const after = read(number);
    if (after === undefined) return;
    sql("UPDATE orders SET status = ?, created_at = ?, pass = coalesce(?, pass) WHERE number = ?").run(
      textAt(after.fields, "status") ?? null,
      textAt(after.fields, "created_at") ?? null,
      pass ?? null,
      number,
    );
    count(before, after);
    index(number, before && termsOf(searchableTexts(before)), termsOf(searchableTexts(after)));
    figures.put(number, after);
  }

  /** What was sent for another order than was believed. */
  function forgetOne(id: string): void {
    const number = toNumber(sql("SELECT number FROM orders WHERE id = ?").get(id)?.number);
    if (number === undefined) return;
    const before = read(number);
    sql("DELETE FROM answers WHERE order_number = ? AND kind = ?").run(number, answerKinds.indexOf("draft"));
    sql("UPDATE orders SET ref = NULL WHERE number = ?").run(number);
    noteChange(number, before);
  }

  /** What changes orders, in one transaction. */
  async function change(work: () => void): Promise<void> {
    await write(() => {
      beginChanges();
      figures.clear();
      work();
      figures.flush();
      endChanges();
    });
  }

  /** What was read within a transaction that is rolled back may never have been stored. */
  async function write<T>(work: () => T): Promise<T> {
    try {
      return await database.transaction(work);
    } catch (error) {
      stored.forget();
      figures.forget();
      throw error;
    }
  }

  async function recordAll(batches: readonly Batch[], nowMs?: number): Promise<void> {
    await change(() => {
      for (const batch of batches) for (const answer of batch.answers) recordOne(answer, batch, nowMs);
    });
  }

  /** What the transaction changes in the counts: to count all orders would read the whole file. */
  const changes = new Map<CountName, number>();
  function count(before: MirroredOrder | undefined, after: MirroredOrder): void {
    const was = before && countsOf(before);
    for (const [name, is] of Object.entries(countsOf(after)) as [CountName, boolean][])
      changes.set(name, (changes.get(name) ?? 0) + Number(is) - Number(was?.[name] ?? false));
  }

  function countFact(name: CountName): number {
    return toNumber(fact(name)) ?? 0;
  }

  function beginChanges(): void {
    changes.clear(); // of a transaction that was rolled back
  }

  function endChanges(): void {
    for (const [name, change] of changes) if (change !== 0) setFact(name, String(countFact(name) + change));
  }

  function insertOrder(id: string, createdAt: string | undefined, seenAtMs: number): number {
    const number = findFreeNumber(id, createdAt, seenAtMs);
    sql("INSERT INTO orders (number, id) VALUES (?, ?)").run(number, id);
    return number;
  }

  function index(number: number, before: string | undefined, after: string): void {
    if (before === after || number > (toNumber(fact("terms_after")) ?? Number.POSITIVE_INFINITY)) return;
    if (before !== undefined)
      sql("INSERT INTO grams (grams, rowid, terms) VALUES ('delete', ?, ?)").run(number, before);
    sql("INSERT INTO grams (rowid, terms) VALUES (?, ?)").run(number, after);
  }

  function read(number: number): MirroredOrder | undefined {
    const row = sql("SELECT number, id, ref, not_shown_since FROM orders WHERE number = ?").get(number);
    return row && toOrder(toCandidate(row), stored.readRows(number));
  }

  function hasNewer(number: number, kind: AnswerKind, seenAtMs: number): boolean {
    return stored.readRows(number).some((row) => answerKinds[row.kind] === kind && row.seenAtMs > seenAtMs);
  }

  function hasBeenShown(number: number, id: string): boolean {
    return (
      fact(shownPrefix + id) !== undefined ||
      stored.readRows(number).some(({ kind }) => kindsThatShow.includes(kind))
    );
  }

  /** Or its state cannot be read. The index gives the orders of one state in their order, those of two in none. */
  function isInState(statuses: readonly string[]): string {
    const isIn = `status IN (${statuses.map(() => "?").join(", ")})`;
    const stateless = sql("SELECT 1 FROM orders WHERE status IS NULL LIMIT 1").get();
    return stateless === undefined ? isIn : `(${isIn} OR status IS NULL)`;
  }

  /** The next orders that match the queries of the index, newest first. */
  function candidates(
    terms: readonly string[],
    { statuses, isShownOnly }: Pick<OrderSearch, "statuses" | "isShownOnly">,
    before: number | undefined,
    limit: number,
  ): Candidate[] {
    const conditions = [
      ...(terms.length > 0 ? ["grams MATCH ?"] : []),
      ...(before === undefined ? [] : [terms.length > 0 ? "grams.rowid < ?" : "o.number < ?"]),
      ...(statuses === undefined ? [] : [isInState(statuses)]),
      ...(isShownOnly ? [isShown] : []),
    ];
    const values: SqlValue[] = [
      ...(terms.length > 0 ? [terms.join(" AND ")] : []),
      ...(before === undefined ? [] : [before]),
      ...(statuses ?? []),
    ];
    const from = terms.length > 0 ? "grams JOIN orders o ON o.number = grams.rowid" : "orders o";
    const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
    const order = terms.length > 0 ? "grams.rowid" : "o.number";
    return sql(
      `SELECT o.number, id, ref, not_shown_since FROM ${from} ${where} ORDER BY ${order} DESC LIMIT ?`,
    )
      .all(...values, limit)
      .map(toCandidate);
  }

  /** Terms that almost all orders have: to intersect them takes long and leaves out few orders. */
  let common: ReadonlySet<string> | undefined;
  function findCommon(): ReadonlySet<string> {
    if (common !== undefined) return common;
    const newest = sql(
      "SELECT number, id, ref, not_shown_since FROM orders ORDER BY number DESC LIMIT ?",
    ).all(sample.orders);
    const counts = new Map<string, number>();
    for (const candidate of newest.map(toCandidate))
      for (const term of new Set(termsOf(textsOf(candidate, stored.readRows(candidate.number))).split(" ")))
        counts.set(term, (counts.get(term) ?? 0) + 1);
    const frequent = [...counts].filter(([, count]) => count >= sample.share * newest.length);
    common = new Set(frequent.map(([term]) => term));
    return common;
  }

  function textsOf(candidate: Candidate, rows: readonly StoredRow[]): readonly string[] {
    return storedTexts.read(candidate.id, candidate.ref, rows) ?? searchableTexts(toOrder(candidate, rows));
  }

  function fact(name: string): string | undefined {
    return toText(sql("SELECT value FROM facts WHERE name = ?").get(name)?.value);
  }

  function setFact(name: string, value: string): void {
    sql("INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value").run(name, value);
  }

  /**
   * What an earlier version did not make of orders, made in their order, some in each transaction; `name` is the fact that
   * says how far it is.
   */
  async function catchUp(
    name: "figures_after" | "terms_after",
    make: (orders: readonly Candidate[]) => void,
    onProgress: (orders: number) => void,
  ): Promise<void> {
    let isOver = (await database.read(() => fact(name))) === undefined;
    let limit = ordersAtOnce.first;
    for (let done = 0; !isOver; limit = Math.min(2 * limit, ordersAtOnce.most)) {
      done += await write(() => {
        const after = toNumber(fact(name)); // another process may do the same
        const orders =
          after === undefined
            ? []
            : sql(
                "SELECT number, id, ref, not_shown_since FROM orders WHERE number > ? ORDER BY number LIMIT ?",
              )
                .all(after, limit)
                .map(toCandidate);
        if (orders.length > 0) make(orders);
        const last = orders.at(-1)?.number;
        isOver = last === undefined;
        if (last === undefined) sql("DELETE FROM facts WHERE name = ?").run(name);
        else setFact(name, String(last));
        return orders.length;
      });
      onProgress(done);
    }
  }

  function makeFigures(orders: readonly Candidate[]): void {
    figures.clear();
    for (const { number } of orders) {
      const order = read(number);
      if (order) figures.put(number, order);
    }
    figures.flush();
  }

  function makeTerms(orders: readonly Candidate[]): void {
    const add = sql("INSERT INTO grams (rowid, terms) VALUES (?, ?)");
    for (let start = 0; start < orders.length; start += ordersInMemory) {
      const part = orders.slice(start, start + ordersInMemory);
      const rows = stored.readRowsBetween(part[0]?.number ?? 0, part.at(-1)?.number ?? 0);
      let at = 0;
      for (const order of part) {
        const answers: StoredRow[] = [];
        for (let row = rows[at]; row !== undefined && row.order_number === order.number; row = rows[++at])
          answers.push(toStoredRow(row));
        add.run(order.number, termsOf(textsOf(order, answers)));
      }
    }
  }

  return {
    path: database.path,

    record: (answers, seenAtMs, pass) => recordAll([{ answers, seenAtMs, pass }]),
    recordAll,

    forgetSent: (ids) =>
      change(() => {
        for (const id of ids) forgetOne(id);
      }),

    noteNotShown: (id, atMs, pass) =>
      database.transaction(() => {
        const order = sql("SELECT number, pass FROM orders WHERE id = ?").get(id);
        const number = toNumber(order?.number);
        if (pass !== undefined && order?.pass === pass) return;
        const before = number === undefined ? undefined : read(number);
        if (number === undefined || before === undefined || before.notShownSinceMs !== undefined) return;
        const ageMs = atMs - before.seenAtMs;
        if (ageMs >= 0 && ageMs < latestShownMs && !hasBeenShown(number, id)) return;
        beginChanges();
        sql("UPDATE orders SET not_shown_since = ? WHERE number = ?").run(atMs, number);
        count(before, { ...before, notShownSinceMs: atMs });
        endChanges();
      }),

    notShown: () =>
      database.read(
        () =>
          new Set(
            sql("SELECT number FROM orders WHERE not_shown_since IS NOT NULL")
              .all()
              .map(({ number }) => Number(number)),
          ),
      ),

    async *search(search) {
      const { text, serviceType, isInTime = () => true, page = batches.first, between } = search;
      const words = searchWords(text);
      const most = between ? batches.mostWithKeys : batches.most;
      let before: number | undefined;
      for (let limit = page; ; limit = Math.min(2 * limit, most)) {
        const last = before;
        const { found, checked, isLast } = await database.read(() => {
          const terms = words.length === 0 ? [] : toMatches(words, findCommon());
          const next = candidates(terms, search, last, limit);
          const rows = stored.readRowsOf(next.map(({ number }) => number));
          const found: MirroredOrder[] = [];
          let checked: number | undefined;
          for (const candidate of next) {
            if (found.length === page) break;
            checked = candidate.number;
            const answers = rows.get(candidate.number) ?? [];
            if (words.length > 0 && !hasWords(textsOf(candidate, answers), words)) continue;
            const order = toOrder(candidate, answers);
            const isOfType =
              serviceType === undefined || textAt(order.fields, "service_type") === serviceType;
            if (isOfType && isInTime(textAt(order.fields, "created_at"))) found.push(order);
          }
          return { found, checked, isLast: next.length < limit && checked === next.at(-1)?.number };
        });
        yield* found;
        if (isLast) return;
        before = checked;
        await between?.();
      }
    },

    refreshIndex: (onProgress) => catchUp("terms_after", makeTerms, onProgress),

    order: (id) =>
      database.read(() => {
        const number = toNumber(sql("SELECT number FROM orders WHERE id = ?").get(id)?.number);
        return number === undefined ? undefined : read(number);
      }),

    countByState: () =>
      database.read(
        () =>
          new Map(
            sql(`SELECT status, count(*) AS n FROM orders WHERE ${isShown} GROUP BY status`)
              .all()
              .map(({ status, n }) => [toText(status), Number(n)]),
          ),
      ),

    notInPass: (pass, statuses) =>
      database.read(() =>
        sql(
          `SELECT id FROM orders WHERE ${isOneOf} AND ${isShown} AND coalesce(pass, 0) < ? ORDER BY number DESC`,
        )
          .all(JSON.stringify(statuses.map((status) => status ?? "")), pass)
          .map(({ id }) => String(id)),
      ),

    oldest: (statuses) =>
      database.read(() =>
        toText(
          sql(`SELECT min(created_at) AS at FROM orders WHERE ${isOneOf} AND ${isShown} AND ${isTime}`).get(
            JSON.stringify(statuses.map((status) => status ?? "")),
          )?.at,
        ),
      ),

    countSince: (createdAt, statuses) =>
      database.read(() => {
        const isMeant = `${isShown} AND created_at >= ?${statuses === undefined ? "" : ` AND ${isOneOf}`}`;
        const values = statuses === undefined ? [] : [JSON.stringify(statuses)];
        return Number(sql(`SELECT count(*) AS n FROM orders WHERE ${isMeant}`).get(createdAt, ...values)?.n);
      }),

    withoutPhone: (limit) =>
      database.read(() =>
        sql(
          `SELECT id FROM orders o WHERE ${isShown} AND NOT EXISTS (SELECT 1 FROM answers WHERE order_number = o.number
             AND kind IN (${kindsWithPhones})) ORDER BY o.number DESC LIMIT ?`,
        )
          .all(limit)
          .map(({ id }) => String(id)),
      ),

    fact: (name) => database.read(() => fact(name)),
    setFact: (name, value) => database.transaction(() => setFact(name, value)),

    factsOf: (prefix) =>
      database.read(
        () =>
          new Map(
            sql("SELECT name, value FROM facts WHERE name >= ? AND substr(name, 1, ?) = ?")
              .all(prefix, prefix.length, prefix)
              .map(({ name, value }) => [String(name).slice(prefix.length), String(value)]),
          ),
      ),

    async factsToKeep(nowMs) {
      const kept = await database.read(() =>
        sql(
          `SELECT name, value FROM facts WHERE name GLOB '${reportedPrefix}*' OR name GLOB '${shownPrefix}*'`,
        ).all(),
      );
      const shown = database.read(() =>
        sql(
          `SELECT '${shownPrefix}' || id AS name, '' AS value FROM answers a JOIN orders ON number = order_number
             WHERE kind = ? AND seen_at > ? AND EXISTS (SELECT 1 FROM answers WHERE order_number = a.order_number
               AND kind IN (${kindsThatShow.join(", ")}))`,
        ).all(answerKinds.indexOf("created"), nowMs - latestShownMs),
      );
      // A mirror is made anew where orders are damaged, too: the facts may be whole.
      const all = [...kept, ...(await shown.catch(() => []))];
      return new Map(all.map(({ name, value }) => [String(name), String(value)]));
    },

    updateFacts: (work) =>
      database.transaction(() =>
        work({
          get: fact,
          set: setFact,
          delete: (name) => void sql("DELETE FROM facts WHERE name = ?").run(name),
        }),
      ),

    beginPass: () =>
      database.transaction(() => {
        const pass = Number(fact("pass") ?? 0) + 1;
        setFact("pass", String(pass));
        return pass;
      }),

    idsInPasses: () =>
      database.read(() =>
        sql("SELECT id FROM orders WHERE pass IS NOT NULL")
          .all()
          .map(({ id }) => String(id)),
      ),

    noteSync: ({ atMs, through }) =>
      database.transaction(() => {
        setFact("synced_at", String(atMs));
        if (through !== undefined) setFact("synced_through", through);
      }),

    facts: () =>
      database.read(() => ({
        path: database.path,
        orders: countFact("orders"),
        notShown: countFact("not_shown"),
        withoutPhone: countFact("orders") - countFact("with_phone") - countFact("not_shown_without_phone"),
        syncedAtMs: toNumber(fact("synced_at")),
        syncedThrough: fact("synced_through"),
      })),

    async inspect() {
      const sizeBytes = statSync(database.path).size;
      if (sizeBytes > mostChecked) return { sizeBytes, integrity: undefined };
      const [result] = await database.read(() => Object.values(sql("PRAGMA quick_check(1)").get() ?? {}));
      return { sizeBytes, integrity: String(result) };
    },

    async readFigures(begin, onProgress = () => {}) {
      await catchUp("figures_after", makeFigures, onProgress);
      await database.read(() => figures.read(begin(figures.texts())));
    },

    ordersAt: (numbers) => database.read(() => numbers.map(read).filter((order) => order !== undefined)),

    close: () => database.close(),
  };
}

/** An order that a search or the making of the index reads next. */
interface Candidate extends OrderFacts {
  readonly number: number;
}

function toCandidate(row: SqlRow): Candidate {
  return { number: Number(row.number), ...toFacts(row) };
}

/** Facts that are numbers of orders. */
function countsOf({ hasPhone, detail, draft, notShownSinceMs }: MirroredOrder) {
  const isNotShown = notShownSinceMs !== undefined;
  // An order that was sent or read without a phone has none: to look it up again would show no other.
  const isKnown = hasPhone || detail !== undefined || draft !== undefined;
  return {
    orders: true,
    with_phone: isKnown,
    not_shown: isNotShown,
    not_shown_without_phone: isNotShown && !isKnown,
  };
}
type CountName = keyof ReturnType<typeof countsOf>;

function toFacts({ id, ref, not_shown_since }: SqlRow): OrderFacts {
  return { id: String(id), ref: toText(ref), notShownSinceMs: toNumber(not_shown_since) };
}

const isShown = "not_shown_since IS NULL";
const isTime = "created_at NOT GLOB '[01][0-9][0-9][0-9]-*'";
const isOneOf = "coalesce(status, '') IN (SELECT value FROM json_each(?))";

/** A tracking answer names a parcel, which a service may know before it shows the order. */
const kindsThatShow = [answerKinds.indexOf("list"), answerKinds.indexOf("detail")];
/** Lists never have phones. */
const kindsWithPhones = [answerKinds.indexOf("draft"), answerKinds.indexOf("detail")].join(", ");

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  return typeof value === "string" && value !== "" ? Number(value) : undefined;
}
