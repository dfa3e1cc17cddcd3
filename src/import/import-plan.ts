/** The plan of an import: its rows compared with the ledger. */

import type { Context } from "../command/command.ts";
import { usageError } from "../core/errors.ts";
import { byCount, counted } from "../core/wording.ts";
import { scriptWindowMs, terminalWindowMs } from "../ledger/equal-orders.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isCancelled, isMade, nameOperation } from "../ledger/operation.ts";
import type { FileFacts, RowPolicy } from "../ledger/row-to-send.ts";
import { decideRow, type RowDecision } from "../ledger/rules.ts";
import { runNow } from "../ledger/statements.ts";
import { cannotBeCancelled } from "../model/states.ts";
import { countAll, describeEncoding, type Overview, readAgain } from "./check-rows.ts";
import { skipNumbered } from "./equal-rows.ts";
import { findRewrittenRows, isOfRewritten } from "./rewritten-rows.ts";
import type { RowWarning } from "./row-warnings.ts";
import { describeHold, nameOfRow } from "./row-words.ts";
import type { ImportRow, RowsOptions } from "./rows.ts";
import { describeSaid, findSentBefore, type SentBefore } from "./skipped-orders.ts";
import { statesOfLedger } from "./write-back/import-sheet.ts";
import { isWrittenTitle } from "./write-back/titles.ts";

/** How many rows there are of each kind. */
export interface PlanCounts {
  toSend: number;
  shipped: number;
  refused: number;
  changed: number;
  cancelled: number;
  held: number;
  /** Those of them that an equal order in doubt holds: it is reconciled first. */
  heldByDoubt: number;
  /** In doubt, or claimed by another run: these are reconciled first. */
  unknown: number;
}

export interface ImportPlan extends Readonly<PlanCounts> {
  readonly overview: Overview;
  /** The first few held rows, with the reasons. */
  readonly heldRows: readonly string[];
  /** Rows in doubt whose run was undone: they are not sent, whatever becomes of them. */
  readonly unwanted: number;
  /** Rows that `--allow-duplicate` names, and that are in doubt or held by an order that is not made yet. */
  readonly allowedInDoubt: ReadonlySet<number>;
  /** The names of the rows' operations that were taken back by undoing their runs. */
  readonly undone: ReadonlySet<string>;
  /** Shipped rows whose orders an earlier cancel may cancel yet. */
  readonly beingCancelled: number;
  /** How rows with a rewritten ref are found, where other rows show that a program has rewritten refs. */
  readonly rewritten?: RowPolicy["rewritten"];
  /** Orders of rows that the file says not to send, and that were sent before. */
  readonly sentBefore?: readonly SentBefore[];
  /** Where every row equals an order with another ref: the first few, with that ref. */
  readonly otherRefs?: readonly OtherRef[] | undefined;
  /** Of the rows to send, and what is known only by comparing them with the ledger. */
  readonly warnings: readonly RowWarning[];
}

interface OtherRef {
  readonly row: string;
  readonly ref: string;
}

export interface PlanChoice {
  readonly retryRefused: boolean;
  readonly skipShipped: boolean;
  /** Rows to ship although an equal order exists: refs, or `row:17`. */
  readonly duplicates: readonly string[];
}

const heldShown = 5;
const mostNamed = 20;
const otherRefsShown = 3;
const sendersShown = 3;
/** Fewer rows may equal earlier orders by chance. */
const fewestOtherRefs = 3;
/** Rows looked up in the ledger at once. */
const batchSize = 500;

/** Throws a usage error for a name that no row has. */
export function createPolicy(choice: PlanChoice, overview: Overview, hasTerminal: boolean): RowPolicy {
  const names = new Set(choice.duplicates);
  for (const name of names) {
    const row = /^row:([1-9]\d*)$/.exec(name)?.[1];
    if (overview.hasRef(name) || (row !== undefined && overview.hasRow(Number(row)))) continue;
    throw usageError(
      `--allow-duplicate: the file has no row ${name}`,
      "give refs or row numbers, for example --allow-duplicate 1001,row:17",
    );
  }
  return {
    windowMs: hasTerminal ? terminalWindowMs : scriptWindowMs,
    retryRefused: choice.retryRefused,
    skipShipped: choice.skipShipped,
    isAllowed: ({ row, ref }) => names.has(`row:${row}`) || (ref !== undefined && names.has(ref)),
  };
}

/** Compares all rows with the ledger. Without one, only the numbers in the sheet tell which rows were shipped. */
export async function planImport(
  source: RowsOptions,
  overview: Overview,
  policy: RowPolicy,
  known: { ledger: Ledger; customer: number; file: FileFacts } | undefined,
  context: Context,
): Promise<ImportPlan> {
  const counts = {
    toSend: 0,
    shipped: 0,
    refused: 0,
    changed: 0,
    cancelled: 0,
    held: 0,
    heldByDoubt: 0,
    unknown: 0,
  };
  const heldRows: string[] = [];
  if (!known && !overview.header.some(isWrittenTitle))
    return {
      ...counts,
      toSend: overview.rows,
      overview,
      heldRows,
      unwanted: 0,
      allowedInDoubt: new Set(),
      undone: new Set(),
      beingCancelled: 0,
      warnings: overview.warnings,
    };
  const { hasRef, countOf } = overview;
  const unknownFile = { files: [], shop: "", hasRef, countOf };
  const allowedInDoubt = new Set<number>();
  const undone = new Set<string>();
  let unwanted = 0;
  let beingCancelled = 0;
  const otherRefs: OtherRef[] = [];
  let withOtherRef = 0;
  let hasRewritten = false;
  const takenBack = { code: "cancelled_before" as const, count: 0, rows: [] as string[] };

  /** Of an earlier batch: one order covers one row. */
  const covered = new Set<string>();
  const taken = new Set<string>();
  const ofAll: RowPolicy = {
    ...policy,
    isCovered: (operation) => covered.has(nameOperation(operation)),
    isTaken: (orderId) => taken.has(orderId),
  };

  function count(row: ImportRow, decision: RowDecision): void {
    counts[kindOf(decision)] += 1;
    if (decision.kind === "shipped" && decision.isElsewhere) covered.add(nameOperation(decision.operation));
    if (decision.kind === "elsewhere" && decision.isCovered) taken.add(decision.orderId);
    const like =
      decision.kind === "send"
        ? decision.like
        : decision.kind === "held" && !decision.isEdited
          ? decision.operation
          : undefined;
    if (like?.ref !== undefined && row.ref !== undefined && like.ref !== row.ref) {
      withOtherRef += 1;
      if (otherRefs.length < otherRefsShown) otherRefs.push({ row: nameOfRow(row), ref: like.ref });
    }
    const cancelledId = decision.kind === "send" ? policy.cancelledElsewhere?.(row) : undefined;
    if (decision.kind === "send" && (decision.takenBack || cancelledId !== undefined)) {
      takenBack.count += 1;
      const id = decision.takenBack?.order?.id ?? cancelledId;
      if (takenBack.rows.length < heldShown)
        takenBack.rows.push(`${nameOfRow(row)}${id === undefined ? "" : `: order ${id}`}`);
    }
    if (known && isOfRewritten(row, decision, known.file)) hasRewritten = true;
    const hold = describeHold(decision, row.ref);
    if (hold !== undefined && heldRows.length < heldShown) heldRows.push(`${nameOfRow(row)}: ${hold}`);
    const isOpen = (decision.kind === "held" || decision.kind === "in_doubt") && !isMade(decision.operation);
    if (isOpen && policy.isAllowed(row)) allowedInDoubt.add(row.row);
    if (isOpen && decision.kind === "held") counts.heldByDoubt += 1;
    if (decision.kind === "undone" || decision.kind === "cancelled") {
      const name = nameOperation(decision.operation);
      if (decision.kind === "undone" || policy.undone?.has(name)) undone.add(name);
    }
    if (decision.kind === "in_doubt" && decision.operation.isUnwanted) unwanted += 1;
  }

  let batch: ImportRow[] = [];
  const flush = async () => {
    const nowMs = context.clock.now();
    const decisions = known
      ? await known.ledger.viewRows(known.customer, skipNumbered(batch, known.file), known.file, ofAll, nowMs)
      : batch.map((row) =>
          runNow(decideRow(row, { own: [], equal: [] }, unknownFile, policy, nowMs), () => []),
        );
    for (const [index, decision] of decisions.entries()) count(batch[index] as ImportRow, decision);
    const shipped = decisions.flatMap((each) => (each.kind === "shipped" && each.operation.order?.id) || []);
    if (known && shipped.length > 0)
      beingCancelled += (await known.ledger.findMaybeCancelled(known.customer, shipped)).size;
    batch = [];
  };
  for await (const row of goodRows(source, overview)) {
    batch.push(row);
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  if (known && hasRewritten && counts.toSend > 0 && !policy.rewritten) {
    const rewritten = await findRewrittenRows(goodRows(source, overview), known);
    return { ...(await planImport(source, overview, { ...policy, rewritten }, known, context)), rewritten };
  }
  const sentBefore =
    known && overview.reading.skipped.size > 0
      ? await findUnwanted(source, { ...known, shop: known.file.shop }, context)
      : [];
  const isWhole = withOtherRef === overview.rows && withOtherRef >= fewestOtherRefs;
  return {
    ...counts,
    overview,
    heldRows,
    unwanted,
    allowedInDoubt,
    undone,
    beingCancelled,
    sentBefore,
    otherRefs: isWhole ? otherRefs : undefined,
    warnings: takenBack.count > 0 ? [...overview.warnings, takenBack] : overview.warnings,
  };
}

/** Those that may still be cancelled, or are in doubt. */
export async function findUnwanted(
  source: RowsOptions,
  known: { ledger: Ledger; customer: number; shop: string },
  context: Context,
): Promise<readonly SentBefore[]> {
  const found: SentBefore[] = [];
  const states = await (await statesOfLedger(known, context))([]);
  for await (const each of findSentBefore(source, known)) {
    const { operation, reasons } = each;
    const state = states.get(operation.order?.id ?? "")?.status ?? operation.orderState;
    if (isMade(operation) && (reasons.length === 0 || isCancelled(operation) || cannotBeCancelled(state)))
      continue;
    found.push(each);
  }
  return found;
}

function kindOf(decision: RowDecision): Exclude<keyof PlanCounts, "heldByDoubt"> {
  if (decision.kind === "send") return "toSend";
  if (decision.kind === "in_doubt") return "unknown";
  if (decision.kind === "undone") return "cancelled";
  if (decision.kind === "written" || decision.kind === "elsewhere")
    return decision.isCovered ? "shipped" : "held";
  return decision.kind;
}

/** The rows that can be sent, from the same bytes. */
export async function* goodRows(source: RowsOptions, overview: Overview): AsyncGenerator<ImportRow> {
  for await (const checked of readAgain(source, overview)) {
    if ("ok" in checked) yield checked.ok;
    else if (overview.wrong.wrong === 0) throw new Error("a valid row is invalid when it is read again");
  }
}

/** How the file was read, one sentence each. */
export function describeReading(overview: Overview, file: string): readonly string[] {
  const encoding = describeEncoding(overview);
  const notes = overview.reading.describe(file, countAll(overview), overview.unused);
  return encoding === "" ? notes : [...notes, `read as ${encoding}`];
}

/** Prints the plan on stderr. */
export function summarise(
  plan: ImportPlan,
  file: string,
  account: string,
  { messages, nextCommand }: Context,
): void {
  const { overview } = plan;
  const levels = [...overview.serviceLevels].map(
    ([level, count]) => `${count} ${level || "without a service level"}`,
  );
  for (const note of describeReading(overview, file)) messages.note(note);
  if (plan.sentBefore?.length) messages.warn(describeSentBefore(plan.sentBefore, nextCommand));
  if (overview.rows === 0) return;
  const noun = overview.reading.lineCount > countAll(overview) ? "order" : "row";
  messages.note(`${counted(overview.rows, noun)}, account: ${account}: ${levels.join(", ")}`);
  messages.note(`from ${describeSenders(overview)}`);
  const earlier = describeEarlier(plan);
  if (earlier !== "") messages.note(`from earlier runs: ${earlier}; ${plan.toSend} to send`);
  if (plan.held > 0) messages.warn(describeHeldRows(plan));
  if (plan.otherRefs) messages.warn(describeOtherRefs(plan, plan.otherRefs));
  if (plan.toSend > 0 && overview.refs === 0) messages.warn(lacksRefs);
  if (plan.toSend > 0) for (const warning of plan.warnings) messages.warn(describeWarning(warning));
}

const warningWords: Readonly<Record<RowWarning["code"], string>> = {
  no_receiver_name: "without a receiver name",
  no_address: "without a receiver address",
  no_street: "whose receiver has no street address",
  no_phone: "without a receiver phone",
  phone_in_name: "with a number in the receiver's name (is it the phone?)",
  sender_name_only: "whose sender has a name alone: what the address book has of the sender is not added",
  quantity_0: "with 0 pieces",
  quantity_incomplete: "sent without a number of pieces, as only some of the goods have one",
  unknown_service_type: "with a service level that is not known",
  unread_goods: "with further goods in a column that is not read",
  tracking_number: "with a tracking number in a column that is not read (sent already?)",
  cancelled_before: "with the values of an order that was cancelled (is its parcel still wanted?)",
  unread_state: "with a state in a column that is not read (cancelled, sent or not paid?)",
  unclear_state: "in a state that does not say whether to send them",
};

/** `2 rows without a receiver name: row 3 (A-1), row 7`. */
export function describeWarning({ code, count, rows }: RowWarning): string {
  const more = count > rows.length ? ` and ${count - rows.length} more` : "";
  return `${counted(count, "row")} ${warningWords[code]}: ${rows.join(", ")}${more}`;
}

/** `A, B, C and 12 others`. */
export function describeSenders({ senders, otherSenders }: Overview): string {
  const shown = [...senders].slice(0, sendersShown);
  const others = senders.size + otherSenders - shown.length;
  return `${shown.join(", ")}${others > 0 ? ` and ${counted(others, "other")}` : ""}`;
}

/** The file may be an earlier one with other order numbers. */
export function describeOtherRefs({ overview: { rows } }: ImportPlan, others: readonly OtherRef[]): string {
  const shown = others.map(({ row, ref }) => `${row}: ${ref}`);
  const more = rows > shown.length ? `; and ${rows - shown.length} more` : "";
  return `all ${rows} rows equal orders that this machine sent with other refs (${shown.join("; ")}${more}): is it a file that was sent before?`;
}

/** The shop may not want the parcels any more. */
export function describeSentBefore(
  orders: readonly SentBefore[],
  nextCommand: Context["nextCommand"],
): string {
  const shown = orders.slice(0, heldShown).map(({ order, operation, reasons }) => {
    const said = reasons.length === 0 ? "" : ` (${describeSaid(reasons)})`;
    const what = isMade(operation)
      ? `order ${operation.order?.id}`
      : `in doubt as operation ${nameOperation(operation)}`;
    return `${nameOfRow(order)} is ${what}${said}`;
  });
  const more = orders.length > shown.length ? `; and ${orders.length - shown.length} more` : "";
  const ids = orders.flatMap(({ operation }) => (isMade(operation) ? (operation.order?.id ?? []) : []));
  const steps = [
    ids.length > 0 ? describeCancel(ids, nextCommand) : "",
    ids.length < orders.length ? `what is in doubt: ${nextCommand("orders resolve")}` : "",
  ].filter((step) => step !== "");
  return `${counted(orders.length, "order")} that the file says not to send ${byCount(orders.length, "was", "were")} sent before: ${shown.join("; ")}${more}; ${steps.join("; ")}`;
}

/** `to cancel them: courier orders cancel 1000001 1000002` */
export function describeCancel(ids: readonly string[], nextCommand: Context["nextCommand"]): string {
  const named = ids.length <= mostNamed ? ids.join(" ") : "ID...";
  return `to cancel ${byCount(ids.length, "it", "them")}: ${nextCommand(`orders cancel ${named}`)}`;
}

/** The held rows, with the reasons. */
export function describeHeldRows({ held, heldByDoubt, heldRows }: ImportPlan): string {
  const more = held > heldRows.length ? `; and ${held - heldRows.length} more` : "";
  // Its settling may let them go.
  const [notSent, lookedUp] =
    heldByDoubt === 0
      ? [" and not sent", ""]
      : ["", "; what is in doubt is looked up before they are decided"];
  return `${counted(held, "row")} ${byCount(held, "is", "are")} held${notSent}: ${heldRows.join("; ")}${more}${lookedUp}`;
}

export const lacksRefs =
  "no row has a ref, so editing a row later creates a new order; add a `ref` column (your order number)";

/** The outcomes of earlier runs; empty where there are none. */
export function describeEarlier(plan: ImportPlan): string {
  const { shipped, refused, changed, cancelled, unknown, beingCancelled } = plan;
  const asked = beingCancelled > 0 ? ` (a cancel of ${beingCancelled} was sent, and may happen yet)` : "";
  const parts = [
    shipped > 0 ? `${shipped} already shipped${asked}` : "",
    changed > 0 ? `${changed} changed since ${byCount(changed, "it was", "they were")} shipped` : "",
    cancelled > 0 ? `${cancelled} cancelled` : "",
    refused > 0 ? `${refused} refused` : "",
    unknown > 0 ? `${unknown} in doubt (looked up first)` : "",
  ];
  return parts.filter((text) => text !== "").join(", ");
}
