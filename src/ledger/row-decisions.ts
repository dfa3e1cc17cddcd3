/** Decisions about the rows of an import, by what the ledger has of them. */

import { type OperationFinder, ofContent, ofName, ofRef } from "./find-operations.ts";
import { nameOperation, type Operation, parseOperationName, textOf } from "./operation.ts";
import {
  asReadToday,
  decideRow,
  type EqualOperation,
  type FileFacts,
  isOfFile,
  isStanding,
  mayBeEdited,
  type OrderElsewhere,
  type RowDecision,
  type RowPolicy,
  type RowToSend,
} from "./rules.ts";
import { ask, askTogether, type Work } from "./statements.ts";

/** `last`: the number of the last operation that was read. */
interface ComparedRun {
  readonly last: number;
  readonly isShared: boolean;
}

/** An operation that no row of the file is any more. */
interface GoneOperation {
  readonly operation: Operation;
  readonly isOfSameFile: boolean;
}

/** Operations of two lists, each once, the oldest first. */
function merge(one: readonly EqualOperation[], other: readonly EqualOperation[]): readonly EqualOperation[] {
  if (other.length === 0) return one;
  const byName = new Map([...one, ...other].map((each) => [nameOperation(each), each]));
  return [...byName.values()].sort((a, b) => a.run - b.run || a.number - b.number);
}

export function createRowDecisions({
  readAll,
  byContent,
  findInDoubt,
  findCreate,
  isOwned,
}: OperationFinder) {
  /** Which runs were compared with a file, so that each of their operations is read once. */
  const comparedRuns = new WeakMap<FileFacts, Map<number, ComparedRun>>();

  /**
   * Operations that no row of the file is: those in doubt, and those that `foundNow` names. The rows of `run` are in
   * the file.
   */
  function* findGone(
    customer: number,
    file: FileFacts,
    foundNow: ReadonlySet<string> = new Set(),
    run = 0,
  ): Work<readonly GoneOperation[]> {
    const found = [...(yield* findInDoubt(customer, run))];
    for (const name of foundNow) {
      const create = yield* findCreate(customer, parseOperationName(name));
      if (create) found.push(create);
    }
    const gone: GoneOperation[] = [];
    for (const operation of found)
      if (yield* isGone(operation, file))
        gone.push({ operation, isOfSameFile: yield* isOfSameFile(operation, file) });
    return gone;
  }

  /** True where it is of the file, or of a run whose rows are in the file: a copy has another path. */
  function* isOfSameFile(operation: Operation, file: FileFacts): Work<boolean> {
    if (isOfFile(operation, file)) return true;
    if (operation.file === undefined) return false;
    const runs = comparedRuns.get(file) ?? new Map<number, ComparedRun>();
    comparedRuns.set(file, runs);
    const before = runs.get(operation.run) ?? { last: 0, isShared: false };
    if (before.isShared) return true;
    const rows = yield ask(
      "SELECT number, ref, shop, content FROM operations WHERE run = ? AND number > ? AND kind = 'create' ORDER BY number",
      operation.run,
      before.last,
    );
    const isShared = rows.some(({ ref, shop, content }) =>
      typeof ref === "string"
        ? shop === file.shop && file.hasRef(ref)
        : file.countOf(textOf(content) ?? "") > 0,
    );
    runs.set(operation.run, { last: Number(rows.at(-1)?.number ?? before.last), isShared });
    return isShared;
  }

  /** True for a standing order, or one in doubt, that no row of the file is any more. */
  function* isGone(operation: Operation, file: FileFacts): Work<boolean> {
    const { customer, ref, content = "", shop, allowance } = operation;
    if (!isStanding(operation) || allowance === "extra") return false;
    if (ref !== undefined) return shop !== file.shop || !file.hasRef(ref);
    const count = file.countOf(content);
    if (count === 0) return true;
    const standing = (yield* byContent(customer, content)).filter(
      (each) =>
        each.ref === undefined && isOfFile(each, file) && isStanding(each) && each.allowance !== "extra",
    );
    return standing.length > count;
  }

  /** The order that the row may have been before it was edited, as a batch of rows asks for it. */
  function createFindEdited(customer: number, file: FileFacts, policy: RowPolicy, run?: number) {
    let gone: readonly GoneOperation[] | undefined;
    return function* (row: RowToSend): Work<Operation | undefined> {
      const marked = yield* findCreate(customer, row.markedDoubt);
      if (marked && (yield* isGone(marked, file))) return marked;
      gone ??= yield* findGone(customer, file, policy.foundNow, run);
      return gone.find((each) => mayBeEdited(row, each.operation, each.isOfSameFile))?.operation;
    };
  }

  function* decide(
    customer: number,
    row: RowToSend,
    file: FileFacts,
    policy: RowPolicy,
    nowMs: number,
    findEdited: (row: RowToSend) => Work<Operation | undefined>,
  ): Work<RowDecision> {
    const { ref, content, former } = row;
    const today = (found: readonly Operation[]) => found.map((each) => asReadToday(each, row));
    const isFormerOther = former !== undefined && former.content !== content;
    const numberedName = file.byNumber?.numberOf(row.row)?.operation;
    const found = yield* askTogether({
      same: ofContent(customer, content),
      named: ref === undefined ? undefined : ofRef(customer, file.shop, ref),
      numbered: numberedName && ofName(numberedName),
      formerNamed:
        ref === undefined || former?.ref === undefined ? undefined : ofRef(customer, file.shop, former.ref),
      formerSame: isFormerOther ? ofContent(customer, former.content) : undefined,
    });
    const same = today(readAll(found.same));
    const isOwn =
      ref === undefined
        ? (each: EqualOperation) =>
            each.ref === undefined && isOfFile(each, file) && file.byNumber?.holderOf(each)?.ref === undefined
        : (each: EqualOperation) => each.ref === ref && each.shop === file.shop;
    const [numbered] = today(readAll(found.numbered));
    const named = merge(readAll(found.named), readAll(found.formerNamed));
    const own = ref === undefined ? same.filter(isOwn) : today(named).filter(isOwn);
    const formerSame = today(readAll(found.formerSame)).filter((each) => each.content === content);
    function* elsewhere(): Work<OrderElsewhere | undefined> {
      const order = policy.elsewhere?.(row) ?? (yield* findElsewhere(customer, row.content));
      // Another process may have assigned it to a row meanwhile.
      return order && (yield* isOwned(customer, order.orderId)) ? { ...order, isCertain: false } : order;
    }
    const others = merge(same, formerSame).filter((each) => each.isFormer || !isOwn(each));
    const edited = () => findEdited(row);
    return yield* decideRow(row, { own, equal: others, numbered, edited, elsewhere }, file, policy, nowMs);
  }

  /** An order that held an equal row before; later listings may not show it any more. */
  function* findElsewhere(customer: number, content: string): Work<OrderElsewhere | undefined> {
    const [row] = yield ask(
      `SELECT order_id FROM orders_elsewhere WHERE customer = ? AND content = ? AND order_id NOT IN
         (SELECT order_id FROM operations WHERE customer = ? AND kind = 'create' AND order_id IS NOT NULL)`,
      customer,
      content,
      customer,
    );
    const orderId = textOf(row?.order_id);
    return orderId === undefined ? undefined : { orderId, isCertain: true };
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

  return { createFindEdited, decide, coverOnce };
}
