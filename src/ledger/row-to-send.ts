/** A row of an import and the facts about its file, as the rules see them. */

import type { Draft, DraftParty } from "../model/draft.ts";
import type { Operation, OperationName, OrderFacts } from "./operation.ts";

/** What an earlier version of courier read of a row: the same row, in other words. */
export interface FormerIdentity {
  /** The version of the reading; the first one has no number. */
  readonly reading?: number | undefined;
  readonly ref: string | undefined;
  readonly content: string;
}

/** A row of an import. */
export interface RowToSend {
  readonly row: number;
  readonly ref: string | undefined;
  /** What its other columns of order numbers have: its order may have been sent with one of these as its ref. */
  readonly otherNumbers?: readonly string[] | undefined;
  /** Its number among equal rows without a ref, from 1, without the operations that `isTaken`. */
  readonly occurrence: number;
  /** True for operations that belong to other rows of the same file. */
  readonly isTaken?: ((operation: Operation) => boolean) | undefined;
  readonly content: string;
  /** What earlier versions recorded of the same data, where that is another text. */
  readonly formerContents?: readonly string[] | undefined;
  /** Other identities that it had. */
  readonly former?: readonly FormerIdentity[];
  readonly draft: Draft;
  /** As earlier versions split its addresses, where that is something else. */
  readonly formerDrafts?: readonly Draft[] | undefined;
  /** Parts of the draft that come from a default, not from the row. */
  readonly defaults: readonly string[];
  /** The tracking and order numbers that an earlier write-back wrote into the sheet. */
  readonly writtenNumbers?: readonly string[] | undefined;
  /** The operation in doubt that an earlier write-back named beside the row. */
  readonly markedDoubt?: MarkedDoubt | undefined;
  readonly below?: OrderAbove | undefined;
}

/** What an order of the row may be recorded as: today's content first. */
export function recordedContents({
  content,
  formerContents = [],
}: Pick<RowToSend, "content" | "formerContents">): readonly string[] {
  return [content, ...formerContents];
}

/** `isOpen`: it was in doubt when the sheet was written. It may be of another ledger. */
export interface MarkedDoubt extends OperationName {
  readonly isOpen: boolean;
}

/** The order with a ref that is directly above a row without one. */
export interface OrderAbove {
  readonly ref: string;
  readonly content: string;
}

/**
 * The version of what an import makes of a row's cells, recorded with its operation; those of version 1 have none.
 * import/columns/former-reading.ts has the earlier ones.
 */
export const readingVersion = 3;

/**
 * `isFormer`: without a ref, only what an earlier version read tells that it may be the row's. `covers`: the rows that
 * have counted as shipped by this order, which was made without a ref.
 */
export type EqualOperation = Operation & {
  readonly isFormer?: boolean;
  readonly covers?: readonly RefOfShop[];
};

export interface RefOfShop {
  readonly ref: string;
  readonly shop: string;
}

/** An operation with the identity that the row has today, where an earlier version read the row in another way. */
export function asReadToday(
  operation: Operation,
  { ref, content, formerContents, former }: RowToSend,
): EqualOperation {
  if (formerContents?.some((each) => operation.content === each)) return { ...operation, content };
  const ofReading = former?.filter(({ reading }) => reading === operation.reading) ?? [];
  const isContent = (each: FormerIdentity) => operation.content === each.content;
  const isRef = (each: FormerIdentity) => each.ref !== undefined && operation.ref === each.ref;
  const known = ofReading.find(isContent) ?? ofReading.find(isRef);
  if (!known) return operation;
  return {
    ...operation,
    content: isContent(known) ? content : operation.content,
    ref: isRef(known) ? ref : operation.ref,
    isFormer: known.ref === undefined && operation.ref === undefined,
  };
}

/** The sender of rows that have none: in this run, and in those of its file that had another one. */
export interface DefaultSenders {
  readonly today: DraftParty;
  readonly before: readonly DraftParty[];
}

/** Facts about all rows of a file. */
export interface FileFacts {
  /** The numbers of the file in the ledger: several where it matches several earlier files. */
  readonly files: readonly number[];
  /** Undefined where no earlier run had another default sender. */
  readonly senders?: DefaultSenders | undefined;
  readonly shop: string;
  hasRef(ref: string): boolean;
  /** How many rows without a ref have this content. */
  countOf(content: string): number;
  /** What the numbers in the cells of rows tell; undefined where no row has one. */
  readonly byNumber?: RowsByNumber | undefined;
}

/** A row that has the number of an order with its ref or content has that order, wherever it is in the sheet. */
export interface RowsByNumber {
  /** The name of the row's operation. */
  operationOf(row: number): string | undefined;
  /** The row that has the operation's order. */
  holderOf(operation: OperationName): RowName | undefined;
  /** The number in the row's cells. */
  numberOf(row: number): RowNumber | undefined;
  /** The first row that has the number in its cells. */
  rowOf(number: string): number | undefined;
  /** How many rows without a ref that have their operations by number, and this content, are above the row. */
  countBefore(row: Pick<RowToSend, "row" | "content">): number;
  /** The same for rows with other numbers: the orders of this ledger belong to their equal rows first. */
  foreignBefore(row: Pick<RowToSend, "row" | "content">): number;
  /** True for a row without a ref, with numbers none of which is known to be its own. */
  isForeign(row: Pick<RowToSend, "row" | "content">): boolean;
  /** How many rows without a ref and without any number have this content, of so many in all. */
  countPlain(content: string, all: number): number;
}

/** How a row is named: by its number, or the numbers of an order's rows. */
export interface RowName {
  readonly row: number;
  readonly rows?: readonly number[] | undefined;
  readonly ref: string | undefined;
}

/** The order whose number a row has in its cells. */
export interface RowNumber {
  readonly number: string;
  /** The create of the order that has this number, where this ledger knows one. */
  readonly operation?: OperationName | undefined;
  /** Another row that has the number, too: the order counts for that one. */
  readonly holder?: RowName | undefined;
}

export interface RowPolicy {
  /** The time in which an equal order without a ref holds a row with one. */
  readonly windowMs: number;
  /** Rows that earlier runs sent, and that were refused, are sent again. */
  readonly retryRefused: boolean;
  /** The names of operations of this run that were refused: a flag does not send them once more. */
  readonly refusedNow?: Pick<ReadonlySet<string>, "has"> | undefined;
  /** Rows that equal an order of another file or command, or have the number of an order, count as shipped. */
  readonly skipShipped: boolean;
  /** With `skipShipped`: orders that cover another row already. One order covers one row. */
  readonly isCovered?: (operation: Operation) => boolean;
  /** The names of operations whose orders are cancelled, and by nothing but undoing their runs. */
  readonly undone?: ReadonlySet<string> | undefined;
  /** The names of undone operations that a person ships again: not of others, which were taken back one by one. */
  readonly resent?: ReadonlySet<string> | undefined;
  /** An equal order that was not sent from this machine. */
  readonly elsewhere?:
    | ((
        row: Pick<RowToSend, "content">,
        isTaken?: (orderId: string) => boolean,
      ) => OrderElsewhere | undefined)
    | undefined;
  /** An equal order that was not sent from this machine, and that was cancelled. */
  readonly cancelledElsewhere?: ((row: Pick<RowToSend, "draft">) => string | undefined) | undefined;
  /** True for an order in the list of this run that is another one than the row's: another name alone does not say so. */
  readonly isRuledOut?: ((row: Pick<RowToSend, "draft">, orderId: string) => boolean) | undefined;
  /** The numbers of an order elsewhere, where a list has shown it. */
  readonly numbersElsewhere?: ((orderId: string) => readonly string[]) | undefined;
  /** True for the number of an order that the service's list calls cancelled. */
  readonly isCancelledNumber?: ((number: string) => boolean) | undefined;
  /** The receiver whom the service's list shows for the order with a number, where it is another than the row's. */
  readonly otherReceiver?: ((number: string, draft: Draft) => string | undefined) | undefined;
  /** Of the orders elsewhere, those that cover another row already. */
  readonly isTaken?: (orderId: string) => boolean;
  /** The order that a row may be, which was edited after a program had rewritten its ref. */
  readonly rewritten?: ((row: Pick<RowToSend, "ref" | "draft">) => Operation | undefined) | undefined;
  /** Operations that were in doubt when this run began, and whose orders it found. */
  readonly foundNow?: ReadonlySet<string> | undefined;
  /** True for rows that `--allow-duplicate` names. */
  isAllowed(row: Pick<RowToSend, "row" | "ref">): boolean;
  /** True for rows that were in doubt, or held by doubt, in this run: who gave the flag did not know the outcome. */
  readonly wasInDoubt?: ((row: Pick<RowToSend, "row">) => boolean) | undefined;
}

/** An order that was made on another machine, or on the courier's website. */
export interface OrderElsewhere {
  readonly orderId: string;
  /** False where a field differs that the service may have changed, or where its details could not be read. */
  readonly isCertain: boolean;
  /** All that was sent is shown, and the same. */
  readonly isWhole?: boolean;
  /** The create in doubt that it may be the order of. */
  readonly doubt?: string | undefined;
  /** As its details show it, where they were read. */
  readonly order?: OrderFacts | undefined;
  readonly orderState?: string | undefined;
}
