/** Operations: single creates and cancels, recorded before they are sent and with their outcomes. */

import type { SinceBoot } from "../core/process-identity.ts";
import type { Draft } from "../model/draft.ts";
import { type Database, isConstraint } from "../sqlite/database.ts";
import type { SqlRow, SqlValue } from "../sqlite/driver.ts";
import { NotDone, type Write } from "../sqlite/write-queue.ts";
import type { Events } from "./events.ts";
import {
  type Allowance,
  type CancelState,
  isMade,
  type Loss,
  nameOperation,
  numberOf,
  type Operation,
  type OperationName,
  type OrderFacts,
  parseOperationName,
  type Rejection,
  type Run,
  readOperation,
  readRun,
  textOf,
  writeDraft,
} from "./operation.ts";
import {
  asReadToday,
  decideRow,
  type EqualOperation,
  type Equals,
  type FileFacts,
  findEquals,
  findRewritten,
  isOfFile,
  isStanding,
  mayBeEdited,
  type OrderElsewhere,
  type RowDecision,
  type RowPolicy,
  type RowToSend,
  readingVersion,
} from "./rules.ts";

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

/** The outcome of a create. */
export type CreateOutcome =
  | {
      readonly state: "created" | "found";
      readonly order: OrderFacts;
      readonly orderState?: string | undefined;
      /** How far the order's time stamp is ahead of the service's clock, where both are known. */
      readonly stampAheadMs?: number | undefined;
    }
  | { readonly state: "refused"; readonly rejection: Rejection }
  | { readonly state: "unsent"; readonly rejection?: Rejection | undefined }
  | { readonly state: "unknown"; readonly loss: Loss; readonly rejection?: Rejection | undefined };

export interface CancelOutcome {
  readonly state: Exclude<CancelState, "ready" | "sending">;
  /** The state read back. */
  readonly orderState?: string | undefined;
  readonly rejection?: Rejection | undefined;
}

/** Another run has taken the operation over: this run must not send it. */
export class LostClaim extends NotDone {
  constructor(name: OperationName) {
    super(`operation ${nameOperation(name)} was taken over by another run`);
  }
}

/** The order id in an answer is of another order. */
export class OtherOrder extends NotDone {
  constructor(
    readonly orderId: string,
    why: string,
  ) {
    super(`order ${orderId} ${why}`);
  }

  /** Why the answer to a create is no proof that it made an order. */
  get reason(): string {
    return `the answer names another order: ${this.message}`;
  }
}

/** The order id in an answer belongs to another create. */
export class OrderTaken extends OtherOrder {
  constructor(
    orderId: string,
    readonly holder: OperationName,
  ) {
    super(orderId, `belongs to operation ${nameOperation(holder)}`);
  }
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

const columns = `run, number, kind, state, customer, owner, attempt, sent_at, sent_event, offset_ms,
  assumed_offset_ms, content, shop, ref, file, row, allowance, draft, defaults, reading, sent_boot, sent_since_boot_ms`;

/** `last`: the number of the last operation that was read. */
interface ComparedRun {
  readonly last: number;
  readonly isShared: boolean;
}

/** Operations of two lists, each once, the oldest first. */
function merge(one: readonly EqualOperation[], other: readonly EqualOperation[]): readonly EqualOperation[] {
  if (other.length === 0) return one;
  const byName = new Map([...one, ...other].map((each) => [nameOperation(each), each]));
  return [...byName.values()].sort((a, b) => a.run - b.run || a.number - b.number);
}

export function createOperations(
  database: Database,
  write: Write,
  events: Events,
  sinceBoot: () => SinceBoot | undefined,
): Operations {
  const sql = database.sql;
  /** The last operation number of the runs of this process. */
  const lastNumbers = new Map<number, number>();
  /** Which runs were compared with a file, so that each of their operations is read once. */
  const comparedRuns = new WeakMap<FileFacts, Map<number, ComparedRun>>();

  function nextNumber(run: number): number {
    const known = lastNumbers.get(run) ?? 0;
    lastNumbers.set(run, known + 1);
    return known + 1;
  }

  interface Inserted {
    readonly kind: "create" | "cancel";
    readonly state: "ready" | "sending";
    readonly sentAtMs?: number;
    readonly sentEvent?: number;
    readonly offsetMs?: number | undefined;
    readonly content?: string;
    readonly draft?: Draft | undefined;
    /** Of a single order; that of a row is in `row`. */
    readonly ref?: string | undefined;
    readonly file?: FileFacts;
    readonly row?: RowToSend;
    readonly allowance?: Allowance;
    readonly orderId?: string;
  }

  function insert(
    run: Run,
    { kind, state, sentAtMs, sentEvent, offsetMs, content, draft, ref, file, row, allowance }: Inserted,
  ): OperationName {
    const name = { run: run.number, number: nextNumber(run.number) };
    const values: SqlValue[] = [
      name.run,
      name.number,
      kind,
      state,
      run.customer,
      run.number,
      state === "sending" ? 1 : 0,
      sentAtMs ?? null,
      state === "sending" ? (sentEvent ?? events.next()) : null,
      offsetMs === undefined ? null : Math.round(offsetMs),
      offsetMs === undefined ? lastOffset(run.customer) : null,
      content ?? null,
      file?.shop ?? (ref === undefined ? null : ""),
      row?.ref ?? ref ?? null,
      file?.files[0] ?? null,
      row?.row ?? null,
      allowance ?? "none",
      writeDraft(draft),
      row && row.defaults.length > 0 ? row.defaults.join(",") : null,
      row || ref !== undefined ? readingVersion : null,
      ...(sentAtMs === undefined ? [null, null] : sentSinceBoot()),
    ];
    sql(`INSERT INTO operations (${columns}) VALUES (${values.map(() => "?").join(", ")})`).run(...values);
    return name;
  }

  function sentSinceBoot(): [boot: string | null, sinceBootMs: number | null] {
    const { boot = null, ms = null } = sinceBoot() ?? {};
    return [boot, ms];
  }

  function read(rows: readonly SqlRow[]): Operation[] {
    const now = rows.length > 0 ? sinceBoot() : undefined;
    return rows.map((row) => readOperation(row, now));
  }

  /** Creates of a content, the oldest first, without refusals that were sent again. */
  function byContent(customer: number, content: string): Operation[] {
    return read(
      sql(
        `SELECT * FROM operations WHERE kind = 'create' AND customer = ? AND content = ? AND is_superseded = 0
         AND state <> 'unsent' ORDER BY run, number`,
      ).all(customer, content),
    );
  }

  function byRef(customer: number, shop: string, ref: string): Operation[] {
    return read(
      sql(
        `SELECT * FROM operations WHERE customer = ? AND ref = ? AND shop = ? AND kind = 'create'
         AND is_superseded = 0 AND state <> 'unsent' ORDER BY run, number`,
      ).all(customer, ref, shop),
    );
  }

  function byName({ run, number }: OperationName): Operation[] {
    return read(sql("SELECT * FROM operations WHERE run = ? AND number = ?").all(run, number));
  }

  /**
   * Operations that no row of the file is: those in doubt, and those that `foundNow` names. The rows of `run` are in
   * the file.
   */
  function findGone(
    customer: number,
    file: FileFacts,
    foundNow: ReadonlySet<string> = new Set(),
    run = 0,
  ): readonly Operation[] {
    const inDoubt = findInDoubt(customer, run);
    const found = [...foundNow].flatMap((name) => findCreate(customer, parseOperationName(name)) ?? []);
    return [...inDoubt, ...found].filter((each) => isGone(each, file));
  }

  /** True where it is of the file, or of a run whose rows are in the file: a copy has another path. */
  function isOfSameFile(operation: Operation, file: FileFacts): boolean {
    if (isOfFile(operation, file)) return true;
    if (operation.file === undefined) return false;
    const runs = comparedRuns.get(file) ?? new Map<number, ComparedRun>();
    comparedRuns.set(file, runs);
    const before = runs.get(operation.run) ?? { last: 0, isShared: false };
    if (before.isShared) return true;
    const rows = sql(
      "SELECT number, ref, shop, content FROM operations WHERE run = ? AND number > ? AND kind = 'create' ORDER BY number",
    ).all(operation.run, before.last);
    const isShared = rows.some(({ ref, shop, content }) =>
      typeof ref === "string"
        ? shop === file.shop && file.hasRef(ref)
        : file.countOf(textOf(content) ?? "") > 0,
    );
    runs.set(operation.run, { last: Number(rows.at(-1)?.number ?? before.last), isShared });
    return isShared;
  }

  /** Creates that are in doubt or being sent, without those of `run`. */
  function findInDoubt(customer: number, run = 0): readonly Operation[] {
    return read(
      sql(
        `SELECT * FROM operations WHERE customer = ? AND state IN ('ready', 'sending', 'unknown')
         AND kind = 'create' AND run <> ? ORDER BY run, number`,
      ).all(customer, run),
    );
  }

  function findCreate(customer: number, name: OperationName | undefined): Operation | undefined {
    if (!name) return undefined;
    return read(
      sql("SELECT * FROM operations WHERE run = ? AND number = ? AND customer = ? AND kind = 'create'").all(
        name.run,
        name.number,
        customer,
      ),
    )[0];
  }

  /** True for a standing order, or one in doubt, that no row of the file is any more. */
  function isGone(operation: Operation, file: FileFacts): boolean {
    const { customer, ref, content = "", shop, allowance } = operation;
    if (!isStanding(operation) || allowance === "extra") return false;
    if (ref !== undefined) return shop !== file.shop || !file.hasRef(ref);
    const count = file.countOf(content);
    if (count === 0) return true;
    const standing = byContent(customer, content).filter(
      (each) =>
        each.ref === undefined && isOfFile(each, file) && isStanding(each) && each.allowance !== "extra",
    );
    return standing.length > count;
  }

  /** The order that the row may have been before it was edited, as a batch of rows asks for it. */
  function createFindEdited(customer: number, file: FileFacts, policy: RowPolicy, run?: number) {
    let gone: readonly (readonly [Operation, boolean])[] | undefined;
    return (row: RowToSend): Operation | undefined => {
      const marked = findCreate(customer, row.markedDoubt);
      if (marked && isGone(marked, file)) return marked;
      gone ??= findGone(customer, file, policy.foundNow, run).map((each) => [each, isOfSameFile(each, file)]);
      return gone.find(([each, isSameFile]) => mayBeEdited(row, each, isSameFile))?.[0];
    };
  }

  function decide(
    customer: number,
    row: RowToSend,
    file: FileFacts,
    policy: RowPolicy,
    nowMs: number,
    findEdited: (row: RowToSend) => Operation | undefined,
  ): RowDecision {
    const { ref, content, former } = row;
    const today = (found: readonly Operation[]) => found.map((each) => asReadToday(each, row));
    const same = today(byContent(customer, content));
    const isOwn =
      ref === undefined
        ? (each: EqualOperation) =>
            each.ref === undefined && isOfFile(each, file) && file.byNumber?.holderOf(each)?.ref === undefined
        : (each: EqualOperation) => each.ref === ref && each.shop === file.shop;
    const byNumber = file.byNumber?.numberOf(row.row)?.operation;
    const [numbered] = byNumber ? today(byName(byNumber)) : [];
    const named = ref === undefined ? [] : byRef(customer, file.shop, ref);
    const formerNamed =
      ref === undefined || former?.ref === undefined ? [] : byRef(customer, file.shop, former.ref);
    const own = ref === undefined ? same.filter(isOwn) : today(merge(named, formerNamed)).filter(isOwn);
    const formerSame =
      former && former.content !== content
        ? today(byContent(customer, former.content)).filter((each) => each.content === content)
        : [];
    const elsewhere = (asked: Pick<RowToSend, "row">) => {
      const order = policy.elsewhere?.(asked) ?? findElsewhere(customer, row.content);
      // Another process may have assigned it to a row meanwhile.
      return order && isOwned(customer, order.orderId) ? { ...order, isCertain: false } : order;
    };
    const others = merge(same, formerSame).filter((each) => each.isFormer || !isOwn(each));
    const edited = () => findEdited(row);
    return decideRow(row, { own, equal: others, numbered, edited }, file, { ...policy, elsewhere }, nowMs);
  }

  /** The last known offset: the service's clock minus ours. */
  function lastOffset(customer: number): number | null {
    return numberOf(sql("SELECT offset_ms FROM customers WHERE id = ?").get(customer)?.offset_ms) ?? null;
  }

  /** An order that held an equal row before; later listings may not show it any more. */
  function findElsewhere(customer: number, content: string): OrderElsewhere | undefined {
    const row = sql(
      `SELECT order_id FROM orders_elsewhere WHERE customer = ? AND content = ? AND order_id NOT IN
         (SELECT order_id FROM operations WHERE customer = ? AND kind = 'create' AND order_id IS NOT NULL)`,
    ).get(customer, content, customer);
    const orderId = textOf(row?.order_id);
    return orderId === undefined ? undefined : { orderId, isCertain: true };
  }

  /** Records an order that was not sent from this machine. A row that it covers gets an operation for it. */
  function recordElsewhere(
    run: Run,
    row: RowToSend,
    file: FileFacts,
    { orderId, isCertain, isCovered }: Extract<RowDecision, { kind: "elsewhere" }>,
    nowMs: number,
  ): void {
    if (!isCertain) return;
    const { content, draft } = row;
    sql("INSERT INTO orders_elsewhere VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
      run.customer,
      content,
      orderId,
    );
    if (!isCovered) return;
    const name = insert(run, { kind: "create", state: "ready", content, draft, file, row });
    const order = { id: orderId, order_no: null, tracking_number: null, estimated_fee: null };
    setOutcome(name, { state: "found", order }, nowMs);
  }

  /** True for an order of a create in this ledger. */
  function isOwned(customer: number, orderId: string): boolean {
    return (
      sql("SELECT 1 FROM operations WHERE customer = ? AND order_id = ? AND kind = 'create'").get(
        customer,
        orderId,
      ) !== undefined
    );
  }

  /** Throws LostClaim unless the operation is still this owner's and in one of the states. */
  function ensureOwner({ run, number }: OperationName, owner: number, states: readonly string[]): void {
    const row = sql("SELECT state, owner FROM operations WHERE run = ? AND number = ?").get(run, number);
    if (!row || row.owner !== owner || !states.includes(String(row.state)))
      throw new LostClaim({ run, number });
  }

  /** Throws OrderTaken where another create has the order. */
  function ensureFree({ run, number }: OperationName, orderId: string): void {
    const row = sql(
      `SELECT run, number FROM operations WHERE kind = 'create' AND order_id = ?
         AND customer = (SELECT customer FROM operations WHERE run = ? AND number = ?)`,
    ).get(orderId, run, number);
    if (!row || (row.run === run && row.number === number)) return;
    throw new OrderTaken(orderId, { run: Number(row.run), number: Number(row.number) });
  }

  /** Throws OtherOrder where a list had the order of an answer before the request was sent. */
  function ensureNew({ run, number }: OperationName, orderId: string): void {
    const listed = sql(
      `SELECT 1 FROM operations JOIN listed_orders USING (customer)
       WHERE run = ? AND number = ? AND listed_orders.order_id = ? AND event < sent_event`,
    ).get(run, number, orderId);
    if (listed) throw new OtherOrder(orderId, "existed before the request was sent");
  }

  /** Throws OrderTaken; with an owner, LostClaim unless the operation is the owner's and not settled. */
  function setOutcome(name: OperationName, outcome: CreateOutcome, nowMs: number, owner?: number): void {
    const order = "order" in outcome ? outcome.order : undefined;
    const rejection = "rejection" in outcome ? outcome.rejection : undefined;
    const owned = owner === undefined ? "" : "AND owner = ? AND state IN ('ready', 'sending', 'unknown')";
    const values: SqlValue[] = [
      outcome.state,
      nowMs,
      outcome.state === "unknown" ? events.next() : null,
      outcome.state === "unknown" ? outcome.loss : null,
      "order" in outcome && outcome.stampAheadMs !== undefined ? Math.round(outcome.stampAheadMs) : null,
      order?.id ?? null,
      order?.order_no ?? null,
      order?.tracking_number ?? null,
      order?.estimated_fee ?? null,
      order?.created_at ?? null,
      "orderState" in outcome ? (outcome.orderState ?? null) : null,
      rejection?.code ?? null,
      rejection?.message ?? null,
      rejection?.field ?? null,
      name.run,
      name.number,
      ...(owner === undefined ? [] : [owner]),
    ];
    const update = sql(
      `UPDATE operations SET state = ?, ended_at = ?, ended_event = ?, loss = ?, stamp_ahead_ms = ?, order_id = ?,
         order_no = ?, tracking_number = ?, estimated_fee = ?, order_created_at = ?, order_state = ?, error_code = ?,
         error_message = ?, error_field = ?
       WHERE run = ? AND number = ? ${owned}`,
    );
    let changed: number;
    try {
      changed = update.run(...values).changes;
    } catch (error) {
      if (order && isConstraint(error)) ensureFree(name, order.id); // each order has one create
      throw error;
    }
    if (owner !== undefined && changed === 0) throw new LostClaim(name);
  }

  function setOrderState(customer: number, orderId: string, orderState: string): void {
    sql("UPDATE operations SET order_state = ? WHERE kind = 'create' AND customer = ? AND order_id = ?").run(
      orderState,
      customer,
      orderId,
    );
    if (orderState !== "cancelled") return;
    sql(
      `UPDATE operations SET state = 'cancelled', order_state = 'cancelled'
       WHERE kind = 'cancel' AND customer = ? AND order_id = ? AND state = 'unknown'`,
    ).run(customer, orderId);
  }

  /** The policy for a batch of rows: an order elsewhere covers at most one of them. */
  function coverOnce(policy: RowPolicy) {
    const covered = new Set<string>();
    return {
      ...policy,
      isCovered: (operation: Operation) =>
        covered.has(nameOperation(operation)) || policy.isCovered?.(operation) === true,
      note(decision: RowDecision): RowDecision {
        if (decision.kind === "shipped" && decision.isElsewhere)
          covered.add(nameOperation(decision.operation));
        return decision;
      },
    };
  }

  /** The numbers of files that are the same: by path, by bytes, or by their rows. */
  function matchFiles(customer: number, { path, bytesHash, rowsHash }: ImportFile): number[] {
    const found = new Set<number>();
    for (const [column, value] of [
      ["path", path],
      ["bytes_hash", bytesHash],
      ["rows_hash", rowsHash],
    ] as const) {
      if (value === "") continue; // stdin and pipes have no path
      for (const { file } of sql(`SELECT DISTINCT file FROM files WHERE customer = ? AND ${column} = ?`).all(
        customer,
        value,
      ))
        found.add(Number(file));
    }
    return [...found].sort((a, b) => a - b);
  }

  return {
    beginCreate: (run, { content, draft, ref, windowMs, isDuplicateAllowed, accepted, offsetMs }, nowMs) =>
      write(() => {
        const named = ref === undefined ? [] : byRef(run.customer, "", ref).filter(isStanding);
        const same = byContent(run.customer, content);
        // Other refs are other orders.
        const unnamed = same.filter((operation) => ref === undefined || operation.ref === undefined);
        const all = findEquals(unnamed, windowMs, nowMs);
        const rewritten = ref === undefined ? [] : findRewritten(ref, same);
        const equal = [...rewritten.filter(isMade), ...all.recent];
        const isOpen = (operation: Operation) => !accepted.has(nameOperation(operation));
        const inDoubt = [...[...named, ...rewritten].filter((each) => !isMade(each)), ...all.inDoubt].filter(
          isOpen,
        );
        // A person who does not know that it was created cannot want a second one.
        const mayBlock = equal.filter((operation) => !isDuplicateAllowed || operation.isUnreported);
        const recent = [...named.filter(isMade), ...mayBlock].filter(isOpen);
        if (inDoubt.length + recent.length > 0)
          return { kind: "stopped", equals: { ...all, inDoubt, recent } } as const;
        const allowance = equal.length > 0 ? "equal" : "none";
        const edited =
          draft &&
          findInDoubt(run.customer).find(
            (each) => isOpen(each) && each.state === "unknown" && mayBeEdited({ ref, draft }, each, false),
          );
        const operation = insert(run, {
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

    async findEquals(customer, content, windowMs, nowMs) {
      return findEquals(byContent(customer, content), windowMs, nowMs);
    },

    openFile: (run, file) =>
      write(() => {
        const [first = run.number, ...others] = matchFiles(run.customer, file);
        for (const other of others) {
          sql("UPDATE files SET file = ? WHERE file = ? AND customer = ?").run(first, other, run.customer);
          sql("UPDATE operations SET file = ? WHERE file = ? AND customer = ?").run(
            first,
            other,
            run.customer,
          );
        }
        sql("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?)").run(
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

    async findFiles(customer, file) {
      return matchFiles(customer, file);
    },

    async equalOrders(customer, { ref, content }, { files, shop }) {
      const isOwn = (each: Operation) =>
        ref === undefined
          ? each.ref === undefined && isOfFile(each, { files })
          : each.ref === ref && each.shop === shop;
      return byContent(customer, content).filter((each) => isMade(each) && isOwn(each));
    },

    async findByNumber(customer, numbers) {
      const asked = JSON.stringify(numbers);
      const rows = sql(
        `SELECT run, number, ref, shop, content, file, allowance, order_state, tracking_number, order_no FROM operations
         WHERE kind = 'create' AND customer = ? AND order_id IS NOT NULL
           AND (tracking_number IN (SELECT value FROM json_each(?)) OR order_no IN (SELECT value FROM json_each(?)))
         ORDER BY run, number`,
      ).all(customer, asked, asked);
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
    },

    viewRows: (customer, rows, file, policy, nowMs) =>
      // One snapshot: without it, each statement takes and drops the file's locks.
      database.read(() => {
        const { note, ...covering } = coverOnce(policy);
        const findEdited = createFindEdited(customer, file, policy);
        return rows.map((row) => note(decide(customer, row, file, covering, nowMs, findEdited)));
      }),

    claimRows: (run, rows, file, policy, { atMs, offsetMs }) =>
      write(() => {
        const { note, ...covering } = coverOnce(policy);
        const findEdited = createFindEdited(run.customer, file, policy, run.number);
        let nextEvent: number | undefined;
        return rows.map((row, index): ClaimedRow => {
          const decision = note(decide(run.customer, row, file, covering, atMs, findEdited));
          if (decision.kind === "elsewhere") recordElsewhere(run, row, file, decision, atMs);
          if (decision.kind !== "send") return { decision, operation: undefined };
          const { content, draft } = row;
          const { allowance, supersedes } = decision;
          const sentEvent = nextEvent ?? events.next(rows.length - index);
          nextEvent = sentEvent + 1;
          if (supersedes)
            sql("UPDATE operations SET is_superseded = 1 WHERE run = ? AND number = ?").run(
              supersedes.run,
              supersedes.number,
            );
          return {
            decision,
            operation: insert(run, {
              kind: "create",
              state: "sending",
              sentAtMs: atMs,
              sentEvent,
              offsetMs,
              content,
              draft,
              file,
              row,
              allowance,
            }),
          };
        });
      }),

    holdsClaim({ run, number }, owner) {
      const row = sql("SELECT state, owner FROM operations WHERE run = ? AND number = ?").get(run, number);
      return database.isInPlace() && row?.owner === owner && row.state === "sending";
    },

    markSending: (name, owner, { atMs, offsetMs }) =>
      write(() => {
        ensureOwner(name, owner, ["ready"]);
        sql(
          `UPDATE operations SET state = 'sending', attempt = attempt + 1, sent_at = ?, sent_event = ?,
             offset_ms = ?, sent_boot = ?, sent_since_boot_ms = ? WHERE run = ? AND number = ?`,
        ).run(
          atMs,
          events.next(),
          offsetMs === undefined ? null : Math.round(offsetMs),
          ...sentSinceBoot(),
          name.run,
          name.number,
        );
      }),

    markReady: (name, owner) =>
      write(() => {
        ensureOwner(name, owner, ["sending"]);
        sql(
          `UPDATE operations SET state = 'ready', sent_at = NULL, sent_event = NULL, offset_ms = NULL
           WHERE run = ? AND number = ?`,
        ).run(name.run, name.number);
      }),

    endCreate: (name, owner, outcome, nowMs, options) =>
      write(() => {
        // Nothing may be changed before LostClaim is thrown, and this outcome takes a number of the events.
        if (outcome.state === "unknown") ensureOwner(name, owner, ["ready", "sending", "unknown"]);
        if (outcome.state === "created") ensureNew(name, outcome.order.id);
        setOutcome(name, outcome, nowMs, owner);
      }, options),

    settleCreate: (name, outcome, nowMs) =>
      write(() => {
        const row = sql("SELECT state FROM operations WHERE run = ? AND number = ?").get(
          name.run,
          name.number,
        );
        if (row?.state !== "unknown") return false;
        setOutcome(name, outcome, nowMs);
        sql("UPDATE operations SET is_untold = ? WHERE run = ? AND number = ?").run(
          outcome.state === "found" ? 1 : 0,
          name.run,
          name.number,
        );
        return true;
      }),

    withdrawOrder: ({ run, number }, orderId, nowMs) =>
      write(() => {
        const event = events.next();
        const row = sql(
          `UPDATE operations SET state = 'unknown', loss = 'broken', ended_event = ?, stamp_ahead_ms = NULL,
             first_shown_ms = NULL, missing_ms = NULL, kept_fields = 0, changed_fields = 0, order_id = NULL,
             order_no = NULL, tracking_number = NULL, estimated_fee = NULL, order_created_at = NULL, order_state = NULL
           WHERE run = ? AND number = ? AND state = 'created' AND order_id = ? RETURNING customer`,
        ).get(event, run, number, orderId);
        if (!row) return undefined;
        sql("INSERT INTO listed_orders VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING").run(
          Number(row.customer),
          orderId,
          event,
          nowMs,
        );
        return event;
      }),

    beginCancel: (run, orderId, sentAtMs) =>
      write(() => {
        const name = insert(run, { kind: "cancel", state: "sending", sentAtMs });
        sql("UPDATE operations SET order_id = ? WHERE run = ? AND number = ?").run(
          orderId,
          name.run,
          name.number,
        );
        return name;
      }),

    endCancel: (name, owner, { state, orderState, rejection }, nowMs) =>
      write(() => {
        ensureOwner(name, owner, ["sending", "unknown"]);
        const row = sql(
          `UPDATE operations SET state = ?, ended_at = ?, order_state = ?, error_code = ?, error_message = ?,
             error_field = ? WHERE run = ? AND number = ? RETURNING customer, order_id`,
        ).get(
          state,
          nowMs,
          orderState ?? null,
          rejection?.code ?? null,
          rejection?.message ?? null,
          rejection?.field ?? null,
          name.run,
          name.number,
        );
        if (orderState !== undefined) setOrderState(Number(row?.customer), String(row?.order_id), orderState);
      }),

    async findAcceptedUnread(customer, orderIds) {
      const rows = sql(
        `SELECT order_id FROM operations WHERE kind = 'cancel' AND customer = ? AND state = 'accepted'
         AND order_state IS NULL AND order_id IN (SELECT value FROM json_each(?))`,
      ).all(customer, JSON.stringify(orderIds));
      return new Set(rows.map(({ order_id }) => String(order_id)));
    },

    noteOrderState: (customer, orderId, state) => write(() => setOrderState(customer, orderId, state)),

    async findOperation({ run, number }) {
      const row = sql("SELECT * FROM operations WHERE run = ? AND number = ?").get(run, number);
      return row && readOperation(row, sinceBoot());
    },

    async listOperations(run, after = 0, limit = -1) {
      return read(
        sql("SELECT * FROM operations WHERE run = ? AND number > ? ORDER BY number LIMIT ?").all(
          run,
          after,
          limit,
        ),
      );
    },

    async openOperations(customer) {
      const rows = sql(
        "SELECT * FROM operations WHERE customer = ? AND state IN ('ready', 'sending', 'unknown') ORDER BY run, number",
      ).all(customer);
      const owners = new Map<number, Run>();
      return read(rows).map((operation) => {
        const known = owners.get(operation.owner);
        const owner = known ?? readRun(sql("SELECT * FROM runs WHERE number = ?").get(operation.owner) ?? {});
        owners.set(operation.owner, owner);
        return { operation, owner };
      });
    },

    releaseRun: (run, nowMs) =>
      write(() => {
        sql("UPDATE operations SET state = 'unsent', ended_at = ? WHERE owner = ? AND state = 'ready'").run(
          nowMs,
          run,
        );
        sql(
          `UPDATE operations SET state = 'unknown', ended_at = ?, ended_event = ?, loss = 'broken'
           WHERE owner = ? AND state = 'sending'`,
        ).run(nowMs, events.next(), run);
      }),

    async findOwners(customer, orderIds) {
      const rows = sql(
        `SELECT order_id, run, number FROM operations WHERE kind = 'create' AND customer = ?
         AND order_id IN (SELECT value FROM json_each(?))`,
      ).all(customer, JSON.stringify(orderIds));
      return new Map(
        rows.map(({ order_id, run, number }) => [
          String(order_id),
          { run: Number(run), number: Number(number) },
        ]),
      );
    },

    async recentCreates(account, service, limit) {
      return read(
        sql(
          `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND kind = 'create' AND draft IS NOT NULL
             AND state IN ('created', 'found', 'unknown', 'sending')
           ORDER BY runs.number DESC, operations.number DESC LIMIT ?`,
        ).all(account, service, limit),
      );
    },

    async ordersSince(account, service, { run, number }, limit) {
      return read(
        sql(
          `SELECT operations.* FROM runs JOIN operations ON run = runs.number
           WHERE account = ? AND service = ? AND (run, operations.number) > (?, ?)
             AND kind = 'create' AND order_id IS NOT NULL
           ORDER BY run, operations.number LIMIT ?`,
        ).all(account, service, run, number, limit),
      );
    },

    async firstOpenRun(sinceMs) {
      return numberOf(
        sql(
          `SELECT min(number) AS number FROM (
             SELECT run AS number FROM operations WHERE state IN ('ready', 'sending', 'unknown')
             UNION ALL SELECT number FROM runs WHERE ended_at IS NULL AND started_at > ?)`,
        ).get(sinceMs)?.number,
      );
    },

    markReported: (names) =>
      write(() => {
        for (const { run, number } of names)
          sql("UPDATE operations SET is_untold = 0 WHERE run = ? AND number = ?").run(run, number);
      }),

    markUnwanted: (names) =>
      write(() => {
        for (const { run, number } of names)
          sql("UPDATE operations SET is_unwanted = 1 WHERE run = ? AND number = ?").run(run, number);
      }),

    async findByRef(customer, ref) {
      return read(
        sql(
          "SELECT * FROM operations WHERE customer = ? AND ref = ? AND kind = 'create' ORDER BY run, number",
        ).all(customer, ref),
      );
    },

    deletePersonalData: (customer, isForced) =>
      write(() => {
        const kept = isForced ? "" : "AND state NOT IN ('ready', 'sending', 'unknown')";
        sql(
          `UPDATE operations SET draft = NULL, error_message = NULL WHERE customer = ?
             AND (draft IS NOT NULL OR error_message IS NOT NULL) ${kept}`,
        ).run(customer);
        return Number(
          sql(
            "SELECT count(*) AS n FROM operations WHERE customer = ? AND draft IS NOT NULL AND kind = 'create'",
          ).get(customer)?.n,
        );
      }),
  };
}
