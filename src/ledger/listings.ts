/** Complete listings of the account, and what the ledger learns from them about the service. */

import type { SinceBoot } from "../core/process-identity.ts";
import { parseStamp } from "../core/time.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { nextEvent } from "./events.ts";
import { firstRunSince, type Listing, missingSpan, recordDelays, recordLacking } from "./list-lateness.ts";
import {
  numberOf,
  type Operation,
  type OperationName,
  readOperation,
  shownAsOther,
  spanSince,
  textOf,
  unread,
} from "./operation.ts";
import { ask, inList, type Store, type Work } from "./statements.ts";

export interface ListingFacts {
  /** Orders in the list that belong to creates of the ledger. */
  readonly owners: ReadonlyMap<string, OperationName>;
  /** For all other orders in the list: the event of the first listing with them. */
  readonly firstSeen: ReadonlyMap<string, number>;
  /** Of those that were taken from creates: the event of that. Other creates' orders may have been in their places. */
  readonly withdrawn: ReadonlyMap<string, number>;
  /** Recent own orders that it lacks: it may lack others, too. */
  readonly unlisted: readonly UnlistedOrder[];
}

/** `missing`: the first complete listing without it, where one had it before. */
export interface UnlistedOrder {
  readonly orderId: string;
  /** When it was sent, by our clock of that time. */
  readonly sentMs: number;
  /** How long ago that was, by the time since boot; undefined after another boot. */
  readonly sentForMs: number | undefined;
  /** Its time stamp, as the service wrote it. */
  readonly stamp: string | undefined;
  readonly missing: { readonly event: number; readonly sinceMs: number } | undefined;
}

/** The request of an own order: its event, and the time by our clock when it was sent. */
export interface OwnRequest {
  readonly sentEvent: number;
  readonly sentMs: number;
  readonly offsetMs: number | undefined;
}

/** What the ledger has learned about the service from own orders. */
export interface Learned {
  /** In how many own orders the service showed each field unchanged, and changed, by its bit. */
  readonly fields: readonly { readonly kept: number; readonly changed: number }[];
  /** After this time `enoughOrders` own orders were in a list; undefined while there are fewer. */
  readonly shownMs: number | undefined;
  /**
   * The longest time after which an own order was missing in a list. One that a list had at last may have been missing
   * until then, where that was soon.
   */
  readonly missingMs: number;
  /** By how much time stamps were ahead of the service's clock; undefined before the first. */
  readonly stampAhead: { readonly leastMs: number; readonly mostMs: number } | undefined;
  /** Answers have named own orders, and no list has shown one whose stamp the answer told, too: lists may have others. */
  readonly areStampsUnclear: boolean;
}

export interface Listings {
  /** Records a complete listing. */
  recordListing(listing: Listing): Promise<ListingFacts>;
  /** Records orders that an answer of any kind showed. */
  recordSeen(customer: number, ids: readonly string[], nowMs: number): Promise<void>;
  /**
   * The earliest start date of the complete listings before an event and between two times: "" for all orders, undefined
   * where there was no such listing.
   */
  listedFrom(
    customer: number,
    where: { readonly beforeEvent: number; readonly sinceMs: number; readonly untilMs: number },
  ): Promise<string | undefined>;
  /** When the newest listing of an account ended. */
  lastListing(customer: number): Promise<number | undefined>;
  /** Until when an import has compared its rows with the orders of the account; before it did, `lastListing`. */
  lastComparison(customer: number): Promise<number | undefined>;
  recordComparison(customer: number, untilMs: number): Promise<void>;
  /** The time stamp of the newest own order, or of the newest one that was sent before an event, as the service wrote it. */
  newestStamp(customer: number, beforeEvent?: number): Promise<string | undefined>;
  /** Of these contents, those of creates that were in doubt until a list proved that no order was made. */
  findAbsent(customer: number, contents: readonly string[]): Promise<ReadonlySet<string>>;
  /** What is known about the service. `fields` is the number of bits of the fields. */
  learned(customer: number, fields: number): Promise<Learned>;
  /** Of the orders that answers named, the newest of these that the bit does not mark, also where what was sent is not known. */
  findUnmarked(
    customer: number,
    ids: readonly string[],
    bit: number,
    limit: number,
  ): Promise<readonly Operation[]>;
  /** The newest own orders among these that were not compared yet, according to the bit. */
  findUncompared(
    customer: number,
    ids: readonly string[],
    bit: number,
    limit: number,
  ): Promise<readonly Operation[]>;
  /** The own creates whose answers named these orders that were sent last, the newest first. */
  newestAnswered(customer: number, ids: readonly string[], limit: number): Promise<readonly Operation[]>;
  /** Own creates with these orders, and with what was sent. */
  findWithDraft(customer: number, ids: readonly string[]): Promise<readonly Operation[]>;
  /** Records which fields of an own order the service shows unchanged, and which changed. */
  recordFields(name: OperationName, kept: number, changed: number): Promise<void>;
  /** Records whether the service shows another order than was sent: its numbers are not those of the create. */
  markShown(name: OperationName, isOther: boolean, options?: { readonly wasUnread: boolean }): Promise<void>;
  /**
   * Records when the first complete listing without a candidate for a create in doubt began, and how long after the
   * request this one did.
   */
  recordFirstListing(name: OperationName, beganMs: number, missingMs: number): Promise<void>;
  /** Records that a list of which no more was needed lacks these own orders. */
  recordMissing(listing: Pick<Listing, "customer" | "ids" | "endedMs" | "offsetMs">): Promise<void>;
  /**
   * Records the current offset, the service's clock minus ours. It applies to operations of the run that were sent
   * without one, by the clock as it is now, and is assumed for later ones without one.
   */
  recordOffset(
    customer: number,
    run: number | undefined,
    offsetMs: number,
    /** False where our clock was set since it had this time. */
    isUnset: (sentAtMs: number) => boolean,
  ): Promise<void>;
}

/** The least number of own orders to learn from. */
export const enoughOrders = 20;
/** Services change, so older orders are ignored. */
const mostLearnedFrom = 2_000;
const hourMs = 3_600_000;
/** An older order may leave the list for good reasons. */
const recentMs = 72 * hourMs;
const mostUnlisted = 20;
/** Answers and lists may round one stamp otherwise. */
const sameStampMs = 60_000;
const mostBeside = 100;
/** Older listings are deleted, but for the newest so many: the clock may be ahead. */
const keptMs = 60 * 24 * hourMs;
const leastKept = 1_000;

export function createListings({ write, read }: Store, sinceBoot: () => SinceBoot | undefined): Listings {
  /** Records which own orders a list has no more, and which it has again. */
  function* recordUnlisted(
    { customer, beganMs, dateFrom, ids }: Listing,
    event: number,
  ): Work<ListingFacts["unlisted"]> {
    const list = JSON.stringify(ids);
    yield ask(
      `UPDATE operations SET unlisted_event = NULL WHERE customer = ? AND unlisted_event IS NOT NULL
         AND order_id IN (SELECT value FROM json_each(?))`,
      customer,
      list,
    );
    const [oldest] = yield ask(
      `SELECT min(sent_at) AS ms, min(run) AS run, min(sent_event) AS event FROM operations
       WHERE customer = ? AND state IN ('sending', 'unknown') AND kind = 'create'`,
      customer,
    );
    const sinceMs = Math.min(numberOf(oldest?.ms) ?? beganMs, beganMs) - recentMs;
    const besideRun = yield* firstRunBeside(customer, numberOf(oldest?.run));
    const [since] = yield ask(`SELECT ${firstRunSince} AS run`, sinceMs, sinceMs);
    const firstRun = Math.min(besideRun, numberOf(since?.run) ?? 0);
    // The day was chosen so that the list has the orders of all creates in doubt: it has those that were sent after one.
    const openEvent = numberOf(oldest?.event) ?? Number.MAX_SAFE_INTEGER;
    // A stamp that names no day says nothing: then the time counts at which it was sent, by the service's clock.
    const dayAfterMs = dateFrom === undefined ? 0 : Date.parse(dateFrom) + 24 * hourMs;
    const [isCovered, from] =
      dateFrom === undefined
        ? ["", []]
        : [
            `AND (sent_event > ? OR CASE WHEN substr(order_created_at, 5, 1) = '-'
               THEN substr(order_created_at, 1, 10) > ? ELSE sent_at + coalesce(offset_ms, 0) >= ? END)`,
            [openEvent, dateFrom, dayAfterMs],
          ];
    yield ask(
      `UPDATE operations SET unlisted_event = ? WHERE customer = ? AND kind = 'create' AND unlisted_event IS NULL
         AND (state = 'found' OR (state = 'created' AND first_shown_ms IS NOT NULL))
         AND coalesce(order_state, '') <> 'cancelled' AND (sent_at >= ? OR run >= ?) ${isCovered}
         AND run >= ?
         AND order_id NOT IN (SELECT value FROM json_each(?))`,
      event,
      customer,
      sinceMs,
      besideRun,
      ...from,
      firstRun,
      list,
    );
    const columns = "order_id, sent_at, order_created_at, sent_boot, sent_since_boot_ms";
    const lost = yield ask(
      `SELECT ${columns}, unlisted_event, (SELECT ended_at FROM listings
           WHERE listings.customer = operations.customer AND event = unlisted_event) AS unlisted_at
       FROM operations WHERE customer = ? AND unlisted_event IS NOT NULL
         AND state IN ('created', 'found') AND coalesce(order_state, '') <> 'cancelled'
         AND (sent_at >= ? OR run >= ?) ${isCovered}
       ORDER BY run DESC, number DESC LIMIT ${mostUnlisted}`,
      customer,
      sinceMs,
      besideRun,
      ...from,
    );
    const neverListed = yield ask(
      `SELECT ${columns} FROM operations WHERE customer = ? AND kind = 'create' AND state = 'created'
         AND first_shown_ms IS NULL AND coalesce(order_state, '') <> 'cancelled' AND (sent_at >= ? OR run >= ?) ${isCovered}
         AND run >= ?
         AND order_id NOT IN (SELECT value FROM json_each(?))
       ORDER BY run, number LIMIT ${mostUnlisted}`,
      customer,
      sinceMs,
      besideRun,
      ...from,
      firstRun,
      list,
    );
    const now = sinceBoot();
    const facts = (row: SqlRow) => ({
      orderId: String(row.order_id),
      sentMs: Number(row.sent_at),
      sentForMs: now && spanSince(row, now),
      stamp: textOf(row.order_created_at),
    });
    return [
      ...lost.map((row) => ({
        ...facts(row),
        missing: { event: Number(row.unlisted_event), sinceMs: Number(row.unlisted_at) },
      })),
      ...neverListed.map((row) => ({ ...facts(row), missing: undefined })),
    ];
  }

  /** The run of the oldest of so many creates before one in doubt, whatever the clocks said: it may have been set since. */
  function* firstRunBeside(customer: number, run: number | undefined): Work<number> {
    if (run === undefined) return Number.MAX_SAFE_INTEGER;
    const [first] = yield ask(
      `SELECT min(run) AS run FROM (SELECT run FROM operations WHERE customer = ? AND kind = 'create' AND run <= ?
         ORDER BY run DESC, number DESC LIMIT ${mostBeside}) AS beside`,
      customer,
      run,
    );
    return numberOf(first?.run) ?? run;
  }

  function* deleteOldListings(customer: number, endedMs: number): Work<void> {
    yield ask(
      `DELETE FROM listings WHERE customer = ? AND ended_at < ? AND event <
         (SELECT event FROM listings WHERE customer = ? ORDER BY event DESC LIMIT 1 OFFSET ${leastKept})`,
      customer,
      endedMs - keptMs,
      customer,
    );
  }

  /** The stamps of lists count where those of the answers to creates are others, such as those of another time zone. */
  function* recordStamps({ customer, stamps }: Listing, owned: readonly SqlRow[]): Work<void> {
    for (const { order_id, order_created_at } of owned) {
      const [answered, listed] = [textOf(order_created_at), stamps?.get(String(order_id))];
      if (answered === undefined || listed === undefined || answered === listed) continue;
      const byMs = (parseStamp(listed) ?? Number.NaN) - (parseStamp(answered) ?? Number.NaN);
      if (Math.abs(byMs) > sameStampMs)
        yield ask(
          `UPDATE operations SET stamp_ahead_ms = stamp_ahead_ms + ?, order_created_at = ?
           WHERE kind = 'create' AND customer = ? AND order_id = ?`,
          byMs,
          listed,
          customer,
          String(order_id),
        );
    }
  }

  /**
   * Records the orders of a list that no create of the ledger has. They are never deleted: an order that was forgotten
   * while lists still show it would count as new.
   */
  function* recordOthers(
    customer: number,
    { event, endedMs, others }: { readonly event: number; readonly endedMs: number; readonly others: string },
  ): Work<void> {
    yield ask(
      `INSERT INTO listed_orders SELECT CAST(? AS BIGINT), value, CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
      customer,
      event,
      endedMs,
      others,
    );
  }

  const findUnmarked = (
    customer: number,
    ids: readonly string[],
    bit: number,
    limit: number,
    condition: string,
  ): Promise<readonly Operation[]> =>
    read(function* () {
      const rows = yield ask(
        `SELECT * FROM operations WHERE customer = ? AND kind = 'create' AND state = 'created' ${condition}
           AND kept_fields & ? = 0 AND order_id IN (SELECT value FROM json_each(?))
         ORDER BY run DESC, number DESC LIMIT ?`,
        customer,
        bit,
        JSON.stringify(ids),
        limit,
      );
      return rows.map((row) => readOperation(row));
    });

  return {
    recordListing: (listing) =>
      write(function* () {
        const { customer, endedMs, dateFrom } = listing;
        const event = yield* nextEvent();
        const ids = JSON.stringify(listing.ids);
        const owned = yield ask(
          `SELECT order_id, run, number, order_created_at FROM operations WHERE kind = 'create' AND customer = ?
             AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          ids,
        );
        const owners = new Map(
          owned.map(({ order_id, run, number }) => [
            String(order_id),
            { run: Number(run), number: Number(number) },
          ]),
        );
        yield* recordDelays(listing, sinceBoot());
        yield* recordStamps(listing, owned);
        const others = JSON.stringify(listing.ids.filter((id) => !owners.has(id)));
        yield* recordOthers(customer, { event, endedMs, others });
        const seen = yield ask(
          `SELECT order_id, event FROM listed_orders WHERE customer = ?
             AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          others,
        );
        const taken = yield ask(
          `SELECT order_id, max(event) AS event FROM withdrawn_orders WHERE customer = ?
             AND order_id IN (SELECT value FROM json_each(?)) GROUP BY order_id`,
          customer,
          others,
        );
        yield* deleteOldListings(customer, endedMs);
        yield ask("INSERT INTO listings VALUES (?, ?, ?, ?)", customer, event, endedMs, dateFrom ?? null);
        const eventsOf = (rows: readonly SqlRow[]) =>
          new Map(rows.map((row) => [String(row.order_id), Number(row.event)]));
        const unlisted = yield* recordUnlisted(listing, event);
        return { owners, firstSeen: eventsOf(seen), withdrawn: eventsOf(taken), unlisted };
      }),

    async recordSeen(customer, ids, nowMs) {
      const others = await read(function* () {
        const rows = yield ask(
          `SELECT value FROM json_each(?) AS seen
           WHERE NOT EXISTS (SELECT 1 FROM listed_orders WHERE customer = ? AND order_id = seen.value)
             AND NOT EXISTS (SELECT 1 FROM operations
               WHERE kind = 'create' AND customer = ? AND order_id = seen.value)`,
          JSON.stringify(ids),
          customer,
          customer,
        );
        return rows.map(({ value }) => String(value));
      });
      if (others.length === 0) return;
      await write(function* () {
        const event = yield* nextEvent();
        yield* recordOthers(customer, { event, endedMs: nowMs, others: JSON.stringify(others) });
      });
    },

    listedFrom: (customer, { beforeEvent, sinceMs, untilMs }) =>
      read(function* () {
        const [row] = yield ask(
          `SELECT min(coalesce(date_from, '')) AS date_from FROM listings
         WHERE customer = ? AND event < ? AND ended_at BETWEEN ? AND ?`,
          customer,
          beforeEvent,
          sinceMs,
          untilMs,
        );
        return textOf(row?.date_from);
      }),

    lastListing: (customer) =>
      read(function* () {
        const [row] = yield ask("SELECT max(ended_at) AS ms FROM listings WHERE customer = ?", customer);
        return numberOf(row?.ms);
      }),

    lastComparison: (customer) =>
      read(function* () {
        const [row] = yield ask(
          `SELECT coalesce((SELECT compared_at FROM customers WHERE id = ?),
             (SELECT max(ended_at) FROM listings WHERE customer = ?)) AS ms`,
          customer,
          customer,
        );
        return numberOf(row?.ms);
      }),

    recordComparison: (customer, untilMs) =>
      write(function* () {
        yield ask("UPDATE customers SET compared_at = ? WHERE id = ?", untilMs, customer);
      }),

    newestStamp: (customer, beforeEvent = Number.MAX_SAFE_INTEGER) =>
      read(function* () {
        const [row] = yield ask(
          `SELECT order_created_at FROM operations WHERE customer = ? AND kind = 'create' AND state = 'created'
             AND order_created_at IS NOT NULL AND sent_event < ? ORDER BY run DESC, number DESC LIMIT 1`,
          customer,
          beforeEvent,
        );
        return textOf(row?.order_created_at);
      }),

    findAbsent: (customer, contents) =>
      read(function* () {
        const [isOne, values] = inList(contents);
        const rows = yield ask(
          `SELECT DISTINCT content FROM operations WHERE content ${isOne} AND customer = ? AND kind = 'create'
             AND state = 'unsent' AND first_look_at IS NOT NULL`,
          ...values,
          customer,
        );
        return new Set(rows.map(({ content }) => String(content)));
      }),

    learned: (customer, fields) =>
      read(function* () {
        const recent = `FROM (SELECT * FROM operations WHERE customer = ? AND kind = 'create'
        AND state IN ('created', 'found') ORDER BY run DESC, number DESC LIMIT ${mostLearnedFrom}) AS recent`;
        const counts = Array.from(
          { length: fields },
          (_, place) =>
            `sum(kept_fields >> ${place} & 1) AS kept${place}, sum(changed_fields >> ${place} & 1) AS changed${place}`,
        );
        const [row] = yield ask(
          `SELECT ${counts.join(", ")}, max(stamp_ahead_ms) AS ahead,
           min(stamp_ahead_ms) AS least,
           count(CASE WHEN state = 'created' THEN 1 END) AS answered,
           count(CASE WHEN first_shown_ms IS NOT NULL THEN stamp_ahead_ms END) AS compared,
           max(${missingSpan}) AS missing ${recent}`,
          customer,
        );
        const [shown] = yield ask(
          `SELECT first_shown_ms ${recent} WHERE first_shown_ms >= 0
           ORDER BY first_shown_ms LIMIT 1 OFFSET ${enoughOrders - 1}`,
          customer,
        );
        return {
          fields: Array.from({ length: fields }, (_, place) => ({
            kept: Number(row?.[`kept${place}`] ?? 0),
            changed: Number(row?.[`changed${place}`] ?? 0),
          })),
          shownMs: shown === undefined ? undefined : Number(shown.first_shown_ms),
          missingMs: Number(row?.missing ?? 0),
          stampAhead:
            row?.ahead === null || row?.ahead === undefined
              ? undefined
              : { leastMs: Number(row.least), mostMs: Number(row.ahead) },
          areStampsUnclear: Number(row?.answered) > 0 && Number(row?.compared) === 0,
        };
      }),

    findUnmarked: (customer, ids, bit, limit) => findUnmarked(customer, ids, bit, limit, ""),

    findUncompared: (customer, ids, bit, limit) =>
      findUnmarked(customer, ids, bit, limit, "AND draft IS NOT NULL"),

    newestAnswered: (customer, ids, limit) =>
      read(function* () {
        const rows = yield ask(
          `SELECT * FROM operations WHERE customer = ? AND kind = 'create' AND state = 'created'
           AND order_id IN (SELECT value FROM json_each(?)) AND sent_event IS NOT NULL
         ORDER BY sent_event DESC LIMIT ?`,
          customer,
          JSON.stringify(ids),
          limit,
        );
        return rows.map((row) => readOperation(row));
      }),

    findWithDraft: (customer, ids) =>
      read(function* () {
        const rows = yield ask(
          `SELECT * FROM operations WHERE customer = ? AND kind = 'create' AND state IN ('created', 'found') AND draft IS NOT NULL
           AND order_id IN (SELECT value FROM json_each(?)) ORDER BY run, number`,
          customer,
          JSON.stringify(ids),
        );
        return rows.map((row) => readOperation(row));
      }),

    recordFields: ({ run, number }, kept, changed) =>
      write(function* () {
        yield ask(
          `UPDATE operations SET kept_fields = kept_fields | ?, changed_fields = changed_fields | ?
           WHERE run = ? AND number = ?`,
          kept,
          changed,
          run,
          number,
        );
      }),

    markShown: ({ run, number }, isOther, { wasUnread } = { wasUnread: false }) =>
      write(function* () {
        const marks = shownAsOther | (isOther && !wasUnread ? 0 : unread);
        const kept = isOther ? `kept_fields | ${marks}` : `kept_fields & ~${marks}`;
        yield ask(`UPDATE operations SET kept_fields = ${kept} WHERE run = ? AND number = ?`, run, number);
      }),

    recordFirstListing: ({ run, number }, beganMs, missingMs) =>
      write(function* () {
        // Where the order is found later, it is known how late the list is.
        const isRecent = missingMs > 0 && missingMs < hourMs;
        const missing = isRecent ? Math.round(missingMs) : null;
        yield ask(
          `UPDATE operations SET first_look_at = CASE WHEN first_look_at < ? THEN first_look_at ELSE ? END,
             missing_ms = CASE WHEN missing_ms IS NULL OR missing_ms < ? THEN coalesce(?, missing_ms) ELSE missing_ms END
           WHERE run = ? AND number = ? AND state = 'unknown'`,
          beganMs,
          beganMs,
          missing,
          missing,
          run,
          number,
        );
      }),

    recordMissing: ({ customer, ids, endedMs, offsetMs }) =>
      write(() => recordLacking({ customer, endedMs, offsetMs, now: sinceBoot() }, ids)),

    recordOffset: (customer, run, offsetMs, isUnset) =>
      write(function* () {
        const rounded = Math.round(offsetMs);
        yield ask("UPDATE customers SET offset_ms = ? WHERE id = ?", rounded, customer);
        if (run === undefined) return;
        const lost = "owner = ? AND state = 'unknown' AND offset_ms IS NULL";
        const sent = yield ask(`SELECT DISTINCT sent_at FROM operations WHERE ${lost}`, run);
        for (const { sent_at } of sent)
          if (isUnset(Number(sent_at)))
            yield ask(
              `UPDATE operations SET offset_ms = ? WHERE ${lost} AND sent_at = ?`,
              rounded,
              run,
              Number(sent_at),
            );
      }),
  };
}
