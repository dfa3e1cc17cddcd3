/** Statements that find operations. */

import type { SinceBoot } from "../core/process-identity.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { numberOf, type Operation, type OperationName, readOperation } from "./operation.ts";
import { formsOfRef, rangeOfRef } from "./ref-forms.ts";
import { ask, inList, type Question, type Work } from "./statements.ts";

/** Of one statement. */
const refsAtOnce = 4_000;

/** What may hold a row: of those that made no order, only the ones that an undo took back. */
const mayHold = "is_superseded = 0 AND (state <> 'unsent' OR is_unwanted = 1)";

/** Creates of these contents, the oldest first, without refusals that were sent again. */
export function ofContents(customer: number, contents: readonly string[]): Question {
  const [isOne, values] = inList(contents);
  return ask(
    `SELECT * FROM operations WHERE kind = 'create' AND customer = ? AND content ${isOne}
     AND ${mayHold} ORDER BY run, number`,
    customer,
    ...values,
  );
}

/** The same of refs. */
export function ofRefs(customer: number, shop: string, refs: readonly string[]): Question {
  const [isOne, values] = inList(refs);
  return ask(
    `SELECT * FROM operations WHERE customer = ? AND shop = ? AND ref ${isOne} AND kind = 'create'
     AND ${mayHold} ORDER BY run, number`,
    customer,
    shop,
    ...values,
  );
}

/** The same of refs of one length that are between these. */
export function ofRefsBetween(customer: number, shop: string, first: string, last: string): Question {
  return ask(
    `SELECT * FROM operations WHERE customer = ? AND shop = ? AND ref BETWEEN ? AND ? AND length(ref) = ?
     AND kind = 'create' AND ${mayHold} ORDER BY run, number`,
    customer,
    shop,
    first,
    last,
    last.length,
  );
}

/** The same of the refs that a spreadsheet program most probably makes of these, or has made them of. */
export function* ofFormsOfRefs(
  customer: number,
  shop: string,
  refs: readonly string[],
  nowMs: number,
  isLeftOut: (form: string) => boolean = () => false,
): Generator<Question> {
  const all = new Set(refs.flatMap((ref) => [...formsOfRef(ref, nowMs)]));
  const forms = [...all].filter((form) => !isLeftOut(form));
  for (let start = 0; start < forms.length; start += refsAtOnce)
    yield ofRefs(customer, shop, forms.slice(start, start + refsAtOnce));
  for (const ref of refs) {
    const range = rangeOfRef(ref);
    if (range) yield ofRefsBetween(customer, shop, ...range);
  }
}

export function ofName({ run, number }: OperationName): Question {
  return ask("SELECT * FROM operations WHERE run = ? AND number = ?", run, number);
}

const inDoubt = `SELECT * FROM operations WHERE customer = ? AND state IN ('ready', 'sending', 'unknown')
  AND kind = 'create' AND run <> ?`;

/** Creates that are in doubt or being sent, without those of `run`. */
export function ofInDoubt(customer: number, run = 0): Question {
  return ask(`${inDoubt} ORDER BY run, number`, customer, run);
}

/**
 * The same, and creates whose orders were found, and whose rows no import has seen since. A single order has no row: it
 * counts where its order was found after `sinceMs`.
 */
export function ofUnseen(customer: number, run: number, sinceMs: number): Question {
  return ask(
    `${inDoubt} UNION ALL SELECT * FROM operations WHERE customer = ? AND is_untold <> 0
       AND (file IS NOT NULL OR ended_at > ?) ORDER BY run, number`,
    customer,
    run,
    customer,
    sinceMs,
  );
}

export type OperationFinder = ReturnType<typeof createFinder>;

export function createFinder(sinceBoot: () => SinceBoot | undefined) {
  function readAll(rows: readonly SqlRow[]): Operation[] {
    const now = rows.length > 0 ? sinceBoot() : undefined;
    return rows.map((row) => readOperation(row, now));
  }

  function* byContent(customer: number, content: string): Work<Operation[]> {
    return readAll(yield ofContents(customer, [content]));
  }

  function* byRef(customer: number, shop: string, ref: string): Work<Operation[]> {
    return readAll(yield ofRefs(customer, shop, [ref]));
  }

  /** The same, after the orders without a ref that cover its row. */
  function* byRefOrCover(customer: number, shop: string, ref: string): Work<Operation[]> {
    const covering: Operation[] = [];
    for (const { run, number } of yield heldByRefs(customer, shop, [ref]))
      if (run !== null) covering.push(...readAll(yield ofName({ run: Number(run), number: Number(number) })));
    return [...covering, ...(yield* byRef(customer, shop, ref))];
  }

  function* findCreate(customer: number, name: OperationName | undefined): Work<Operation | undefined> {
    if (!name) return undefined;
    return readAll(
      yield ask(
        "SELECT * FROM operations WHERE run = ? AND number = ? AND customer = ? AND kind = 'create'",
        name.run,
        name.number,
        customer,
      ),
    )[0];
  }

  /** The last known offset: the service's clock minus ours. */
  function* lastOffset(customer: number): Work<number | null> {
    const [row] = yield ask("SELECT offset_ms FROM customers WHERE id = ?", customer);
    return numberOf(row?.offset_ms) ?? null;
  }

  /** True for an order of a create in this ledger. */
  function* isOwned(customer: number, orderId: string): Work<boolean> {
    const found = yield ask(
      "SELECT 1 FROM operations WHERE customer = ? AND order_id = ? AND kind = 'create'",
      customer,
      orderId,
    );
    return found.length > 0;
  }

  return { readAll, byContent, byRef, byRefOrCover, findCreate, lastOffset, isOwned };
}

/** Of `is_certain`, where an own order without a ref covers a row with one. */
export const coveredByOwn = 2;

/**
 * `run` and `number` name the operation of an own order that covers a row; of an order elsewhere they are null. An order
 * that was taken from its create since, and is another one's, covers no row.
 */
const heldRows = `SELECT held.content AS content, held.shop AS shop, held.ref AS ref, held.order_id AS order_id, is_certain,
    run, number
  FROM orders_elsewhere AS held
  LEFT JOIN operations ON operations.customer = held.customer AND operations.order_id = held.order_id AND kind = 'create'
  WHERE held.customer = ?
    AND CASE is_certain WHEN ${coveredByOwn} THEN operations.content = held.content
      ELSE is_cancelled = 0 AND run IS NULL END`;

/**
 * Orders made elsewhere that held rows with these contents before; later listings may not show them any more. What only
 * may have equalled a row with a ref is found by that.
 */
export function heldByContents(customer: number, contents: readonly string[]): Question {
  const [isOne, values] = inList(contents);
  return ask(
    `${heldRows} AND (is_certain > 0 OR held.ref = '') AND held.content ${isOne}`,
    customer,
    ...values,
  );
}

/** The same of rows with these refs, which may have been corrected since. */
export function heldByRefs(customer: number, shop: string, refs: readonly string[]): Question {
  const [isOne, values] = inList(refs);
  return ask(
    `${heldRows} AND held.ref <> '' AND held.shop = ? AND held.ref ${isOne}`,
    customer,
    shop,
    ...values,
  );
}
