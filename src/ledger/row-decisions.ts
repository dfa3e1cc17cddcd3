/** Decisions about the rows of an import, by what the ledger has of them. */

import type { SqlRow } from "../sqlite/driver.ts";
import { isOfCoveredRow, terminalWindowMs } from "./equal-orders.ts";
import {
  heldByContents,
  heldByRefs,
  type OperationFinder,
  ofFormsOfRefs,
  ofUnseen,
} from "./find-operations.ts";
import {
  isMade,
  isStanding,
  nameOperation,
  type Operation,
  type OperationName,
  textOf,
} from "./operation.ts";
import { contentToday, isHeldByRow, isOfFile, isOfRow, isRewritten, mayBeEdited } from "./order-of-row.ts";
import { formsOfRef, rangeOfRef } from "./ref-forms.ts";
import { createRowLookup } from "./row-lookup.ts";
import {
  asReadToday,
  type EqualOperation,
  type FileFacts,
  type OrderElsewhere,
  type RefOfShop,
  type RowPolicy,
  type RowToSend,
  recordedContents,
} from "./row-to-send.ts";
import { decideRow, type RowDecision } from "./rules.ts";
import { ask, askTogether, sideBySide, type Work } from "./statements.ts";

/** `last`: the number of the last operation that was read. */
interface ComparedRun {
  readonly last: number;
  readonly isShared: boolean;
}

/** What only a row to be sent needs. */
interface Others {
  readonly gone: readonly Operation[];
  /** Orders of no row of the file, by their refs, which a program may have made of refs of the batch. */
  readonly ofForms: ReadonlyMap<string, readonly Operation[]>;
  /** Orders made elsewhere that held rows before, by content and by ref. */
  readonly equal: readonly SqlRow[];
  readonly named: readonly SqlRow[];
  /** By the names of own orders without a ref: the rows that they cover. */
  readonly coversOf: ReadonlyMap<string, readonly RefOfShop[]>;
  /** By the ref of such a row in the file's shop: the operations of these orders. */
  readonly coveringsOf: ReadonlyMap<string, readonly OperationName[]>;
}

/** Decides about the rows of a batch, one after the other. */
export interface Batch {
  /** Asks for all that rows to be sent need, at once. Without it, each is asked when it is needed. */
  prepare(): Work<void>;
  decide(row: RowToSend): Work<RowDecision>;
  /** Rows like this one are looked up anew. */
  noteSent(row: RowToSend): void;
  /** All rows are looked up anew. */
  noteChanged(): void;
}

/** Operations of two lists, each once, the oldest first. */
function merge(one: readonly EqualOperation[], other: readonly EqualOperation[]): readonly EqualOperation[] {
  if (other.length === 0) return one;
  const byName = new Map([...one, ...other].map((each) => [nameOperation(each), each]));
  return [...byName.values()].sort((a, b) => a.run - b.run || a.number - b.number);
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function byRefOf(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const found = new Map<string, Operation[]>();
  for (const each of operations) addTo(found, each.ref ?? "", each);
  return found;
}

export function createRowDecisions({ readAll, byContent, byRef, findCreate, isOwned }: OperationFinder) {
  /** Which runs were compared with a file, so that each of their operations is read once. */
  const comparedRuns = new WeakMap<FileFacts, Map<number, ComparedRun>>();

  /** Of these runs, those with rows that are in the file: a copy has another path. */
  function* findRunsOfFile(names: ReadonlySet<number>, file: FileFacts): Work<ReadonlySet<number>> {
    const compared = comparedRuns.get(file) ?? new Map<number, ComparedRun>();
    comparedRuns.set(file, compared);
    const runs = [...names].filter((run) => !compared.get(run)?.isShared);
    const lastOf = (run: number) => compared.get(run)?.last ?? 0;
    const answers = yield* askTogether(
      runs.map((run) =>
        ask(
          "SELECT number, ref, shop, content FROM operations WHERE run = ? AND number > ? AND kind = 'create' ORDER BY number",
          run,
          lastOf(run),
        ),
      ),
    );
    for (const [index, run] of runs.entries()) {
      const rows = answers[index] ?? [];
      const isShared = rows.some(({ ref, shop, content }) =>
        typeof ref === "string"
          ? shop === file.shop && file.hasRef(ref)
          : file.countOf(textOf(content) ?? "") > 0,
      );
      compared.set(run, { last: Number(rows.at(-1)?.number ?? lastOf(run)), isShared });
    }
    return new Set([...names].filter((run) => compared.get(run)?.isShared));
  }

  /** True for a standing order, or one in doubt, that no row of the file is any more. */
  function* isGone(operation: Operation, file: FileFacts): Work<boolean> {
    const { customer, ref, content = "", shop, allowance } = operation;
    if (!isStanding(operation) || allowance === "extra") return false;
    if (ref !== undefined) return shop !== file.shop || !file.hasRef(ref);
    const count = file.countOf(contentToday(operation, file) ?? "");
    if (count === 0) return true;
    const standing = (yield* byContent(customer, content)).filter(
      (each) =>
        each.ref === undefined && isOfFile(each, file) && isStanding(each) && each.allowance !== "extra",
    );
    return standing.length > count;
  }

  function* onlyGone(operations: readonly Operation[], file: FileFacts): Work<readonly Operation[]> {
    const gone: Operation[] = [];
    for (const operation of operations) if (yield* isGone(operation, file)) gone.push(operation);
    return gone;
  }

  /** The rows of `run` are in the file. */
  function createBatch(
    customer: number,
    rows: readonly RowToSend[],
    file: FileFacts,
    policy: RowPolicy,
    nowMs: number,
    run = 0,
  ): Batch {
    const lookup = createRowLookup(readAll, customer, rows, file);
    let others: Others | undefined;
    let runsOfFile: ReadonlySet<number> | undefined;
    /** Orders of other files that cover rows of this batch: each covers one. */
    const covered = new Set<string>();
    const taken = new Set<string>();
    const isTaken = (orderId: string) => taken.has(orderId) || policy.isTaken?.(orderId) === true;
    const isCovered = (operation: Operation) =>
      covered.has(nameOperation(operation)) || policy.isCovered?.(operation) === true;

    /**
     * What is in doubt, or was found, and of no row of the file any more, and the orders elsewhere: only a row to be sent
     * needs them.
     */
    function* findOthers() {
      if (others) return others;
      const refs = rows.map(({ ref }) => ref).filter((each) => each !== undefined);
      const contents = rows.flatMap((row) => [
        ...recordedContents(row),
        ...(row.former ?? []).map((each) => each.content),
      ]);
      const [unseen = [], equal = [], named = [], ...ofForms] = yield* askTogether([
        ofUnseen(customer, run, nowMs - terminalWindowMs),
        heldByContents(customer, contents),
        refs.length > 0 ? heldByRefs(customer, file.shop, refs) : undefined,
        ...ofFormsOfRefs(customer, file.shop, refs, nowMs, file.hasRef),
      ]);
      const isElsewhere = (held: SqlRow) => held.run === null;
      const coversOf = new Map<string, RefOfShop[]>();
      const coveringsOf = new Map<string, OperationName[]>();
      for (const held of [...equal, ...named]) {
        if (isElsewhere(held)) continue;
        const name = { run: Number(held.run), number: Number(held.number) };
        const [ref, shop] = [String(held.ref), String(held.shop)];
        addTo(coversOf, nameOperation(name), { ref, shop });
        if (shop === file.shop) addTo(coveringsOf, ref, name);
      }
      others = {
        gone: yield* onlyGone(readAll(unseen), file),
        ofForms: byRefOf(readAll(ofForms.flat()).filter(isStanding)),
        equal: equal.filter(isElsewhere),
        named: named.filter(isElsewhere),
        coversOf,
        coveringsOf,
      };
      return others;
    }

    /** With the rows that they cover. */
    function* withCovers(row: RowToSend, equal: readonly EqualOperation[]): Work<readonly EqualOperation[]> {
      const isWithoutRef = (each: Operation) => each.ref === undefined && isMade(each);
      if (!equal.some(isWithoutRef)) return equal;
      const { coversOf } = yield* findOthers();
      // What covers a row with a ref is that row's, and no other one's, as if it had been sent with the ref.
      if (row.ref === undefined)
        return equal.filter((each) => !isOfCoveredRow(coversOf.get(nameOperation(each)), file));
      return equal.map((each) => {
        const covers = isWithoutRef(each) && coversOf.get(nameOperation(each));
        return covers ? { ...each, covers } : each;
      });
    }

    /** The order by which the row counted as shipped before it was edited. */
    function* findCovering({ ref = "" }: RowToSend): Work<Operation | undefined> {
      const { coveringsOf } = yield* findOthers();
      for (const name of coveringsOf.get(ref) ?? []) {
        const operation = yield* findCreate(customer, name);
        if (operation && isStanding(operation)) return operation;
      }
      return undefined;
    }

    /** The operation that the sheet names beside the row. Another ledger has other operations of these names. */
    function* findMarked(row: RowToSend): Work<Operation | undefined> {
      const marked = yield* findCreate(customer, row.markedDoubt);
      if (!marked) return undefined;
      const isSame = marked.content === row.content || (row.ref !== undefined && marked.ref === row.ref);
      // The number of a row tells something within one file alone.
      if (isSame || mayBeEdited({ ...row, row: 0 }, marked, true) || isOfFile(marked, file)) return marked;
      const runs = marked.file === undefined ? [] : [marked.run];
      return (yield* findRunsOfFile(new Set(runs), file)).size > 0 ? marked : undefined;
    }

    /** The order that the row may have been before it was edited. */
    function* findEdited(row: RowToSend): Work<Operation | undefined> {
      const marked = yield* findMarked(row);
      if (marked && (yield* isGone(marked, file))) return marked;
      const { gone } = yield* findOthers();
      for (const operation of gone) {
        if (!mayBeEdited(row, operation, true)) continue;
        runsOfFile ??= yield* findRunsOfFile(
          new Set(gone.filter((each) => each.file !== undefined).map((each) => each.run)),
          file,
        );
        const isOfSameFile =
          isOfFile(operation, file) || (operation.file !== undefined && runsOfFile.has(operation.run));
        if (mayBeEdited(row, operation, isOfSameFile)) return operation;
      }
      return undefined;
    }

    /** The order that the row may have been before it was edited and a program rewrote its ref. */
    function* findRewritten(row: RowToSend): Work<Operation | undefined> {
      const { ofForms } = yield* findOthers();
      if (row.ref === undefined || ofForms.size === 0) return undefined;
      const range = rangeOfRef(row.ref);
      const isBetween = (ref: string) =>
        range !== undefined && ref.length === range[1].length && ref >= range[0] && ref <= range[1];
      const refs = [...formsOfRef(row.ref, nowMs), ...(range ? [...ofForms.keys()].filter(isBetween) : [])];
      return refs
        .flatMap((ref) => (file.hasRef(ref) ? [] : (ofForms.get(ref) ?? [])))
        .findLast((each) => isRewritten(row, each, file) && mayBeEdited(row, each, false));
    }

    /**
     * The order of the row above, which has changed since: a row without a ref may be a line of it that the cells of a
     * workbook joined to it, and a text does not.
     */
    function* findJoined({ ref, below, draft }: RowToSend): Work<Operation | undefined> {
      if (ref !== undefined || !below) return undefined;
      const item = draft.item?.name;
      const isPart = ({ draft: sent, shop, content }: Operation) =>
        shop === file.shop &&
        content !== below.content &&
        item !== undefined &&
        sent?.item?.name?.split("; ").includes(item) === true &&
        sent.receiver?.name === draft.receiver?.name &&
        sent.receiver?.phone === draft.receiver?.phone;
      return (yield* byRef(customer, file.shop, below.ref)).filter(isStanding).findLast(isPart);
    }

    /** The row that has the number of an order elsewhere in its cells. */
    const holderOf = (orderId: string) =>
      policy
        .numbersElsewhere?.(orderId)
        .map((number) => file.byNumber?.rowOf(number))
        .find((holder) => holder !== undefined);

    /** Of a row that was corrected since, only the ref tells that it may be that order. */
    function* findRemembered(
      row: RowToSend,
      isFree: (orderId: string) => boolean,
    ): Work<OrderElsewhere | undefined> {
      const { ref } = row;
      const { equal, named } = yield* findOthers();
      const hasContent = (held: SqlRow) => recordedContents(row).some((each) => held.content === each);
      // What only may have equalled this very row is compared anew where it is in the list now.
      const isRuledOut = (held: SqlRow) =>
        held.is_certain === 0 && hasContent(held) && policy.isRuledOut?.(row, String(held.order_id)) === true;
      const ofContent = equal.filter(
        (held) => hasContent(held) && (held.is_certain === 1 || ref === undefined),
      );
      const ofRef = ref === undefined ? [] : named.filter((held) => held.ref === ref);
      const held = [
        ...ofContent.map((each) => ({ each, isCertain: each.is_certain === 1 })),
        ...ofRef.map((each) => ({ each, isCertain: false })),
      ].filter(({ each }) => !isRuledOut(each) && isFree(String(each.order_id)));
      const first = held.find(({ isCertain }) => isCertain) ?? held[0];
      return first && { orderId: String(first.each.order_id), isCertain: first.isCertain };
    }

    /** An order whose number is beside a row is that row's. */
    function* findElsewhere(row: RowToSend): Work<OrderElsewhere | undefined> {
      const isItsOwn = (orderId: string) => !isTaken(orderId) && holderOf(orderId) === row.row;
      const isFree = (orderId: string) =>
        !isTaken(orderId) && [undefined, row.row].includes(holderOf(orderId));
      const order =
        policy.elsewhere?.(row, (orderId) => !isItsOwn(orderId)) ??
        policy.elsewhere?.(row, (orderId) => !isFree(orderId)) ??
        (yield* findRemembered(row, isFree));
      // Another process may have assigned it to a row meanwhile.
      return order && (yield* isOwned(customer, order.orderId)) ? { ...order, isCertain: false } : order;
    }

    /**
     * What an earlier version recorded of this row may be what is recorded of another row of the file today: as many orders
     * of the file may be those of such rows as they are, and each order that was sent elsewhere. One of an earlier run holds
     * this row, and a person decides.
     */
    function readSame(same: readonly Operation[], row: RowToSend): readonly EqualOperation[] {
      const { content } = row;
      const seen = new Map<string, number>();
      return same.flatMap((each) => {
        const isOfOther = () =>
          isOfFile(each, file) ? isOfRow(each, file, seen) : file.countOf(each.content ?? "") > 0;
        const isFormer =
          each.content !== content && each.ref === undefined && isStanding(each) && isOfOther();
        if (!isFormer) return asReadToday({ ...each, content }, row);
        return each.run === run || isHeldByRow(each, file) ? [] : { ...each, content, isFormer };
      });
    }

    return {
      prepare: () => sideBySide(lookup.askForAll(), findOthers()),
      *decide(row) {
        const { ref, content } = row;
        const known = yield* lookup.find(row);
        const today = (found: readonly Operation[]) => found.map((each) => asReadToday(each, row));
        const same = readSame(known.same, row);
        const isOwn =
          ref === undefined
            ? (each: EqualOperation) =>
                each.ref === undefined &&
                !each.isFormer &&
                isOfFile(each, file) &&
                file.byNumber?.holderOf(each)?.ref === undefined
            : (each: EqualOperation) => each.ref === ref && each.shop === file.shop;
        // A refused one is sent again with the sender of today: it is not what was refused.
        const ofOtherSender = known.ofOtherSender
          .filter(({ defaults }) => defaults.includes("sender"))
          .map((each) => (each.state === "refused" ? each : { ...each, content }));
        const own =
          ref === undefined
            ? merge(same, ofOtherSender)
            : merge(today(known.named), today(known.formerNamed));
        const formerSame = today(known.formerSame).filter((each) => each.content === content);
        const numbered = known.numbered && asReadToday(known.numbered, row);
        const decision = yield* decideRow(
          row,
          {
            own: yield* withCovers(row, own.filter(isOwn)),
            equal: yield* withCovers(
              row,
              merge(same, formerSame).filter((each) => each.isFormer || !isOwn(each)),
            ),
            numbered,
            edited: function* () {
              const counted = (yield* findJoined(row)) ?? (yield* findCovering(row));
              const edited = counted ?? (yield* findEdited(row));
              return edited ?? (yield* findRewritten(row)) ?? policy.rewritten?.(row);
            },
            elsewhere: () => findElsewhere(row),
            isInDoubtElsewhere: function* () {
              return (yield* findMarked(row)) === undefined;
            },
          },
          file,
          { ...policy, isCovered },
          nowMs,
        );
        if (decision.kind === "shipped" && decision.isElsewhere)
          covered.add(nameOperation(decision.operation));
        if (decision.kind === "elsewhere" && decision.isCovered) taken.add(decision.orderId);
        return decision;
      },
      noteSent: lookup.forget,
      noteChanged() {
        lookup.forgetAll();
        others = undefined;
        runsOfFile = undefined;
      },
    };
  }

  return createBatch;
}
