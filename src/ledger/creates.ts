/** Creates: recorded before they are sent, and with their outcomes. */

import type { Draft } from "../model/draft.ts";
import { isSplitOtherwise } from "../model/same-order.ts";
import { type Equals, findEquals, findRewritten } from "./equal-orders.ts";
import { nextEvent } from "./events.ts";
import { type OperationFinder, ofContents, ofFormsOfRefs, ofInDoubt } from "./find-operations.ts";
import {
  type CreateOutcome,
  decided,
  isCancelled,
  isMade,
  isStanding,
  nameOperation,
  numberOf,
  type Operation,
  type OperationName,
  type Run,
} from "./operation.ts";
import { ensureCustomer, explainOtherCustomer } from "./operation-errors.ts";
import { mayBeEdited } from "./order-of-row.ts";
import { type OperationRecorder, reportedUnseen } from "./record-operation.ts";
import { ask, askTogether, type Store, type Work } from "./statements.ts";

/** A single order to send. */
export interface NewCreate {
  readonly content: string;
  /** What earlier versions recorded of the same data, where that is another text. */
  readonly formerContent?: string | undefined;
  readonly draft: Draft | undefined;
  /** The same ref is the same order: one that exists, or may exist, blocks it. */
  readonly ref?: string | undefined;
  /** The time in which an equal order blocks it. */
  readonly windowMs: number;
  readonly isDuplicateAllowed: boolean;
  /** Names of equal operations that a person has accepted as no duplicates. */
  readonly accepted: ReadonlySet<string>;
  /** Names of equal operations whose orders were read since: another one that is recorded as cancelled blocks. */
  readonly read?: ReadonlySet<string> | undefined;
  /** The service's clock minus ours, where it is known. */
  readonly offsetMs?: number | undefined;
}

export type BegunCreate =
  | {
      readonly kind: "begun";
      readonly operation: OperationName;
      readonly earlier: readonly Operation[];
      /** An order in doubt of which this one may be the edited form. */
      readonly edited: Operation | undefined;
    }
  /** Nothing was recorded: these equal operations block it. */
  | { readonly kind: "stopped"; readonly equals: Equals };

/** When a request is sent, by our clock, and the offset to the service's clock, where it is known. */
export interface SentFacts {
  readonly atMs: number;
  readonly offsetMs: number | undefined;
}

/** An order that may be that of a create in doubt. */
export interface PossibleOrder {
  readonly name: OperationName;
  readonly orderId: string;
  /** A list has shown it; else an answer named it that was a failure. */
  readonly wasListed: boolean;
  /** The event of the first answer that showed it, where there was one. */
  readonly seenEvent: number | undefined;
  /** It was taken from the create since that was sent. */
  readonly wasWithdrawn: boolean;
}

export interface Creates {
  /**
   * Records a single create as `sending`, unless an equal order blocks it, in one transaction. Throws `customer_changed`
   * where the run has another customer by now.
   */
  beginCreate(run: Run, create: NewCreate, nowMs: number): Promise<BegunCreate>;
  /**
   * True while this owner may send the operation. Synchronous, so that nothing happens between this check and the
   * request.
   */
  holdsClaim(name: OperationName, owner: number): boolean;
  /** `ready` becomes `sending`. Throws LostClaim. */
  markSending(name: OperationName, owner: number, sent: SentFacts): Promise<void>;
  /** `sending` becomes `ready` again, because no order was made. Throws LostClaim. */
  markReady(name: OperationName, owner: number): Promise<void>;
  /** Records the outcome of a create that this run owns. Throws LostClaim, OtherOrder. */
  endCreate(
    name: OperationName,
    owner: number,
    outcome: CreateOutcome,
    nowMs: number,
    /** The commit may be shared with a later write: until then a crash leaves the operation in doubt. */
    options?: { readonly canWait: boolean },
  ): Promise<void>;
  /** Records that the orders found for these were reported to a person. */
  markReported(names: readonly OperationName[]): Promise<void>;
  /** Settles a create in doubt; a person, also one that made no order. False where there is nothing to settle. Throws OrderTaken. */
  settleCreate(
    name: OperationName,
    outcome: CreateOutcome,
    nowMs: number,
    /** A person did it, who knows the order. */
    options?: { readonly isResolved: boolean },
  ): Promise<boolean>;
  /** Records orders that a list showed, and that may be that of a create in doubt: it may not show them any more. */
  notePossible(name: OperationName, orderIds: readonly string[]): Promise<void>;
  /** Orders that were noted for creates of a customer, or that answers named which were failures. */
  possibleOrders(customer: number): Promise<readonly PossibleOrder[]>;
  /**
   * Takes the order from a create that it is not of: the create is in doubt, and the order is as if this event had listed it
   * first, unless a list had shown it before. Undefined where the create does not have the order any more.
   */
  withdrawOrder(name: OperationName, orderId: string, nowMs: number): Promise<number | undefined>;
  /**
   * Marks creates in doubt: they are not sent again, and cancelled when they are found. Returns their names: another process
   * may have settled the others.
   */
  markUnwanted(names: readonly OperationName[]): Promise<ReadonlySet<string>>;
}

export function createCreates(
  { write, read, holdsClaim }: Store,
  { readAll, byRefOrCover }: OperationFinder,
  { insert, sentSinceBoot, ensureOwner, setOutcome, notePossible }: OperationRecorder,
): Creates {
  /** The orders that were made with a form of the ref, for this receiver: this may be one of them, edited besides. */
  function* findEditedForms(
    customer: number,
    ref: string | undefined,
    draft: Draft,
    nowMs: number,
  ): Work<readonly Operation[]> {
    if (ref === undefined) return [];
    const ofForms = (yield* askTogether([...ofFormsOfRefs(customer, "", [ref], nowMs)])).flat();
    return findRewritten(ref, readAll(ofForms)).filter(
      (each) => isMade(each) && mayBeEdited({ ref, draft }, each, false),
    );
  }

  return {
    beginCreate: (
      run,
      { content, formerContent, draft, ref, windowMs, isDuplicateAllowed, accepted, read, offsetMs },
      nowMs,
    ) =>
      write(function* () {
        yield* ensureCustomer(run);
        // A cancelled order may be back: it counts until it was read again.
        const asStanding = (each: Operation) =>
          isCancelled(each) && !read?.has(nameOperation(each)) ? { ...each, orderState: undefined } : each;
        const withRef = ref === undefined ? [] : yield* byRefOrCover(run.customer, "", ref);
        const named = withRef.map(asStanding).filter(isStanding);
        const names = new Set(withRef.map(nameOperation));
        const contents = formerContent === undefined ? [content] : [formerContent, content];
        const found = readAll(yield ofContents(run.customer, contents));
        const doubts = draft ? readAll(yield ofInDoubt(run.customer)) : [];
        const isSplit = (each: Operation) => draft && each.draft && isSplitOtherwise(each.draft, draft);
        const equals = new Map(
          [...found, ...doubts.filter(isSplit)].map((each) => [nameOperation(each), each]),
        );
        const same = [...equals.values()].map((each) => asStanding({ ...each, content }));
        // Other refs are other orders, but not while it is unknown, or untold, what became of an equal one.
        const isOther = (operation: Operation) =>
          ref !== undefined && operation.ref !== undefined && operation.ref !== ref;
        const unnamed = same.filter(
          (each) => (ref === undefined || each.ref === undefined) && !names.has(nameOperation(each)),
        );
        const others = same.filter((each) => isOther(each) && isStanding(each));
        const all = findEquals(unnamed, windowMs, nowMs);
        const rewritten = ref === undefined ? [] : findRewritten(ref, same);
        const edited = draft ? yield* findEditedForms(run.customer, ref, draft, nowMs) : [];
        const untold = others.filter(
          (each) => isMade(each) && each.isUnreported && !rewritten.includes(each),
        );
        const equal = [...rewritten.filter(isMade), ...untold, ...all.recent];
        const isNew = (each: Operation) => !equals.has(nameOperation(each));
        const isOpen = (operation: Operation) => !accepted.has(nameOperation(operation));
        const lost = new Set([...named, ...rewritten, ...others].filter((each) => !isMade(each)));
        const inDoubt = [...lost, ...all.inDoubt].filter(isOpen);
        // A person who does not know that it was created cannot want a second one.
        const mayBlock = [...equal, ...edited.filter(isNew)].filter(
          (operation) => !isDuplicateAllowed || operation.isUnreported,
        );
        const recent = [...named.filter(isMade), ...mayBlock].filter(isOpen);
        if (inDoubt.length + recent.length > 0)
          return { kind: "stopped", equals: { ...all, inDoubt, recent } } as const;
        const allowance = equal.length > 0 ? "equal" : "none";
        const inDoubtOfReceiver =
          draft &&
          doubts.find(
            (each) => isOpen(each) && each.state === "unknown" && mayBeEdited({ ref, draft }, each, false),
          );
        const operation = yield* insert(run, {
          kind: "create",
          state: "sending",
          sentAtMs: nowMs,
          offsetMs,
          content,
          draft,
          ref,
          allowance,
        });
        return { kind: "begun", operation, earlier: all.earlier, edited: inDoubtOfReceiver } as const;
      }).catch(explainOtherCustomer),

    holdsClaim,

    markSending: (name, owner, { atMs, offsetMs }) =>
      write(function* () {
        yield* ensureOwner(name, owner, ["ready"]);
        yield ask(
          `UPDATE operations SET state = 'sending', attempt = attempt + 1, sent_at = ?, sent_event = ?,
             offset_ms = ?, sent_boot = ?, sent_since_boot_ms = ?, withdrawn_order = NULL, missing_ms = NULL
           WHERE run = ? AND number = ?`,
          atMs,
          yield* nextEvent(),
          offsetMs === undefined ? null : Math.round(offsetMs),
          ...sentSinceBoot(),
          name.run,
          name.number,
        );
      }),

    markReady: (name, owner) =>
      write(function* () {
        yield* ensureOwner(name, owner, ["sending"]);
        yield ask(
          `UPDATE operations SET state = 'ready', sent_at = NULL, sent_event = NULL, offset_ms = NULL
           WHERE run = ? AND number = ?`,
          name.run,
          name.number,
        );
      }),

    endCreate: (name, owner, outcome, nowMs, options) =>
      write(function* () {
        // Nothing may be changed before LostClaim is thrown, and this outcome takes a number of the events.
        if (outcome.state === "unknown") yield* ensureOwner(name, owner, ["ready", "sending", "unknown"]);
        yield* setOutcome(name, outcome, nowMs, owner);
      }, options),

    markReported: (names) =>
      write(function* () {
        for (const { run, number } of names)
          yield ask(
            `UPDATE operations SET is_untold = ${reportedUnseen} WHERE run = ? AND number = ?`,
            run,
            number,
          );
      }),

    settleCreate: (name, outcome, nowMs, { isResolved } = { isResolved: false }) =>
      write(function* () {
        const [row] = yield ask(
          "SELECT state FROM operations WHERE run = ? AND number = ?",
          name.run,
          name.number,
        );
        if (row?.state !== "unknown" && !(isResolved && row?.state === "unsent")) return false;
        yield* setOutcome(name, outcome, nowMs);
        const known = isResolved ? reportedUnseen : 1;
        const untold = outcome.state === "found" ? known : 0;
        const mayBeSent = isResolved && outcome.state === "unsent" ? ", is_unwanted = 0" : "";
        const mark =
          isResolved && outcome.state === "found" ? `, kept_fields = kept_fields | ${decided}` : "";
        yield ask(
          `UPDATE operations SET is_untold = ${untold}${mayBeSent}${mark} WHERE run = ? AND number = ?`,
          name.run,
          name.number,
        );
        return true;
      }),

    notePossible: (name, orderIds) =>
      write(function* () {
        for (const id of orderIds) yield* notePossible(name, id, true);
      }),

    possibleOrders: (customer) =>
      read(function* () {
        const rows = yield ask(
          `SELECT run, number, possible_orders.order_id, was_listed, event,
             (SELECT count(*) FROM withdrawn_orders AS taken JOIN operations USING (run)
              WHERE run = possible_orders.run AND operations.number = possible_orders.number
                AND taken.order_id = possible_orders.order_id AND taken.event > sent_event) AS withdrawals
           FROM possible_orders
           LEFT JOIN listed_orders ON listed_orders.customer = possible_orders.customer
             AND listed_orders.order_id = possible_orders.order_id
           WHERE possible_orders.customer = ? ORDER BY run, number, possible_orders.order_id`,
          customer,
        );
        return rows.map(({ run, number, order_id, was_listed, event, withdrawals }) => ({
          name: { run: Number(run), number: Number(number) },
          orderId: String(order_id),
          wasListed: was_listed === 1,
          seenEvent: numberOf(event),
          wasWithdrawn: Number(withdrawals) > 0,
        }));
      }),

    withdrawOrder: ({ run, number }, orderId, nowMs) =>
      write(function* () {
        const event = yield* nextEvent();
        const [row] = yield ask(
          `UPDATE operations SET state = 'unknown', loss = 'timeout', ended_event = ?, stamp_ahead_ms = NULL,
             first_shown_ms = NULL, missing_ms = NULL, kept_fields = 0, changed_fields = 0, order_id = NULL,
             order_no = NULL, tracking_number = NULL, estimated_fee = NULL, order_created_at = NULL, order_state = NULL,
             withdrawn_order = order_id
           WHERE run = ? AND number = ? AND state IN ('created', 'found') AND order_id = ? RETURNING customer`,
          event,
          run,
          number,
          orderId,
        );
        if (!row) return undefined;
        yield ask(
          "INSERT INTO withdrawn_orders (customer, event, order_id, run) VALUES (?, ?, ?, ?)",
          Number(row.customer),
          event,
          orderId,
          run,
        );
        yield* notePossible({ run, number }, orderId, true); // a later one takes its place in the operation
        yield ask(
          "INSERT INTO listed_orders VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          Number(row.customer),
          orderId,
          event,
          nowMs,
        );
        return event;
      }),

    markUnwanted: (names) =>
      write(function* () {
        const marked = new Set<string>();
        for (const name of names) {
          const rows = yield ask(
            `UPDATE operations SET is_unwanted = 1
             WHERE run = ? AND number = ? AND state IN ('sending', 'unknown') RETURNING run`,
            name.run,
            name.number,
          );
          if (rows.length > 0) marked.add(nameOperation(name));
        }
        return marked;
      }),
  };
}
