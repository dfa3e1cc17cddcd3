/** What the ledger knows of one create or cancel. */

import type { ProcessIdentity } from "../core/process-identity.ts";
import type { Draft } from "../model/draft.ts";
import { parseJson, stringifyJson } from "../model/json.ts";
import type { SqlRow } from "../sqlite/driver.ts";

/**
 * `ready`: recorded, not sent. `sending`: it leaves, or has left. Then one of: `created`; `found`: its answer was
 * lost, and the order was found; `refused`; `unsent`: certainly not made; `unknown`: in doubt.
 */
export type CreateState = "ready" | "sending" | "created" | "found" | "refused" | "unsent" | "unknown";
/** `accepted`: the service took the request, and the order read back is in another state. */
export type CancelState = "ready" | "sending" | "cancelled" | "accepted" | "refused" | "unsent" | "unknown";

/** `12.3`: the third operation of run 12. */
export interface OperationName {
  readonly run: number;
  readonly number: number;
}

/**
 * By `--allow-duplicate`: `equal` was sent although an equal order was known; `extra` although the row had
 * become an order already.
 */
export type Allowance = "none" | "equal" | "extra";

/** How a request ended without a clear answer: after a timeout the service may be at work on it for longer. */
export type Loss = "broken" | "timeout";

/** What the service says of an order that was made. */
export interface OrderFacts {
  readonly id: string;
  readonly order_no: string | null;
  readonly tracking_number: string | null;
  readonly estimated_fee: string | null;
}

/** Why the service refused. */
export interface Rejection {
  readonly code: string;
  readonly message: string;
  /** Section 7: the path of the offending field, where the service names one. */
  readonly field?: string | undefined;
}

export interface Operation extends OperationName {
  readonly kind: "create" | "cancel";
  readonly state: CreateState | CancelState;
  readonly customer: number;
  /** The run that is at work on it, or was last. */
  readonly owner: number;
  readonly attempt: number;
  readonly sentAtMs: number | undefined;
  /** Service's clock minus ours when it was sent, or as it was last known before, where it was. */
  readonly offsetMs: number | undefined;
  readonly endedAtMs: number | undefined;
  /** When it was sent and when it ended, in the ledger's own order of events, which no clock changes. */
  readonly sentEvent: number | undefined;
  readonly endedEvent: number | undefined;
  readonly loss: Loss;
  /** In doubt: when the first complete listing began that had no candidate for it. */
  readonly firstLookMs: number | undefined;
  /** Equal for equal orders. */
  readonly content: string | undefined;
  readonly shop: string;
  readonly ref: string | undefined;
  /** The import file that it is a row of, and the row's number there. */
  readonly file: number | undefined;
  readonly row: number | undefined;
  readonly allowance: Allowance;
  /** In doubt when its run was undone: not sent again, and to be cancelled when it turns up. */
  readonly isUnwanted: boolean;
  /** Its order was found by a command that was about others: nobody who sent it has been told. */
  readonly isUntold: boolean;
  readonly order: OrderFacts | undefined;
  /** The state in which the order was last seen by a command that changed it. */
  readonly orderState: string | undefined;
  readonly rejection: Rejection | undefined;
  /** What was sent; undefined once personal data was deleted. */
  readonly draft: Draft | undefined;
  /** Parts of the draft that a default gave and not the row itself. */
  readonly defaults: readonly string[];
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
  /** Undefined while it runs, and for one that was killed. */
  readonly endedAtMs: number | undefined;
  readonly exit: number | undefined;
  readonly process: ProcessIdentity;
}

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

/** True for a create that has become an order. */
export function isMade({ kind, state }: Pick<Operation, "kind" | "state">): boolean {
  return kind === "create" && (state === "created" || state === "found");
}

/** True for an order that was made and is known to be cancelled. */
export function isCancelled(operation: Pick<Operation, "kind" | "state" | "orderState">): boolean {
  return isMade(operation) && operation.orderState === "cancelled";
}

export function readOperation(row: SqlRow): Operation {
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
    offsetMs: numberOf(row.offset_ms) ?? numberOf(row.assumed_offset_ms),
    endedAtMs: numberOf(row.ended_at),
    sentEvent: numberOf(row.sent_event),
    endedEvent: numberOf(row.ended_event),
    loss: row.loss === "timeout" ? "timeout" : "broken",
    firstLookMs: numberOf(row.first_look_at),
    content: textOf(row.content),
    shop: textOf(row.shop) ?? "",
    ref: textOf(row.ref),
    file: numberOf(row.file),
    row: numberOf(row.row),
    allowance: row.allowance as Allowance,
    isUnwanted: row.is_unwanted === 1,
    isUntold: row.is_untold === 1,
    order:
      id === undefined
        ? undefined
        : {
            id,
            order_no: textOf(row.order_no) ?? null,
            tracking_number: textOf(row.tracking_number) ?? null,
            estimated_fee: textOf(row.estimated_fee) ?? null,
          },
    orderState: textOf(row.order_state),
    rejection:
      code === undefined
        ? undefined
        : { code, message: textOf(row.error_message) ?? "", field: textOf(row.error_field) },
    draft: readDraft(row.draft),
    defaults: textOf(row.defaults)?.split(",") ?? [],
  };
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

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
