/** Records raw calls that make or cancel an order: they pass the same guard as `orders create` and `orders cancel`. */

import { hash } from "node:crypto";
import type { RawCall, RawReply } from "../api/client.ts";
import { ServiceFailure } from "../api/failure.ts";
import { orderCallOf } from "../api/order-call.ts";
import { rawUrl } from "../api/raw-url.ts";
import type { Context } from "../command/command.ts";
import { CourierError, interrupted, usageError } from "../core/errors.ts";
import {
  type CancelOutcome,
  type CreateOutcome,
  nameOperation,
  type OperationName,
} from "../ledger/operation.ts";
import { OtherOrder } from "../ledger/operation-errors.ts";
import { type Draft, draftSchema } from "../model/draft.ts";
import { isJsonNumber, isJsonObject, type Json, JsonSyntaxError, parseJson } from "../model/json.ts";
import { type Contents, contentsOf } from "../model/same-order.ts";
import { check, integerPattern } from "../model/schema.ts";
import { failureOutcome, recordEnd, rejectionOf } from "../sending/create.ts";
import { evidenceOf, lossOf } from "../sending/evidence.ts";
import { type BegunOrder, beginOrder } from "../sending/guard.ts";
import { orderFacts, stampAheadMs } from "../sending/order-facts.ts";
import { createReconcileTools, settleInDoubt } from "../sending/settle.ts";

/** A call that is recorded. */
export interface Recorder {
  /** False once another process has the operation: then this one must not send it. */
  readonly mayLeave?: () => boolean;
  /** Records the outcome: its answer, or what it threw. Returns what is known beyond the failure itself. */
  end(result: { reply: RawReply } | { error: unknown }): Promise<Effect | undefined>;
}

export type Effect =
  | { readonly kind: "none" | "in doubt" }
  /** An order was created, and the ledger is lost. */
  | { readonly kind: "unrecorded"; readonly failure: CourierError }
  | { readonly kind: "created"; readonly orderId: string }
  /** The order was found although the answer says otherwise. */
  | { readonly kind: "found"; readonly orderId: string };

/**
 * Records a call that makes or cancels an order before it leaves; undefined for any other call, and for a cancel that
 * names no id. Throws `duplicate`, exit 2, where an equal order was sent before, and a usage error where that cannot be found out.
 */
export async function recordCall(
  call: RawCall,
  isDuplicateAllowed: boolean,
  context: Context,
): Promise<Recorder | undefined> {
  const url = rawUrl(call.path, await context.baseUrl(), call.query);
  const orderCall = orderCallOf(call.method, url);
  if (orderCall?.kind === "create") return recordCreate(call, isDuplicateAllowed, context);
  const id = orderCall && idOf(orderCall.orderId);
  return id === undefined ? undefined : recordCancel(id, context);
}

async function recordCreate(
  call: RawCall,
  isDuplicateAllowed: boolean,
  context: Context,
): Promise<Recorder | undefined> {
  const read = readBody(call.body);
  const body = read ?? {};
  const checked = check(draftSchema(), body);
  const draft = "value" in checked ? (checked.value as Draft) : undefined;
  const prompts = context.globals.yes ? undefined : await context.prompts();
  const ask = prompts && ((question: string) => prompts.confirm(question));
  const order = {
    command: "api POST orders",
    ...contentsOfBody(call.body, body),
    draft,
    isDuplicateAllowed,
    ask,
  };
  const begun = await beginOrder(order, context);
  if (!begun) throw interrupted(130, "not confirmed: nothing was sent");
  const { ledger, run, operation } = begun;
  return {
    mayLeave: () => ledger.holdsClaim(operation, run.number),
    async end(result) {
      const offsetMs = (await context.service()).clockOffsetMs();
      const outcome = createOutcome(result, { draft, body: read }, context.clock.now(), offsetMs);
      const problem = await recordEnd(begun, outcome, context);
      if (problem instanceof OtherOrder) throw otherOrder(problem, begun.operation, context);
      if (problem) return { kind: "unrecorded", failure: problem };
      if (outcome.state === "created") return { kind: "created", orderId: outcome.order.id };
      return outcome.state === "unknown" ? checkRefusal(outcome, begun, context) : { kind: "none" };
    },
  };
}

function otherOrder(
  { reason, orderId }: OtherOrder,
  own: OperationName,
  { nextCommand }: Context,
): CourierError {
  const message = `it is not known whether the order was created: ${reason}`;
  return new CourierError("outcome_unknown", 6, message, {
    hint: `to decide: ${nextCommand(`orders resolve ${nameOperation(own)}`)}`,
    details: { candidates: [orderId] },
  });
}

/** A refusal that the specification does not define is checked once. */
async function checkRefusal(
  outcome: CreateOutcome,
  { ledger, run, operation }: BegunOrder,
  context: Context,
): Promise<Effect> {
  if (!("rejection" in outcome) || outcome.rejection === undefined) return { kind: "in doubt" };
  const { customer, number } = run;
  try {
    const tools = await createReconcileTools({ ledger, customer, run: number }, context);
    await settleInDoubt([nameOperation(operation)], tools, { timeLimitMs: checkMs });
  } catch (error) {
    if (!(error instanceof CourierError)) throw error; // it stays in doubt
  }
  const settled = await ledger.findOperation(operation);
  if (settled?.order) return { kind: "found", orderId: settled.order.id };
  return { kind: settled?.state === "refused" ? "none" : "in doubt" };
}

const checkMs = 3_000;

/** 2.4: an integer; servers also read `01` and `1.json`. Undefined for another name, whose order is not known. */
function idOf(name: string): string | undefined {
  return /^0*(\d+)(?:\.[a-z]+)?$/i.exec(name)?.[1];
}

async function recordCancel(id: string, context: Context): Promise<Recorder> {
  const ledger = await context.ledger();
  const run = await context.beginRun({ command: "api DELETE orders" });
  const name = await ledger.beginCancel(run, id, context.clock.now());
  return {
    async end(result) {
      try {
        await ledger.endCancel(name, run.number, cancelOutcome(result), context.clock.now());
      } catch (error) {
        if (!(error instanceof CourierError)) throw error;
        context.messages.warnAlways(`the ledger could not record the call: ${error.message}`);
      }
      return undefined;
    },
  };
}

/** A body that is not an order of the interface is compared byte for byte. */
function contentsOfBody(bytes: Uint8Array | undefined, body: Json): Contents {
  const contents = contentsOf(body);
  if (contents.content !== contentsOf({}).content) return contents;
  const content = `raw:${hash("sha256", bytes ?? new Uint8Array()).slice(0, 32)}`;
  return { content, formerContent: undefined };
}

/**
 * Undefined for a body that is no JSON: nothing is known of it. Throws a usage error for one that is
 * nested too deeply to be read, since a service may read it.
 */
function readBody(body: Uint8Array | undefined): Json | undefined {
  try {
    return body && parseJson(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof JsonSyntaxError && error.isTooDeep) {
      throw usageError(
        "the body is nested too deeply to be compared with orders sent before; nothing was sent",
        "an order has two levels, such as sender.name: correct the file of --input, or the fields",
      );
    }
    return undefined;
  }
}

function failureOf(result: { reply: RawReply } | { error: unknown }): unknown {
  return "reply" in result ? result.reply.failure : result.error;
}

function createOutcome(
  result: { reply: RawReply } | { error: unknown },
  { draft, body }: { readonly draft: Draft | undefined; readonly body: Json | undefined },
  nowMs: number,
  offsetMs: number | undefined,
): CreateOutcome {
  const failure = failureOf(result);
  if (failure instanceof ServiceFailure) {
    const evidence = evidenceOf(failure, body);
    if (evidence === "not_made") return failureOutcome(failure, draft);
    return {
      state: "unknown",
      loss: lossOf(failure),
      namedOrder: failure.namedOrder,
      ...(evidence === "refused" ? { rejection: rejectionOf(failure, draft) } : {}),
    };
  }
  if (failure !== undefined || !("reply" in result)) return { state: "unknown", loss: "broken" };
  const data = result.reply.envelope?.data;
  if (!isJsonObject(data) || !isJsonNumber(data.id) || !integerPattern.test(data.id.value))
    return { state: "unknown", loss: "timeout" };
  const text = (value: Json | undefined) => (typeof value === "string" ? value : undefined);
  const order = orderFacts({
    id: data.id,
    order_no: text(data.order_no),
    tracking_number: text(data.tracking_number),
    estimated_fee: isJsonNumber(data.estimated_fee) ? data.estimated_fee : undefined,
    created_at: text(data.created_at),
  });
  const aheadMs = stampAheadMs(order.created_at, nowMs, offsetMs);
  return { state: "created", order, orderState: text(data.status), stampAheadMs: aheadMs };
}

/** The order is not read back here: known is only that the service accepted the request. */
function cancelOutcome(result: { reply: RawReply } | { error: unknown }): CancelOutcome {
  const failure = failureOf(result);
  if (failure === undefined) return { state: "accepted" };
  if (!(failure instanceof ServiceFailure) || failure.mayHaveHappened) return { state: "unknown" };
  const rejection = { code: failure.serviceCode ?? failure.code, message: failure.message };
  return { state: failure.kind === "refused" ? "refused" : "unsent", rejection };
}
