/** One create or cancel in the ledger. */

import type { ProcessIdentity, SinceBoot } from "../core/process-identity.ts";
import type { Draft } from "../model/draft.ts";
import { parseJson, stringifyJson } from "../model/json.ts";
import { fromStoredNumber } from "../model/stored-text.ts";
import type { SqlRow } from "../sqlite/driver.ts";

/**
 * `ready`: recorded, not sent. `sending`: being sent, or sent. Then one of: `created`; `found`: its answer was
 * lost, and the order was found; `refused`; `unsent`: certainly not made; `unknown`: in doubt.
 */
export type CreateState = "ready" | "sending" | "created" | "found" | "refused" | "unsent" | "unknown";
/** `accepted`: the service accepted the request, but the order that was read back is in another state. */
export type CancelState = "ready" | "sending" | "cancelled" | "accepted" | "refused" | "unsent" | "unknown";

/** `12.3`: the third operation of run 12. */
export interface OperationName {
  readonly run: number;
  readonly number: number;
}

/**
 * By `--allow-duplicate`: `equal` was sent although an equal order was known; `extra` although the row already had an
 * order.
 */
export type Allowance = "none" | "equal" | "extra";

/** How a request ended without a clear answer: after a timeout the service may still process it for longer. */
export type Loss = "broken" | "timeout";

/** The facts of a created order. */
export interface OrderFacts {
  readonly id: string;
  readonly order_no: string | null;
  readonly tracking_number: string | null;
  readonly estimated_fee: string | null;
  /** As the service wrote it. */
  readonly created_at?: string | null;
}

/** An order of which only the id is known. */
export function unknownOrder(id: string): OrderFacts {
  return { id, order_no: null, tracking_number: null, estimated_fee: null };
}

/** Why the service refused. */
export interface Rejection {
  readonly code: string;
  readonly message: string;
  /** Section 7: the path of the offending field, where the service names one. */
  readonly field?: string | undefined;
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
  | {
      readonly state: "unknown";
      readonly loss: Loss;
      readonly rejection?: Rejection | undefined;
      /** The id of an order that an answer had although it was a failure. */
      readonly namedOrder?: string | undefined;
    };

export interface CancelOutcome {
  readonly state: Exclude<CancelState, "ready" | "sending">;
  /** The state read back. */
  readonly orderState?: string | undefined;
  readonly rejection?: Rejection | undefined;
}

export interface Operation extends OperationName {
  readonly kind: "create" | "cancel";
  readonly state: CreateState | CancelState;
  readonly customer: number;
  /** The run that owns it, or owned it last. */
  readonly owner: number;
  readonly attempt: number;
  readonly sentAtMs: number | undefined;
  /** How long ago that was when this was read, by the time since boot; undefined after another boot. */
  readonly sentForMs: number | undefined;
  /** The service's clock minus ours when it was sent, or the last known offset before. */
  readonly offsetMs: number | undefined;
  /** That offset was measured by the run that sent it. */
  readonly isOffsetMeasured: boolean;
  readonly endedAtMs: number | undefined;
  /** The events at which it was sent and ended, which do not depend on a clock. */
  readonly sentEvent: number | undefined;
  readonly endedEvent: number | undefined;
  readonly loss: Loss;
  /** In doubt: when the first complete listing began that had no candidate for it. */
  readonly firstListingMs: number | undefined;
  /** Equal for equal orders. */
  readonly content: string | undefined;
  readonly shop: string;
  readonly ref: string | undefined;
  /** Its import file, and the number of its row there. */
  readonly file: number | undefined;
  readonly row: number | undefined;
  readonly allowance: Allowance;
  /** In doubt when its run was undone: its row is not sent again unasked, whatever became of it. */
  readonly isUnwanted: boolean;
  /** Another command found its order: this is not reported to the sender yet. */
  readonly isUnreported: boolean;
  /** Its order was found, and no import has seen its row since: that may have been edited. */
  readonly isUnseen: boolean;
  /** The service showed another order than was sent when it showed this one last. */
  readonly isShownAsOther: boolean;
  /** So a list showed it once it was made, and it could not be read then: no one had edited it. */
  readonly wasUnread: boolean;
  /** A person has said that its order is this one. */
  readonly isDecided: boolean;
  readonly order: OrderFacts | undefined;
  /** The id of the order that its answer named, and that was taken from it. */
  readonly withdrawnOrder: string | undefined;
  /** The order's last known state. */
  readonly orderState: string | undefined;
  readonly rejection: Rejection | undefined;
  /** The sent data; undefined after personal data was deleted. */
  readonly draft: Draft | undefined;
  /** Parts of the draft that come from a default, not from the row. */
  readonly defaults: readonly string[];
  /** The version of the reading of its row; undefined for the first one, and without a row. */
  readonly reading: number | undefined;
}

export interface Run {
  readonly number: number;
  readonly command: string;
  readonly account: string;
  readonly service: string;
  readonly customer: number;
  readonly source: string | undefined;
  /** The run that this one undoes. */
  readonly undoes: number | undefined;
  readonly startedAtMs: number;
  /** Undefined while it runs, and for a run that was killed. */
  readonly endedAtMs: number | undefined;
  readonly exit: number | undefined;
  readonly process: ProcessIdentity;
  /** On a shared ledger: how long it has given no sign of life. */
  readonly silentForMs: number | undefined;
}

/** Bits of `kept_fields` beside those of the compared fields. */
export const unread = 1 << 28;
export const shownAsOther = 1 << 29;
export const decided = 1 << 30;

export function nameOperation({ run, number }: OperationName): string {
  return `${run}.${number}`;
}

/** Parses `12.3`; undefined for anything else. */
export function parseOperationName(text: string): OperationName | undefined {
  const match = /^([1-9]\d{0,14})\.([1-9]\d{0,14})$/.exec(text);
  return match ? { run: Number(match[1]), number: Number(match[2]) } : undefined;
}

export function isInDoubt({ state }: Pick<Operation, "state">): boolean {
  return state === "unknown" || state === "sending";
}

/** True for a create with an order. */
export function isMade({ kind, state }: Pick<Operation, "kind" | "state">): boolean {
  return kind === "create" && (state === "created" || state === "found");
}

/** True for a create whose order is known to be cancelled. */
export function isCancelled(operation: Pick<Operation, "kind" | "state" | "orderState">): boolean {
  return isMade(operation) && operation.orderState === "cancelled";
}

/** True for a create that was in doubt when its run was undone, and made no order. */
export function isUndone({ state, isUnwanted }: Pick<Operation, "state" | "isUnwanted">): boolean {
  return state === "unsent" && isUnwanted;
}

/** True for an order that a person took back. */
export function isOver(operation: Operation): boolean {
  return isCancelled(operation) || isUndone(operation);
}

/** True where an order was made, or may have been made, or is about to be sent. */
export function isLive(operation: Operation): boolean {
  return isMade(operation) || isInDoubt(operation) || operation.state === "ready";
}

/** True for a live order that is not cancelled. */
export function isStanding(operation: Operation): boolean {
  return isLive(operation) && !isCancelled(operation);
}

/** When it was sent, by the clock of now, which may have been set since; a time in the future counts as now. */
export function sentAsOfNow(
  { sentAtMs, sentForMs }: Pick<Operation, "sentAtMs" | "sentForMs">,
  nowMs: number,
): number | undefined {
  if (sentAtMs === undefined) return undefined;
  return sentForMs === undefined ? Math.min(sentAtMs, nowMs) : nowMs - sentForMs;
}

export function readOperation(row: SqlRow, now?: SinceBoot): Operation {
  const code = textOf(row.error_code);
  const id = textOf(row.order_id);
  return {
    run: Number(row.run),
    number: Number(row.number),
    kind: row.kind as Operation["kind"],
    state: row.state as Operation["state"],
    customer: Number(row.customer),
    owner: Number(row.owner),
    attempt: Number(row.attempt),
    sentAtMs: numberOf(row.sent_at),
    sentForMs: now && spanSince(row, now),
    offsetMs: numberOf(row.offset_ms) ?? numberOf(row.assumed_offset_ms),
    isOffsetMeasured: numberOf(row.offset_ms) !== undefined,
    endedAtMs: numberOf(row.ended_at),
    sentEvent: numberOf(row.sent_event),
    endedEvent: numberOf(row.ended_event),
    loss: row.loss === "timeout" ? "timeout" : "broken",
    firstListingMs: numberOf(row.first_look_at),
    content: textOf(row.content),
    shop: textOf(row.shop) ?? "",
    ref: textOf(row.ref),
    file: numberOf(row.file),
    row: numberOf(row.row),
    allowance: row.allowance as Allowance,
    isUnwanted: row.is_unwanted === 1,
    isUnreported: row.is_untold === 1,
    isUnseen: row.is_untold !== 0,
    isShownAsOther: (Number(row.kept_fields) & shownAsOther) !== 0,
    wasUnread: (Number(row.kept_fields) & unread) !== 0,
    isDecided: (Number(row.kept_fields) & decided) !== 0,
    order:
      id === undefined
        ? undefined
        : {
            id,
            order_no: storedNumberOf(row.order_no) ?? null,
            tracking_number: storedNumberOf(row.tracking_number) ?? null,
            estimated_fee: textOf(row.estimated_fee) ?? null,
            created_at: textOf(row.order_created_at) ?? null,
          },
    withdrawnOrder: textOf(row.withdrawn_order),
    orderState: textOf(row.order_state),
    rejection:
      code === undefined
        ? undefined
        : { code, message: textOf(row.error_message) ?? "", field: textOf(row.error_field) },
    draft: readDraft(row.draft),
    defaults: textOf(row.defaults)?.split(",") ?? [],
    reading: numberOf(row.reading),
  };
}

/** Undefined where it would be negative: a container may share the name of the boot, and not its time. */
export function spanSince(
  { sent_boot, sent_since_boot_ms }: SqlRow,
  { boot, ms }: SinceBoot,
): number | undefined {
  const sentMs = sent_boot === boot ? numberOf(sent_since_boot_ms) : undefined;
  return sentMs === undefined || sentMs > ms ? undefined : ms - sentMs;
}

export function readRun(row: SqlRow): Run {
  return {
    number: Number(row.number),
    command: String(row.command),
    account: String(row.account),
    service: String(row.service),
    customer: Number(row.customer),
    source: textOf(row.source),
    undoes: numberOf(row.undoes),
    startedAtMs: Number(row.started_at),
    endedAtMs: numberOf(row.ended_at),
    exit: numberOf(row.exit),
    process: { pid: Number(row.pid), started: textOf(row.process_started), place: String(row.place) },
    silentForMs: numberOf(row.silent_for_ms),
  };
}

export function readDraft(value: unknown): Draft | undefined {
  return typeof value === "string" ? (parseJson(value) as Draft) : undefined;
}

export function writeDraft(draft: Draft | undefined): string | null {
  return draft === undefined ? null : stringifyJson(draft);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** An order's number, which is a text. */
export function storedNumberOf(value: unknown): string | undefined {
  return typeof value === "string" ? fromStoredNumber(value) : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
