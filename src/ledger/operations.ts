/** Operations: single creates and cancels, recorded before they are sent and with their outcomes. */

import type { SinceBoot } from "../core/process-identity.ts";
import type { Draft } from "../model/draft.ts";
import { nextEvent } from "./events.ts";
import { createFinder, ofInDoubt } from "./find-operations.ts";
import {
  type Allowance,
  type CancelOutcome,
  type CreateOutcome,
  isMade,
  nameOperation,
  numberOf,
  type Operation,
  type OperationName,
  type Run,
  readOperation,
  readRun,
  textOf,
} from "./operation.ts";
import { createRecorder } from "./record-operation.ts";
import { createRowDecisions } from "./row-decisions.ts";
import {
  type Equals,
  type FileFacts,
  findEquals,
  findRewritten,
  isOfFile,
  isStanding,
  mayBeEdited,
  type RowDecision,
  type RowPolicy,
  type RowToSend,
} from "./rules.ts";
import { ask, type Store, type Work } from "./statements.ts";

/** A single order to send. */
export interface NewCreate {
  readonly content: string;
  readonly draft: Draft | undefined;
  /** The same ref is the same order: one that exists, or may exist, blocks it. */
  readonly ref?: string | undefined;
  /** The time in which an equal order blocks it. */
  readonly windowMs: number;
  readonly isDuplicateAllowed: boolean;
  /** Names of equal operations that a person has accepted as no duplicates. */
  readonly accepted: ReadonlySet<string>;
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

export interface ImportFile {
  readonly shop: string;
  /** Without links; empty for stdin and pipes. */
  readonly path: string;
  /** Hash of the bytes, and of the rows' contents in whatever order. */
  readonly bytesHash: string;
  readonly rowsHash: string;
}

/** The decision about a row; `operation` is the new one where the row is to be sent. */
export interface ClaimedRow {
  readonly decision: RowDecision;
  readonly operation: OperationName | undefined;
}

/** A create with an order, as far as it tells which row the order is of. */
export type NumberedCreate = Pick<
  Operation,
  "run" | "number" | "ref" | "shop" | "content" | "file" | "allowance"
> & { readonly isCancelled: boolean };

/** When a request is sent, by our clock, and the offset to the service's clock, where it is known. */
export interface SentFacts {
  readonly atMs: number;
  readonly offsetMs: number | undefined;
}

export interface Operations {
  /** Records a single create as `sending`, unless an equal order blocks it, in one transaction. */
  beginCreate(run: Run, create: NewCreate, nowMs: number): Promise<BegunCreate>;
  /** The equal orders of a content, as `beginCreate` would see them. */
  findEquals(customer: number, content: string, windowMs: number, nowMs: number): Promise<Equals>;

  /** The number of a file in the ledger. Files that prove to be the same get one number. */
  openFile(run: Run, file: ImportFile): Promise<number>;
  /** The numbers of a file in the ledger, without recording anything. */
  findFiles(customer: number, file: ImportFile): Promise<readonly number[]>;
  /** Creates with an order that equals the row and may be its own, the newest last. */
  equalOrders(
    customer: number,
    row: Pick<RowToSend, "ref" | "content">,
    file: Pick<FileFacts, "files" | "shop">,
  ): Promise<readonly Operation[]>;
  /** The creates whose orders have these tracking or order numbers, by number. */
  findByNumber(
    customer: number,
    numbers: readonly string[],
  ): Promise<ReadonlyMap<string, readonly NumberedCreate[]>>;
  /** Decides about rows, without recording anything. */
  viewRows(
    customer: number,
    rows: readonly RowToSend[],
    file: FileFacts,
    policy: RowPolicy,
    nowMs: number,
  ): Promise<readonly RowDecision[]>;
  /** Decides about rows, and records those to send as `sending`, in one transaction. */
  claimRows(
    run: Run,
    rows: readonly RowToSend[],
    file: FileFacts,
    policy: RowPolicy,
    sent: SentFacts,
  ): Promise<readonly ClaimedRow[]>;

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
  /** Records that the orders found for these were reported to their sender. */
  markReported(names: readonly OperationName[]): Promise<void>;
  /** Settles a create in doubt. False where it is no longer in doubt. Throws OrderTaken. */
  settleCreate(name: OperationName, outcome: CreateOutcome, nowMs: number): Promise<boolean>;

  /**
   * Takes the order from a create whose answer named another one's: the create is in doubt, and the order is as if this
   * event had listed it first. Undefined where the create does not have the order any more.
   */
  withdrawOrder(name: OperationName, orderId: string, nowMs: number): Promise<number | undefined>;

  /** Records a cancel as `sending`. */
  beginCancel(run: Run, orderId: string, sentAtMs: number): Promise<OperationName>;
  endCancel(name: OperationName, owner: number, outcome: CancelOutcome, nowMs: number): Promise<void>;
  /** Of these orders, those that the service accepted for cancelling, and that could not be read since. */
  findAcceptedUnread(customer: number, orderIds: readonly string[]): Promise<ReadonlySet<string>>;

  /** Records the current state of an order. A cancelled order settles its cancels in doubt. */
  noteOrderState(customer: number, orderId: string, state: string): Promise<void>;
  findOperation(name: OperationName): Promise<Operation | undefined>;
  /** Operations of a run in their order, after the number `after`. */
  listOperations(run: number, after?: number, limit?: number): Promise<readonly Operation[]>;
  /** Creates and cancels that are not settled, with the runs that own them. */
  openOperations(customer: number): Promise<readonly { operation: Operation; owner: Run }[]>;
  /** Releases the operations of a dead run: `ready` ones become unsent, `sending` ones become in doubt. */
  releaseRun(run: number, nowMs: number): Promise<void>;
  /** The creates of the ledger that own these orders. */
  findOwners(customer: number, orderIds: readonly string[]): Promise<ReadonlyMap<string, OperationName>>;
  /** The newest creates that were sent from an account, with their drafts. */
  recentCreates(account: string, service: string, limit: number): Promise<readonly Operation[]>;
  /** Creates with an order from an account's runs after `after`, in the order of their runs. */
  ordersSince(
    account: string,
    service: string,
    after: OperationName,
    limit: number,
  ): Promise<readonly Operation[]>;
  /** The first run whose outcomes may still change: one with open operations, or begun after `sinceMs` and not ended. */
  firstOpenRun(sinceMs: number): Promise<number | undefined>;
  /** Marks creates in doubt: they are not sent again, and cancelled when they are found. */
  markUnwanted(names: readonly OperationName[]): Promise<void>;
  /** Creates of a ref, the newest last. */
  findByRef(customer: number, ref: string): Promise<readonly Operation[]>;
  /**
   * Deletes names, phones and addresses of a customer, and messages of refusals, which may contain them. Operations in
   * doubt keep them unless `isForced`. Returns how many of these there are.
   */
  deletePersonalData(customer: number, isForced: boolean): Promise<number>;
}

export function createOperations(store: Store, sinceBoot: () => SinceBoot | undefined): Operations {
  const { write, read, snapshot } = store;
  const finder = createFinder(sinceBoot);
  const { readAll, byContent, byRef } = finder;
  const createBatch = createRowDecisions(finder);
  const recorder = createRecorder(finder, sinceBoot);
  const { insert, sentSinceBoot, recordElsewhere, ensureOwner, setOutcome, setOrderState } = recorder;

  /** The numbers of files that are the same: by path, by bytes, or by their rows. */
  function* matchFiles(customer: number, { path, bytesHash, rowsHash }: ImportFile): Work<number[]> {
    const found = new Set<number>();
    for (const [column, value] of [
      ["path", path],
      ["bytes_hash", bytesHash],
      ["rows_hash", rowsHash],
    ] as const) {
      if (value === "") continue; // stdin and pipes have no path
      for (const { file } of yield ask(
        `SELECT DISTINCT file FROM files WHERE customer = ? AND ${column} = ?`,
        customer,
        value,
      ))
        found.add(Number(file));
    }
    return [...found].sort((a, b) => a - b);
  }

  return {
    beginCreate: (run, { content, draft, ref, windowMs, isDuplicateAllowed, accepted, offsetMs }, nowMs) =>
      write(function* () {
        const named = ref === undefined ? [] : (yield* byRef(run.customer, "", ref)).filter(isStanding);
        const same = yield* byContent(run.customer, content);
        // Other refs are other orders, but not while it is unknown, or untold, what became of an equal one.
        const isOther = (operation: Operation) =>
          ref !== undefined && operation.ref !== undefined && operation.ref !== ref;
        const unnamed = same.filter((operation) => ref === undefined || operation.ref === undefined);
        const others = same.filter((each) => isOther(each) && isStanding(each));
        const all = findEquals(unnamed, windowMs, nowMs);
        const rewritten = ref === undefined ? [] : findRewritten(ref, same);
        const untold = others.filter(
          (each) => isMade(each) && each.isUnreported && !rewritten.includes(each),
        );
        const equal = [...rewritten.filter(isMade), ...untold, ...all.recent];
        const isOpen = (operation: Operation) => !accepted.has(nameOperation(operation));
        const lost = new Set([...named, ...rewritten, ...others].filter((each) => !isMade(each)));
        const inDoubt = [...lost, ...all.inDoubt].filter(isOpen);
        // A person who does not know that it was created cannot want a second one.
        const mayBlock = equal.filter((operation) => !isDuplicateAllowed || operation.isUnreported);
        const recent = [...named.filter(isMade), ...mayBlock].filter(isOpen);
        if (inDoubt.length + recent.length > 0)
          return { kind: "stopped", equals: { ...all, inDoubt, recent } } as const;
        const allowance = equal.length > 0 ? "equal" : "none";
        const edited =
          draft &&
          readAll(yield ofInDoubt(run.customer)).find(
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
        return { kind: "begun", operation, earlier: all.earlier, edited } as const;
      }),

    findEquals: (customer, content, windowMs, nowMs) =>
      read(function* () {
        return findEquals(yield* byContent(customer, content), windowMs, nowMs);
      }),

    openFile: (run, file) =>
      write(function* () {
        const [first = run.number, ...others] = yield* matchFiles(run.customer, file);
        for (const other of others) {
          yield ask("UPDATE files SET file = ? WHERE file = ? AND customer = ?", first, other, run.customer);
          yield ask(
            "UPDATE operations SET file = ? WHERE file = ? AND customer = ?",
            first,
            other,
            run.customer,
          );
        }
        yield ask(
          "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
          run.number,
          run.customer,
          file.shop,
          first,
          file.path,
          file.bytesHash,
          file.rowsHash,
        );
        return first;
      }),

    findFiles: (customer, file) => read(() => matchFiles(customer, file)),

    equalOrders: (customer, { ref, content }, { files, shop }) =>
      read(function* () {
        const isOwn = (each: Operation) =>
          ref === undefined
            ? each.ref === undefined && isOfFile(each, { files })
            : each.ref === ref && each.shop === shop;
        return (yield* byContent(customer, content)).filter((each) => isMade(each) && isOwn(each));
      }),

    findByNumber: (customer, numbers) =>
      read(function* () {
        const asked = JSON.stringify(numbers);
        const rows = yield ask(
          `SELECT run, number, ref, shop, content, file, allowance, order_state, tracking_number, order_no FROM operations
         WHERE kind = 'create' AND customer = ? AND order_id IS NOT NULL
           AND (tracking_number IN (SELECT value FROM json_each(?)) OR order_no IN (SELECT value FROM json_each(?)))
         ORDER BY run, number`,
          customer,
          asked,
          asked,
        );
        const found = new Map<string, NumberedCreate[]>();
        for (const row of rows) {
          const create = {
            run: Number(row.run),
            number: Number(row.number),
            ref: textOf(row.ref),
            shop: textOf(row.shop) ?? "",
            content: textOf(row.content),
            file: numberOf(row.file),
            allowance: row.allowance as Allowance,
            isCancelled: row.order_state === "cancelled",
          };
          for (const text of [textOf(row.tracking_number), textOf(row.order_no)])
            if (text !== undefined) found.set(text, [...(found.get(text) ?? []), create]);
        }
        return found;
      }),

    viewRows: (customer, rows, file, policy, nowMs) =>
      snapshot(function* () {
        const batch = createBatch(customer, rows, file, policy, nowMs);
        const decisions: RowDecision[] = [];
        for (const row of rows) decisions.push(yield* batch.decide(row));
        return decisions;
      }),

    claimRows: (run, rows, file, policy, { atMs, offsetMs }) =>
      write(function* () {
        const batch = createBatch(run.customer, rows, file, policy, atMs, run.number);
        yield* batch.prepare();
        const claimed: ClaimedRow[] = [];
        let event: number | undefined;
        for (const [index, row] of rows.entries()) {
          const decision = yield* batch.decide(row);
          if (decision.kind === "elsewhere") {
            yield* recordElsewhere(run, row, file, decision, atMs);
            batch.noteChanged();
          }
          if (decision.kind !== "send") {
            claimed.push({ decision, operation: undefined });
            continue;
          }
          const { content, draft } = row;
          const { allowance, supersedes } = decision;
          const sentEvent: number = event ?? (yield* nextEvent(rows.length - index));
          event = sentEvent + 1;
          if (supersedes) {
            yield ask(
              "UPDATE operations SET is_superseded = 1 WHERE run = ? AND number = ?",
              supersedes.run,
              supersedes.number,
            );
            batch.noteChanged();
          }
          const sending = { kind: "create", state: "sending", sentAtMs: atMs, sentEvent, offsetMs } as const;
          const operation = yield* insert(run, { ...sending, content, draft, file, row, allowance });
          batch.noteSent(row);
          claimed.push({ decision, operation });
        }
        return claimed;
      }),

    holdsClaim: store.holdsClaim,

    markSending: (name, owner, { atMs, offsetMs }) =>
      write(function* () {
        yield* ensureOwner(name, owner, ["ready"]);
        yield ask(
          `UPDATE operations SET state = 'sending', attempt = attempt + 1, sent_at = ?, sent_event = ?,
             offset_ms = ?, sent_boot = ?, sent_since_boot_ms = ? WHERE run = ? AND number = ?`,
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

    settleCreate: (name, outcome, nowMs) =>
      write(function* () {
        const [row] = yield ask(
          "SELECT state FROM operations WHERE run = ? AND number = ?",
          name.run,
          name.number,
        );
        if (row?.state !== "unknown") return false;
        yield* setOutcome(name, outcome, nowMs);
        yield ask(
          "UPDATE operations SET is_untold = ? WHERE run = ? AND number = ?",
          outcome.state === "found" ? 1 : 0,
          name.run,
          name.number,
        );
        return true;
      }),

    withdrawOrder: ({ run, number }, orderId, nowMs) =>
      write(function* () {
        const event = yield* nextEvent();
        const [row] = yield ask(
          `UPDATE operations SET state = 'unknown', loss = 'broken', ended_event = ?, stamp_ahead_ms = NULL,
             first_shown_ms = NULL, missing_ms = NULL, kept_fields = 0, changed_fields = 0, order_id = NULL,
             order_no = NULL, tracking_number = NULL, estimated_fee = NULL, order_created_at = NULL, order_state = NULL
           WHERE run = ? AND number = ? AND state = 'created' AND order_id = ? RETURNING customer`,
          event,
          run,
          number,
          orderId,
        );
        if (!row) return undefined;
        yield ask(
          "INSERT INTO listed_orders VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
          Number(row.customer),
          orderId,
          event,
          nowMs,
        );
        return event;
      }),

    beginCancel: (run, orderId, sentAtMs) =>
      write(function* () {
        const name = yield* insert(run, { kind: "cancel", state: "sending", sentAtMs });
        yield ask(
          "UPDATE operations SET order_id = ? WHERE run = ? AND number = ?",
          orderId,
          name.run,
          name.number,
        );
        return name;
      }),

    endCancel: (name, owner, { state, orderState, rejection }, nowMs) =>
      write(function* () {
        yield* ensureOwner(name, owner, ["sending", "unknown"]);
        const [row] = yield ask(
          `UPDATE operations SET state = ?, ended_at = ?, order_state = ?, error_code = ?, error_message = ?,
             error_field = ? WHERE run = ? AND number = ? RETURNING customer, order_id`,
          state,
          nowMs,
          orderState ?? null,
          rejection?.code ?? null,
          rejection?.message ?? null,
          rejection?.field ?? null,
          name.run,
          name.number,
        );
        if (orderState !== undefined)
          yield* setOrderState(Number(row?.customer), String(row?.order_id), orderState);
      }),

    findAcceptedUnread: (customer, orderIds) =>
      read(function* () {
        const rows = yield ask(
          `SELECT order_id FROM operations WHERE kind = 'cancel' AND customer = ? AND state = 'accepted'
         AND order_state IS NULL AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          JSON.stringify(orderIds),
        );
        return new Set(rows.map(({ order_id }) => String(order_id)));
      }),

    noteOrderState: (customer, orderId, state) => write(() => setOrderState(customer, orderId, state)),

    findOperation: ({ run, number }) =>
      read(function* () {
        const [row] = yield ask("SELECT * FROM operations WHERE run = ? AND number = ?", run, number);
        return row && readOperation(row, sinceBoot());
      }),

    listOperations: (run, after = 0, limit = Number.MAX_SAFE_INTEGER) =>
      read(function* () {
        return readAll(
          yield ask(
            "SELECT * FROM operations WHERE run = ? AND number > ? ORDER BY number LIMIT ?",
            run,
            after,
            limit,
          ),
        );
      }),

    openOperations: (customer) =>
      read(function* () {
        const rows = yield ask(
          "SELECT * FROM operations WHERE customer = ? AND state IN ('ready', 'sending', 'unknown') ORDER BY run, number",
          customer,
        );
        const owners = new Map<number, Run>();
        for (const { owner } of rows) {
          if (owners.has(Number(owner))) continue;
          const [run] = yield ask("SELECT * FROM runs WHERE number = ?", owner ?? null);
          owners.set(Number(owner), readRun(run ?? {}));
        }
        return readAll(rows).map((operation) => ({ operation, owner: owners.get(operation.owner) as Run }));
      }),

    releaseRun: (run, nowMs) =>
      write(function* () {
        yield ask(
          "UPDATE operations SET state = 'unsent', ended_at = ? WHERE owner = ? AND state = 'ready'",
          nowMs,
          run,
        );
        yield ask(
          `UPDATE operations SET state = 'unknown', ended_at = ?, ended_event = ?, loss = 'broken'
           WHERE owner = ? AND state = 'sending'`,
          nowMs,
          yield* nextEvent(),
          run,
        );
      }),

    findOwners: (customer, orderIds) =>
      read(function* () {
        const rows = yield ask(
          `SELECT order_id, run, number FROM operations WHERE kind = 'create' AND customer = ?
         AND order_id IN (SELECT value FROM json_each(?))`,
          customer,
          JSON.stringify(orderIds),
        );
        return new Map(
          rows.map(({ order_id, run, number }) => [
            String(order_id),
            { run: Number(run), number: Number(number) },
          ]),
        );
      }),

    recentCreates: (account, service, limit) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND kind = 'create' AND draft IS NOT NULL
             AND state IN ('created', 'found', 'unknown', 'sending')
           ORDER BY runs.number DESC, operations.number DESC LIMIT ?`,
            account,
            service,
            limit,
          ),
        );
      }),

    ordersSince: (account, service, { run, number }, limit) =>
      read(function* () {
        return readAll(
          yield ask(
            `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND (run, operations.number) > (?, ?)
             AND kind = 'create' AND order_id IS NOT NULL
           ORDER BY run, operations.number LIMIT ?`,
            account,
            service,
            run,
            number,
            limit,
          ),
        );
      }),

    firstOpenRun: (sinceMs) =>
      read(function* () {
        return numberOf(
          (yield ask(
            `SELECT min(number) AS number FROM (
             SELECT run AS number FROM operations WHERE state IN ('ready', 'sending', 'unknown')
             UNION ALL SELECT number FROM runs WHERE ended_at IS NULL AND started_at > ?) AS open_runs`,
            sinceMs,
          ))[0]?.number,
        );
      }),

    markReported: (names) =>
      write(function* () {
        for (const { run, number } of names)
          yield ask("UPDATE operations SET is_untold = 0 WHERE run = ? AND number = ?", run, number);
      }),

    markUnwanted: (names) =>
      write(function* () {
        for (const { run, number } of names)
          yield ask("UPDATE operations SET is_unwanted = 1 WHERE run = ? AND number = ?", run, number);
      }),

    findByRef: (customer, ref) =>
      read(function* () {
        return readAll(
          yield ask(
            "SELECT * FROM operations WHERE customer = ? AND ref = ? AND kind = 'create' ORDER BY run, number",
            customer,
            ref,
          ),
        );
      }),

    deletePersonalData: (customer, isForced) =>
      write(function* () {
        const kept = isForced ? "" : "AND state NOT IN ('ready', 'sending', 'unknown')";
        yield ask(
          `UPDATE operations SET draft = NULL, error_message = NULL WHERE customer = ?
             AND (draft IS NOT NULL OR error_message IS NOT NULL) ${kept}`,
          customer,
        );
        return Number(
          (yield ask(
            "SELECT count(*) AS n FROM operations WHERE customer = ? AND draft IS NOT NULL AND kind = 'create'",
            customer,
          ))[0]?.n,
        );
      }),
  };
}
